// Works on a history without end, for the tests that kill it: store_writer DATABASE [TASK]. Prints a
// line for each thing once it is stored:
//   conversation ID / block N          generation: an answer grows block by block
//   message ID CONTENT, title ID TITLE editing: questions, answers, further versions, renames
//   doomed ID, gone ID                 editing: before and after a conversation is removed for good
//   batch N ID…, imported N            importing: before and after the conversations of a file are taken in
//   open                               opening (and with it migrating)
#include "app/core/conversation_store.h"
#include "app/core/transfer/conversation_json.h"
#include "tests/app/store_samples.h"

#include <QCoreApplication>
#include <QFile>
#include <QTextStream>

#include <cstdio>

namespace {

using namespace trefoil;

class Writer {
public:
    explicit Writer(const QString& path) : m_out(stdout) {
        const OpenReport report = m_store.open(path);
        m_ok = report.ok() && report.notice.ok();
        if (!m_ok) m_out << report.problem.text() << report.notice.text() << Qt::endl;
    }

    int generate() {
        const QString id = newRecordId();
        const QString answerId = newRecordId();
        apply(CreateConversation{samples::conversation(id)});
        apply(AppendMessage{question(id, QStringLiteral("Count without end, ") + id)});
        apply(BeginAnswer{samples::message(answerId, id, QStringLiteral("assistant"), QString())});
        tell(QStringLiteral("conversation ") + id);
        for (int blocks = 1; m_ok; ++blocks) {
            apply(UpdateAnswer{samples::answer(answerId, blocks)});
            tell(QStringLiteral("block %1").arg(blocks));
        }
        return 1;
    }

    int edit() {
        QString doomed;
        for (int round = 0; m_ok; ++round) {
            const QString id = newRecordId();
            apply(CreateConversation{samples::conversation(id, round)});
            turn(id);
            // A further version of the question, with an answer of its own.
            apply(ChooseBranch{id, QString()});
            turn(id);
            const QString title = QStringLiteral("Title %1").arg(round);
            apply(RenameConversation{id, title});
            tell(QStringLiteral("title %1 %2").arg(id, title));
            if (!doomed.isEmpty()) {
                tell(QStringLiteral("doomed ") + doomed);
                apply(DeleteConversation{doomed, samples::moment(0)});
                apply(PurgeDeleted{samples::moment(1)});
                tell(QStringLiteral("gone ") + doomed);
            }
            doomed = round % 3 == 0 ? id : QString();
        }
        return 1;
    }

    int import() {
        for (int batch = 0; m_ok; ++batch) {
            const QString name = newRecordId();
            QStringList ids;
            QByteArray json = archiveHead(samples::moment(0));
            for (int i = 0; i < 3; ++i) {
                ids.append(newRecordId());
                if (i > 0) json += archiveSeparator();
                json += conversationToJson(archived(ids.last()));
            }
            json += archiveTail();
            tell(QStringLiteral("batch %1 %2").arg(name, ids.join(QLatin1Char(' '))));
            ArchiveReading reading;
            reading.nowUtc = samples::moment(0);
            const StoreResult<ConversationArchive> read = readConversationJson(json, reading);
            m_ok = read.ok();
            if (!m_ok) m_out << read.problem.text() << Qt::endl;
            apply(ImportConversations{read.value.conversations});
            tell(QStringLiteral("imported ") + name);
        }
        return 1;
    }

    int open() {
        tell(QStringLiteral("open"));
        return m_ok ? 0 : 1;
    }

private:
    static MessageRecord question(const QString& conversation, const QString& text) {
        return samples::message(newRecordId(), conversation, QStringLiteral("user"), text);
    }
    static ArchivedConversation archived(const QString& id) {
        ArchivedConversation conversation;
        conversation.record = samples::conversation(id);
        for (int i = 0; i < samples::kImportedMessages; ++i) {
            MessageRecord message =
                samples::message(newRecordId(), id, i % 2 == 0 ? QStringLiteral("user") : QStringLiteral("assistant"),
                                 samples::importedText(id, i), i);
            message.parentId = conversation.activeLeaf;
            conversation.activeLeaf = message.id;
            conversation.messages.append({message, {}});
        }
        return conversation;
    }
    void turn(const QString& conversation) {
        const MessageRecord asked = question(conversation, QStringLiteral("Question水 ") + conversation);
        apply(AppendMessage{asked});
        tell(QStringLiteral("message %1 %2").arg(asked.id, asked.content));
        const MessageRecord answer = samples::message(newRecordId(), conversation, QStringLiteral("assistant"), QString());
        apply(BeginAnswer{answer});
        AnswerUpdate update = samples::answer(answer.id, 2);
        update.content = QStringLiteral("Answer木 %1 %2").arg(answer.id, conversation);
        apply(UpdateAnswer{update});
        update.trace = {};
        apply(FinishAnswer{update, EndReason::End, {}});
        tell(QStringLiteral("message %1 %2").arg(answer.id, update.content));
    }
    void apply(const StoreOperation& operation) {
        if (!m_ok) return;
        const StoreProblem problem = m_store.apply(operation);
        m_ok = problem.ok();
        if (!m_ok) m_out << problem.text() << Qt::endl;
    }
    void tell(const QString& line) {
        if (m_ok) m_out << line << Qt::endl;
    }

    ConversationStore m_store;
    QTextStream m_out;
    bool m_ok = false;
};

}  // namespace

int main(int argc, char* argv[]) {
    const QCoreApplication application(argc, argv);
    if (argc < 2 || argc > 3) return 2;
    const QByteArray task = argc == 3 ? argv[2] : "generation";
    Writer writer(QFile::decodeName(argv[1]));
    if (task == "editing") return writer.edit();
    if (task == "importing") return writer.import();
    return task == "opening" ? writer.open() : writer.generate();
}
