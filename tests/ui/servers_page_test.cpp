// The servers' page in the window: set up, tested, saved, removed; the key is nowhere.
#include "app/served/server_probe.h"
#include "tests/support/stand_in_server.h"
#include "tests/support/window_fixture.h"
#include "ui/theme/style.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDirIterator>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTreeWidget>
#include <QtTest>

namespace {

using namespace trefoil;
using trefoil::test::recordedStream;
using trefoil::test::StandInAnswer;
using trefoil::test::StandInServer;
using trefoil::testing::WindowFixture;

const QString kKey = QStringLiteral("sk-not-to-be-found-42");
const QString kAnswer = QString::fromUtf8("347 + 586 = 933 — fertig 🍀");

StandInAnswer recording(const char* name) {
    StandInAnswer answer;
    answer.body = recordedStream(QString::fromLatin1(name));
    return answer;
}

/// A server that was set up: its id is its name.
ServerEntry entryFor(const StandInServer& server, const QString& name) {
    ServerEntry entry;
    entry.profile.id = entry.profile.name = name;
    entry.profile.address = server.address();
    entry.profile.kind = ServerKind::Vllm;
    entry.profile.model = QStringLiteral("clover");
    return entry;
}

QJsonObject lastBody(const StandInServer& server) { return QJsonDocument::fromJson(server.requests().last().body).object(); }

class ServersPageTest : public QObject {
    Q_OBJECT

private slots:
    /// The key store answers when another server is chosen already: the list's choice stays what the form shows.
    void keyThatComesLate() {
        QTemporaryDir folder;
        const StandInServer server;
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        for (const char* name : {"First", "Second"}) w.servers->put(entryFor(server, QString::fromLatin1(name)));
        w.find<QAction>("actionServers")->trigger();
        auto* page = w.find<QDialog>("serversDialog");
        auto* list = page->findChild<QListWidget*>(QStringLiteral("serverList"));
        auto* name = page->findChild<QLineEdit*>(QStringLiteral("serverName"));
        const auto* remove = page->findChild<QPushButton*>(QStringLiteral("serverRemove"));
        const auto chosen = [list] { return list->currentItem() != nullptr ? list->currentItem()->text() : QString(); };
        QCOMPARE(name->text(), QStringLiteral("First"));
        const auto typeKey = [page] {
            page->findChild<QLineEdit*>(QStringLiteral("serverKey"))->setText(kKey);
            page->findChild<QPushButton*>(QStringLiteral("serverSave"))->click();
        };
        const auto hasKey = [&w](const QString& id) { return w.servers->engine(id)->entry().profile.hasKey; };
        typeKey();
        list->setCurrentRow(1);
        QVERIFY(!hasKey(QStringLiteral("First")));
        QTRY_VERIFY(hasKey(QStringLiteral("First")));
        QCOMPARE(name->text(), QStringLiteral("Second"));
        QCOMPARE(chosen(), QStringLiteral("Second"));
        QVERIFY(remove->isEnabled());
        // And when a new one is being typed: nothing is chosen, nothing can be removed.
        typeKey();
        page->findChild<QPushButton*>(QStringLiteral("serverAdd"))->click();
        QTRY_VERIFY(hasKey(QStringLiteral("Second")));
        QVERIFY(chosen().isEmpty() && name->text().isEmpty() && !remove->isEnabled());
    }

    void removedOnlyByItsButton() {
        QTemporaryDir folder;
        const StandInServer server;
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        w.servers->put(entryFor(server, QStringLiteral("Lab")));
        w.find<QAction>("actionServers")->trigger();
        auto* page = w.find<QDialog>("serversDialog");
        auto* remove = page->findChild<QPushButton*>(QStringLiteral("serverRemove"));
        QStringList seen;
        const auto answerWith = [&](const QString& text) {
            seen.clear();
            QTimer::singleShot(0, page, [&seen, page, text] {
                const auto* box = page->findChild<QMessageBox*>();
                QAbstractButton* wanted = nullptr;
                for (QAbstractButton* button : box->buttons()) {
                    seen.append(button->text());
                    if (button->text() == text) wanted = button;
                }
                if (wanted != nullptr) wanted->click();
            });
            remove->click();
        };
        answerWith(QStringLiteral("Keep"));
        QCOMPARE(seen.size(), 2);
        QCOMPARE(w.servers->servers().size(), 1);
        answerWith(QStringLiteral("Remove"));
        QVERIFY(w.servers->servers().isEmpty());
        QVERIFY(!remove->isEnabled());
    }

    /// The whole way by hand: the page, its test, the choice; then the key is revoked. It stands nowhere.
    void serversPageAndKey() {
        QTemporaryDir folder;
        StandInServer server;
        StandInAnswer models;
        models.contentType = "application/json";
        models.body = R"({"object":"list","data":[{"id":"clover","object":"model","owned_by":"sglang","max_model_len":8192}]})";
        server.answer("/v1/models", models);
        server.answerChat(recording("sglang_parser.sse"));
        {
            WindowFixture w(folder.path());
            QVERIFY(w.ready());
            w.find<QAction>("actionServers")->trigger();
            auto* page = w.find<QDialog>("serversDialog");
            QVERIFY(page != nullptr);
            QTest::keyClicks(page->findChild<QLineEdit*>(QStringLiteral("serverName")), QStringLiteral("Lab"));
            auto* address = page->findChild<QLineEdit*>(QStringLiteral("serverAddress"));
            auto* key = page->findChild<QLineEdit*>(QStringLiteral("serverKey"));
            auto* message = page->findChild<QLabel*>(QStringLiteral("serverMessage"));
            auto* save = page->findChild<QPushButton*>(QStringLiteral("serverSave"));
            QTest::keyClicks(key, kKey);
            QCOMPARE(key->echoMode(), QLineEdit::Password);
            // A key does not go over plain HTTP to another machine.
            address->setText(QStringLiteral("http://gpu.example:30000"));
            save->click();
            QVERIFY(w.servers->servers().isEmpty());
            QVERIFY(!message->text().isEmpty() && !message->text().contains(kKey));
            address->setText(server.address().toString());
            page->findChild<QPushButton*>(QStringLiteral("serverTest"))->click();
            auto* steps = page->findChild<QTreeWidget*>(QStringLiteral("serverSteps"));
            QTRY_VERIFY_WITH_TIMEOUT(message->text().contains(QStringLiteral("answers")), 20000);
            QCOMPARE(steps->topLevelItemCount(), static_cast<int>(probeSteps().size()));
            if (const QString shots = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR"); !shots.isEmpty()) {
                QTest::qWait(60);
                page->grab().save(shots + QStringLiteral("/servers-page.png"));
            }
            save->click();
            QTRY_COMPARE(w.servers->servers().size(), 1);
            QVERIFY(key->text().isEmpty());
            QVERIFY(page->findChild<QLabel*>(QStringLiteral("serverKeyNote"))
                        ->text()
                        .contains(QStringLiteral("until Trefoil is closed")));
            page->findChild<QPushButton*>(QStringLiteral("serverUse"))->click();
            QVERIFY(w.chat->capabilities().reachesOut);
            w.ask(QStringLiteral("What is 347 + 586?"));
            QVERIFY(w.waitForAnswer());
            QCOMPARE(w.lastMessage().content, kAnswer);
            QCOMPARE(server.requests().last().headers.value("authorization"), "Bearer " + kKey.toUtf8());
            // The test found the model's context: the answer is kept inside of it.
            const int limit = lastBody(server).value(QStringLiteral("max_tokens")).toInt();
            QVERIFY2(limit > 4096 && limit < 8192 && limit % 32 == 0, qPrintable(QString::number(limit)));
            StandInAnswer revoked;
            revoked.status = 401;
            revoked.contentType = "application/json";
            revoked.body = "{\"error\":{\"message\":\"key " + kKey.toUtf8() + " was revoked\"}}";
            server.answerChat(revoked);
            w.ask(QStringLiteral("And now?"));
            QVERIFY(w.waitForAnswer());
            QCOMPARE(w.lastMessage().stopReason, EndReason::Failed);
            QVERIFY(w.lastMessage().error.contains(QStringLiteral("key"), Qt::CaseInsensitive));
            QVERIFY(!w.lastMessage().error.contains(kKey));
            QCOMPARE(w.chat->messages().size(), 4);
            QVERIFY(w.store->flushAndClose(20000).allStored);
            QVERIFY(w.settings->flush().ok());
        }
        int files = 0;
        QDirIterator it(folder.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            QFile file(it.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY2(!file.readAll().contains(kKey.toUtf8()), qPrintable(file.fileName()));
            ++files;
        }
        QVERIFY(files >= 2);
        // The server is there again at the next start, for the conversation that chose it.
        WindowFixture again(folder.path());
        QVERIFY(again.ready());
        QCOMPARE(again.servers->servers().size(), 1);
        QCOMPARE(again.servers->servers().first().profile.hasKey, true);
        QVERIFY(!again.chat->capabilities().reachesOut);
    }
};

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setStyle(trefoil::theme::makeStyle());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    ServersPageTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "servers_page_test.moc"
