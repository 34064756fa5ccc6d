// Where keys are kept: in memory, in the desktop's secret service, and never in a plain file.
#include "tests/served/private_session.h"

#include <QTest>

using namespace trefoil;
using namespace trefoil::test;

class KeyStoreTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_session = m_bus.start(); }

    void inMemory() {
        const std::unique_ptr<KeyStore> store = makeMemoryKeyStore();
        QVERIFY(!store->isPersistent());
        QVERIFY(store->whyNotPersistent().contains(QLatin1String("closed")));
        QCOMPARE(ask(*store, Call::Read, QStringLiteral("a")).key, QString());
        QVERIFY(ask(*store, Call::Write, QStringLiteral("a"), kKey).ok());
        QCOMPARE(ask(*store, Call::Read, QStringLiteral("a")).key, kKey);
        QCOMPARE(ask(*store, Call::Read, QStringLiteral("b")).key, QString());
        QVERIFY(ask(*store, Call::Remove, QStringLiteral("a")).ok());
        QVERIFY(ask(*store, Call::Remove, QStringLiteral("a")).ok());
        QCOMPARE(ask(*store, Call::Read, QStringLiteral("a")).key, QString());
    }

    void callersThatAreGone() {
        const std::unique_ptr<KeyStore> store = makeMemoryKeyStore();
        int answers = 0;
        {
            QObject gone;
            store->write(QStringLiteral("a"), kKey, &gone, [&answers](const KeyAnswer&) { ++answers; });
        }
        QCOMPARE(ask(*store, Call::Read, QStringLiteral("a")).key, kKey);
        QCOMPARE(answers, 0);
    }

    void withoutASecretService() {
        if (!m_session) QSKIP("There is no dbus-daemon.");
        const std::unique_ptr<KeyStore> store = makeDesktopKeyStore();
        int changes = 0;
        connect(store.get(), &KeyStore::persistenceChanged, this, [&changes] { ++changes; });
        const KeyAnswer written = ask(*store, Call::Write, QStringLiteral("a"), kKey);
        QVERIFY2(written.ok(), qPrintable(written.problem));
        QCOMPARE(written.key, kKey);
        // It says so, keeps the key for this run, and writes it nowhere.
        QVERIFY(!store->isPersistent());
        QVERIFY2(store->whyNotPersistent().contains(QLatin1String("no service that keeps secrets")),
                 qPrintable(store->whyNotPersistent()));
        QVERIFY(!store->whyNotPersistent().contains(kKey));
        QCOMPARE(changes, 1);
        QCOMPARE(ask(*store, Call::Read, QStringLiteral("a")).key, kKey);
        QCOMPARE(fileWithKey(m_bus.home()), QString());
        const std::unique_ptr<KeyStore> another = makeDesktopKeyStore();
        QCOMPARE(ask(*another, Call::Read, QStringLiteral("a")).key, QString());
        QVERIFY(!another->isPersistent());
        QVERIFY(ask(*store, Call::Remove, QStringLiteral("a")).ok());
        QCOMPARE(ask(*store, Call::Read, QStringLiteral("a")).key, QString());
    }

private:
    PrivateSession m_bus;
    bool m_session = false;
};

QTEST_GUILESS_MAIN(KeyStoreTest)
#include "key_store_test.moc"
