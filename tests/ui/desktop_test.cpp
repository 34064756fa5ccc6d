// Manners on the desktop: theme of the portal, zoom, motion, keys, announcements, notifications, languages. A bus of its own
// plays the desktop.
#include "tests/support/window_fixture.h"
#include "ui/chat/notice_bar.h"
#include "ui/desktop/announcer.h"
#include "ui/desktop/desktop_look.h"
#include "ui/desktop/keys_page.h"
#include "ui/desktop/languages.h"
#include "ui/desktop/notifier.h"
#include "ui/desktop/preferences_dialog.h"
#include "ui/desktop/shortcut_sheet.h"
#include "ui/desktop/shortcut_table.h"
#include "ui/theme/style.h"
#include "ui/theme/theme.h"
#include "ui/transfer/transfer_menu.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QDir>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QProcess>
#include <QPushButton>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTreeWidget>
#include <QtTest>

using namespace trefoil;

/// The desktop's side of the bus: its settings portal and its notifications.
class FakeDesktop : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Settings")
public:
    uint scheme = 1;
public slots:
    QDBusVariant Read(const QString& space, const QString& key) {
        if (space == QLatin1String("org.freedesktop.appearance") && key == QLatin1String("color-scheme"))
            return QDBusVariant(QVariant::fromValue(QDBusVariant(scheme)));
        return QDBusVariant(QVariant::fromValue(QDBusVariant(QString())));
    }
signals:
    void SettingChanged(const QString& space, const QString& key, const QDBusVariant& value);
};

class FakeNotifications : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")
public:
    QStringList bodies;
public slots:
    uint Notify(const QString& /*name*/, uint /*replaces*/, const QString& /*icon*/, const QString& /*title*/,
                const QString& body, const QStringList& /*actions*/, const QVariantMap& /*hints*/, int /*timeout*/) {
        bodies.append(body);
        return 7;
    }
signals:
    void ActionInvoked(uint id, const QString& action);
};

class DesktopTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QApplication::setStyle(theme::makeStyle());
        const QString daemon = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon"));
        if (daemon.isEmpty()) return;
        m_bus.start(daemon, {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--print-address")});
        if (!m_bus.waitForStarted() || !m_bus.waitForReadyRead()) return;
        m_address = QString::fromLocal8Bit(m_bus.readLine()).trimmed();
        // Before the process's first use of its session bus.
        qputenv("DBUS_SESSION_BUS_ADDRESS", m_address.toLocal8Bit());
        m_desktopSide = std::make_unique<QDBusConnection>(QDBusConnection::connectToBus(m_address, QStringLiteral("desktop")));
        m_desktopSide->registerObject(QStringLiteral("/org/freedesktop/portal/desktop"), &m_desktop,
                                      QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals);
        m_desktopSide->registerObject(QStringLiteral("/org/freedesktop/Notifications"), &m_notifications,
                                      QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals);
        m_desktopSide->registerService(QStringLiteral("org.freedesktop.portal.Desktop"));
        m_desktopSide->registerService(QStringLiteral("org.freedesktop.Notifications"));
    }

    void cleanupTestCase() {
        QDBusConnection::disconnectFromBus(QStringLiteral("desktop"));
        m_bus.terminate();
        m_bus.waitForFinished();
    }

    void themeFollowsThePortalAndTheSetting() {
        if (m_address.isEmpty()) QSKIP("there is no dbus-daemon");
        Settings settings({});
        DesktopLook look(&settings);
        QTRY_VERIFY(look.portalKnown());
        QTRY_VERIFY(theme::isDark(QApplication::palette()));
        // The desktop changes while the program runs.
        const auto change = [this](uint scheme) {
            emit m_desktop.SettingChanged(QStringLiteral("org.freedesktop.appearance"), QStringLiteral("color-scheme"),
                                          QDBusVariant(scheme));
        };
        change(2);
        QTRY_VERIFY(!theme::isDark(QApplication::palette()));
        change(1);
        QTRY_VERIFY(theme::isDark(QApplication::palette()));
        settings.setTheme(ThemeChoice::Dark);
        QVERIFY(theme::isDark(QApplication::palette()));
        settings.setTheme(ThemeChoice::Light);
        QVERIFY(!theme::isDark(QApplication::palette()));
    }

    void motionAndColours() {
        Settings settings({});
        const DesktopLook look(&settings);
        settings.setMotion(MotionChoice::Reduced);
        QCOMPARE(QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration), 0);
        settings.setMotion(MotionChoice::Full);
        QVERIFY(QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration) > 0);
        for (const QPalette& palette : {theme::lightPalette(), theme::darkPalette()}) {
            settings.setSafeColours(false);
            const QColor green = theme::tone(theme::Tone::ResolvedNow, palette);
            settings.setSafeColours(true);
            const QColor blue = theme::tone(theme::Tone::ResolvedNow, palette);
            const QColor orange = theme::tone(theme::Tone::Forced, palette);
            QVERIFY(green != blue);
            // The blue-yellow axis, which is what red-green blindness leaves, separates them clearly.
            QVERIFY(blue.blue() - blue.red() > 60);
            QVERIFY(orange.red() - orange.blue() > 60);
        }
        settings.setSafeColours(false);
    }

    void zoomByKeys() {
        QTemporaryDir folder;
        testing::WindowFixture trefoil(folder.path());
        QVERIFY(trefoil.ready());
        QVERIFY(QTest::qWaitForWindowActive(trefoil.window.get()));
        const int usual = QApplication::font().pointSize();
        QTest::keyClick(trefoil.window.get(), Qt::Key_Plus, Qt::ControlModifier);
        QTRY_COMPARE(QApplication::font().pointSize(), usual + 1);
        QTRY_COMPARE(trefoil.find<QWidget>("composerEditor")->font().pointSize(), usual + 1);
        QTest::keyClick(trefoil.window.get(), Qt::Key_Minus, Qt::ControlModifier);
        QTest::keyClick(trefoil.window.get(), Qt::Key_Minus, Qt::ControlModifier);
        QTRY_COMPARE(QApplication::font().pointSize(), usual - 1);
        QTest::keyClick(trefoil.window.get(), Qt::Key_0, Qt::ControlModifier);
        QTRY_COMPARE(QApplication::font().pointSize(), usual);
    }

    void keysAreListedReboundAndReset() {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("keys.ini"));
        {
            Settings settings(file);
            QMenuBar bar;
            QMenu* menu = bar.addMenu(QStringLiteral("&File"));
            const auto add = [menu](const QString& text, const QString& name, const QKeySequence& keys) {
                QAction* action = menu->addAction(text);
                action->setObjectName(name);
                action->setShortcut(keys);
                return action;
            };
            const QAction* first = add(QStringLiteral("&First…"), QStringLiteral("first"), Qt::CTRL | Qt::Key_A);
            const QAction* second = add(QStringLiteral("Salt && &pepper"), QStringLiteral("second"), Qt::CTRL | Qt::Key_Comma);
            ShortcutTable table(&bar, &settings);
            QCOMPARE(table.entries().size(), 2);
            QCOMPARE(table.entries().at(0).text, QStringLiteral("First"));
            QCOMPARE(table.entries().at(1).text, QStringLiteral("Salt & pepper"));
            KeysPage page(&table);
            auto* edit = page.findChild<QKeySequenceEdit*>(QStringLiteral("keysEdit"));
            edit->setKeySequence(Qt::CTRL | Qt::Key_Comma);
            emit edit->editingFinished();
            QVERIFY(page.findChild<QLabel*>(QStringLiteral("keysProblem"))->text().contains(QStringLiteral("Salt & pepper")));
            QCOMPARE(first->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_A));
            page.findChild<QPushButton*>(QStringLiteral("keysTakeOver"))->click();
            QCOMPARE(first->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_Comma));
            QVERIFY(second->shortcut().isEmpty());
        }
        Settings settings(file);
        QMenuBar bar;
        QAction* first = bar.addMenu(QStringLiteral("File"))->addAction(QStringLiteral("First"));
        first->setObjectName(QStringLiteral("first"));
        first->setShortcut(Qt::CTRL | Qt::Key_A);
        ShortcutTable table(&bar, &settings);
        QCOMPARE(first->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_Comma));
        table.resetAll();
        QCOMPARE(first->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_A));
    }

    void everyActionHasANameAndTheSheetShowsIt() {
        QTemporaryDir folder;
        testing::WindowFixture trefoil(folder.path());
        QVERIFY(trefoil.ready());
        auto* table = trefoil.window->findChild<ShortcutTable*>();
        QVERIFY(table->entries().size() > 20);
        QHash<QString, QString> taken;
        for (const ShortcutEntry& entry : table->entries())
            for (const QKeySequence& keys : entry.usual) {
                QVERIFY2(!taken.contains(keys.toString()), qPrintable(keys.toString() + entry.id + taken.value(keys.toString())));
                taken.insert(keys.toString(), entry.id);
            }
        trefoil.find<QAction>("actionShortcuts")->trigger();
        auto* sheet = trefoil.find<QDialog>("shortcutSheet");
        QVERIFY(sheet != nullptr);
        const auto* list = sheet->findChild<QTreeWidget*>();
        for (const ShortcutEntry& entry : table->entries())
            QVERIFY2(!list->findItems(entry.text, Qt::MatchExactly | Qt::MatchRecursive).isEmpty(), qPrintable(entry.text));
        shoot(sheet, QStringLiteral("shortcut-sheet"));
        sheet->close();
        trefoil.find<QAction>("actionPreferences")->trigger();
        auto* dialog = trefoil.find<PreferencesDialog>("preferencesDialog");
        QVERIFY(dialog != nullptr);
        shoot(dialog, QStringLiteral("preferences"));
        dialog->showPage(PreferencesDialog::Page::Keys);
        shoot(dialog, QStringLiteral("preferences-keys"));
        // The theme of the dialog is the menu's.
        auto* choice = dialog->findChild<QComboBox*>(QStringLiteral("themeChoice"));
        choice->setCurrentIndex(2);
        emit choice->activated(2);
        QVERIFY(trefoil.find<QAction>("actionTheme2")->isChecked());
        QVERIFY(theme::isDark(QApplication::palette()));
        shoot(dialog, QStringLiteral("preferences-keys-dark"));
        dialog->showPage(PreferencesDialog::Page::Appearance);
        shoot(dialog, QStringLiteral("preferences-dark"));
        for (QWidget* widget : dialog->findChildren<QWidget*>())
            if (widget->focusPolicy() != Qt::NoFocus && qobject_cast<QComboBox*>(widget) != nullptr)
                QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(widget->objectName()));
        dialog->close();
        trefoil.settings->setTheme(ThemeChoice::Light);
    }

    void summaryOfABlockIsShort() {
        QCOMPARE(blockSummary(3, 2, QStringLiteral("a\n b")), QStringLiteral("Block 3, 2 pass(es): a b"));
        QVERIFY(blockSummary(3, 2, QString(1000, QLatin1Char('x'))).size() < 450);
    }

    void notificationOfALongAnswer() {
        if (m_address.isEmpty()) QSKIP("there is no dbus-daemon");
        Notifier notifier;
        QSignalSpy activated(&notifier, &Notifier::activated);
        notifier.answerEnded(QStringLiteral("title"), QStringLiteral("never begun"), 0);
        notifier.answerBegan();
        notifier.answerEnded(QStringLiteral("title"), QStringLiteral("short"));
        notifier.answerBegan();
        notifier.answerEnded(QStringLiteral("title"), QStringLiteral("a < b"), 0);
        QTRY_COMPARE(m_notifications.bodies, QStringList{QStringLiteral("a &lt; b")});
        QTest::qWait(20);
        emit m_notifications.ActionInvoked(8, QStringLiteral("default"));
        emit m_notifications.ActionInvoked(7, QStringLiteral("default"));
        QTRY_COMPARE(activated.count(), 1);
    }

    void languageIsSwitchedByAnotherWindow() {
        QTemporaryDir folder;
        testing::WindowFixture trefoil(folder.path());
        QVERIFY(trefoil.ready());
        trefoil.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(trefoil.waitForAnswer());
        const qsizetype messages = trefoil.chat->messages().size();
        Languages languages;
        for (const QString& code : {QStringLiteral("de"), QStringLiteral("zh_CN"), QStringLiteral("ja"), QStringLiteral("en")}) {
            languages.speak(code);
            trefoil.replaceWindow();
            const QString file = trefoil.window->menuBar()->actions().constFirst()->text();
            const QHash<QString, QString> expected{{QStringLiteral("de"), QStringLiteral("&Datei")},
                                                   {QStringLiteral("zh_CN"), QStringLiteral("文件(&F)")},
                                                   {QStringLiteral("ja"), QStringLiteral("ファイル(&F)")},
                                                   {QStringLiteral("en"), QStringLiteral("&File")}};
            QCOMPARE(file, expected.value(code));
            QCOMPARE(trefoil.chat->messages().size(), messages);
            QTest::qWait(50);
            trefoil.screenshot(QStringLiteral("language-") + code);
        }
    }

    void whatOnlyTheScreenHoldsGoesAlong() {
        QTemporaryDir folder;
        testing::WindowFixture trefoil(folder.path());
        QVERIFY(trefoil.ready());
        trefoil.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(trefoil.waitForAnswer());
        const QString id = trefoil.chat->conversation().id;
        emit trefoil.store->notSaved({StoreProblemKind::DiskFull, QStringLiteral("The disk is full."), {}}, 1);
        trefoil.chat->deleteConversation(id);
        trefoil.find<QAction>("actionPreferences")->trigger();
        trefoil.find<QLineEdit>("conversationFilter")->setText(QStringLiteral("nowhere"));
        QVERIFY(trefoil.window->mayGo());
        trefoil.replaceWindow();
        QVERIFY(trefoil.find<NoticeBar>("noticeBar")->current().text.contains(QStringLiteral("The disk is full.")));
        QCOMPARE(trefoil.find<QLineEdit>("conversationFilter")->text(), QStringLiteral("nowhere"));
        auto* settings = trefoil.window->findChild<PreferencesDialog*>();
        QVERIFY(settings != nullptr && settings->isVisible());
        settings->close();
        emit trefoil.store->saved();
        QVERIFY(trefoil.find<NoticeBar>("noticeBar")->current().id.isEmpty());
        QVERIFY(trefoil.find<QPushButton>("undoButton")->isVisible());
        QTest::mouseClick(trefoil.find<QPushButton>("undoButton"), Qt::LeftButton);
        QTRY_COMPARE(trefoil.chat->conversation().id, id);
    }

    void aWindowThatIsNeededDoesNotGo() {
        QTemporaryDir folder;
        testing::WindowFixture trefoil(folder.path());
        QVERIFY(trefoil.ready());
        QVERIFY(trefoil.window->mayGo());
        auto* transfer = trefoil.find<TransferMenu>("transferMenu");
        QSignalSpy imported(transfer->transfer(), &HistoryTransfer::imported);
        transfer->importFile(folder.filePath(QStringLiteral("not there.json")));
        QVERIFY(!trefoil.window->mayGo());
        QTRY_COMPARE(imported.count(), 1);
        QTRY_VERIFY(trefoil.window->mayGo());
        QDialog question(trefoil.window.get());
        question.open();
        QVERIFY(!trefoil.window->mayGo());
        question.close();
        QVERIFY(trefoil.window->mayGo());
    }

private:
    static void shoot(QWidget* widget, const QString& name) {
        const QString folder = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR");
        if (folder.isEmpty()) return;
        QTest::qWait(60);
        widget->grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
    }

    QProcess m_bus;
    QString m_address;
    std::unique_ptr<QDBusConnection> m_desktopSide;
    FakeDesktop m_desktop;
    FakeNotifications m_notifications;
};

QTEST_MAIN(DesktopTest)
#include "desktop_test.moc"
