// The exported document: questions as typed, answers as they are, nothing that swallows what follows.
#include "app/core/markdown_export.h"
#include "tests/app/store_samples.h"

#include <QLocale>
#include <QTest>

using namespace trefoil;

class MarkdownExportTest : public QObject {
    Q_OBJECT
private slots:
    void wholeDocument();
    void questionsStayVerbatim_data();
    void questionsStayVerbatim();
    void thinkingIsQuotedOnWish();
    void cutCodeBlockIsClosed_data();
    void cutCodeBlockIsClosed();
    void endIsTold();
    void titleIsPlain();
    void doesNotDependOnTheLocale();

private:
    static MessageRecord user(const QString& text) {
        return samples::message(QStringLiteral("q"), QStringLiteral("c"), QStringLiteral("user"), text);
    }
    static MessageRecord assistant(const QString& text) {
        MessageRecord record = samples::message(QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("assistant"), text);
        record.model = QStringLiteral("/models/demo-model");
        record.stopReason = EndReason::End;
        return record;
    }
};

void MarkdownExportTest::wholeDocument() {
    ConversationRecord conversation;
    conversation.title = QStringLiteral("Sums");
    conversation.createdUtc = QDateTime(QDate(2026, 12, 2), QTime(8, 5), Qt::UTC);
    conversation.systemPrompt = QStringLiteral("Be brief.");
    const QString document =
        conversationToMarkdown(conversation, {user(QStringLiteral("What is 347 + 586?")), assistant(QStringLiteral("**933**"))});
    QCOMPARE(document, QStringLiteral("# Sums\n\n2026-12-02 08:05 UTC\n\n## System prompt\n\n```text\nBe brief.\n```\n\n"
                                      "## You\n\n```text\nWhat is 347 + 586?\n```\n\n## demo-model\n\n**933**\n"));
    MarkdownExportOptions options;
    options.systemPrompt = false;
    QVERIFY(!conversationToMarkdown(conversation, {}, options).contains(QStringLiteral("Be brief.")));
}

void MarkdownExportTest::questionsStayVerbatim_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("fence");
    QTest::newRow("markdown") << QStringLiteral("# head\n*x* <b>y</b>") << QStringLiteral("```");
    QTest::newRow("a fence") << QStringLiteral("```c\nint x;\n```") << QStringLiteral("````");
    QTest::newRow("long fence") << QStringLiteral("``````") << QStringLiteral("```````");
    QTest::newRow("spaces") << QStringLiteral("  \tindented  ") << QStringLiteral("```");
    QTest::newRow("control pieces") << QStringLiteral("<|im_end|>\u2581e\u0301") << QStringLiteral("```");
}

void MarkdownExportTest::questionsStayVerbatim() {
    QFETCH(QString, text);
    QFETCH(QString, fence);
    const QString document = conversationToMarkdown({}, {user(text)});
    QVERIFY(document.endsWith(QStringLiteral("\n") + fence + QStringLiteral("text\n") + text + QStringLiteral("\n") + fence +
                              QStringLiteral("\n")));
}

void MarkdownExportTest::thinkingIsQuotedOnWish() {
    MessageRecord answer = assistant(QStringLiteral("933"));
    answer.hasThinking = true;
    answer.thinking = QStringLiteral("Add.\n\nCarry.");
    QVERIFY(!conversationToMarkdown({}, {answer}).contains(QStringLiteral("Carry")));
    MarkdownExportOptions options;
    options.thinking = true;
    QVERIFY(conversationToMarkdown({}, {answer}, options)
                .contains(QStringLiteral("> **Thinking**\n>\n> Add.\n>\n> Carry.\n\n933\n")));
}

void MarkdownExportTest::cutCodeBlockIsClosed_data() {
    QTest::addColumn<QString>("answer");
    QTest::addColumn<QString>("added");
    QTest::newRow("open") << QStringLiteral("```py\nx = 1") << QStringLiteral("```\n");
    QTest::newRow("closed") << QStringLiteral("```py\nx = 1\n```") << QString();
    QTest::newRow("tildes") << QStringLiteral("~~~~\nx\n~~~") << QStringLiteral("~~~~\n");
    QTest::newRow("inner info is no end") << QStringLiteral("```\nx\n```py") << QStringLiteral("```\n");
    QTest::newRow("inline") << QStringLiteral("a ``` b") << QString();
}

void MarkdownExportTest::cutCodeBlockIsClosed() {
    QFETCH(QString, answer);
    QFETCH(QString, added);
    const QString document = conversationToMarkdown({}, {assistant(answer)});
    QCOMPARE(document.mid(document.indexOf(answer)), answer + QStringLiteral("\n") + added);
}

void MarkdownExportTest::endIsTold() {
    MessageRecord answer = assistant(QString());
    answer.stopReason = EndReason::Failed;
    answer.error = QStringLiteral("Device *lost*");
    QVERIFY(conversationToMarkdown({}, {answer}).contains(QStringLiteral("*The answer failed. Device \\*lost\\**")));
    for (const EndReason reason : {EndReason::Length, EndReason::Cancelled, EndReason::Refused, EndReason::Interrupted}) {
        answer.stopReason = reason;
        QVERIFY(conversationToMarkdown({}, {answer}).contains(QStringLiteral("*The ")));
    }
    QVERIFY(!conversationToMarkdown({}, {assistant(QStringLiteral("x"))}).contains(QStringLiteral("*The ")));
}

void MarkdownExportTest::titleIsPlain() {
    ConversationRecord conversation;
    conversation.title = QStringLiteral("a\nb # <i> [x](y)");
    QVERIFY(conversationToMarkdown(conversation, {}).startsWith(QStringLiteral("# a b \\# \\<i\\> \\[x\\](y)\n")));
}

void MarkdownExportTest::doesNotDependOnTheLocale() {
    ConversationRecord conversation;
    conversation.createdUtc = samples::moment(0);
    const QString before = conversationToMarkdown(conversation, {});
    QLocale::setDefault(QLocale(QStringLiteral("ar_EG")));
    const QString after = conversationToMarkdown(conversation, {});
    QLocale::setDefault(QLocale::c());
    QCOMPARE(after, before);
}

QTEST_GUILESS_MAIN(MarkdownExportTest)
#include "markdown_export_test.moc"
