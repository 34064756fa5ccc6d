#include "ui/desktop/desktop_look.h"

#include "ui/desktop/session_bus.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFont>
#include <QPalette>
#include <QWidget>

namespace trefoil {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kAppearance = QStringLiteral("org.freedesktop.appearance");
const QString kColorScheme = QStringLiteral("color-scheme");
const QString kReducedMotion = QStringLiteral("reduced-motion");
const QString kGnome = QStringLiteral("org.gnome.desktop.interface");
const QString kAnimations = QStringLiteral("enable-animations");

/// The desktop's own palette and font size, from before any theme was applied.
struct OriginalLook {
    QPalette palette = QApplication::palette();
    int fontSize = QApplication::font().pointSize();
};
const OriginalLook& originalLook() {
    static const OriginalLook look;
    return look;
}

}  // namespace

DesktopLook::DesktopLook(Settings* settings, QObject* parent) : QObject(parent), m_settings(settings) {
    (void)originalLook();
    connect(settings, &Settings::themeChanged, this, &DesktopLook::applyTheme);
    connect(settings, &Settings::fontSizeChanged, this, &DesktopLook::applyFont);
    connect(settings, &Settings::motionChanged, this, &DesktopLook::applyMotion);
    connect(settings, &Settings::safeColoursChanged, this, &DesktopLook::applyTheme);
    QDBusConnection bus = desktopBus();
    if (bus.isConnected()) {
        // Qt looks the slot's types up by name, and refuses the connection when it has not met one of them yet.
        qRegisterMetaType<QDBusVariant>();
        // Without the service's name: a portal that is started after this connection has another owner by then.
        bus.connect({}, kPath, kInterface, QStringLiteral("SettingChanged"), this,
                    SLOT(portalChanged(QString, QString, QDBusVariant)));
        ask(kAppearance, kColorScheme);
        ask(kAppearance, kReducedMotion);
        ask(kGnome, kAnimations);
    }
    applyTheme();
    applyFont();
    applyMotion();
}

void DesktopLook::ask(const QString& space, const QString& key) {
    QDBusMessage call = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    call << space << key;
    auto* watcher = new QDBusPendingCallWatcher(desktopBus().asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, space, key](QDBusPendingCallWatcher* done) {
        const QDBusPendingReply<QDBusVariant> reply = *done;
        if (!reply.isError()) take(space, key, reply.value().variant());
        done->deleteLater();
    });
}

void DesktopLook::portalChanged(const QString& space, const QString& key, const QDBusVariant& value) {
    take(space, key, value.variant());
}

void DesktopLook::take(const QString& space, const QString& key, const QVariant& value) {
    QVariant plain = value;
    // "Read" wraps its answer twice.
    while (plain.canConvert<QDBusVariant>()) plain = plain.value<QDBusVariant>().variant();
    if (space == kAppearance && key == kColorScheme) {
        const uint scheme = plain.toUInt();  // 1: dark, 2: light, anything else: no preference
        m_portalDark = scheme == 1 ? std::optional(true) : scheme == 2 ? std::optional(false) : std::nullopt;
        applyTheme();
    } else if (space == kAppearance && key == kReducedMotion) {
        m_portalAnimation = plain.toUInt() != 1;
        applyMotion();
    } else if (space == kGnome && key == kAnimations) {
        m_portalAnimation = plain.toBool();
        applyMotion();
    }
}

void DesktopLook::applyTheme() {
    const ThemeChoice choice = m_settings->theme();
    const QPalette& desktop = originalLook().palette;
    QPalette palette = desktop;
    if (choice == ThemeChoice::Dark)
        palette = theme::darkPalette();
    else if (choice == ThemeChoice::Light)
        palette = theme::lightPalette();
    else if (m_portalDark && *m_portalDark != theme::isDark(desktop))
        palette = *m_portalDark ? theme::darkPalette() : theme::lightPalette();
    theme::setSafeColours(m_settings->safeColours());
    QApplication::setPalette(palette);
    for (QWidget* widget : QApplication::allWidgets()) widget->update();
    emit changed();
}

void DesktopLook::applyFont() {
    const int points = m_settings->fontSize() > 0 ? m_settings->fontSize() : originalLook().fontSize;
    QFont font = QApplication::font();
    if (points <= 0 || points == font.pointSize()) return;
    font.setPointSize(points);
    QApplication::setFont(font);
}

void DesktopLook::applyMotion() {
    const MotionChoice choice = m_settings->motion();
    theme::setReducedMotion(choice == MotionChoice::Reduced ||
                            (choice == MotionChoice::System && !m_portalAnimation.value_or(true)));
    emit changed();
}

void DesktopLook::zoom(int step) {
    if (step == 0) return m_settings->setFontSize(0);
    m_settings->setFontSize(qBound(kSmallestFont, QApplication::font().pointSize() + step, kLargestFont));
}

}  // namespace trefoil
