// ShortcutTable: the window's actions with their keys, as they stand in its menus; gives them the person's own keys.
#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QString>

class QAction;
class QMenu;
class QMenuBar;

namespace trefoil {

class Settings;

struct ShortcutEntry {
    QPointer<QAction> action;
    QString id;                 ///< the action's object name, which settings store
    QString menu;               ///< the menu that it stands in, without mnemonics
    QString text;               ///< without mnemonics
    QList<QKeySequence> usual;  ///< what the program gives it
};

class ShortcutTable : public QObject {
    Q_OBJECT
public:
    /// Takes every named action of the bar's menus and applies the settings' keys. `settings` and `bar` outlive this.
    ShortcutTable(QMenuBar* bar, Settings* settings, QObject* parent = nullptr);

    [[nodiscard]] const QList<ShortcutEntry>& entries() const { return m_entries; }
    [[nodiscard]] const ShortcutEntry* find(const QString& id) const;
    /// The other action that has these keys, or keys that begin with them or with which they begin; null when they are free.
    [[nodiscard]] const ShortcutEntry* conflict(const QString& id, const QKeySequence& keys) const;
    /// Empty keys: the action has none. Stored at once.
    void rebind(const QString& id, const QKeySequence& keys);
    void reset(const QString& id);
    void resetAll();
    [[nodiscard]] bool isUsual(const ShortcutEntry& entry) const;

signals:
    void changed();

private:
    void collect(QMenu* menu, const QString& title);
    void apply(const ShortcutEntry& entry);

    Settings* m_settings;
    QList<ShortcutEntry> m_entries;
};

}  // namespace trefoil
