// Settings: what is set is there next time, in every locale; what is wrong in the file harms nothing.
#include "app/core/settings.h"

#include <QFile>
#include <QFileInfo>
#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <clocale>

using namespace trefoil;

class SettingsTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void defaultsWithoutAFile();
    void everythingSurvives_data();
    void everythingSurvives();
    void writesAreGathered();
    void wrongValuesAreDefaults();
    void unknownKeysStay();
    void unreadableLinesAreKeptAside();
    void twoProgramsKeepEachOthersKeys();
    void unwritableFolderIsToldOnce();
    void withoutAFileNothingIsWritten();
    void boundsAreKept();
    void switchesBelongToAFolder();
    void theLocalApiIsOffUntilItIsChosen();

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
};

void SettingsTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_file = m_folder->filePath(QStringLiteral("trefoil.ini"));
}

void SettingsTest::defaultsWithoutAFile() {
    const Settings settings(m_file);
    QCOMPARE(settings.theme(), ThemeChoice::System);
    QCOMPARE(settings.device(), QStringLiteral("auto"));
    QCOMPARE(settings.threads(), 0);
    QCOMPARE(settings.fontSize(), 0);
    QVERIFY(settings.confirmLinks());
    QVERIFY(settings.lastModelFolder().isEmpty());
    QVERIFY(settings.windowGeometry().isEmpty());
}

void SettingsTest::everythingSurvives_data() {
    QTest::addColumn<QString>("locale");
    for (const char* name : {"C", "de_DE", "fr_FR", "tr_TR", "ar_EG"}) QTest::newRow(name) << QString::fromLatin1(name);
}

void SettingsTest::everythingSurvives() {
    QFETCH(QString, locale);
    // The C library's locale only changes where it is installed; Qt's always does.
    const QByteArray before = std::setlocale(LC_ALL, nullptr);
    std::setlocale(LC_ALL, (locale + QStringLiteral(".UTF-8")).toLatin1().constData());
    QLocale::setDefault(QLocale(locale));
    const QByteArray geometry("\x01\x02\x00\xff,;=\n", 8);
    {
        Settings settings(m_file);
        settings.setTheme(ThemeChoice::Dark);
        settings.setLastModelFolder(QStringLiteral("/Modelle/ı İ, 50%; “x”=y"));
        settings.setDevice(QStringLiteral("cuda:1"));
        settings.setThreads(12);
        settings.setGpuMemory(24);
        settings.setConfirmLinks(false);
        settings.setFontSize(14);
        settings.setWindowGeometry(geometry);
        settings.setWindowState(geometry + geometry);
        settings.setHistoryFile(QStringLiteral("/data/history-2.db"));
        settings.setLastConversation(QStringLiteral("id"));
    }
    const Settings settings(m_file);
    std::setlocale(LC_ALL, before.constData());
    QLocale::setDefault(QLocale::c());
    QCOMPARE(settings.theme(), ThemeChoice::Dark);
    QCOMPARE(settings.lastModelFolder(), QStringLiteral("/Modelle/ı İ, 50%; “x”=y"));
    QCOMPARE(settings.device(), QStringLiteral("cuda:1"));
    QCOMPARE(settings.threads(), 12);
    QCOMPARE(settings.gpuMemory(), 24);
    QVERIFY(!settings.confirmLinks());
    QCOMPARE(settings.fontSize(), 14);
    QCOMPARE(settings.windowGeometry(), geometry);
    QCOMPARE(settings.windowState(), geometry + geometry);
    QCOMPARE(settings.historyFile(), QStringLiteral("/data/history-2.db"));
    QCOMPARE(settings.lastConversation(), QStringLiteral("id"));
    QVERIFY(contents().contains("threads=12\n"));
}

void SettingsTest::writesAreGathered() {
    Settings settings(m_file);
    settings.setThreads(1);
    settings.setThreads(2);
    QVERIFY(!QFileInfo::exists(m_file));
    QTRY_VERIFY(QFileInfo::exists(m_file));
    QVERIFY(contents().contains("threads=2"));
    QCOMPARE(QFile::permissions(m_file) & (QFileDevice::ReadGroup | QFileDevice::WriteGroup | QFileDevice::ReadOther),
             QFile::Permissions());
}

void SettingsTest::wrongValuesAreDefaults() {
    put("[model]\nthreads=many\ndevice=\n[appearance]\ntheme=purple\nfont_size=1,5\n[chat]\nconfirm_links=perhaps\n"
        "[window]\ngeometry=@Invalid()\nstate=@Rect(1 2 3\n");
    const Settings settings(m_file);
    QCOMPARE(settings.threads(), 0);
    QCOMPARE(settings.device(), QStringLiteral("auto"));
    QCOMPARE(settings.theme(), ThemeChoice::System);
    QCOMPARE(settings.fontSize(), 0);
    QVERIFY(settings.confirmLinks());
    QVERIFY(settings.windowGeometry().isEmpty());
}

void SettingsTest::unknownKeysStay() {
    put("[future]\nkey=value\n[model]\nthreads=3\n");
    {
        Settings settings(m_file);
        QCOMPARE(settings.threads(), 3);
        settings.setThreads(4);
    }
    QVERIFY(contents().contains("key=value"));
    QVERIFY(contents().contains("threads=4"));
}

void SettingsTest::unreadableLinesAreKeptAside() {
    const QByteArray before("[model\nthis is no setting\nthreads=3\n");
    put(before);
    {
        Settings settings(m_file);
        settings.setThreads(4);
    }
    QVERIFY(contents().contains("threads=4"));
    QFile aside(m_file + QStringLiteral(".damaged"));
    QVERIFY(aside.open(QIODevice::ReadOnly));
    QCOMPARE(aside.readAll(), before);
}

void SettingsTest::twoProgramsKeepEachOthersKeys() {
    Settings first(m_file);
    Settings second(m_file);
    first.setThreads(5);
    QVERIFY(first.flush().ok());
    second.setFontSize(20);
    QVERIFY(second.flush().ok());
    const Settings third(m_file);
    QCOMPARE(third.threads(), 5);
    QCOMPARE(third.fontSize(), 20);
}

void SettingsTest::unwritableFolderIsToldOnce() {
    // A file where the folder should be: nobody can write below it, and it can be mended.
    const QString folder = m_folder->filePath(QStringLiteral("config"));
    QFile blocker(folder);
    QVERIFY(blocker.open(QIODevice::WriteOnly));
    Settings settings(folder + QStringLiteral("/trefoil.ini"));
    QSignalSpy notSaved(&settings, &Settings::notSaved);
    QSignalSpy saved(&settings, &Settings::saved);
    settings.setThreads(5);
    QVERIFY(!settings.flush().ok());
    settings.setThreads(6);
    QVERIFY(!settings.flush().ok());
    QCOMPARE(notSaved.size(), 1);
    QVERIFY(!notSaved[0][0].value<StoreProblem>().message.isEmpty());
    QCOMPARE(settings.threads(), 6);
    QVERIFY(blocker.remove());
    // By itself.
    QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, 30000);
    QVERIFY(settings.flush().ok());
    QCOMPARE(saved.size(), 1);
    QCOMPARE(Settings(folder + QStringLiteral("/trefoil.ini")).threads(), 6);
}

void SettingsTest::withoutAFileNothingIsWritten() {
    Settings settings{QString()};
    settings.setThreads(5);
    QVERIFY(settings.flush().ok());
    QCOMPARE(settings.threads(), 5);
}

void SettingsTest::boundsAreKept() {
    Settings settings(m_file);
    QSignalSpy fontSize(&settings, &Settings::fontSizeChanged);
    QSignalSpy theme(&settings, &Settings::themeChanged);
    settings.setThreads(-3);
    QCOMPARE(settings.threads(), 0);
    settings.setThreads(1'000'000);
    QCOMPARE(settings.threads(), Settings::kMaxThreads);
    settings.setGpuMemory(-1);
    QCOMPARE(settings.gpuMemory(), 0);
    settings.setGpuMemory(1'000'000);
    QCOMPARE(settings.gpuMemory(), Settings::kMaxGpuMemory);
    settings.setFontSize(1000);
    QCOMPARE(settings.fontSize(), Settings::kMaxFontSize);
    settings.setFontSize(1);
    QCOMPARE(settings.fontSize(), Settings::kMinFontSize);
    settings.setFontSize(0);
    QCOMPARE(settings.fontSize(), 0);
    QCOMPARE(fontSize.size(), 3);
    settings.setTheme(ThemeChoice::System);
    QVERIFY(theme.isEmpty());
    settings.setTheme(ThemeChoice::Light);
    QCOMPARE(theme.size(), 1);
}

void SettingsTest::switchesBelongToAFolder() {
    const QString first = QStringLiteral("/models/a, b & \"c\"=1");
    const QString second = QStringLiteral("/models/水");
    const QHash<QString, QString> choices{{QStringLiteral("noisy_value"), QStringLiteral("scaled_by_beta")},
                                          {QStringLiteral("norm_weights"), QStringLiteral("plain")}};
    {
        Settings settings(m_file);
        QVERIFY(settings.compatibility(first).isEmpty());
        settings.setCompatibility(first, choices);
        settings.setCompatibility(second, {{QStringLiteral("block_start"), QStringLiteral("aligned")}});
    }
    {
        Settings settings(m_file);
        QCOMPARE(settings.compatibility(first), choices);
        QCOMPARE(settings.compatibility(second).value(QStringLiteral("block_start")), QStringLiteral("aligned"));
        QVERIFY(settings.compatibility(QStringLiteral("/models")).isEmpty());
        settings.setCompatibility(first, {});
        QVERIFY(settings.compatibility(first).isEmpty());
        QCOMPARE(settings.compatibility(second).size(), 1);
    }
    QVERIFY(!contents().contains("scaled_by_beta"));
    put("[model]\ncompatibility=\"{\\\"/m\\\": {\\\"a\\\": 5, \\\"b\\\": \\\"c\\\"}, \\\"/n\\\": []}\"\n");
    const Settings damaged(m_file);
    QCOMPARE(damaged.compatibility(QStringLiteral("/m")), (QHash<QString, QString>{{QStringLiteral("b"), QStringLiteral("c")}}));
    QVERIFY(damaged.compatibility(QStringLiteral("/n")).isEmpty());
}

void SettingsTest::theLocalApiIsOffUntilItIsChosen() {
    QCOMPARE(Settings(m_file).localApi(), LocalApiChoice());
    QVERIFY(!LocalApiChoice().on && LocalApiChoice().address == QLatin1String("127.0.0.1"));
    LocalApiChoice chosen;
    chosen.on = true;
    chosen.address = QStringLiteral("::1");
    chosen.port = 9000;
    chosen.certificateFile = QStringLiteral("/a b/cert.pem");
    chosen.certificateKeyFile = QStringLiteral("/a b/key.pem");
    chosen.plainHttp = true;
    Settings(m_file).setLocalApi(chosen);
    QCOMPARE(Settings(m_file).localApi(), chosen);
    put("[local_api]\non=perhaps\nport=70000\naddress=\nplain_http=1\n");
    QCOMPARE(Settings(m_file).localApi(), LocalApiChoice());
}

QTEST_GUILESS_MAIN(SettingsTest)
#include "settings_test.moc"
