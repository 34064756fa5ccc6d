// Compare: words that differ, and two answers under two settings in the whole window with the real demo model.
#include "app/core/word_diff.h"
#include "tests/support/window_fixture.h"
#include "ui/compare/compare_dialog.h"
#include "ui/theme/style.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QtTest>

namespace {

using namespace trefoil;
using trefoil::testing::WindowFixture;

QString textOf(const QList<DiffPart>& parts) {
    QString text;
    for (const DiffPart& part : parts) text += part.text;
    return text;
}

class CompareTest : public QObject {
    Q_OBJECT

private slots:
    void wordsThatDiffer_data();
    void wordsThatDiffer();
    void longTextsAreBounded();
    void twoAnswersOneSeed();
    void goesOnInAnotherWindow();
    void whatCannotBeIsSaid();
};

void CompareTest::wordsThatDiffer_data() {
    QTest::addColumn<QString>("left");
    QTest::addColumn<QString>("right");
    QTest::addColumn<int>("leftOnly");
    QTest::addColumn<int>("rightOnly");
    QTest::newRow("equal") << QStringLiteral("a b c") << QStringLiteral("a b c") << 0 << 0;
    QTest::newRow("one word") << QStringLiteral("a b c d") << QStringLiteral("a x c d") << 1 << 1;
    QTest::newRow("inserted") << QStringLiteral("a c") << QStringLiteral("a b b c") << 0 << 2;
    QTest::newRow("spaces at the end") << QStringLiteral("a b") << QStringLiteral("a b\n") << 0 << 0;
    QTest::newRow("empty") << QString() << QStringLiteral("a") << 0 << 1;
    QTest::newRow("moved") << QStringLiteral("x a b c") << QStringLiteral("a b c x") << 1 << 1;
    QTest::newRow("CJK signs are words") << QStringLiteral("水は冷たい") << QStringLiteral("湯は熱い") << 3 << 2;
}

void CompareTest::wordsThatDiffer() {
    QFETCH(QString, left);
    QFETCH(QString, right);
    const WordDiff diff = diffWords(left, right);
    QCOMPARE(textOf(diff.left), left);
    QCOMPARE(textOf(diff.right), right);
    QTEST(static_cast<int>(diff.leftOnly), "leftOnly");
    QTEST(static_cast<int>(diff.rightOnly), "rightOnly");
}

void CompareTest::longTextsAreBounded() {
    QString left;
    QString right;
    for (int i = 0; i < 30000; ++i) {
        left += QStringLiteral("a%1 ").arg(i);
        right += QStringLiteral("b%1 ").arg(i);
    }
    const WordDiff diff = diffWords(QStringLiteral("start ") + left + QStringLiteral("end"),
                                    QStringLiteral("start ") + right + QStringLiteral("end"));
    QCOMPARE(diff.leftOnly, 30000);
    QCOMPARE(diff.left.size(), 3);
}

void CompareTest::twoAnswersOneSeed() {
    const QTemporaryDir folder;
    QString conversation;
    {
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        w.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(w.waitForAnswer());
        conversation = w.chat->conversation().id;
        const ControlValues before = w.chat->controls();
        w.find<QAction>("actionCompare")->trigger();
        auto* dialog = w.find<CompareDialog>("compareDialog");
        QVERIFY(dialog != nullptr && dialog->isVisible());
        auto* control = w.find<QComboBox>("compareControlRight");
        control->setCurrentIndex(control->findData(QStringLiteral("threshold")));
        auto* value = w.find<QLineEdit>("compareValueRight");
        QCOMPARE(value->text(), QStringLiteral("0.95"));
        value->setText(QStringLiteral("1"));
        QSignalSpy finished(w.chat.get(), &ChatController::answerEnded);
        QTest::mouseClick(w.find<QPushButton>("compareRunButton"), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return finished.count() == 2 && !w.chat->isRunning(); }, 60000));
        QTRY_COMPARE(w.find<QPushButton>("compareRunButton")->text(), QStringLiteral("Write both"));
        // Three versions; the conversation's settings are as they were.
        QCOMPARE(w.chat->versionsOf(w.lastMessage()).size(), 3);
        QCOMPARE(w.chat->controls(), before);
        const auto left = finished.at(0).at(0).value<MessageRecord>();
        const auto right = finished.at(1).at(0).value<MessageRecord>();
        QCOMPARE(left.settings.value(QStringLiteral("threshold")).toDouble(), 0.95);
        QCOMPARE(right.settings.value(QStringLiteral("threshold")).toDouble(), 1.0);
        QCOMPARE(left.settings.value(QStringLiteral("seed")), right.settings.value(QStringLiteral("seed")));
        QVERIFY(right.stats.passes > left.stats.passes);
        QCOMPARE(w.find<QComboBox>("compareVersionLeft")->currentData().toString(), left.id);
        QCOMPARE(w.find<QComboBox>("compareVersionRight")->currentData().toString(), right.id);
        QVERIFY(w.find<QLabel>("compareFiguresRight")->text().contains(QStringLiteral("threshold = 1")));
        QVERIFY(w.find<QLabel>("compareFiguresLeft")->text().contains(QStringLiteral("%1 passes").arg(left.stats.passes)));
        QCOMPARE(w.find<QTextBrowser>("compareTextLeft")->toPlainText(), left.content);
        QVERIFY(w.find<QLabel>("compareGpuNote")->text().contains(QStringLiteral("On a GPU")));
        if (const QString pictures = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR"); !pictures.isEmpty()) {
            QTest::qWait(60);
            dialog->grab().save(pictures + QStringLiteral("/compare-light.png"));
            w.find<QAction>("actionTheme2")->trigger();
            w.find<QComboBox>("compareVersionLeft")->setCurrentIndex(0);
            QTest::qWait(60);
            dialog->grab().save(pictures + QStringLiteral("/compare-dark.png"));
            w.find<QAction>("actionTheme0")->trigger();
        }
    }
    // Saved like any versions.
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.chat->openConversation(conversation);
    QTRY_COMPARE(w.chat->messages().size(), 2);
    QCOMPARE(w.chat->versionsOf(w.lastMessage()).size(), 3);
}

/// Another language is another window: both answers are written, and the dialog shows them.
void CompareTest::goesOnInAnotherWindow() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.ask(QStringLiteral("What is 347 + 586?"));
    QVERIFY(w.waitForAnswer());
    const ControlValues before = w.chat->controls();
    w.find<QAction>("actionCompare")->trigger();
    auto* control = w.find<QComboBox>("compareControlLeft");
    control->setCurrentIndex(control->findData(QStringLiteral("threshold")));
    w.find<QLineEdit>("compareValueLeft")->setText(QStringLiteral("1"));
    QSignalSpy ended(w.chat.get(), &ChatController::answerEnded);
    QSignalSpy finished(w.compare.get(), &CompareRun::finished);
    QTest::mouseClick(w.find<QPushButton>("compareRunButton"), Qt::LeftButton);
    QVERIFY(w.compare->isRunning());
    // The conversation's settings stay its own, and changing them does not reach these answers.
    QCOMPARE(w.chat->controls(), before);
    ControlValues others = before;
    others.insert(QStringLiteral("threshold"), 0.5);
    w.chat->setControls(others);
    w.replaceWindow();
    const auto* dialog = w.find<CompareDialog>("compareDialog");
    QVERIFY(dialog != nullptr && dialog->isVisible());
    QCOMPARE(w.find<QPushButton>("compareRunButton")->text(), QStringLiteral("Stop"));
    QCOMPARE(w.find<QLineEdit>("compareValueLeft")->text(), QStringLiteral("1"));
    QVERIFY(!w.find<QLabel>("compareNote")->text().isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
    QCOMPARE(ended.count(), 2);
    QCOMPARE(w.chat->versionsOf(w.lastMessage()).size(), 3);
    QCOMPARE(ended.at(0).at(0).value<MessageRecord>().settings.value(QStringLiteral("threshold")).toDouble(), 1.0);
    QCOMPARE(ended.at(1).at(0).value<MessageRecord>().settings.value(QStringLiteral("threshold")).toDouble(), 0.95);
    QCOMPARE(w.find<QComboBox>("compareVersionLeft")->currentData().toString(), finished.at(0).at(0).toString());
    QCOMPARE(w.find<QComboBox>("compareVersionRight")->currentData().toString(), finished.at(0).at(1).toString());
    QCOMPARE(w.find<QPushButton>("compareRunButton")->text(), QStringLiteral("Write both"));
    QCOMPARE(w.chat->controls(), others);
}

void CompareTest::whatCannotBeIsSaid() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.find<QAction>("actionCompare")->trigger();
    QVERIFY(w.find<QLabel>("compareDifference")->text().contains(QStringLiteral("no answer")));
    QTest::mouseClick(w.find<QPushButton>("compareRunButton"), Qt::LeftButton);
    QVERIFY(w.find<QLabel>("compareNote")->text().contains(QStringLiteral("must end with")));
    auto* control = w.find<QComboBox>("compareControlLeft");
    control->setCurrentIndex(control->findData(QStringLiteral("threshold")));
    w.find<QLineEdit>("compareValueLeft")->setText(QStringLiteral("7"));
    QTest::mouseClick(w.find<QPushButton>("compareRunButton"), Qt::LeftButton);
    QVERIFY(w.find<QLabel>("compareNote")->text().contains(QStringLiteral("threshold")));
    QVERIFY(!w.chat->isRunning());
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setStyle(trefoil::theme::makeStyle());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    CompareTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "compare_test.moc"
