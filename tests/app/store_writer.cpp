// Writes an answer block by block without end, for the tests that kill it: store_writer DATABASE. Prints each block's number once
// it is stored.
#include "app/core/conversation_store.h"
#include "tests/app/store_samples.h"

#include <QCoreApplication>
#include <QFile>
#include <QTextStream>

#include <cstdio>

int main(int argc, char* argv[]) {
    const QCoreApplication application(argc, argv);
    using namespace trefoil;
    if (argc != 2) return 2;
    QTextStream out(stdout);
    const auto stop = [&out](const StoreProblem& problem) {
        if (problem.ok()) return false;
        out << problem.text() << Qt::endl;
        return true;
    };
    ConversationStore store;
    const OpenReport report = store.open(QFile::decodeName(argv[1]));
    if (stop(report.problem) || stop(report.notice)) return 1;
    const QString id = newRecordId();
    const QString answerId = newRecordId();
    if (stop(store.apply(CreateConversation{samples::conversation(id)}))) return 1;
    const QString question = QStringLiteral("Count without end, ") + id;
    if (stop(store.apply(AppendMessage{samples::message(newRecordId(), id, QStringLiteral("user"), question)}))) return 1;
    if (stop(store.apply(BeginAnswer{samples::message(answerId, id, QStringLiteral("assistant"), QString())}))) return 1;
    out << "conversation " << id << Qt::endl;
    for (int blocks = 1;; ++blocks) {
        if (stop(store.apply(UpdateAnswer{samples::answer(answerId, blocks)}))) return 1;
        out << "block " << blocks << Qt::endl;
    }
}
