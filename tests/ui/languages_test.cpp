// The window in each of its languages: no two entries of a menu share a mnemonic, and no button, choice or label is cut off.
#include "ui/desktop/languages.h"
#include "tests/support/window_fixture.h"
#include "ui/chat/elided_label.h"
#include "ui/theme/style.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QFormLayout>
#include <QHash>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

using namespace trefoil;

namespace {

QChar mnemonicOf(const QString& text) {
    QString rest = text;
    rest.replace(QLatin1String("&&"), QLatin1String("  "));
    const qsizetype at = rest.indexOf(QLatin1Char('&'));
    return at < 0 || at + 1 == rest.size() ? QChar() : rest.at(at + 1).toUpper();
}

QStringList clashesOf(const QString& menu, const QList<QAction*>& actions) {
    QStringList found;
    QHash<QChar, QString> taken;
    for (const QAction* action : actions) {
        const QChar key = mnemonicOf(action->text());
        if (key.isNull()) continue;
        if (taken.contains(key))
            found.append(menu + QStringLiteral(": ") + taken.value(key) + QStringLiteral(", ") + action->text());
        taken.insert(key, action->text());
    }
    for (const QAction* action : actions)
        if (action->menu() != nullptr) found += clashesOf(action->text(), action->menu()->actions());
    return found;
}

/// Visible widgets that are smaller than their text needs. What elides or wraps shows all of it otherwise.
QStringList cutOff(QWidget* top) {
    QStringList found;
    for (QWidget* widget : top->findChildren<QWidget*>()) {
        if (!widget->isVisibleTo(top) || widget->width() == 0) continue;
        QString text;
        int needed = 0;
        if (const auto* button = qobject_cast<QAbstractButton*>(widget); button != nullptr && !button->text().isEmpty()) {
            text = button->text();
            needed = widget->minimumSizeHint().width();
        } else if (const auto* combo = qobject_cast<QComboBox*>(widget); combo != nullptr && !combo->isEditable()) {
            text = combo->currentText();
            needed = combo->fontMetrics().horizontalAdvance(text) + 20;  // and the arrow
        } else if (const auto* label = qobject_cast<QLabel*>(widget); label != nullptr && !label->wordWrap()) {
            if (qobject_cast<ElidedLabel*>(widget) != nullptr) continue;
            text = label->text();
            needed = label->minimumSizeHint().width();
        }
        if (!text.isEmpty() && widget->width() < needed)
            found.append(QStringLiteral("%1 “%2”: %3 of %4").arg(widget->objectName(), text).arg(widget->width()).arg(needed));
    }
    return found;
}

}  // namespace

class LanguagesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QApplication::setStyle(theme::makeStyle()); }

    void theWindow_data() {
        QTest::addColumn<QString>("language");
        for (const Language& language : Languages::available()) QTest::newRow(qPrintable(language.code)) << language.code;
    }
    void theWindow() {
        QFETCH(QString, language);
        Languages languages;
        languages.speak(language);
        QCOMPARE(languages.spoken(), language);
        const QTemporaryDir folder;
        testing::WindowFixture trefoil(folder.path());
        QVERIFY(trefoil.ready());
        trefoil.window->resize(1280, 800);
        trefoil.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(trefoil.waitForAnswer());
        const QStringList clashes = clashesOf(QStringLiteral("menu bar"), trefoil.window->menuBar()->actions());
        QVERIFY2(clashes.isEmpty(), qPrintable(clashes.join(QLatin1Char('\n'))));
        QTest::qWait(300);  // the prompt is counted
        trefoil.screenshot(QStringLiteral("window-") + language);
        const QStringList cut = cutOff(trefoil.window.get());
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
        for (const char* action :
             {"actionModelDialog", "actionPreferences", "actionShortcuts", "actionCompare", "actionStatistics"})
            lookAtDialog(trefoil, action, language);
    }

    /// Also where a form is plural: one is not many.
    void englishCounts() {
        Languages languages;
        languages.speak(QStringLiteral("en"));
        const auto passes = [](int count) {
            return QCoreApplication::translate("trefoil::BlockBars", "%n passes", nullptr, count);
        };
        QCOMPARE(passes(1), QStringLiteral("1 pass"));
        QCOMPARE(passes(2), QStringLiteral("2 passes"));
    }

private:
    static void lookAtDialog(const testing::WindowFixture& trefoil, const char* name, const QString& language) {
        auto* action = trefoil.find<QAction>(name);
        QVERIFY2(action != nullptr, name);
        action->trigger();
        QDialog* dialog = nullptr;
        QTRY_VERIFY2(
            [&] {
                for (auto* each : trefoil.window->findChildren<QDialog*>())
                    if (each->isVisible()) dialog = each;
                return dialog != nullptr;
            }(),
            name);
        QTest::qWait(100);
        const QString pictures = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR");
        if (!pictures.isEmpty()) dialog->grab().save(QStringLiteral("%1/%2-%3.png").arg(pictures, QLatin1String(name), language));
        const QStringList cut = cutOff(dialog);
        dialog->close();
        QVERIFY2(cut.isEmpty(), qPrintable(QLatin1String(name) + QLatin1Char('\n') + cut.join(QLatin1Char('\n'))));
        QTRY_VERIFY(!dialog->isVisible());
    }
};

QTEST_MAIN(LanguagesTest)
#include "languages_test.moc"
