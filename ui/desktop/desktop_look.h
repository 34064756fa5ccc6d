// DesktopLook: theme, text size, motion and block colours as the settings say, and where those say "like the desktop", as the
// desktop's portal says (org.freedesktop.portal.Settings), at once when it changes.
#pragma once

#include "app/core/settings.h"

#include <QDBusVariant>
#include <QObject>

#include <optional>

class QWidget;

namespace trefoil {

class DesktopLook : public QObject {
    Q_OBJECT
public:
    static constexpr int kSmallestFont = 7;
    static constexpr int kLargestFont = 32;

    /// Applies everything now. `settings` outlives this.
    explicit DesktopLook(Settings* settings, QObject* parent = nullptr);

    /// Makes all text larger or smaller by so many points; 0: the desktop's size.
    void zoom(int step);
    [[nodiscard]] bool portalKnown() const { return m_portalDark.has_value(); }

signals:
    void changed();

private slots:
    void portalChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void ask(const QString& space, const QString& key);
    void take(const QString& space, const QString& key, const QVariant& value);
    void applyTheme();
    void applyFont();
    void applyMotion();

    Settings* m_settings;
    std::optional<bool> m_portalDark;       ///< unset: no portal, or it has no preference
    std::optional<bool> m_portalAnimation;  ///< unset: not known
};

}  // namespace trefoil
