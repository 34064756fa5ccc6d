// One window per history: a second start hands over; what a killed program left is in nobody's way; sockets lie in private
// folders.
#include "app/single_instance.h"

#include <sys/stat.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <atomic>
#include <memory>

using namespace trefoil;

class SingleInstanceTest : public QObject {
    Q_OBJECT

private slots:
    void folderMustBePrivate() {
        QTemporaryDir runtime;
        QTemporaryDir home;
        const QString fallback = home.path() + QStringLiteral("/data/run");
        ::chmod(QFile::encodeName(runtime.path()).constData(), 0700);
        QCOMPARE(socketFolder(runtime.path(), fallback), runtime.path());
        QVERIFY(!QFileInfo::exists(fallback));
        ::chmod(QFile::encodeName(runtime.path()).constData(), 0777);
        QCOMPARE(socketFolder(runtime.path(), fallback), fallback);
        QCOMPARE(QFileInfo(fallback).permissions() & QFileDevice::Permissions(0x0077), QFileDevice::Permissions());
        for (const QString& wrong : {QString(), QStringLiteral("relative"), QStringLiteral("/nowhere/at/all")})
            QCOMPARE(socketFolder(wrong, fallback), fallback);
        // A symbolic link could be turned elsewhere.
        const QString link = home.path() + QStringLiteral("/link");
        ::chmod(QFile::encodeName(runtime.path()).constData(), 0700);
        QVERIFY(QFile::link(runtime.path(), link));
        QCOMPARE(socketFolder(link, fallback), fallback);
        QCOMPARE(socketFolder({}, {}), QString());
    }

    void secondStartHandsOver() {
        QTemporaryDir folder;
        SingleInstance first;
        QCOMPARE(first.begin(folder.path(), QStringLiteral("history"), {}), SingleInstance::Role::First);
        StartRequest got;
        first.serve([&got](const StartRequest& request) { got = request; });
        std::atomic<int> role = -1;
        const std::unique_ptr<QThread> other(QThread::create([&] {
            SingleInstance second;
            role = static_cast<int>(
                second.begin(folder.path(), QStringLiteral("history"), {QStringLiteral("/a model"), QStringLiteral("token")}));
        }));
        other->start();
        QTRY_COMPARE(got.modelFolder, QStringLiteral("/a model"));
        QCOMPARE(got.activationToken, QStringLiteral("token"));
        QTRY_VERIFY(other->isFinished());
        QCOMPARE(role.load(), static_cast<int>(SingleInstance::Role::Second));
        // Another history is another program's.
        SingleInstance beside;
        QCOMPARE(beside.begin(folder.path(), QStringLiteral("other history"), {}), SingleInstance::Role::First);
    }

    void staleSocketIsReplaced() {
        QTemporaryDir folder;
        QString socket;
        {
            SingleInstance first;
            QCOMPARE(first.begin(folder.path(), QStringLiteral("history"), {}), SingleInstance::Role::First);
            const QStringList names = QDir(folder.path()).entryList({QStringLiteral("*.socket")}, QDir::System);
            QCOMPARE(names.size(), 1);
            socket = folder.filePath(names.constFirst());
        }
        // As after kill -9: a file where the socket was, and nobody behind it.
        QFile stale(socket);
        QVERIFY(stale.open(QIODevice::WriteOnly));
        stale.close();
        SingleInstance next;
        QCOMPARE(next.begin(folder.path(), QStringLiteral("history"), {}), SingleInstance::Role::First);
    }

    void withoutAFolderTheProgramRunsAlone() {
        SingleInstance alone;
        QCOMPARE(alone.begin({}, QStringLiteral("history"), {}), SingleInstance::Role::Alone);
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(QString(120, QLatin1Char('d'))));
        SingleInstance tooLong;
        QCOMPARE(tooLong.begin(folder.path() + QLatin1Char('/') + QString(120, QLatin1Char('d')), QStringLiteral("h"), {}),
                 SingleInstance::Role::Alone);
    }
};

QTEST_GUILESS_MAIN(SingleInstanceTest)
#include "single_instance_test.moc"
