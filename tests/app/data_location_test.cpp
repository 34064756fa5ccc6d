// Where the data lives, for every environment that a person or a service may start the program in.
#include "app/core/data_location.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace trefoil;

class DataLocationTest : public QObject {
    Q_OBJECT
private slots:
    void matrix_data();
    void matrix();
    void overrideTakesEverything();
    void relativeOverrideIsRefused();
    void noHomeAtAll();
    void xdgAloneIsEnough();
    void findingCreatesNothing();
    void preparesPrivateFolders();
    void saysWhenNothingCanBeWritten();
    void realEnvironmentGivesAHome();
};

void DataLocationTest::matrix_data() {
    QTest::addColumn<QString>("home");
    QTest::addColumn<QString>("xdgData");
    QTest::addColumn<QString>("xdgConfig");
    QTest::addColumn<QString>("data");
    QTest::addColumn<QString>("config");
    QTest::addColumn<int>("notes");
    // HOME and PASSWD stand for folders that exist.
    const auto row = [](const char* name, const char* home, const char* xdgData, const char* xdgConfig, const char* data,
                        const char* config, int notes) {
        QTest::newRow(name) << QString::fromLatin1(home) << QString::fromLatin1(xdgData) << QString::fromLatin1(xdgConfig)
                            << QString::fromLatin1(data) << QString::fromLatin1(config) << notes;
    };
    const char* homeData = "HOME/.local/share/trefoil";
    const char* homeConfig = "HOME/.config/trefoil";
    const char* passwdData = "PASSWD/.local/share/trefoil";
    const char* passwdConfig = "PASSWD/.config/trefoil";
    row("plain", "HOME", "", "", homeData, homeConfig, 0);
    row("home with a slash", "HOME/", "", "", homeData, homeConfig, 0);
    row("home unset", "", "", "", passwdData, passwdConfig, 1);
    row("home is the root", "/", "", "", passwdData, passwdConfig, 1);
    row("home is the root, more slashes", "//.", "", "", passwdData, passwdConfig, 1);
    row("home does not exist", "HOME/none", "", "", passwdData, passwdConfig, 1);
    row("home is relative", "somewhere", "", "", passwdData, passwdConfig, 1);
    row("home is a file", "HOME/file", "", "", passwdData, passwdConfig, 1);
    row("xdg", "HOME", "/x/data", "/x/config", "/x/data/trefoil", "/x/config/trefoil", 0);
    row("xdg with slashes", "HOME", "/x/data//", "/x/./config/", "/x/data/trefoil", "/x/config/trefoil", 0);
    row("xdg data relative", "HOME", "data", "", homeData, homeConfig, 1);
    row("xdg data is a dot", "HOME", ".", "", homeData, homeConfig, 1);
    row("xdg config relative", "HOME", "/x", "~/config", "/x/trefoil", homeConfig, 1);
    row("xdg data is the root", "HOME", "/", "", homeData, homeConfig, 1);
    row("xdg data leads to the root", "HOME", "/x/..", "", homeData, homeConfig, 1);
    row("everything wrong", "here", "data", "config", passwdData, passwdConfig, 3);
}

void DataLocationTest::matrix() {
    QFETCH(QString, home);
    QFETCH(QString, xdgData);
    QFETCH(QString, xdgConfig);
    QFETCH(QString, data);
    QFETCH(QString, config);
    QFETCH(int, notes);
    const QTemporaryDir homeFolder;
    const QTemporaryDir passwdFolder;
    QFile file(homeFolder.filePath(QStringLiteral("file")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const auto real = [&homeFolder, &passwdFolder](QString text) {
        return text.replace(QStringLiteral("HOME"), homeFolder.path()).replace(QStringLiteral("PASSWD"), passwdFolder.path());
    };
    const DataLocation found = findDataLocation({QString(), real(xdgData), real(xdgConfig), real(home), passwdFolder.path()});
    QVERIFY2(found.ok(), qPrintable(found.problem.text()));
    QCOMPARE(found.dataFolder, real(data));
    QCOMPARE(found.configFolder, real(config));
    QCOMPARE(found.notes.size(), notes);
    QCOMPARE(found.historyFile(), real(data) + QStringLiteral("/history.db"));
}

void DataLocationTest::overrideTakesEverything() {
    const DataLocation found = findDataLocation(
        {QStringLiteral("/portable/dir/"), QStringLiteral("/x"), QStringLiteral("/y"), QStringLiteral("/home/a"), {}});
    QVERIFY(found.ok());
    QCOMPARE(found.dataFolder, QStringLiteral("/portable/dir"));
    QCOMPARE(found.configFolder, QStringLiteral("/portable/dir"));
    QCOMPARE(found.settingsFile(), QStringLiteral("/portable/dir/trefoil.ini"));
}

void DataLocationTest::relativeOverrideIsRefused() {
    for (const QString& value :
         {QStringLiteral("data"), QStringLiteral("./data"), QStringLiteral("/"), QStringLiteral("/x/..")}) {
        const DataLocation found = findDataLocation({value, {}, {}, QDir::tempPath(), QDir::tempPath()});
        QVERIFY2(!found.ok(), qPrintable(value));
        QVERIFY(found.problem.message.contains(value));
        QVERIFY(found.historyFile().isEmpty());
    }
}

void DataLocationTest::noHomeAtAll() {
    for (const QString& passwd : {QString(), QStringLiteral("/"), QStringLiteral("/nonexistent")}) {
        const DataLocation found = findDataLocation({{}, {}, {}, {}, passwd});
        QVERIFY(!found.ok());
        QVERIFY(!found.problem.hint.isEmpty());
        QVERIFY(found.historyFile().isEmpty());
        QVERIFY(found.settingsFile().isEmpty());
    }
}

void DataLocationTest::xdgAloneIsEnough() {
    const DataLocation found = findDataLocation({{}, QStringLiteral("/x"), QStringLiteral("/y"), {}, {}});
    QVERIFY(found.ok());
    QCOMPARE(found.dataFolder, QStringLiteral("/x/trefoil"));
    QCOMPARE(found.configFolder, QStringLiteral("/y/trefoil"));
}

void DataLocationTest::findingCreatesNothing() {
    const QTemporaryDir home;
    QVERIFY(findDataLocation({{}, {}, {}, home.path(), {}}).ok());
    QVERIFY(QDir(home.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
}

void DataLocationTest::preparesPrivateFolders() {
    const QTemporaryDir home;
    const QString folder = home.filePath(QStringLiteral("a/b/trefoil"));
    QVERIFY(prepareFolder(folder).ok());
    QVERIFY(prepareFolder(folder).ok());
    const auto others = QFileDevice::ReadGroup | QFileDevice::WriteGroup | QFileDevice::ExeGroup | QFileDevice::ReadOther |
                        QFileDevice::WriteOther | QFileDevice::ExeOther;
    for (const QString& made : {QStringLiteral("a"), QStringLiteral("a/b"), QStringLiteral("a/b/trefoil")}) {
        QVERIFY2((QFile::permissions(home.filePath(made)) & others) == 0, qPrintable(made));
    }
}

void DataLocationTest::saysWhenNothingCanBeWritten() {
    QCOMPARE(prepareFolder(QStringLiteral("relative")).kind, StoreProblemKind::Invalid);
    QVERIFY(!QFileInfo::exists(QStringLiteral("relative")));
    const StoreProblem problem = prepareFolder(QStringLiteral("/proc/trefoil/data"));
    QCOMPARE(problem.kind, StoreProblemKind::ReadOnly);
    QVERIFY(problem.message.contains(QStringLiteral("/proc/trefoil")));
    QVERIFY(!problem.hint.isEmpty());
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("file")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(prepareFolder(file.fileName()).kind, StoreProblemKind::ReadOnly);
    QCOMPARE(prepareFolder(file.fileName() + QStringLiteral("/below")).kind, StoreProblemKind::ReadOnly);
    QVERIFY(QFile::setPermissions(folder.path(), QFileDevice::ReadOwner | QFileDevice::ExeOwner));
    const bool everythingIsWritable = QFileInfo(folder.path()).isWritable();
    const StoreProblem readOnly = prepareFolder(folder.path());
    QVERIFY(QFile::setPermissions(folder.path(), QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner));
    if (everythingIsWritable) QSKIP("permissions do not bind this user (root)");
    QCOMPARE(readOnly.kind, StoreProblemKind::ReadOnly);
}

void DataLocationTest::realEnvironmentGivesAHome() {
    const QByteArray before = qgetenv("HOME");
    qputenv("HOME", "elsewhere");
    const LocationEnvironment environment = currentLocationEnvironment();
    qputenv("HOME", before);
    QCOMPARE(environment.home, QStringLiteral("elsewhere"));
    // The user data base has an entry for whoever runs this; a container's bare user id may lack one.
    if (environment.passwdHome.isEmpty()) QSKIP("this user is not in the user data base");
    QVERIFY(QDir::isAbsolutePath(environment.passwdHome));
}

QTEST_GUILESS_MAIN(DataLocationTest)
#include "data_location_test.moc"
