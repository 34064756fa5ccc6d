// Presets by name: choose one, save the present values under a name, remove one. Storing them is the caller's.
#pragma once

#include <QStringList>
#include <QWidget>

class QComboBox;
class QToolButton;

namespace trefoil {

/// Object names: "presetName" (an editable combo box), "presetSave", "presetRemove".
class PresetBar : public QWidget {
    Q_OBJECT
public:
    explicit PresetBar(QWidget* parent = nullptr);
    /// Keeps the name that stands in the field.
    void setPresets(const QStringList& names);

signals:
    void chosen(const QString& name);
    /// The name is trimmed and not empty; it may exist, then the preset is to be replaced.
    void saveRequested(const QString& name);
    void removeRequested(const QString& name);

protected:
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] QString name() const;
    void refresh();
    void save();

    QComboBox* m_combo = nullptr;
    QToolButton* m_save = nullptr;
    QToolButton* m_remove = nullptr;
};

}  // namespace trefoil
