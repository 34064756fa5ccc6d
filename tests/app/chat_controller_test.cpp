// ChatController with an engine of the test's own: which engine answers, what is told of it, and an answer whose engine goes.
#include "app/core/chat_controller.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace trefoil;

namespace {

/// Says nothing by itself: the test writes its answers.
class WrittenEngine : public ChatEngine {
public:
    explicit WrittenEngine(const QString& id) : m_id(id) {}

    [[nodiscard]] EngineIdentity identity() const override { return {m_id, m_id, QStringLiteral("gpu.example")}; }
    [[nodiscard]] EngineCapabilities capabilities() const override {
        EngineCapabilities able;
        able.reachesOut = true;
        able.exactCounting = false;
        return able;
    }
    [[nodiscard]] std::optional<ModelSummary> model() const override {
        ModelSummary out;
        out.name = QStringLiteral("clover");
        out.context = context;
        for (const ControlDescription& control : controlDescriptions()) out.defaults.insert(control.name, control.standard);
        return out;
    }
    [[nodiscard]] QString notReady() const override { return {}; }
    RequestId generateAsync(const GenerateRequest& request) override {
        begun = request.begun;
        return ++last;
    }
    void cancel(RequestId /*id*/) override {}
    [[nodiscard]] bool generating() const override { return false; }
    RequestId previewPromptAsync(const QList<PromptMessage>& /*messages*/, bool /*thinking*/) override {
        const RequestId id = ++last;
        QMetaObject::invokeMethod(
            this,
            [this, id] {
                PromptView view;
                view.exact = false;
                emit promptPreviewed(id, view);
            },
            Qt::QueuedConnection);
        return id;
    }
    RequestId fitPromptAsync(const QList<PromptMessage>& /*messages*/, const ControlValues& /*controls*/) override {
        return ++last;
    }

    /// One pass of a block and the response with it, for the newest request.
    void write(int block, const QList<qint32>& tokens, const QString& text) {
        PassView pass;
        pass.block = block;
        pass.firstPosition = tokens.size() - 1;
        pass.tokens = {tokens.constLast()};
        pass.texts = {text};
        emit passDone(last, pass);
        ResponseUpdate update;
        update.answer = text;
        update.tokens = tokens;
        update.stats.responseTokens = tokens.size();
        update.stats.passes = 1;
        emit responseUpdated(last, update);
    }

    RequestId last = 0;
    qint64 context = 256;
    QList<qint32> begun;

private:
    QString m_id;
};

/// A controller with a temporary history, an embedded engine without a model and two others.
struct Setup {
    Setup() {
        store.openTemporaryAsync();
        chat.addEngine(&lab);
        chat.addEngine(&attic);
    }
    ~Setup() {
        chat.removeEngine(&attic);
        chat.removeEngine(&lab);
        (void)store.flushAndClose(20000);
    }
    Setup(const Setup&) = delete;
    Setup& operator=(const Setup&) = delete;

    EngineWorker embedded;
    StoreWorker store;
    ChatController chat{&embedded, &store};
    WrittenEngine lab{QStringLiteral("lab")};
    WrittenEngine attic{QStringLiteral("attic")};
};

}  // namespace

class ChatControllerTest : public QObject {
    Q_OBJECT

private slots:
    void saysWhenTheEngineIsAnotherOne() {
        Setup s;
        QSignalSpy changed(&s.chat, &ChatController::engineChanged);
        s.chat.newConversation();
        QCOMPARE(changed.size(), 0);
        s.chat.chooseEngine(QStringLiteral("nobody"));
        QCOMPARE(changed.size(), 0);
        s.chat.chooseEngine(QStringLiteral("lab"));
        QCOMPARE(changed.size(), 1);
        QVERIFY(s.chat.model().has_value());
        s.chat.newConversation();  // the embedded one again
        QCOMPARE(changed.size(), 2);
        QVERIFY(!s.chat.model());
        s.chat.newConversation();
        QCOMPARE(changed.size(), 2);
    }

    void saysWhenTheEngineFoundSomethingOut() {
        Setup s;
        s.chat.chooseEngine(QStringLiteral("lab"));
        QSignalSpy changed(&s.chat, &ChatController::engineChanged);
        s.lab.context = 512;
        emit s.lab.changed();
        QCOMPARE(changed.size(), 1);
        QCOMPARE(s.chat.model()->context, 512);
        emit s.attic.changed();
        emit s.embedded.changed();
        QCOMPARE(changed.size(), 1);
        s.chat.chooseEngine({});
        QCOMPARE(changed.size(), 2);
        emit s.embedded.changed();
        QCOMPARE(changed.size(), 3);
    }

    void anEmptyDraftIsCountedAsTheEngineCounts() {
        Setup s;
        s.chat.chooseEngine(QStringLiteral("lab"));
        QSignalSpy counted(&s.chat, &ChatController::promptCounted);
        s.chat.countPrompt({});
        QCOMPARE(counted.size(), 1);
        const auto none = counted.last().at(0).value<PromptView>();
        QCOMPARE(none.tokens, 0);
        QCOMPARE(none.context, 256);
        QVERIFY(!none.exact);
    }

    void anAnswerWhoseEngineGoesStaysAsItIs() {
        Setup s;
        s.chat.chooseEngine(QStringLiteral("lab"));
        s.chat.send(QStringLiteral("Well?"));
        QTRY_VERIFY(s.chat.isRunning());
        s.lab.write(0, {1}, QStringLiteral("One"));
        s.lab.write(1, {1, 2}, QStringLiteral("One two"));
        GenerationOutcome outcome;
        outcome.response.answer = QStringLiteral("One two");
        outcome.response.tokens = {1, 2};
        outcome.response.stats.responseTokens = 2;
        outcome.reason = EndReason::End;
        emit s.lab.generationFinished(s.lab.last, outcome);
        QVERIFY(!s.chat.isRunning());
        // Anew from the second block: the first one's token is kept.
        s.chat.regenerateFrom(s.chat.messages().constLast().id, 1);
        QTRY_VERIFY(s.chat.isRunning());
        QCOMPARE(s.lab.begun, QList<qint32>{1});
        s.lab.write(1, {1, 3}, QStringLiteral("One three"));
        const GenerationStats before = s.chat.messages().constLast().stats;
        QCOMPARE(before.keptTokens, 1);
        QSignalSpy ended(&s.chat, &ChatController::answerEnded);
        s.chat.removeEngine(&s.lab);
        QVERIFY(!s.chat.isRunning());
        QVERIFY(s.chat.engineMissing());
        QCOMPARE(ended.size(), 1);
        const auto answer = ended.first().at(0).value<MessageRecord>();
        QCOMPARE(answer.stopReason, EndReason::Cancelled);
        QCOMPARE(answer.content, QStringLiteral("One three"));
        QCOMPARE(answer.responseIds, (QList<qint32>{1, 3}));
        QCOMPARE(answer.stats, before);
        QVERIFY(!answer.inProgress);
    }
};

QTEST_GUILESS_MAIN(ChatControllerTest)
#include "chat_controller_test.moc"
