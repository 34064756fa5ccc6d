// Addresses as typed, and where a key may go.
#include "app/served/endpoint_rules.h"
#include "app/served/server_profile.h"

#include <QTest>

using namespace trefoil;

class EndpointRulesTest : public QObject {
    Q_OBJECT

private slots:
    void addresses_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("address");
        const auto row = [](const char* typed, const char* address) {
            QTest::newRow(typed) << QString::fromUtf8(typed) << QString::fromUtf8(address);
        };
        row("http://127.0.0.1:30000", "http://127.0.0.1:30000");
        row("  http://127.0.0.1:30000/ ", "http://127.0.0.1:30000");
        row("http://127.0.0.1:30000/v1", "http://127.0.0.1:30000");
        row("http://127.0.0.1:30000/v1/", "http://127.0.0.1:30000");
        row("http://127.0.0.1:30000/v1/chat/completions", "http://127.0.0.1:30000");
        row("http://127.0.0.1:30000/v1/models", "http://127.0.0.1:30000");
        row("https://Models.Example.org:443/clover/v1//", "https://models.example.org/clover");
        row("HTTP://localhost:80/", "http://localhost");
        row("localhost:8000", "http://localhost:8000");
        row("127.0.0.1:8000/v1", "http://127.0.0.1:8000");
        row("[::1]:8000", "http://[::1]:8000");
        row("http://[2001:db8::5]:8000/v1", "http://[2001:db8::5]:8000");
        row("https://models.example.org/av1", "https://models.example.org/av1");
        row("https://münchen.example/v1", "https://xn--mnchen-3ya.example");
    }
    void addresses() {
        QFETCH(QString, typed);
        QFETCH(QString, address);
        const AddressReading read = readServerAddress(typed);
        QVERIFY2(read.ok(), qPrintable(read.problem));
        QCOMPARE(read.address.toString(), address);
        // Reading what was made changes nothing.
        QCOMPARE(readServerAddress(read.address.toString()).address, read.address);
    }

    void refusals_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* typed, const char* says) { QTest::newRow(typed) << QString::fromUtf8(typed) << says; };
        row("", "Enter");
        row("models.example.org:8000", "https://models.example.org");
        row("ftp://example.org", "ftp");
        row("file:///etc/passwd", "file");
        row("https://user:secret@example.org", "user name or password");
        row("https://secret@example.org", "user name or password");
        row("https://@example.org", "user name or password");
        row("https://example.org/v1?key=secret", "?");
        row("https://example.org/#secret", "#");
        row("https://", "host");
        row("http:///v1", "host");
        row("http://127.0.0.1:0", "Port 0");
        row("http://127.0.0.1:99999", "https://host:port");
        row("http://exa mple.org", "https://host:port");
        row("javascript:alert(1)", "https://");
    }
    void refusals() {
        QFETCH(QString, typed);
        QFETCH(QString, says);
        const AddressReading read = readServerAddress(typed);
        QVERIFY(!read.ok());
        QVERIFY(read.address.isEmpty());
        QVERIFY2(read.problem.contains(says), qPrintable(read.problem));
        QVERIFY2(!read.problem.contains(QLatin1String("secret")), qPrintable(read.problem));
    }

    void keysStayOnThisMachineOrEncrypted_data() {
        QTest::addColumn<QString>("address");
        QTest::addColumn<bool>("allowed");
        const auto row = [](const char* address, bool allowed) { QTest::newRow(address) << address << allowed; };
        row("http://127.0.0.1:30000", true);
        row("http://127.8.9.1:30000", true);
        row("http://127.1", true);
        row("http://[::1]:30000", true);
        row("http://[::ffff:127.0.0.1]:30000", true);
        row("http://localhost", true);
        row("http://LOCALHOST:1", true);
        row("https://models.example.org", true);
        row("https://10.0.0.7", true);
        row("http://models.example.org", false);
        row("http://10.0.0.7:30000", false);
        row("http://192.168.1.2", false);
        row("http://0.0.0.0:30000", false);
        row("http://[::]:30000", false);
        row("http://localhost.example.org", false);
        row("http://localhost.", false);
        row("http://127.0.0.1.example.org", false);
        row("http://[fe80::1]:1", false);
    }
    void keysStayOnThisMachineOrEncrypted() {
        QFETCH(QString, address);
        QFETCH(bool, allowed);
        const AddressReading read = readServerAddress(address);
        QVERIFY2(read.ok(), qPrintable(read.problem));
        const QString key = QStringLiteral("sk-very-secret");
        const QString problem = keyProblem(read.address, key);
        QCOMPARE(problem.isEmpty(), allowed);
        QVERIFY(!problem.contains(key));
        QVERIFY(keyProblem(read.address, {}).isEmpty());
    }

    void keysAreHeaderValues() {
        const QUrl here(QStringLiteral("http://127.0.0.1"));
        for (const char* key : {"a b", "a\r\nX: y", "a\nb", "\xC3\xA9", "tab\tbed", " sk"}) {
            const QString problem = keyProblem(here, QString::fromUtf8(key));
            QVERIFY(!problem.isEmpty());
            QVERIFY(!problem.contains(QString::fromUtf8(key)));
        }
        QCOMPARE(withoutKey(QStringLiteral("Incorrect key sk-1: sk-1"), QStringLiteral("sk-1")),
                 QStringLiteral("Incorrect key •••: •••"));
        QCOMPARE(withoutKey(QStringLiteral("fine"), {}), QStringLiteral("fine"));
    }

    void endpoints() {
        const QUrl address = readServerAddress(QStringLiteral("https://example.org/clover/v1")).address;
        QCOMPARE(endpoint(address, QStringLiteral("/v1/models")).toString(),
                 QStringLiteral("https://example.org/clover/v1/models"));
        const QUrl bare = readServerAddress(QStringLiteral("http://[::1]:9")).address;
        QCOMPARE(endpoint(bare, QStringLiteral("/props")).toString(), QStringLiteral("http://[::1]:9/props"));
    }

    void profiles() {
        for (const ServerKind kind : serverKinds()) QCOMPARE(serverKindFromName(serverKindName(kind)), kind);
        QCOMPARE(serverKindFromName(QStringLiteral("something newer")), ServerKind::Auto);
        ServerProfile profile;
        profile.address = QUrl(QStringLiteral("http://127.0.0.1:30000"));
        QCOMPARE(profile.title(), QStringLiteral("http://127.0.0.1:30000"));
        profile.name = QStringLiteral("Big machine");
        QCOMPARE(profile.title(), profile.name);
        QVERIFY(newProfileId() != newProfileId());
    }
};

QTEST_GUILESS_MAIN(EndpointRulesTest)
#include "endpoint_rules_test.moc"
