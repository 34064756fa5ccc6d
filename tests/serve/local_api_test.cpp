// The local API over a window's engine: on and off, its key, who may ask, in turn with the window's own answers, models that come
// and go, what it counts.
#include "app/local_api/local_api.h"
#include "app/core/engine_worker.h"
#include "app/core/settings.h"
#include "app/served/key_store.h"
#include "engine/session.h"
#include "tests/serve/serve_support.h"

#include <QFile>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>

#include <future>
#include <memory>
#include <string>

using namespace trefoil;
using serve::test::RawClient;
using State = LocalApi::State;
using Doing = LocalApiClient::Doing;

namespace {

constexpr int kPatience = 60000;  // milliseconds: only a machine that stands still takes so long

const std::string kModel = "demo-model";

std::string asking(const std::string& text, const std::string& more = {}) {
    return serve::test::question(text, R"(,"enable_thinking":false)" + more, kModel);
}

/// A window's engine with the local API, on any free port.
struct Served {
    explicit Served(const QString& folder = {}, std::shared_ptr<KeyStore> store = makeMemoryKeyStore())
        : keys(std::move(store)), settings(folder.isEmpty() ? QString() : folder + QStringLiteral("/trefoil.ini")) {
        LocalApiChoice choice = settings.localApi();
        choice.port = 0;
        settings.setLocalApi(choice);
        api = std::make_unique<LocalApi>(&worker, keys.get(), &settings);
        QObject::connect(api.get(), &LocalApi::keyMade, api.get(), [this](const QString& made) {
            key = made.toStdString();
            ++keysMade;
        });
    }
    [[nodiscard]] bool is(State state) const {
        return QTest::qWaitFor([&] { return api->state() == state; }, kPatience);
    }
    [[nodiscard]] bool start() const {
        api->start();
        return is(State::On);
    }
    [[nodiscard]] bool load() {
        ModelLoadRequest request;
        request.folder = QStringLiteral(TREFOIL_SOURCE_DIR "/resources/demo-model");
        request.device = QStringLiteral("cpu");
        request.threads = 1;
        worker.loadModelAsync(request);
        return QTest::qWaitFor([this] { return worker.model().has_value(); }, kPatience);
    }
    [[nodiscard]] int port() const { return api->url().section(QLatin1Char(':'), 2).section(QLatin1Char('/'), 0, 0).toInt(); }
    /// A whole chat request and its whole answer, while the window's events go on.
    [[nodiscard]] std::string ask(const std::string& body) const { return finished(asked(body)); }
    [[nodiscard]] std::future<std::string> asked(const std::string& body) const { return asked(body, key); }
    [[nodiscard]] std::future<std::string> asked(const std::string& body, const std::string& with) const {
        return std::async(std::launch::async, [=, to = port()] {
            const RawClient client(to);
            client.send(serve::test::chatPost(body, "Authorization: Bearer " + with + "\r\nConnection: close\r\n"));
            return client.read();
        });
    }
    [[nodiscard]] static std::string finished(std::future<std::string> answer) {
        const auto ready = [&] { return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
        return QTest::qWaitFor(ready, kPatience) ? answer.get() : std::string();
    }
    [[nodiscard]] std::string get(const std::string& path, const std::string& with) const {
        const RawClient client(port());
        client.send("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer " + with +
                    "\r\n\r\n");
        return client.read();
    }
    /// Exactly one client is connected, and does this.
    [[nodiscard]] bool oneClient(Doing doing) const {
        return QTest::qWaitFor([&] { return api->clients().size() == 1 && api->clients().constFirst().doing == doing; },
                               kPatience);
    }
    /// An answer of the window that holds the engine until it is resumed or stopped.
    [[nodiscard]] RequestId hold() {
        QSignalSpy paused(&worker, &EngineWorker::pausedAt);
        GenerateRequest request;
        request.messages = {{QStringLiteral("user"), QStringLiteral("Count from 1 to 40.")}};
        const RequestId id = worker.generateAsync(request);
        worker.pause(id);
        return QTest::qWaitFor([&] { return !paused.isEmpty(); }, kPatience) ? id : 0;
    }

    std::shared_ptr<KeyStore> keys;
    Settings settings;
    EngineWorker worker;
    std::unique_ptr<LocalApi> api;
    std::string key;
    int keysMade = 0;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::unique_ptr<ReadyModel> anotherModel() {
    LoadOptions options;
    options.device.device = "cpu";
    options.device.threads = 1;
    auto model = loadModel(TREFOIL_SOURCE_DIR "/resources/demo-model", options, {}, CancelFlag());
    if (!model.ok()) return nullptr;
    model->model.summary.folder = "/another/model";
    return std::make_unique<ReadyModel>(*std::move(model));
}

}  // namespace

class LocalApiTest : public QObject {
    Q_OBJECT

private slots:
    void isOffUntilItIsSwitchedOn() {
        const QTemporaryDir folder;
        Served served(folder.path());
        served.api->begin();
        QVERIFY(!served.api->choice().on);
        QCOMPARE(served.api->state(), State::Off);
        QVERIFY(served.start());
        QVERIFY(served.api->url().startsWith(QStringLiteral("http://127.0.0.1:")));
        QVERIFY(served.api->choice().on);
        QCOMPARE(serve::test::statusOf(served.get("/v1/models", served.key)), 200);
        const int port = served.port();
        served.api->stop();
        QVERIFY(served.is(State::Off));
        QVERIFY(!served.api->choice().on);
        QVERIFY(served.api->url().isEmpty());
        const RawClient late(port);
        late.send("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        QCOMPARE(serve::test::statusOf(late.read()), 0);
        // Twice in a row, and again.
        served.api->stop();
        QCOMPARE(served.api->state(), State::Off);
        QVERIFY(served.start());
    }

    void theKeyIsRandomAndOnlyInTheKeyStore() {
        const QTemporaryDir folder;
        Served served(folder.path());
        QVERIFY(served.start());
        QCOMPARE(served.keysMade, 1);
        const QString first = QString::fromStdString(served.key);
        static const QRegularExpression pattern(QStringLiteral("^[A-Za-z0-9_-]{43}$"));
        QVERIFY(pattern.match(first).hasMatch());
        QCOMPARE(served.api->keyEnding(), first.right(4));
        QCOMPARE(serve::test::statusOf(served.get("/v1/models", "wrong")), 401);
        QCOMPARE(serve::test::statusOf(served.get("/v1/models", "")), 401);
        QCOMPARE(serve::test::statusOf(served.get("/metrics", "wrong")), 401);
        // Another one: the first is refused from then on.
        served.api->makeKey();
        QVERIFY(served.is(State::On));
        QCOMPARE(served.keysMade, 2);
        QVERIFY(served.key != first.toStdString());
        QCOMPARE(serve::test::statusOf(served.get("/v1/models", first.toStdString())), 401);
        QCOMPARE(serve::test::statusOf(served.get("/v1/models", served.key)), 200);
        QVERIFY(served.settings.flush().ok());
        QFile file(served.settings.fileName());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray kept = file.readAll();
        QVERIFY(kept.contains("local_api"));
        QVERIFY(!kept.contains(first.toLatin1()) && !kept.contains(served.key.c_str()));
    }

    void theChoiceAndTheKeyHoldForTheNextRun() {
        const QTemporaryDir folder;
        const std::shared_ptr<KeyStore> ring = makeMemoryKeyStore();
        std::string key;
        {
            Served served(folder.path(), ring);
            QVERIFY(served.start());
            key = served.key;
        }
        {
            Served served(folder.path(), ring);
            served.api->begin();
            QVERIFY(served.is(State::On));
            QCOMPARE(served.keysMade, 0);
            QCOMPARE(serve::test::statusOf(served.get("/v1/models", key)), 200);
        }
        // Where keys do not outlive a run nobody is served with a key that nobody knows.
        Served served(folder.path());
        served.api->begin();
        QVERIFY(served.is(State::Failed));
        QVERIFY2(served.api->problem().contains(QStringLiteral("not kept")), qPrintable(served.api->problem()));
        QCOMPARE(served.keysMade, 0);
        served.api->makeKey();
        QVERIFY(served.is(State::On));
        QCOMPARE(serve::test::statusOf(served.get("/v1/models", served.key)), 200);
    }

    void whatKeepsItFromStartingIsSaid() {
        Served served;
        const auto failsWith = [&](const LocalApiChoice& choice, const QString& part) {
            served.api->setChoice(choice);
            if (!served.is(State::Failed)) return false;
            if (!served.api->problem().contains(part)) qWarning("%s", qPrintable(served.api->problem()));
            return served.api->problem().contains(part);
        };
        QVERIFY(served.start());
        const LocalApiChoice good = served.api->choice();
        QTcpServer other;
        QVERIFY(other.listen(QHostAddress::LocalHost));
        LocalApiChoice choice = good;
        choice.port = other.serverPort();
        QVERIFY(failsWith(choice, QString::number(other.serverPort())));
        // As soon as that is mended it serves.
        served.api->setChoice(good);
        QVERIFY(served.is(State::On));
        choice = good;
        choice.address = QStringLiteral("0.0.0.0");
        QVERIFY(failsWith(choice, QStringLiteral("without encryption")));
        choice.address = QStringLiteral("203.0.113.7");  // of a range that is nobody's
        choice.plainHttp = true;
        QVERIFY(failsWith(choice, QStringLiteral("no address of this machine")));
        choice = good;
        choice.certificateFile = QStringLiteral("/nowhere/cert.pem");
        QVERIFY(failsWith(choice, QStringLiteral("two files")));
        choice.certificateKeyFile = QStringLiteral("/nowhere/key.pem");
        QVERIFY(failsWith(choice, QStringLiteral("/nowhere/cert.pem")));
        choice = good;
        choice.address.clear();
        served.api->setChoice(choice);
        QCOMPARE(served.api->choice().address, QStringLiteral("127.0.0.1"));
        QVERIFY(served.is(State::On));
    }

    void withoutAModelItIsUnavailable() {
        Served served;
        QVERIFY(served.start());
        const std::string answer = served.ask(asking("Hello"));
        QCOMPARE(serve::test::statusOf(answer), 503);
        QVERIFY2(contains(answer, R"("code":"no_model")"), answer.c_str());
        QCOMPARE(serve::test::statusOf(served.get("/health", "")), 503);
        QVERIFY(served.api->modelName().isEmpty());
        QVERIFY(served.load());
        QCOMPARE(served.api->modelName(), QString::fromStdString(kModel));
        QCOMPARE(serve::test::statusOf(served.get("/health", "")), 200);
        QCOMPARE(serve::test::statusOf(served.ask(asking("Hello"))), 200);
    }

    void answersWithTheWindowsModelAndCounts() {
        Served served;
        QDate today(2026, 3, 31);
        served.api->setCalendar([&] { return today; });
        QVERIFY(served.load());
        QVERIFY(served.start());
        const std::string answer = served.ask(asking("What is 347 + 586?"));
        QCOMPARE(serve::test::statusOf(answer), 200);
        QVERIFY2(contains(answer, "933"), answer.c_str());
        QCOMPARE(serve::test::statusOf(served.finished(served.asked(asking("Hello"), "wrong"))), 401);
        QCOMPARE(serve::test::statusOf(served.ask("{")), 400);
        QTRY_COMPARE_WITH_TIMEOUT(served.api->totals().requests, 3, kPatience);
        const LocalApiTotals totals = served.api->totals();
        QCOMPARE(totals.refused, 2);
        QVERIFY(totals.promptTokens > 5 && totals.answerTokens > 0);
        // Another server, with other settings, goes on with the day's figures.
        served.api->stop();
        QVERIFY(served.is(State::Off));
        QVERIFY(served.start());
        QCOMPARE(serve::test::statusOf(served.ask(asking("What is 347 + 586?"))), 200);
        QTRY_COMPARE_WITH_TIMEOUT(served.api->totals().requests, 4, kPatience);
        QCOMPARE(served.api->totals().promptTokens, 2 * totals.promptTokens);
        today = today.addDays(1);
        QCOMPARE(served.api->totals().requests, 0);
        QCOMPARE(served.api->totals().day, today);
        QCOMPARE(serve::test::statusOf(served.ask(asking("Hello"))), 200);
        QTRY_COMPARE_WITH_TIMEOUT(served.api->totals().requests, 1, kPatience);
    }

    void waitsForTheWindowsAnswerAndOutlivesItsStop() {
        Served served;
        QVERIFY(served.load());
        QVERIFY(served.start());
        const RequestId held = served.hold();
        QVERIFY(held != 0);
        auto answer = served.asked(asking("What is 347 + 586?"));
        QVERIFY(served.oneClient(Doing::Waiting));
        QVERIFY(!served.api->answering());
        QSignalSpy ended(&served.worker, &EngineWorker::generationFinished);
        served.worker.cancel(held);
        const std::string text = Served::finished(std::move(answer));
        QCOMPARE(serve::test::statusOf(text), 200);
        QVERIFY2(contains(text, "933"), text.c_str());
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kPatience);
        QCOMPARE(ended.first().at(1).value<GenerationOutcome>().reason, EndReason::Cancelled);
    }

    void theWindowsAnswerComesNextAndItsStopEndsNothingElse() {
        Served served;
        QVERIFY(served.load());
        QVERIFY(served.start());
        auto answer = served.asked(asking("Count from 1 to 40."));
        QTRY_VERIFY_WITH_TIMEOUT(served.api->answering() || served.api->totals().requests > 0, kPatience);
        GenerateRequest request;
        request.messages = {{QStringLiteral("user"), QStringLiteral("What is 347 + 586?")}};
        QSignalSpy ended(&served.worker, &EngineWorker::generationFinished);
        const RequestId stopped = served.worker.generateAsync(request);
        const RequestId kept = served.worker.generateAsync(request);
        served.worker.cancel(stopped);
        const std::string text = Served::finished(std::move(answer));
        QCOMPARE(serve::test::statusOf(text), 200);
        QVERIFY2(contains(text, R"("finish_reason":"stop")") && contains(text, "40"), text.c_str());
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 2, kPatience);
        QCOMPARE(ended.at(0).at(0).value<RequestId>(), stopped);
        QCOMPARE(ended.at(1).at(0).value<RequestId>(), kept);
        QCOMPARE(ended.at(1).at(1).value<GenerationOutcome>().reason, EndReason::End);
    }

    void aClientThatGoesAwayFreesItsPlace() {
        Served served;
        QVERIFY(served.load());
        QVERIFY(served.start());
        const std::string head = "Authorization: Bearer " + served.key + "\r\n";
        // While it waits for the window's answer.
        const RequestId held = served.hold();
        QVERIFY(held != 0);
        {
            const RawClient client(served.port());
            client.send(serve::test::chatPost(asking("Count from 1 to 40."), head));
            QVERIFY(served.oneClient(Doing::Waiting));
        }
        QTRY_VERIFY_WITH_TIMEOUT(served.api->clients().isEmpty(), kPatience);
        QSignalSpy ended(&served.worker, &EngineWorker::generationFinished);
        served.worker.resume(held);
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kPatience);
        QCOMPARE(ended.first().at(1).value<GenerationOutcome>().reason, EndReason::End);
        QTRY_COMPARE_WITH_TIMEOUT(served.api->totals().requests, 1, kPatience);
        QCOMPARE(served.api->totals().answerTokens, 0);
        // While it is answered: more than it has heard of is not written.
        {
            const RawClient client(served.port());
            client.send(serve::test::chatPost(asking("Count from 1 to 40.", R"(,"stream":true,"block_size":4)"), head));
            QVERIFY(contains(client.read("content"), "content"));
        }
        QTRY_COMPARE_WITH_TIMEOUT(served.api->totals().requests, 2, kPatience);
        QCOMPARE(serve::test::statusOf(served.ask(asking("What is 347 + 586?"))), 200);
    }

    void modelsAreExchangedWhileItServes() {
        Served served;
        QVERIFY(served.load());
        QVERIFY(served.start());
        const RequestId held = served.hold();
        QVERIFY(held != 0);
        std::unique_ptr<ReadyModel> another = anotherModel();
        QVERIFY(another != nullptr);
        // It takes its turn behind the window's answer, and the request behind it: by then its model is gone.
        served.worker.adoptModelAsync(std::move(another));
        auto answer = served.asked(asking("What is 347 + 586?"));
        QVERIFY(served.oneClient(Doing::Waiting));
        served.worker.cancel(held);
        const std::string text = Served::finished(std::move(answer));
        QCOMPARE(serve::test::statusOf(text), 503);
        QVERIFY2(contains(text, R"("code":"no_model")") && contains(text, "not loaded any more"), text.c_str());
        // From now on the new one is served, under its name.
        QTRY_COMPARE_WITH_TIMEOUT(served.api->modelName(), QStringLiteral("model"), kPatience);
        QVERIFY(contains(served.get("/v1/models", served.key), R"("id":"model")"));
        QCOMPARE(serve::test::statusOf(served.ask(asking("What is 347 + 586?"))), 404);
        const std::string now = served.ask(serve::test::question("What is 347 + 586?", R"(,"enable_thinking":false)", "model"));
        QVERIFY2(contains(now, "933"), now.c_str());
    }

    void endingTheProgramEndsWhatIsAnswered() {
        Served served;
        QVERIFY(served.load());
        QVERIFY(served.start());
        const RequestId held = served.hold();
        QVERIFY(held != 0);
        auto waiting = served.asked(asking("Hello"));
        QVERIFY(served.oneClient(Doing::Waiting));
        served.api.reset();
        QCOMPARE(serve::test::statusOf(Served::finished(std::move(waiting))), 503);
        served.worker.cancel(held);
    }
};

QTEST_GUILESS_MAIN(LocalApiTest)
#include "local_api_test.moc"
