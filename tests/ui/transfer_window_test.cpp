// Taking along, in the whole window: import, export, PDF, backup and restore; long and odd texts that come by import.
#include "tests/support/slowdown.h"
#include "tests/support/window_fixture.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/message_widget.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/text_column.h"
#include "ui/chat/transcript_view.h"
#include "ui/theme/style.h"
#include "ui/transfer/transfer_menu.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QTemporaryDir>
#include <QtTest>

#include <ctime>

namespace {

using namespace trefoil;
using trefoil::testing::WindowFixture;

double threadCpuMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// Measures the longest turn of the window's thread, in its own CPU time.
class MeasuredApplication : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        if (QThread::currentThread() != thread() || m_depth > 0) return QApplication::notify(receiver, event);
        ++m_depth;
        const double start = threadCpuMs();
        const QByteArray what = QByteArray(receiver->metaObject()->className()) + ' ' + QByteArray::number(event->type());
        const bool result = QApplication::notify(receiver, event);
        if (const double spent = threadCpuMs() - start; spent > longest) {
            longest = spent;
            longestWhat = what;
        }
        --m_depth;
        return result;
    }
    double longest = 0.0;
    QByteArray longestWhat;

private:
    int m_depth = 0;
};

MeasuredApplication* measured() { return static_cast<MeasuredApplication*>(QCoreApplication::instance()); }

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString inJson(QString text) {
    return u'"' +
           text.replace(u'\\', QLatin1String("\\\\"))
               .replace(u'"', QLatin1String("\\\""))
               .replace(u'\n', QLatin1String("\\n"))
               .replace(u'\r', QLatin1String("\\r"))
               .replace(u'\t', QLatin1String("\\t")) +
           u'"';
}

class TransferWindowTest : public QObject {
    Q_OBJECT

private:
    static TransferMenu* menu(const WindowFixture& w) { return w.find<TransferMenu>("transferMenu"); }
    static Notice notice(const WindowFixture& w) { return w.window->findChild<NoticeBar*>()->current(); }
    static bool told(const WindowFixture& w, const QString& part) {
        return QTest::qWaitFor([&] { return notice(w).text.contains(part); }, 20000);
    }
    static QString file(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes) {
        QFile out(folder.filePath(name));
        if (out.open(QIODevice::WriteOnly)) out.write(bytes);
        return out.fileName();
    }
    /// Imports a question and an answer and opens them.
    static bool show(const WindowFixture& w, const QTemporaryDir& folder, const QString& question, const QString& answer) {
        const QString json = QStringLiteral("[{\"role\":\"user\",\"content\":%1},{\"role\":\"assistant\",\"content\":%2}]")
                                 .arg(inJson(question), inJson(answer));
        QSignalSpy spy(menu(w)->transfer(), &HistoryTransfer::imported);
        menu(w)->importFile(file(folder, QStringLiteral("show.json"), json.toUtf8()));
        if (!spy.wait(20000)) return false;
        const QString id = spy.first().at(2).value<ImportReport>().first;
        w.chat->openConversation(id);
        return QTest::qWaitFor([&] { return w.chat->conversation().id == id; }, 20000);
    }
    /// Conversations in the list, without the headings between them.
    static qsizetype listed(const WindowFixture& w) {
        const QAbstractItemModel* model = w.find<QAbstractItemView>("conversationList")->model();
        qsizetype count = 0;
        for (int row = 0; row < model->rowCount(); ++row)
            if ((model->flags(model->index(row, 0)) & Qt::ItemIsSelectable) != 0) ++count;
        return count;
    }
    static QString shownText(const WindowFixture& w, const QString& id) {
        const MessageWidget* widget = w.find<TranscriptView>("transcriptView")->messageWidget(id);
        return widget == nullptr ? QString() : widget->body()->shownText();
    }

private slots:
    void takesAConversationOutAndIn();
    void saysWhatIsWrongWithAFile();
    void backsUpWhileAnAnswerIsWritten();
    void longTextsStayVerbatim_data();
    void longTextsStayVerbatim();
    void fencesAtTheEnd_data();
    void fencesAtTheEnd();
    void looksRight();
};

void TransferWindowTest::takesAConversationOutAndIn() {
    const QTemporaryDir folder;
    const QTemporaryDir other;
    const QString json = folder.filePath(QStringLiteral("a.json"));
    QString question;
    {
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        w.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(w.waitForAnswer());
        question = w.chat->messages().first().id;
        menu(w)->exportConversation(TransferMenu::Form::Json, json);
        QVERIFY(told(w, QStringLiteral("Exported to")));
        menu(w)->exportConversation(TransferMenu::Form::Markdown, folder.filePath(QStringLiteral("a.md")));
        QTRY_VERIFY(contents(folder.filePath(QStringLiteral("a.md"))).contains("347 + 586"));
        const QString pdf = folder.filePath(QStringLiteral("a.pdf"));
        menu(w)->exportConversation(TransferMenu::Form::Pdf, pdf);
        QTRY_VERIFY_WITH_TIMEOUT(contents(pdf).startsWith("%PDF-"), 20000);
        QVERIFY(contents(pdf).trimmed().endsWith("%%EOF"));
        // Already here; a copy by choice.
        menu(w)->importFile(json);
        QVERIFY(told(w, QStringLiteral("already here")));
        QCOMPARE(notice(w).actions.size(), 1);
        emit w.window->findChild<NoticeBar*>()->actionTriggered(notice(w).id, notice(w).actions.first().id);
        QVERIFY(told(w, QStringLiteral("One conversation was imported")));
        QTRY_COMPARE(listed(w), 2);
    }
    WindowFixture w(other.path());
    QVERIFY(w.ready());
    menu(w)->importFile(json);
    QVERIFY(told(w, QStringLiteral("imported")));
    emit w.window->findChild<NoticeBar*>()->actionTriggered(notice(w).id, notice(w).actions.first().id);
    QTRY_COMPARE(w.chat->messages().size(), 2);
    QCOMPARE(w.chat->messages().first().id, question);
    QVERIFY(shownText(w, w.lastMessage().id).contains(QStringLiteral("933")));
    // Its blocks came along, and it goes on.
    QSignalSpy trace(w.chat.get(), &ChatController::traceReady);
    w.chat->requestTrace(w.lastMessage().id);
    QVERIFY(trace.wait());
    QVERIFY(!trace.first().at(1).value<TraceView>().passes.isEmpty());
    w.ask(QStringLiteral("What is 128 + 64?"));
    QVERIFY(w.waitForAnswer());
    QCOMPARE(w.lastMessage().stopReason, EndReason::End);
}

void TransferWindowTest::saysWhatIsWrongWithAFile() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    menu(w)->importFile(file(folder, QStringLiteral("x.json"), "[{\"role\":\"user\",\n\"content\":7}]"));
    QVERIFY(told(w, QStringLiteral("Line 2: [0].content should be a text.")));
    QCOMPARE(notice(w).kind, NoticeKind::Error);
    menu(w)->exportConversation(TransferMenu::Form::Json, folder.filePath(QStringLiteral("none.json")));
    QVERIFY(told(w, QStringLiteral("nothing to export")));
}

void TransferWindowTest::backsUpWhileAnAnswerIsWritten() {
    const QTemporaryDir folder;
    const QString backup = folder.filePath(QStringLiteral("b.db"));
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    ControlValues slow = w.chat->controls();
    slow.insert(QStringLiteral("threshold"), 1.0);
    w.chat->setControls(slow);
    w.ask(QStringLiteral("Count from 1 to 40."));
    QTRY_VERIFY_WITH_TIMEOUT(w.chat->isRunning() && !w.lastMessage().content.isEmpty(), 60000);
    menu(w)->backUp(backup);
    menu(w)->restore(backup);  // not now
    QVERIFY(told(w, QStringLiteral("Stop it")) || told(w, QStringLiteral("backed up")));
    QTRY_VERIFY(QFileInfo::exists(backup));
    w.chat->stop();
    QVERIFY(w.waitForAnswer());
    const QString conversation = w.chat->conversation().id;
    // Something that the backup does not know, then back.
    w.chat->newConversation();
    w.chat->setDraft(QStringLiteral("a draft"));
    w.chat->keepDraft();
    menu(w)->restore(backup);
    QVERIFY(told(w, QStringLiteral("restored")));
    QTRY_COMPARE(listed(w), 1);
    w.chat->openConversation(conversation);
    QTRY_COMPARE(w.chat->messages().size(), 2);
    QCOMPARE(w.lastMessage().stopReason, EndReason::Interrupted);
    QVERIFY(!w.lastMessage().content.isEmpty());
}

void TransferWindowTest::longTextsStayVerbatim_data() {
    QTest::addColumn<QString>("text");
    QString prose;
    for (int i = 0; i < 1000; ++i)
        prose += QStringLiteral("“Five *words* of a dialogue,” he said_%1.\n%2")
                     .arg(i)
                     .arg(i % 7 == 0 ? QStringLiteral("\n    indented ") : QString());
    QTest::newRow("prose") << prose;
    QString json = QStringLiteral("{\n");
    for (int i = 0; json.size() < 200000; ++i)
        json += QStringLiteral("  \"key %1\": [\n    %1,\n    \"a_text*of*some_length\"\n  ],\n").arg(i);
    QTest::newRow("200 KB of JSON") << json + QStringLiteral("  \"end\": null\n}");
    QString numbers;
    for (int i = 1; i <= 3000; ++i) numbers += QStringLiteral("%1. line\n").arg(i);
    QTest::newRow("3,000 numbered lines") << numbers;
    QString nested;
    for (int i = 0; i < 60; ++i) nested += QString(2 * i, u' ') + QStringLiteral("- level %1\n").arg(i);
    QTest::newRow("60 deep") << nested;
    QTest::newRow("quotes") << QString(2000, u'>') + QStringLiteral(" text");
    QString mix;
    for (int i = 0; i < 200; ++i) mix += QStringLiteral("- \n* * *\n- item %1\n* * *\n").arg(i);
    QTest::newRow("thematic mixes") << mix;
}

/// As a question it is shown as it is; as an answer it is rendered, or plain with a note. The window's thread is never held up.
void TransferWindowTest::longTextsStayVerbatim() {
    QFETCH(QString, text);
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    measured()->longest = 0.0;
    const double start = threadCpuMs();
    QVERIFY(show(w, folder, text, text));
    const QString question = w.chat->messages().first().id;
    const QString answer = w.lastMessage().id;
    QCOMPARE(w.chat->messages().first().content, text);
    QCOMPARE(w.lastMessage().content, text);
    QTRY_VERIFY(!shownText(w, question).isEmpty() || !shownText(w, answer).isEmpty());
    QTest::qWait(100);
    QVERIFY2(measured()->longest < 50.0 * trefoil::test::kSlowdown, measured()->longestWhat.constData());
    // Idle again.
    const auto idle = [] {
        const double before = threadCpuMs();
        QTest::qWait(100);
        return threadCpuMs() - before < 30.0;
    };
    QTRY_VERIFY_WITH_TIMEOUT(idle(), 60000);
    QVERIFY2(threadCpuMs() - start < 1000.0, qPrintable(QString::number(threadCpuMs() - start)));
}

void TransferWindowTest::fencesAtTheEnd_data() {
    QTest::addColumn<QString>("answer");
    QTest::newRow("fence as the last bytes") << QStringLiteral("Code:\n```python\nprint(1)\n```");
    QTest::newRow("with spaces after it") << QStringLiteral("Code:\n```python\nprint(1)\n```   ");
    QTest::newRow("cut by length") << QStringLiteral("Code:\n```python\nprint(1)");
    QTest::newRow("CRLF") << QStringLiteral("Code:\r\n```python\r\nprint(1)\r\n```\r\n");
}

void TransferWindowTest::fencesAtTheEnd() {
    QFETCH(QString, answer);
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    QVERIFY(show(w, folder, QStringLiteral("Code?"), answer));
    const QString id = w.lastMessage().id;
    QTRY_VERIFY(shownText(w, id).contains(QStringLiteral("print(1)")));
    QVERIFY2(!shownText(w, id).contains(QStringLiteral("```")), qPrintable(shownText(w, id)));
}

void TransferWindowTest::looksRight() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    QVERIFY(show(
        w, folder, QStringLiteral("Pictures?"),
        QStringLiteral("![A cat](https://example.org/cat.png) and [a link](javascript:alert(1))\n\n![x](file:///etc/passwd)")));
    menu(w)->importFile(folder.filePath(QStringLiteral("show.json")));
    QVERIFY(told(w, QStringLiteral("already here")));
    w.screenshot(QStringLiteral("transfer-light"));
    w.find<QAction>("actionTheme2")->trigger();
    w.screenshot(QStringLiteral("transfer-dark"));
    const QString pdf = folder.filePath(QStringLiteral("pictures.pdf"));
    menu(w)->exportConversation(TransferMenu::Form::Pdf, pdf);
    QTRY_VERIFY_WITH_TIMEOUT(contents(pdf).startsWith("%PDF-"), 20000);
    QVERIFY(!contents(pdf).contains("javascript:"));  // the page text itself is compressed
    if (const QString pictures = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR"); !pictures.isEmpty())
        QFile::copy(pdf, pictures + QStringLiteral("/pictures.pdf"));
    w.find<QAction>("actionTheme0")->trigger();
}

}  // namespace

int main(int argc, char** argv) {
    MeasuredApplication app(argc, argv);
    QApplication::setStyle(trefoil::theme::makeStyle());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    TransferWindowTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "transfer_window_test.moc"
