// Presets: exact values, whole files, nothing lost to a file that is not understood.
#include "app/core/presets.h"

#include <QDir>
#include <QFile>
#include <QLocale>
#include <QTemporaryDir>
#include <QTest>

using namespace trefoil;

class PresetsTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void saveRenameRemove();
    void valuesAreExactInEveryLocale();
    void namesAreChecked();
    void damagedFileIsKept_data();
    void damagedFileIsKept();
    void newerFileIsLeftAlone();
    void twoStoresSeeEachOther();
    void unwritablePlaceChangesNothing();
    void inMemory();

private:
    QByteArray contents() {
        QFile file(m_file);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void put(const QByteArray& bytes) {
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
    const ControlValues m_controls{{QStringLiteral("threshold"), 0.95},
                                   {QStringLiteral("top_p"), 1.0},
                                   {QStringLiteral("seed"), QVariant::fromValue<qulonglong>(18446744073709551615ULL)},
                                   {QStringLiteral("decoding"), QStringLiteral("diffusion")}};
};

void PresetsTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_file = m_folder->filePath(QStringLiteral("data/presets.json"));
    QVERIFY(QDir().mkpath(m_folder->filePath(QStringLiteral("data"))));
}

void PresetsTest::saveRenameRemove() {
    PresetStore store(m_file);
    QVERIFY(store.load().ok());
    QVERIFY(store.names().isEmpty());
    QVERIFY(store.save(QStringLiteral("  quick "), m_controls).ok());
    QVERIFY(store.save(QStringLiteral("Careful"), {}).ok());
    QCOMPARE(store.names(), (QStringList{QStringLiteral("Careful"), QStringLiteral("quick")}));
    QVERIFY(store.rename(QStringLiteral("quick"), QStringLiteral("Ångström 🍀")).ok());
    QCOMPARE(store.rename(QStringLiteral("quick"), QStringLiteral("x")).kind, StoreProblemKind::NotFound);
    QCOMPARE(store.rename(QStringLiteral("Careful"), QStringLiteral("Ångström 🍀")).kind, StoreProblemKind::Invalid);
    QVERIFY(store.rename(QStringLiteral("Careful"), QStringLiteral("Careful")).ok());
    QVERIFY(store.remove(QStringLiteral("Careful")).ok());
    QCOMPARE(store.remove(QStringLiteral("Careful")).kind, StoreProblemKind::NotFound);
    PresetStore again(m_file);
    QVERIFY(again.load().ok());
    QCOMPARE(again.names(), QStringList{QStringLiteral("Ångström 🍀")});
    QCOMPARE(again.controls(QStringLiteral("Ångström 🍀")), m_controls);
    QVERIFY(again.controls(QStringLiteral("Careful")).isEmpty());
}

void PresetsTest::valuesAreExactInEveryLocale() {
    QLocale::setDefault(QLocale(QStringLiteral("de_DE")));
    PresetStore store(m_file);
    QVERIFY(store.save(QStringLiteral("p"), m_controls).ok());
    PresetStore again(m_file);
    QVERIFY(again.load().ok());
    QLocale::setDefault(QLocale::c());
    QVERIFY(contents().contains("0.95"));
    const ControlValues read = again.controls(QStringLiteral("p"));
    QCOMPARE(read.value(QStringLiteral("threshold")).toDouble(), 0.95);
    QCOMPARE(read.value(QStringLiteral("top_p")).typeId(), int{QMetaType::Double});
    QCOMPARE(read.value(QStringLiteral("seed")).toULongLong(), 18446744073709551615ULL);
}

void PresetsTest::namesAreChecked() {
    PresetStore store(m_file);
    for (const QString& name : {QString(), QStringLiteral("  "), QString(81, u'x'), QStringLiteral("two\nlines")}) {
        const StoreProblem problem = store.save(name, {});
        QCOMPARE(problem.kind, StoreProblemKind::Invalid);
        QVERIFY(!problem.message.isEmpty());
    }
    QVERIFY(!QFile::exists(m_file));
    QVERIFY(store.save(QString(80, u'x'), {}).ok());
}

void PresetsTest::damagedFileIsKept_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("readable");
    QTest::newRow("empty") << QByteArray("") << 0;
    QTest::newRow("text") << QByteArray("hello") << 0;
    QTest::newRow("cut") << QByteArray("{\"format\":1,\"presets\":[{\"name\":\"a\"") << 0;
    QTest::newRow("deep") << QByteArray(200'000, '[') << 0;
    QTest::newRow("no format") << QByteArray("{\"presets\":[]}") << 0;
    QTest::newRow("list of numbers") << QByteArray("{\"format\":1,\"presets\":[1]}") << 0;
    QTest::newRow("one good") << QByteArray(
                                     "{\"format\":1,\"presets\":[{\"name\":\"a\",\"controls\":{}},{\"name\":5,\"controls\":{}}]}")
                              << 1;
    QTest::newRow("same name twice")
        << QByteArray("{\"format\":1,\"presets\":[{\"name\":\"a\",\"controls\":{}},{\"name\":\"a\",\"controls\":{}}]}") << 1;
    QTest::newRow("bad UTF-8") << QByteArray("{\"format\":1,\"presets\":[{\"name\":\"\xff\",\"controls\":{}}]}") << 0;
}

void PresetsTest::damagedFileIsKept() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, readable);
    put(bytes);
    PresetStore store(m_file);
    const StoreProblem problem = store.load();
    QCOMPARE(problem.kind, StoreProblemKind::Damaged);
    QVERIFY(!problem.message.isEmpty());
    QCOMPARE(store.names().size(), readable);
    QCOMPARE(contents(), bytes);  // reading changes nothing
    QVERIFY(store.save(QStringLiteral("new"), m_controls).ok());
    QCOMPARE(store.names().size(), readable + 1);
    const QDir folder(m_folder->filePath(QStringLiteral("data")));
    const QStringList aside = folder.entryList({QStringLiteral("presets.json.damaged-*")});
    QCOMPARE(aside.size(), 1);
    QFile copy(folder.filePath(aside.first()));
    QVERIFY(copy.open(QIODevice::ReadOnly));
    QCOMPARE(copy.readAll(), bytes);
    PresetStore again(m_file);
    QVERIFY(again.load().ok());
    QCOMPARE(again.controls(QStringLiteral("new")), m_controls);
}

void PresetsTest::newerFileIsLeftAlone() {
    const QByteArray bytes("{\"format\":2,\"presets\":{\"by name\":{}}}");
    put(bytes);
    PresetStore store(m_file);
    QCOMPARE(store.load().kind, StoreProblemKind::NewerVersion);
    QCOMPARE(store.save(QStringLiteral("x"), {}).kind, StoreProblemKind::NewerVersion);
    QCOMPARE(contents(), bytes);
}

void PresetsTest::twoStoresSeeEachOther() {
    PresetStore first(m_file);
    PresetStore second(m_file);
    QVERIFY(first.save(QStringLiteral("a"), {}).ok());
    QVERIFY(second.save(QStringLiteral("b"), {}).ok());
    QCOMPARE(second.names(), (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
}

void PresetsTest::unwritablePlaceChangesNothing() {
    PresetStore store(QStringLiteral("/proc/trefoil/presets.json"));
    QVERIFY(store.load().ok());
    const StoreProblem problem = store.save(QStringLiteral("a"), {});
    QVERIFY(!problem.ok());
    QVERIFY(!problem.message.isEmpty());
    QVERIFY(store.names().isEmpty());
}

void PresetsTest::inMemory() {
    PresetStore store;
    QVERIFY(store.load().ok());
    QVERIFY(store.save(QStringLiteral("a"), m_controls).ok());
    QVERIFY(store.load().ok());
    QVERIFY(store.contains(QStringLiteral("a")));
    QVERIFY(store.remove(QStringLiteral("a")).ok());
    QVERIFY(store.names().isEmpty());
}

QTEST_GUILESS_MAIN(PresetsTest)
#include "presets_test.moc"
