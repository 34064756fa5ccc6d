// What a large history costs: makes one from a fixed seed, then prints how long the list, searches and opening a long
// conversation take. bench_history [--conversations N] [--messages N] [--file PATH]: with a file, it is made there once and used
// again.
#include "app/core/conversation_store.h"
#include "app/core/store_rows.h"
#include "app/core/store_schema.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/transcript_find.h"
#include "ui/chat/transcript_view.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QSqlDatabase>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <random>

using namespace trefoil;

namespace {

constexpr int kLongConversation = 2000;

class Texts {
public:
    QString text(int words) {
        static const QStringList kWords =
            QStringLiteral(
                "the a of block token mask pass model prefix answer question leaf clover water number count list table code "
                "confidence threshold expert layer state chunk window because therefore however 水 日本語 模型 答案 이 물")
                .split(QLatin1Char(' '));
        QString result;
        for (int i = 0; i < words; ++i) {
            if (i > 0) result += QLatin1Char(' ');
            // Most words are common, some are rare, as in a language.
            const auto draw = m_random() % 100;
            result += draw < 85 ? kWords[static_cast<qsizetype>(m_random() % static_cast<unsigned>(kWords.size()))]
                                : QStringLiteral("word%1").arg(m_random() % 50'000);
        }
        return result;
    }

private:
    std::mt19937 m_random{20261202};
};

bool make(const QString& path, int conversations, int messages) {
    {
        ConversationStore store;
        if (!store.open(path).ok()) return false;
    }
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("bench"));
    database.setDatabaseName(path);
    if (!database.open() || !schema::prepareConnection(database).ok()) return false;
    Texts texts;
    const int each = (messages - kLongConversation) / std::max(1, conversations - 1);
    bool ok = true;
    for (int c = 0; c < conversations && ok; ++c) {
        schema::Transaction transaction(database);
        ConversationRecord record;
        record.id = QStringLiteral("c%1").arg(c);
        record.title = texts.text(5);
        record.createdUtc = record.updatedUtc = QDateTime::fromMSecsSinceEpoch(1'700'000'000'000 + c * 3'600'000LL, Qt::UTC);
        ok = rows::write(database, CreateConversation{record}, 0).ok();
        const int count = c == conversations / 2 ? kLongConversation : each;
        for (int m = 0; m < count && ok; ++m) {
            MessageRecord message;
            message.id = QStringLiteral("%1-%2").arg(record.id).arg(m);
            message.conversationId = record.id;
            message.role = m % 2 == 0 ? QStringLiteral("user") : QStringLiteral("assistant");
            message.content = texts.text(m % 2 == 0 ? 12 : 60);
            message.createdUtc = record.createdUtc.addSecs(m);
            if (m % 2 == 1) message.model = QStringLiteral("model-%1").arg(c % 5);
            ok = rows::write(database, AppendMessage{message}, 0).ok();
        }
        ok = ok && transaction.commit().ok();
    }
    database.close();
    return ok;
}

template <class F>
double milliseconds(F task) {
    QElapsedTimer clock;
    clock.start();
    task();
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

/// The longest time that one turn of the event loop took until `done`.
template <class F>
double longestTurn(F done) {
    double longest = 0.0;
    while (!done()) longest = std::max(longest, milliseconds([] { QApplication::processEvents(QEventLoop::AllEvents); }));
    return longest;
}

void print(const char* what, double ms) { std::printf("%-58s %9.1f ms\n", what, ms); }

void openConversation(ConversationStore& store, const QString& id) {
    StoreResult<QList<MessageRecord>> messages;
    StoreResult<QList<MessageRecord>> aside;
    print("  read its messages", milliseconds([&] { messages = store.messages(id); }));
    print("  read what is aside of them", milliseconds([&] { aside = store.messagesAside(id); }));
    QList<TranscriptMessage> shown;
    for (const MessageRecord& message : std::as_const(messages.value)) {
        TranscriptMessage item;
        item.id = message.id;
        item.role = message.role;
        item.content = message.content;
        shown.append(item);
    }
    TranscriptView view;
    view.resize(800, 700);
    view.show();
    QApplication::processEvents();
    print("  first picture of the transcript", milliseconds([&] {
              view.setMessages(shown);
              view.grab();
          }));
    const QString first = shown[std::max<qsizetype>(0, shown.size() - 50)].id;
    print("  longest turn while the rest of the window is built",
          longestTurn([&] { return view.messageWidget(first) != nullptr; }));
    TranscriptFind find(&view);
    print("  find in it: first slice", milliseconds([&] { find.setText(QStringLiteral("clover"), Qt::CaseInsensitive); }));
    print("  find in it: longest turn", longestTurn([&] { return find.complete(); }));
    std::printf("  found %d places in %d messages\n", find.count(), static_cast<int>(shown.size()));
    print("  jump to the first", milliseconds([&] {
              find.step(true);
              view.grab();
          }));
}

}  // namespace

int main(int argc, char* argv[]) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    QCommandLineParser options;
    options.addHelpOption();
    options.addOptions(
        {{QStringLiteral("conversations"), QStringLiteral("How many conversations"), QStringLiteral("N"),
          QStringLiteral("10000")},
         {QStringLiteral("messages"), QStringLiteral("How many messages in all"), QStringLiteral("N"), QStringLiteral("200000")},
         {QStringLiteral("file"), QStringLiteral("Where the history is, or is made"), QStringLiteral("PATH")}});
    options.process(application);
    const int conversations = options.value(QStringLiteral("conversations")).toInt();
    const int messages = options.value(QStringLiteral("messages")).toInt();
    const QTemporaryDir folder;
    const QString path = options.isSet(QStringLiteral("file")) ? options.value(QStringLiteral("file"))
                                                               : folder.filePath(QStringLiteral("history.db"));
    if (conversations < 2 || messages < kLongConversation + conversations) {
        std::fprintf(stderr, "At least 2 conversations and %d messages more than these are wanted.\n", kLongConversation);
        return 2;
    }
    bool made = true;
    if (!QFileInfo::exists(path)) print("make the history", milliseconds([&] { made = make(path, conversations, messages); }));
    ConversationStore store;
    OpenReport report;
    if (made) print("open the history", milliseconds([&] { report = store.open(path); }));
    if (!made || !report.ok()) {
        std::fprintf(stderr, "No history at %s: %s\n", qPrintable(path), qPrintable(report.problem.text()));
        return 1;
    }
    std::printf("%d conversations, %d messages, %.0f MB\n", conversations, messages,
                static_cast<double>(QFileInfo(path).size()) / 1e6);

    StoreResult<QList<ConversationSummary>> list;
    print("read the list", milliseconds([&] { list = store.list(); }));
    ConversationList panel;
    panel.resize(260, 700);
    panel.show();
    QApplication::processEvents();
    print("show the list (first picture)", milliseconds([&] {
              QList<ConversationItem> items;
              for (const ConversationSummary& row : std::as_const(list.value))
                  items.append({row.id, row.title, row.updatedUtc, false});
              panel.setItems(items);
              panel.grab();
          }));
    for (const char* text : {"the", "clover leaf", "word4711", "\"block token\"", "水", "日本", "日本語", "a",
                             "model:model-3 clover", "title:clover water", "nowhereatall"}) {
        StoreResult<SearchResult> result;
        const double ms = milliseconds([&] { result = store.search(QString::fromUtf8(text)); });
        std::printf("search %-38s %4d conversations%c %9.1f ms\n", text, static_cast<int>(result.value.hits.size()),
                    result.value.more ? '+' : ' ', ms);
    }
    print("type a letter into the search field (titles)",
          milliseconds([&] { panel.model()->setFilter(QStringLiteral("clover")); }));
    std::printf("open a conversation of %d messages\n", kLongConversation);
    openConversation(store, QStringLiteral("c%1").arg(conversations / 2));
    return 0;
}
