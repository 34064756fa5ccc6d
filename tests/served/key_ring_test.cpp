// Keys in a desktop's secret service: a GNOME keyring of its own. Where it is not installed nothing is tested.
#include "tests/served/private_session.h"

#include <QTest>

using namespace trefoil;
using namespace trefoil::test;

class KeyRingTest : public QObject {
    Q_OBJECT

private slots:
    void keepsKeysForTheNextRun() {
        const QString daemon = QStandardPaths::findExecutable(QStringLiteral("gnome-keyring-daemon"));
        if (daemon.isEmpty()) QSKIP("There is no gnome-keyring-daemon.");
        PrivateSession session;
        if (!session.start()) QSKIP("There is no dbus-daemon.");
        QProcess ring;
        ring.start(daemon, {QStringLiteral("--foreground"), QStringLiteral("--unlock"), QStringLiteral("--components=secrets"),
                            QStringLiteral("--control-directory=") + session.home() + QStringLiteral("/ring")});
        QVERIFY(ring.waitForStarted());
        ring.write("password of the ring\n");
        ring.closeWriteChannel();
        const std::unique_ptr<KeyStore> store = makeDesktopKeyStore();
        // The ring takes a moment to be on the bus; until then the store says that there is none.
        QTRY_VERIFY_WITH_TIMEOUT(ask(*store, Call::Write, QStringLiteral("a"), kKey).ok() && store->isPersistent(), 20'000);
        QCOMPARE(store->whyNotPersistent(), QString());
        const std::unique_ptr<KeyStore> next = makeDesktopKeyStore();
        QCOMPARE(ask(*next, Call::Read, QStringLiteral("a")).key, kKey);
        QVERIFY(next->isPersistent());
        QCOMPARE(ask(*next, Call::Read, QStringLiteral("b")).key, QString());
        QCOMPARE(fileWithKey(session.home()), QString());
        QVERIFY(ask(*next, Call::Remove, QStringLiteral("a")).ok());
        QVERIFY(ask(*next, Call::Remove, QStringLiteral("a")).ok());
        const std::unique_ptr<KeyStore> last = makeDesktopKeyStore();
        QCOMPARE(ask(*last, Call::Read, QStringLiteral("a")).key, QString());
        QVERIFY(last->isPersistent());
        ring.terminate();
        ring.waitForFinished();
    }
};

QTEST_GUILESS_MAIN(KeyRingTest)
#include "key_ring_test.moc"
