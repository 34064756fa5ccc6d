// The history as values: what goes in comes out, changes are whole, versions stay.
#include "app/core/conversation_store.h"
#include "app/core/message_branches.h"
#include "tests/app/store_samples.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace trefoil;

class ConversationStoreTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void everyFieldSurvivesReopening();
    void listIsNewestFirstAndFollowsMessages();
    void firstQuestionBecomesTheTitle();
    void renamedTitleStays();
    void titleKeepsWholeCharacters_data();
    void titleKeepsWholeCharacters();
    void deletionCanBeUndoneUntilPurged();
    void answerGrowsBlockByBlock();
    void answerInProgressIsNotInterruptedWhileItsWriterLives();
    void answerOfAClosedStoreIsInterrupted();
    void anotherVersionKeepsTheFirst();
    void branchesAreChosenAndNothingIsLost();
    void waitingChangesOfBranchesAreShown();
    void aResumedAnswerGrowsOn();
    void unknownIdsAreNotFound();
    void repeatedInsertChangesNothing();
    void fullDiskIsToldAndNothingHalfStored();
    void searchIndexFollows();
    void filesArePrivate();
    void temporaryHistoryWorks();
    void controlsKeepTypeAndValue();
    void controlsOfOddJson();
    void reasonsRoundTrip();

private:
    void must(const StoreOperation& operation) {
        const StoreProblem problem = m_store->apply(operation);
        QVERIFY2(problem.ok(), qPrintable(problem.text()));
    }
    void reopen() {
        m_store->close();
        const OpenReport report = m_store->open(m_path);
        QVERIFY2(report.ok(), qPrintable(report.problem.text()));
        QVERIFY2(report.notice.ok(), qPrintable(report.notice.text()));
    }
    void createWithQuestion(const QString& id) {
        must(CreateConversation{samples::conversation(id)});
        must(AppendMessage{samples::message(id + QStringLiteral("-q"), id, QStringLiteral("user"), QStringLiteral("Why?"), 1)});
    }
    QStringList messageIds(const QString& id) {
        QStringList ids;
        for (const MessageRecord& message : m_store->messages(id).value) ids.append(message.id);
        return ids;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ConversationStore> m_store;
    QString m_path;
};

void ConversationStoreTest::init() {
    m_store.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->filePath(QStringLiteral("data/history.db"));
    m_store = std::make_unique<ConversationStore>();
    const OpenReport report = m_store->open(m_path);
    QVERIFY2(report.ok(), qPrintable(report.problem.text()));
    QVERIFY(report.created);
    QVERIFY(report.notice.ok());
}

void ConversationStoreTest::everyFieldSurvivesReopening() {
    ConversationRecord conversation = samples::conversation(QStringLiteral("c"));
    conversation.title = QStringLiteral("Ein Titel “mit” ' und \" 🍀");
    conversation.titleIsManual = true;
    conversation.systemPrompt = QStringLiteral("Line\n\tindented  \n");
    conversation.controls = {{QStringLiteral("threshold"), 0.95}, {QStringLiteral("seed"), QVariant::fromValue<qulonglong>(7)}};
    conversation.modelFolder = QStringLiteral("/models/demo");
    conversation.draft = QStringLiteral("half a thou");
    conversation.edited = QStringLiteral("q");
    conversation.edit = QStringLiteral("e\u0301 and mo");
    conversation.engine = QStringLiteral("a-server");
    must(CreateConversation{conversation});
    MessageRecord question = samples::message(QStringLiteral("q"), QStringLiteral("c"), QStringLiteral("user"),
                                              QStringLiteral("e\u0301 U+2581 \u2581 <|im_end|>\r\n  end "), 5);
    must(AppendMessage{question});
    MessageRecord answer = samples::message(QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("assistant"), QString(), 6);
    answer.parentId = QStringLiteral("q");
    answer.model = QStringLiteral("demo-model");
    answer.settings = {{QStringLiteral("do_sample"), true}, {QStringLiteral("decoding"), QStringLiteral("diffusion")}};
    must(BeginAnswer{answer});
    AnswerUpdate last = samples::answer(QStringLiteral("a"), 2);
    last.thinking = QStringLiteral("hm");
    last.hasThinking = true;
    last.thinkingClosed = false;
    last.stats.thinkingMs = 0.1;
    last.stats.promptTokens = qint64{1} << 40;
    must(FinishAnswer{last, EndReason::Failed, QStringLiteral("The device went away.")});
    reopen();

    const auto gotConversation = m_store->conversation(QStringLiteral("c"));
    QVERIFY(gotConversation.ok());
    conversation.updatedUtc = samples::moment(6);
    QCOMPARE(gotConversation.value, conversation);
    QCOMPARE(gotConversation.value.controls.value(QStringLiteral("seed")).typeId(), int{QMetaType::ULongLong});

    const auto messages = m_store->messages(QStringLiteral("c"));
    QVERIFY(messages.ok());
    QCOMPARE(messages.value.size(), 2);
    QCOMPARE(messages.value[0], question);
    applyUpdate(last, &answer);
    answer.stopReason = EndReason::Failed;
    answer.error = QStringLiteral("The device went away.");
    QCOMPARE(messages.value[1], answer);
    QCOMPARE(m_store->trace(QStringLiteral("a")).value, last.trace);
}

void ConversationStoreTest::listIsNewestFirstAndFollowsMessages() {
    must(CreateConversation{samples::conversation(QStringLiteral("old"), 0)});
    must(CreateConversation{samples::conversation(QStringLiteral("new"), 100)});
    QCOMPARE(m_store->list().value.value(0).id, QStringLiteral("new"));
    must(AppendMessage{
        samples::message(QStringLiteral("m"), QStringLiteral("old"), QStringLiteral("user"), QStringLiteral("x"), 200)});
    const auto list = m_store->list();
    QVERIFY(list.ok());
    QCOMPARE(list.value.size(), 2);
    QCOMPARE(list.value[0].id, QStringLiteral("old"));
    QCOMPARE(list.value[0].updatedUtc, samples::moment(200));
    QCOMPARE(list.value[0].createdUtc, samples::moment(0));
}

void ConversationStoreTest::firstQuestionBecomesTheTitle() {
    must(CreateConversation{samples::conversation(QStringLiteral("c"))});
    must(AppendMessage{samples::message(QStringLiteral("1"), QStringLiteral("c"), QStringLiteral("user"),
                                        QStringLiteral("\n  What is  347 + 586?\nand more"))});
    must(AppendMessage{
        samples::message(QStringLiteral("2"), QStringLiteral("c"), QStringLiteral("user"), QStringLiteral("Second"))});
    QCOMPARE(m_store->conversation(QStringLiteral("c")).value.title, QStringLiteral("What is 347 + 586?"));
}

void ConversationStoreTest::renamedTitleStays() {
    must(CreateConversation{samples::conversation(QStringLiteral("c"))});
    must(RenameConversation{QStringLiteral("c"), QStringLiteral("Mine")});
    must(AppendMessage{
        samples::message(QStringLiteral("1"), QStringLiteral("c"), QStringLiteral("user"), QStringLiteral("First"))});
    QCOMPARE(m_store->conversation(QStringLiteral("c")).value.title, QStringLiteral("Mine"));
    must(RenameConversation{QStringLiteral("c"), QString()});
    must(AppendMessage{
        samples::message(QStringLiteral("2"), QStringLiteral("c"), QStringLiteral("user"), QStringLiteral("Second"))});
    QCOMPARE(m_store->conversation(QStringLiteral("c")).value.title, QStringLiteral("Second"));
}

void ConversationStoreTest::titleKeepsWholeCharacters_data() {
    QTest::addColumn<QString>("question");
    QTest::addColumn<QString>("title");
    const QString ellipsis(QChar(0x2026));
    const QString flag = QStringLiteral("🇩🇪");
    QTest::newRow("60 fit") << QString(60, u'a') << QString(60, u'a');
    QTest::newRow("61 are cut") << QString(61, u'a') << QString(59, u'a') + ellipsis;
    QTest::newRow("accents") << QStringLiteral("e\u0301").repeated(61) << QStringLiteral("e\u0301").repeated(59) + ellipsis;
    QTest::newRow("flags") << flag.repeated(61) << flag.repeated(59) + ellipsis;
    QTest::newRow("nothing") << QStringLiteral(" \n ") << QString();
    QTest::newRow("other line ends") << QStringLiteral("one\u2028two") << QStringLiteral("one");
    QTest::newRow("carriage return") << QStringLiteral("one\r\ntwo") << QStringLiteral("one");
}

void ConversationStoreTest::titleKeepsWholeCharacters() {
    QFETCH(QString, question);
    QFETCH(QString, title);
    QCOMPARE(titleFromQuestion(question), title);
    // One character with thousands of marks must not become a title of thousands of code units.
    QVERIFY(titleFromQuestion(QStringLiteral("a") + QString(5000, QChar(0x0301))).size() < 300);
}

void ConversationStoreTest::deletionCanBeUndoneUntilPurged() {
    createWithQuestion(QStringLiteral("c"));
    createWithQuestion(QStringLiteral("kept"));
    must(DeleteConversation{QStringLiteral("c"), samples::moment(1000)});
    QCOMPARE(m_store->list().value.size(), 1);
    QCOMPARE(m_store->list({QStringLiteral("c")}).value.size(), 2);
    must(RestoreConversation{QStringLiteral("c")});
    QCOMPARE(m_store->list().value.size(), 2);
    QCOMPARE(messageIds(QStringLiteral("c")), QStringList{QStringLiteral("c-q")});

    must(DeleteConversation{QStringLiteral("c"), samples::moment(1000)});
    must(PurgeDeleted{samples::moment(1000)});
    QVERIFY(m_store->conversation(QStringLiteral("c")).ok());  // not older
    must(PurgeDeleted{samples::moment(1001)});
    QCOMPARE(m_store->conversation(QStringLiteral("c")).problem.kind, StoreProblemKind::NotFound);
    QVERIFY(messageIds(QStringLiteral("c")).isEmpty());
    QCOMPARE(messageIds(QStringLiteral("kept")).size(), 1);
    m_store->close();
    samples::OtherProgram other(m_path);
    QCOMPARE(other.value(QStringLiteral("SELECT count(*) FROM messages")).toInt(), 1);
}

void ConversationStoreTest::answerGrowsBlockByBlock() {
    createWithQuestion(QStringLiteral("c"));
    must(BeginAnswer{samples::message(QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("assistant"), QString(), 2)});
    for (int blocks = 1; blocks <= 3; ++blocks) {
        must(UpdateAnswer{samples::answer(QStringLiteral("a"), blocks)});
        const MessageRecord now = m_store->messages(QStringLiteral("c")).value.value(1);
        QVERIFY(now.inProgress);
        QCOMPARE(now.stopReason, EndReason::None);
        QCOMPARE(now.content, samples::answer(QStringLiteral("a"), blocks).content);
    }
    AnswerUpdate last = samples::answer(QStringLiteral("a"), 3);
    last.trace = {};  // its passes are stored already
    must(FinishAnswer{last, EndReason::Cancelled, QString()});
    const MessageRecord finished = m_store->messages(QStringLiteral("c")).value.value(1);
    QVERIFY(!finished.inProgress);
    QCOMPARE(finished.stopReason, EndReason::Cancelled);
    const auto trace = m_store->trace(QStringLiteral("a"));
    QVERIFY(trace.ok());
    QCOMPARE(trace.value.passes.size(), 6);
    QCOMPARE(trace.value.passes, samples::trace(2, 0).passes + samples::trace(2, 1).passes + samples::trace(2, 2).passes);
    QVERIFY(m_store->trace(QStringLiteral("c-q")).value.passes.isEmpty());
}

void ConversationStoreTest::answerInProgressIsNotInterruptedWhileItsWriterLives() {
    createWithQuestion(QStringLiteral("c"));
    must(BeginAnswer{samples::message(QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("assistant"), QString(), 2)});
    ConversationStore second;  // another window on the same history
    const OpenReport report = second.open(m_path);
    QVERIFY(report.ok());
    QCOMPARE(report.interrupted, 0);
    QVERIFY(second.messages(QStringLiteral("c")).value.value(1).inProgress);
    must(UpdateAnswer{samples::answer(QStringLiteral("a"), 1)});
    QVERIFY(second.apply(RenameConversation{QStringLiteral("c"), QStringLiteral("from there")}).ok());
    must(FinishAnswer{samples::answer(QStringLiteral("a"), 2), EndReason::End, QString()});
    QCOMPARE(second.messages(QStringLiteral("c")).value.value(1).stopReason, EndReason::End);
    QCOMPARE(m_store->conversation(QStringLiteral("c")).value.title, QStringLiteral("from there"));
}

void ConversationStoreTest::answerOfAClosedStoreIsInterrupted() {
    createWithQuestion(QStringLiteral("c"));
    must(BeginAnswer{samples::message(QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("assistant"), QString(), 2)});
    must(UpdateAnswer{samples::answer(QStringLiteral("a"), 2)});
    ConversationStore second;
    QVERIFY(second.open(m_path).ok());
    m_store->close();
    // Known at once, without opening anew…
    QCOMPARE(second.messages(QStringLiteral("c")).value.value(1).stopReason, EndReason::Interrupted);
    second.close();
    // …and stored by the next opening, with all blocks.
    const OpenReport report = m_store->open(m_path);
    QCOMPARE(report.interrupted, 1);
    const MessageRecord answer = m_store->messages(QStringLiteral("c")).value.value(1);
    QCOMPARE(answer.stopReason, EndReason::Interrupted);
    QVERIFY(!answer.inProgress);
    QCOMPARE(answer.content, samples::answer(QStringLiteral("a"), 2).content);
    reopen();
    QCOMPARE(m_store->messages(QStringLiteral("c")).value.value(1).stopReason, EndReason::Interrupted);
}

void ConversationStoreTest::anotherVersionKeepsTheFirst() {
    createWithQuestion(QStringLiteral("c"));
    const auto begin = [this](const QString& id, qint64 ms) {
        must(BeginAnswer{samples::message(id, QStringLiteral("c"), QStringLiteral("assistant"), QString(), ms)});
        must(FinishAnswer{samples::answer(id, 1), EndReason::End, QString()});
    };
    begin(QStringLiteral("a1"), 2);
    must(SetAsideAnswer{QStringLiteral("a1")});
    QCOMPARE(messageIds(QStringLiteral("c")), QStringList{QStringLiteral("c-q")});
    must(SetAsideAnswer{QStringLiteral("a1")});  // again: nothing to do
    QCOMPARE(messageIds(QStringLiteral("c")), QStringList{QStringLiteral("c-q")});
    begin(QStringLiteral("a2"), 3);
    QCOMPARE(messageIds(QStringLiteral("c")), (QStringList{QStringLiteral("c-q"), QStringLiteral("a2")}));
    must(RestoreAnswer{QStringLiteral("a1")});
    QCOMPARE(messageIds(QStringLiteral("c")), (QStringList{QStringLiteral("c-q"), QStringLiteral("a1")}));
    QCOMPARE(m_store->messages(QStringLiteral("c")).value.value(1).parentId, QStringLiteral("c-q"));
}

void ConversationStoreTest::branchesAreChosenAndNothingIsLost() {
    const QString c = QStringLiteral("c");
    const auto say = [this, &c](const QString& id, const QString& role, qint64 ms) {
        must(AppendMessage{samples::message(id, c, role, id, ms)});
    };
    createWithQuestion(c);
    say(QStringLiteral("a1"), QStringLiteral("assistant"), 2);
    say(QStringLiteral("q2"), QStringLiteral("user"), 3);
    say(QStringLiteral("a2"), QStringLiteral("assistant"), 4);
    // The second question edited: a version with an answer of its own.
    must(ChooseBranch{c, QStringLiteral("a1")});
    say(QStringLiteral("q3"), QStringLiteral("user"), 5);
    say(QStringLiteral("a3"), QStringLiteral("assistant"), 6);
    QCOMPARE(messageIds(c),
             (QStringList{QStringLiteral("c-q"), QStringLiteral("a1"), QStringLiteral("q3"), QStringLiteral("a3")}));
    // The first one edited.
    must(ChooseBranch{c, QString()});
    QVERIFY(messageIds(c).isEmpty());
    say(QStringLiteral("q4"), QStringLiteral("user"), 7);
    QCOMPARE(messageIds(c), QStringList{QStringLiteral("q4")});
    reopen();
    const QList<MessageRecord> branch = m_store->messages(c).value;
    const QList<MessageRecord> aside = m_store->messagesAside(c).value;
    QCOMPARE(branch.size(), 1);
    QVERIFY(branch.constFirst().parentId.isEmpty());
    QCOMPARE(aside.size(), 6);
    const MessageVersions versions(branch, aside);
    QCOMPARE(versions.of(branch.constFirst()), (QStringList{QStringLiteral("c-q"), QStringLiteral("q4")}));
    QCOMPARE(newestLeaf(QStringLiteral("c-q"), branch, aside), QStringLiteral("a3"));
    QCOMPARE(newestLeaf(QStringLiteral("q2"), branch, aside), QStringLiteral("a2"));
    QCOMPARE(newestLeaf(QStringLiteral("q4"), branch, aside), QStringLiteral("q4"));
    must(ChooseBranch{c, QStringLiteral("a2")});
    QCOMPARE(messageIds(c),
             (QStringList{QStringLiteral("c-q"), QStringLiteral("a1"), QStringLiteral("q2"), QStringLiteral("a2")}));
    // Not of this conversation: nothing changes.
    createWithQuestion(QStringLiteral("d"));
    QCOMPARE(m_store->apply(ChooseBranch{c, QStringLiteral("d-q")}).kind, StoreProblemKind::NotFound);
    QCOMPARE(messageIds(c).constLast(), QStringLiteral("a2"));
}

void ConversationStoreTest::waitingChangesOfBranchesAreShown() {
    const QString c = QStringLiteral("c");
    ConversationRecord record = samples::conversation(c);
    QList<MessageRecord> branch;
    QList<MessageRecord> aside;
    const QString user = QStringLiteral("user");
    const QString assistant = QStringLiteral("assistant");
    const QList<StoreOperation> operations{
        AppendMessage{samples::message(QStringLiteral("q"), c, user, QStringLiteral("q"), 1)},
        BeginAnswer{samples::message(QStringLiteral("a1"), c, assistant, QString(), 2)},
        FinishAnswer{samples::answer(QStringLiteral("a1"), 1), EndReason::Cancelled, QString()},
        ChooseBranch{c, QStringLiteral("q")},
        BeginAnswer{samples::message(QStringLiteral("a2"), c, assistant, QString(), 3)},
        ChooseBranch{c, QStringLiteral("a1")},
        ResumeAnswer{QStringLiteral("a1")}};
    overlayOnConversation(operations, c, &record, &branch, &aside);
    QCOMPARE(branch.size(), 2);
    QCOMPARE(branch.constLast().id, QStringLiteral("a1"));
    QVERIFY(branch.constLast().inProgress);
    QCOMPARE(branch.constLast().stopReason, EndReason::None);
    QCOMPARE(aside.size(), 1);
    QCOMPARE(aside.constFirst().parentId, QStringLiteral("q"));
}

void ConversationStoreTest::aResumedAnswerGrowsOn() {
    createWithQuestion(QStringLiteral("c"));
    must(BeginAnswer{samples::message(QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("assistant"), QString(), 2)});
    must(FinishAnswer{samples::answer(QStringLiteral("a"), 1), EndReason::Cancelled, QString()});
    const qsizetype before = m_store->trace(QStringLiteral("a")).value.passes.size();
    must(ResumeAnswer{QStringLiteral("a")});
    QVERIFY(m_store->messages(QStringLiteral("c")).value.constLast().inProgress);
    must(FinishAnswer{samples::answer(QStringLiteral("a"), 2), EndReason::End, QString()});
    const MessageRecord answer = m_store->messages(QStringLiteral("c")).value.constLast();
    QVERIFY(!answer.inProgress);
    QCOMPARE(answer.stopReason, EndReason::End);
    QVERIFY(m_store->trace(QStringLiteral("a")).value.passes.size() > before);
    // Interrupted while it was written on: what there is stays.
    must(ResumeAnswer{QStringLiteral("a")});
    reopen();
    QCOMPARE(m_store->messages(QStringLiteral("c")).value.constLast().stopReason, EndReason::Interrupted);
    QCOMPARE(m_store->messages(QStringLiteral("c")).value.constLast().content, answer.content);
}

void ConversationStoreTest::unknownIdsAreNotFound() {
    const QString none = QStringLiteral("none");
    const QList<StoreOperation> operations{RenameConversation{none, none},
                                           SetSystemPrompt{none, none},
                                           SetDraft{none, none},
                                           SetControls{none, {}},
                                           SetModelFolder{none, none},
                                           DeleteConversation{none, samples::moment(0)},
                                           RestoreConversation{none},
                                           AppendMessage{samples::message(none, none, QStringLiteral("user"), none)},
                                           BeginAnswer{samples::message(none, none, QStringLiteral("assistant"), none)},
                                           UpdateAnswer{samples::answer(none, 1)},
                                           FinishAnswer{samples::answer(none, 1), EndReason::End, QString()},
                                           ChooseBranch{none, none},
                                           ChooseBranch{none, QString()},
                                           ResumeAnswer{none},
                                           RestoreAnswer{none}};
    for (const StoreOperation& operation : operations) {
        const StoreProblem problem = m_store->apply(operation);
        QCOMPARE(problem.kind, StoreProblemKind::NotFound);
        QVERIFY(!problem.retryable());
        QVERIFY(!problem.message.isEmpty());
    }
    m_store->close();
    QCOMPARE(m_store->apply(RestoreConversation{none}).kind, StoreProblemKind::Closed);
    QCOMPARE(m_store->list().problem.kind, StoreProblemKind::Closed);
}

void ConversationStoreTest::repeatedInsertChangesNothing() {
    createWithQuestion(QStringLiteral("c"));
    must(RenameConversation{QStringLiteral("c"), QStringLiteral("Title")});
    createWithQuestion(QStringLiteral("c"));
    QCOMPARE(m_store->conversation(QStringLiteral("c")).value.title, QStringLiteral("Title"));
    QCOMPARE(messageIds(QStringLiteral("c")).size(), 1);
}

void ConversationStoreTest::fullDiskIsToldAndNothingHalfStored() {
    createWithQuestion(QStringLiteral("c"));
    must(BeginAnswer{samples::message(QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("assistant"), QString(), 2)});
    must(UpdateAnswer{samples::answer(QStringLiteral("a"), 1)});
    QVERIFY(m_store->setPageLimit(1).ok());  // SQLite takes the present size then
    AnswerUpdate large = samples::answer(QStringLiteral("a"), 2);
    large.content = QString(200'000, u'x');
    const StoreProblem problem = m_store->apply(UpdateAnswer{large});
    QCOMPARE(problem.kind, StoreProblemKind::DiskFull);
    QVERIFY(problem.retryable());
    QCOMPARE(m_store->messages(QStringLiteral("c")).value.value(1).content, samples::answer(QStringLiteral("a"), 1).content);
    QCOMPARE(m_store->trace(QStringLiteral("a")).value.passes.size(), 2);
    QVERIFY(m_store->setPageLimit(1'000'000).ok());
    must(UpdateAnswer{large});
    QCOMPARE(m_store->messages(QStringLiteral("c")).value.value(1).content, large.content);
    QCOMPARE(m_store->trace(QStringLiteral("a")).value.passes.size(), 4);
}

void ConversationStoreTest::searchIndexFollows() {
    createWithQuestion(QStringLiteral("c"));
    must(BeginAnswer{samples::message(QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("assistant"), QString(), 2)});
    must(UpdateAnswer{samples::answer(QStringLiteral("a"), 1)});
    samples::OtherProgram other(m_path);
    const QString found = QStringLiteral("SELECT count(*) FROM message_search WHERE message_search MATCH '\"answer\"'");
    QCOMPARE(other.value(found).toInt(), 0);  // a growing answer is not searched yet
    must(FinishAnswer{samples::answer(QStringLiteral("a"), 2), EndReason::End, QString()});
    QCOMPARE(other.value(found).toInt(), 1);
    must(DeleteConversation{QStringLiteral("c"), samples::moment(0)});
    must(PurgeDeleted{samples::moment(1)});
    QCOMPARE(other.value(found).toInt(), 0);
    QVERIFY(other.run(QStringLiteral("INSERT INTO message_search(message_search) VALUES('integrity-check')")));
}

void ConversationStoreTest::filesArePrivate() {
    createWithQuestion(QStringLiteral("c"));
    const auto others = QFileDevice::ReadGroup | QFileDevice::WriteGroup | QFileDevice::ReadOther | QFileDevice::WriteOther;
    for (const QString& suffix : {QString(), QStringLiteral("-wal"), QStringLiteral("-lock")}) {
        QVERIFY2(QFileInfo::exists(m_path + suffix), qPrintable(suffix));
        QVERIFY2((QFile::permissions(m_path + suffix) & others) == 0, qPrintable(suffix));
    }
}

void ConversationStoreTest::temporaryHistoryWorks() {
    const OpenReport report = m_store->openTemporary();
    QVERIFY(report.ok());
    QVERIFY(report.temporary);
    createWithQuestion(QStringLiteral("c"));
    must(BeginAnswer{samples::message(QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("assistant"), QString(), 2)});
    QVERIFY(m_store->messages(QStringLiteral("c")).value.value(1).inProgress);
    QCOMPARE(m_store->list().value.size(), 1);
}

void ConversationStoreTest::controlsKeepTypeAndValue() {
    const ControlValues controls{{QStringLiteral("threshold"), 0.95},
                                 {QStringLiteral("temperature"), 1.0},
                                 {QStringLiteral("tiny"), 1e-9},
                                 {QStringLiteral("block_size"), qlonglong{32}},
                                 {QStringLiteral("negative"), qlonglong{-5}},
                                 {QStringLiteral("seed"), QVariant::fromValue<qulonglong>(18446744073709551615ULL)},
                                 {QStringLiteral("do_sample"), false},
                                 {QStringLiteral("decoding"), QStringLiteral("self_speculative")}};
    ControlValues read;
    QVERIFY(controlsFromJson(controlsToJson(controls), &read));
    QCOMPARE(read, controls);
    for (auto it = controls.cbegin(); it != controls.cend(); ++it) QCOMPARE(read.value(it.key()).typeId(), it.value().typeId());
    QVERIFY(controlsToJson(controls).contains("0.95"));
}

void ConversationStoreTest::controlsOfOddJson() {
    ControlValues read;
    QVERIFY(!controlsFromJson("", &read));
    QVERIFY(!controlsFromJson("[1]", &read));
    QVERIFY(!controlsFromJson("{\"a\":", &read));
    QVERIFY(controlsFromJson("{\"a\":null,\"b\":[1],\"c\":{\"d\":1},\"e\":1}", &read));
    QCOMPARE(read, (ControlValues{{QStringLiteral("e"), qlonglong{1}}}));
    QVERIFY(!controlsFromJson(QByteArray(100'000, '['), &read));
}

void ConversationStoreTest::reasonsRoundTrip() {
    for (int i = 0; i <= static_cast<int>(EndReason::Interrupted); ++i) {
        const auto reason = static_cast<EndReason>(i);
        QCOMPARE(endReasonFromName(endReasonName(reason)), reason);
    }
    QCOMPARE(endReasonFromName(QStringLiteral("nonsense")), EndReason::None);
}

QTEST_GUILESS_MAIN(ConversationStoreTest)
#include "conversation_store_test.moc"
