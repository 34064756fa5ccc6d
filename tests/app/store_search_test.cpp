// Searching contents; and text that is deleted for good is gone from the file, its log and both indexes.
#include "app/core/conversation_store.h"
#include "app/core/store_schema.h"
#include "tests/app/store_samples.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace trefoil;

class StoreSearchTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void queries_data();
    void queries();
    void ranges_data();
    void ranges();
    void titles();
    void finds_data();
    void finds();
    void newestMessageAndCount();
    void unfinishedAndDeletedAreNotFound();
    void changedTextIsFoundAnew();
    void commonWordIsBounded();
    void migratesFormat2();
    void deletedForGood_data();
    void deletedForGood();

private:
    void must(const StoreOperation& operation) {
        const StoreProblem problem = m_store->apply(operation);
        QVERIFY2(problem.ok(), qPrintable(problem.text()));
    }
    void add(const QString& conversation, const QString& id, const QString& content, const QString& model = {}) {
        MessageRecord message = samples::message(id, conversation, QStringLiteral("user"), content, ++m_clock);
        message.model = model;
        must(AppendMessage{message});
    }
    [[nodiscard]] QStringList found(const QString& text) {
        const auto result = m_store->search(text);
        if (!result.ok()) return {result.problem.text()};
        QStringList ids;
        for (const SearchHit& hit : result.value.hits) ids.append(hit.conversationId + QLatin1Char('/') + hit.messageId);
        return ids;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ConversationStore> m_store;
    QString m_path;
    int m_clock = 0;
};

void StoreSearchTest::init() {
    m_store.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->filePath(QStringLiteral("history.db"));
    m_store = std::make_unique<ConversationStore>();
    QVERIFY(m_store->open(m_path).ok());
    m_clock = 0;
}

void StoreSearchTest::queries_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("terms");
    QTest::addColumn<QStringList>("titles");
    QTest::addColumn<QStringList>("models");
    const QStringList none;
    QTest::newRow("empty") << "  " << none << none << none;
    QTest::newRow("words") << "two  words" << QStringList{"two", "words"} << none << none;
    QTest::newRow("phrase") << "\"two words\" more" << QStringList{"two words", "more"} << none << none;
    QTest::newRow("open quote") << "a \"two words" << QStringList{"a", "two words"} << none << none;
    QTest::newRow("filters") << "title:leaf MODEL:\"demo model\" x" << QStringList{"x"} << QStringList{"leaf"}
                             << QStringList{"demo model"};
    QTest::newRow("empty filter") << "title: x" << QStringList{"x"} << none << none;
    QTest::newRow("other colon") << "std::vector http://x" << QStringList{"std::vector", "http://x"} << none << none;
}

void StoreSearchTest::queries() {
    QFETCH(QString, text);
    QFETCH(QStringList, terms);
    QFETCH(QStringList, titles);
    QFETCH(QStringList, models);
    QCOMPARE(parseSearch(text), (SearchQuery{terms, titles, models}));
}

void StoreSearchTest::ranges_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("terms");
    QTest::addColumn<QStringList>("marked");
    QTest::newRow("case") << "Clover and CLOVER" << QStringList{"clover"} << QStringList{"Clover", "CLOVER"};
    QTest::newRow("overlap") << "abcdef" << QStringList{"abcd", "cdef"} << QStringList{"abcdef"};
    QTest::newRow("short word") << "so is this" << QStringList{"is"} << QStringList{"is"};
    QTest::newRow("cjk") << "日本語と日本" << QStringList{"日本"} << QStringList{"日本", "日本"};
    QTest::newRow("decomposed") << QString("cafe\u0301 x") << QStringList{QString("caf\u00e9")}
                                << QStringList{QString("cafe\u0301")};
    QTest::newRow("wide") << QString("ＡＢＣ") << QStringList{"abc"} << QStringList{QString("ＡＢＣ")};
}

void StoreSearchTest::ranges() {
    QFETCH(QString, text);
    QFETCH(QStringList, terms);
    QFETCH(QStringList, marked);
    QStringList found;
    for (const TextRange& range : findTerms(text, terms)) found.append(text.mid(range.from, range.length));
    QCOMPARE(found, marked);
}

void StoreSearchTest::titles() {
    const QString title = QStringLiteral("Clover leaves");
    QVERIFY(titleMatches(title, parseSearch(QStringLiteral("LEAV clo"))));
    QVERIFY(titleMatches(title, parseSearch(QStringLiteral("title:leaves"))));
    QVERIFY(!titleMatches(title, parseSearch(QStringLiteral("clover roots"))));
}

void StoreSearchTest::finds_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("hits");
    const QStringList none;
    QTest::newRow("three letters") << "lea" << QStringList{"c1/m1"};
    QTest::newRow("phrase") << "\"leaves has\"" << QStringList{"c1/m1"};
    QTest::newRow("phrase in another order") << "\"has leaves\"" << none;
    QTest::newRow("words in another order") << "clover leaves" << QStringList{"c1/m1"};
    QTest::newRow("one character") << "水" << QStringList{"c2/m3"};
    QTest::newRow("two characters") << "日本" << QStringList{"c2/m3"};
    QTest::newRow("two characters apart") << "本日" << none;
    QTest::newRow("three characters") << "日本語" << QStringList{"c2/m3"};
    QTest::newRow("hangul") << "물" << QStringList{"c2/m4"};
    QTest::newRow("short word") << "a" << QStringList{"c1/m1"};
    QTest::newRow("short word, not inside") << "cl" << none;
    QTest::newRow("both indexes") << "日本 何と言い" << QStringList{"c2/m3"};
    QTest::newRow("symbol") << "🍀" << QStringList{"c1/m2"};
    QTest::newRow("model") << "model:DEMO three" << QStringList{"c1/m2"};
    QTest::newRow("model alone") << "model:demo" << QStringList{"c2/", "c1/"};
    QTest::newRow("unknown model") << "model:nothing three" << none;
    QTest::newRow("title") << "title:clover three" << QStringList{"c1/m2"};
    QTest::newRow("other title") << "title:water three" << none;
    QTest::newRow("wide letters") << "ｃｌｏｖｅｒ" << QStringList{"c1/m1"};
    QTest::newRow("operators are text") << "leaves\" OR \"x" << none;
    QTest::newRow("star") << "lea*" << none;
    QTest::newRow("a sign alone") << "?" << none;
    QTest::newRow("quote in the word") << "it's" << none;
}

void StoreSearchTest::finds() {
    QFETCH(QString, text);
    QFETCH(QStringList, hits);
    must(CreateConversation{samples::conversation(QStringLiteral("c1"))});
    must(RenameConversation{QStringLiteral("c1"), QStringLiteral("About Clover")});
    add(QStringLiteral("c1"), QStringLiteral("m1"), QStringLiteral("How many leaves has a clover?"));
    add(QStringLiteral("c1"), QStringLiteral("m2"), QStringLiteral("Three 🍀."), QStringLiteral("demo-model"));
    must(CreateConversation{samples::conversation(QStringLiteral("c2"))});
    add(QStringLiteral("c2"), QStringLiteral("m3"), QStringLiteral("水は日本語で何と言いますか。"));
    add(QStringLiteral("c2"), QStringLiteral("m4"), QStringLiteral("「みず」。ハングルでは 물 です。"),
        QStringLiteral("demo-model"));
    QCOMPARE(found(text), hits);
}

void StoreSearchTest::newestMessageAndCount() {
    must(CreateConversation{samples::conversation(QStringLiteral("c"))});
    add(QStringLiteral("c"), QStringLiteral("m1"), QStringLiteral("needle"));
    add(QStringLiteral("c"), QStringLiteral("m2"), QStringLiteral("words, ").repeated(20) + QStringLiteral("then a Needle here"));
    const SearchHit hit = m_store->search(QStringLiteral("needle")).value.hits.value(0);
    QCOMPARE(hit.messageId, QStringLiteral("m2"));
    QCOMPARE(hit.count, 2);
    QVERIFY(hit.snippet.startsWith(QStringLiteral("…")));
    QCOMPARE(hit.ranges.size(), 1);
    QCOMPARE(hit.snippet.mid(hit.ranges[0].from, hit.ranges[0].length), QStringLiteral("Needle"));
}

void StoreSearchTest::unfinishedAndDeletedAreNotFound() {
    must(CreateConversation{samples::conversation(QStringLiteral("c"))});
    must(BeginAnswer{samples::message(QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("assistant"), QString(), 2)});
    must(UpdateAnswer{samples::answer(QStringLiteral("a"), 1)});
    QVERIFY(found(QStringLiteral("answer")).isEmpty());
    must(FinishAnswer{samples::answer(QStringLiteral("a"), 1), EndReason::End, QString()});
    QCOMPARE(found(QStringLiteral("answer")).size(), 1);
    must(DeleteConversation{QStringLiteral("c"), samples::moment(0)});
    QVERIFY(found(QStringLiteral("answer")).isEmpty());
    must(RestoreConversation{QStringLiteral("c")});
    QCOMPARE(found(QStringLiteral("answer of")).size(), 1);
}

void StoreSearchTest::changedTextIsFoundAnew() {
    must(CreateConversation{samples::conversation(QStringLiteral("c"))});
    must(BeginAnswer{samples::message(QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("assistant"), QString(), 2)});
    AnswerUpdate update = samples::answer(QStringLiteral("a"), 1);
    update.content = QStringLiteral("山は old");
    must(FinishAnswer{update, EndReason::Length, QString()});
    must(ResumeAnswer{QStringLiteral("a")});
    QVERIFY(found(QStringLiteral("山")).isEmpty());
    update.content = QStringLiteral("川は new");
    must(FinishAnswer{update, EndReason::End, QString()});
    QVERIFY(found(QStringLiteral("山")).isEmpty());
    QVERIFY(found(QStringLiteral("old")).isEmpty());
    QCOMPARE(found(QStringLiteral("川")).size(), 1);
    QCOMPARE(found(QStringLiteral("new")).size(), 1);
}

void StoreSearchTest::commonWordIsBounded() {
    for (int i = 0; i < 203; ++i) {
        const QString id = QStringLiteral("c%1").arg(i);
        must(CreateConversation{samples::conversation(id, i)});
        add(id, id + QStringLiteral("m"), QStringLiteral("common"));
    }
    const auto result = m_store->search(QStringLiteral("common"));
    QCOMPARE(result.value.hits.size(), 200);
    QVERIFY(result.value.more);
    QCOMPARE(result.value.hits[0].conversationId, QStringLiteral("c202"));
    QVERIFY(!m_store->search(QStringLiteral("nowhere")).value.more);
}

void StoreSearchTest::migratesFormat2() {
    m_store->close();
    const QString path = m_folder->filePath(QStringLiteral("old.db"));
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("format2"));
        database.setDatabaseName(path);
        QVERIFY(database.open());
        QVERIFY(schema::migrate(database, 0, 2).ok());
        QSqlQuery query(database);
        QVERIFY(
            query.exec(QStringLiteral("INSERT INTO conversations(id, title, created_utc, updated_utc, active_leaf) "
                                      "VALUES('c', 'Water', 1, 2, 'm')")));
        QVERIFY(
            query.exec(QStringLiteral("INSERT INTO messages(id, conversation_id, role, content, created_utc) "
                                      "VALUES('m', 'c', 'user', '水は何?', 1)")));
        QVERIFY(
            query.exec(QStringLiteral("INSERT INTO messages(id, conversation_id, role, content, created_utc, in_progress) "
                                      "VALUES('a', 'c', 'assistant', '木', 2, 1)")));
        database.close();
    }
    QSqlDatabase::removeDatabase(QStringLiteral("format2"));
    const OpenReport report = m_store->open(path);
    QVERIFY2(report.ok(), qPrintable(report.problem.text()));
    QCOMPARE(report.migratedFrom, 2);
    QVERIFY(QFile::exists(report.backupPath));
    QCOMPARE(found(QStringLiteral("水")), QStringList{QStringLiteral("c/m")});
    QCOMPARE(found(QStringLiteral("木")), QStringList{QStringLiteral("c/a")});  // marked as interrupted, and so complete
    samples::OtherProgram copy(report.backupPath);
    QCOMPARE(copy.value(QStringLiteral("PRAGMA user_version")).toInt(), 2);
    QCOMPARE(copy.value(QStringLiteral("SELECT count(*) FROM title_search WHERE title_search MATCH 'Water'")).toInt(), 1);
    samples::OtherProgram other(path);
    QCOMPARE(other.value(QStringLiteral("PRAGMA integrity_check")).toString(), QStringLiteral("ok"));
    // Without the program's functions reading works and changing messages does not.
    QCOMPARE(other.value(QStringLiteral("SELECT content FROM messages WHERE id = 'm'")).toString(), QStringLiteral("水は何?"));
    QVERIFY(!other.run(QStringLiteral("DELETE FROM messages")));
}

void StoreSearchTest::deletedForGood_data() {
    QTest::addColumn<int>("kept");
    QTest::newRow("few others") << 3;
    QTest::newRow("many others") << 300;
}

void StoreSearchTest::deletedForGood() {
    QFETCH(int, kept);
    const QString secret = QStringLiteral("zyxwvuq");
    const QString cjk = QStringLiteral("鸚鵡");
    for (int i = 0; i < kept; ++i) {
        const QString id = QStringLiteral("kept%1").arg(i);
        must(CreateConversation{samples::conversation(id, i)});
        add(id, id + QStringLiteral("m"), QStringLiteral("Message %1 stays where it is. 水").arg(i));
        if (i != kept / 2) continue;
        must(CreateConversation{samples::conversation(QStringLiteral("gone"), i)});
        add(QStringLiteral("gone"), QStringLiteral("g1"), secret + QStringLiteral(" qj ") + cjk);
        add(QStringLiteral("gone"), QStringLiteral("g2"), QString(secret + QStringLiteral(" and more ")).repeated(400));
    }
    const auto bytes = [this] {
        QByteArray all;
        for (const char* part : {"", "-wal"}) {
            QFile file(m_path + QLatin1String(part));
            if (file.open(QIODevice::ReadOnly)) all += file.readAll();
        }
        return all;
    };
    // As they stand in the contents, in the trigram index (three letters after a prefix) and in the index of short words.
    const QByteArray trigram = "zyx";
    const QByteArray shortTerm = cjk.toUtf8().toHex();
    QVERIFY(bytes().contains(secret.toUtf8()));
    QVERIFY(bytes().contains(trigram));
    QVERIFY(bytes().contains(cjk.toUtf8()));
    // Index terms share their beginnings: the end of the pair is what stands there.
    const QByteArray pairEnd = cjk.mid(1).toUtf8().toHex();
    QVERIFY(bytes().contains(pairEnd) || bytes().contains(shortTerm));
    must(DeleteConversation{QStringLiteral("gone"), samples::moment(0)});
    must(PurgeDeleted{samples::moment(1)});
    for (const QByteArray& gone : {secret.toUtf8(), trigram, cjk.toUtf8(), shortTerm, pairEnd})
        QVERIFY2(!bytes().contains(gone), gone.constData());
    QCOMPARE(m_store->list().value.size(), kept);
    QCOMPARE(found(QStringLiteral("stays where")).size(), std::min(kept, 200));
    samples::OtherProgram other(m_path);
    QCOMPARE(other.value(QStringLiteral("PRAGMA integrity_check")).toString(), QStringLiteral("ok"));
}

QTEST_GUILESS_MAIN(StoreSearchTest)
#include "store_search_test.moc"
