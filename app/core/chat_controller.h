// ChatController: what the window does, without the window. Holds the open conversation, asks the engine, feeds the history.
//
// Everything is asynchronous and by value: the window calls a slot, answers come as signals. One answer is written at a time; it
// belongs to its conversation whatever is on show, and keeps its engine.
#pragma once

#include "app/core/chat_engine.h"
#include "app/core/engine_worker.h"
#include "app/core/generation_types.h"
#include "app/core/message_branches.h"
#include "app/core/store_types.h"
#include "app/core/store_worker.h"

#include <QElapsedTimer>
#include <QHash>
#include <QList>
#include <QObject>
#include <QString>

#include <optional>

namespace trefoil {

/// Why a question was not sent, and what would help.
struct SendProblem {
    QString text;
    bool shorterAnswer = false;      ///< a smaller max_new_tokens would fit
    qint64 shorterAnswerTokens = 0;  ///< the largest that fits
    bool leaveOutOldest = false;     ///< leaving out earlier turns may fit
};

class ChatController : public QObject {
    Q_OBJECT
public:
    /// `embedded` and `store` are not owned and outlive this object.
    ChatController(EngineWorker* embedded, StoreWorker* store, QObject* parent = nullptr);

    /// Another engine to choose from. Not owned; removeEngine() before it goes: what it writes then ends as if stopped.
    void addEngine(ChatEngine* engine);
    void removeEngine(ChatEngine* engine);
    /// All engines, the embedded one first, the others in the order of their coming.
    [[nodiscard]] QList<EngineIdentity> engines() const;
    /// What answers the open conversation. With engineMissing() only the id is filled.
    [[nodiscard]] EngineIdentity engine() const;
    /// The engine that the open conversation names is not there (any more): nothing can be asked until another one is chosen.
    [[nodiscard]] bool engineMissing() const { return m_engine == nullptr; }
    [[nodiscard]] EngineCapabilities capabilities() const;
    /// Why the open conversation cannot be answered now, in a sentence; empty when it can.
    [[nodiscard]] QString notReady() const;

    /// The model that answers the open conversation, whatever its engine.
    [[nodiscard]] const std::optional<ModelSummary>& model() const { return m_model; }
    /// The embedded engine's model.
    [[nodiscard]] std::optional<ModelSummary> loadedModel() const { return m_embedded->model(); }
    [[nodiscard]] const ConversationRecord& conversation() const { return m_conversation; }
    [[nodiscard]] const QList<MessageRecord>& messages() const { return m_messages; }
    /// The conversation's messages that are not in the branch on show.
    [[nodiscard]] const QList<MessageRecord>& messagesAside() const { return m_aside; }
    /// Ids of the versions of a message on show, itself included, oldest first.
    [[nodiscard]] QStringList versionsOf(const MessageRecord& message) const { return m_versions.of(message); }
    /// The conversation's last message is an answer that ended before its time.
    [[nodiscard]] bool canContinue(const QString& messageId) const;
    [[nodiscard]] bool isRunning() const { return m_running.has_value(); }
    /// The conversation that is being answered; empty when none is.
    [[nodiscard]] QString runningConversation() const { return m_running ? m_running->answer.conversationId : QString(); }
    [[nodiscard]] QString runningMessage() const { return m_running ? m_running->answer.id : QString(); }
    /// Where the answer being written is paused, if it is.
    [[nodiscard]] std::optional<PauseView> pauseState() const { return m_running ? m_running->pause : std::nullopt; }
    /// The trace of the answer being written, so far.
    [[nodiscard]] TraceView liveTrace() const { return m_running ? m_running->trace : TraceView(); }
    /// What the embedded engine's model was loaded with.
    [[nodiscard]] const ModelLoadRequest& loadedRequest() const { return m_loaded; }
    [[nodiscard]] bool isLoading() const { return m_loadRequest != 0; }
    /// Controls of the open conversation: the model's defaults with the conversation's own values over them.
    [[nodiscard]] ControlValues controls() const;

public slots:
    /// Sends list, controls and open conversation once more, for a window that was made after they were sent.
    void publishAll();
    /// The model in use stays until the new one is ready; where both do not fit, `mayUnload` decides (see EngineWorker).
    void loadModel(const trefoil::ModelLoadRequest& request);
    void cancelLoad();
    /// Says what a folder holds and needs; answers with modelExamined, for the newest request only.
    void examineModel(const trefoil::ModelLoadRequest& request);
    /// Measures this machine's cards once the engine has time; answers with cardsMeasured.
    void measureCards();

    void newConversation();
    void openConversation(const QString& id);
    /// What was on show when the program ended; nothing happens when it is not there any more, or something was begun already.
    void resumeConversation(const QString& id);
    void renameConversation(const QString& id, const QString& title);
    void deleteConversation(const QString& id);
    void undoDelete(const QString& id);
    void setSystemPrompt(const QString& conversationId, const QString& text);
    void setControls(const ControlValues& values);
    void setDraft(const QString& text);
    /// A further version of a question is being written, apart from the draft; an empty id: none (any more). Sending it ends it.
    void setEdit(const QString& messageId, const QString& text);
    /// Who answers the open conversation from now on (EngineIdentity::id). Ignored while it is being answered.
    void chooseEngine(const QString& id);
    /// Before the program ends: a draft in a conversation that is not in the history yet puts it there.
    void keepDraft();

    /// Counts the prompt as it would be sent with `draft` as the question (or as a version of `edited`); answers with
    /// promptCounted.
    void countPrompt(const QString& draft, const QString& edited = {});
    /// Checks that the question fits, then asks. Answers with sent or sendRefused.
    void send(const QString& text);
    /// The same with another text for a question on show: a further version of it, with an answer of its own.
    void sendEdited(const QString& messageId, const QString& text);
    /// After sendRefused: the two ways out, with the same text. `edited`: the question that it is a version of, if any.
    void sendWithShorterAnswer(const QString& text, qint64 maxNewTokens, const QString& edited = {});
    void sendWithoutOldest(const QString& text, const QString& edited = {});
    /// Writes an answer anew, as a further version; what followed stays with the version before it.
    void regenerate(const QString& messageId);
    /// The same under other settings than the conversation's, which stay as they are and do not reach the answer meanwhile.
    void regenerateWith(const QString& messageId, const trefoil::ControlValues& settings);
    /// As regenerate(), keeping the blocks before `block` (PassView::block).
    void regenerateFrom(const QString& messageId, int block);
    /// Writes on where the conversation's last answer was stopped, cut or interrupted.
    void continueAnswer(const QString& messageId);
    /// Shows another version of a message, with the newest of what follows it.
    void showVersion(const QString& versionId);
    void stop();
    /// The answer being written waits after its pass, goes on, or makes one pass and waits. Answers with pausedAt and resumed.
    void pause();
    void resume();
    void step();
    /// Changes rows of the block that is paused over; from `row` on the tokens of a text, as far as the block reaches.
    void editRow(int block, const trefoil::RowChange& change);
    void editText(int block, int row, const QString& text);
    /// The blocks of a saved answer (see liveTrace for the one being written); answers with traceReady.
    void requestTrace(const QString& messageId);

signals:
    void loadStarted(const QString& name);
    void loadProgress(quint64 done, quint64 total, qint64 elapsedMs);
    /// Of the embedded engine, as the other signals about loading.
    void modelReady(const trefoil::ModelSummary& model);
    /// The model in use had to go for the one that is being loaded.
    void modelGone();
    /// model() says whether the model that was loaded before is still there. `message` is empty when the person cancelled.
    void loadEnded(const trefoil::ModelLoadRequest& request, const QString& message, trefoil::LoadEnd end);
    void modelExamined(const trefoil::ModelExaminationView& model);
    void cardsMeasured(int cards);  ///< how many could be measured
    /// The open conversation's engine is another one, or its model or what it can do is. Conversations with the same engine may
    /// follow each other without it.
    void engineChanged();
    /// engines() gives something else than before.
    void enginesChanged();

    /// Newest first. `working`: the conversation that is being answered.
    void listChanged(const QList<trefoil::ConversationSummary>& list, const QString& working);
    void conversationShown(const trefoil::ConversationRecord& conversation, const QList<trefoil::MessageRecord>& messages);
    void conversationDeleted(const QString& id, const QString& title);
    void controlsChanged(const trefoil::ControlValues& values);
    void messageAdded(const trefoil::MessageRecord& message);
    void messageChanged(const trefoil::MessageRecord& message);
    void messageRemoved(const QString& id);
    /// Another branch of the open conversation is on show; `shownId` is the version that was chosen.
    void branchShown(const QList<trefoil::MessageRecord>& messages, const QString& shownId);
    void runningChanged();
    void activityChanged(const QString& text);

    void promptCounted(const trefoil::PromptView& prompt);
    /// The question was stored and is being answered.
    void sent(const QString& text);
    void sendRefused(const trefoil::SendProblem& problem, const QString& text);

    void pausedAt(const trefoil::PauseView& state);
    void resumed();
    void answerBegan(const trefoil::TraceView& emptyTrace);
    void passArrived(const trefoil::PassView& pass);
    void answerEnded(const trefoil::MessageRecord& answer);
    /// Something to know about an answer that is no error: how it was asked, how it came.
    void noted(const QString& text);
    /// After answerEnded: the engine had no room and asked to wait so long.
    void waitAsked(const trefoil::MessageRecord& answer, qint64 seconds);
    void traceReady(const QString& messageId, const trefoil::TraceView& trace, const QString& problem);
    void storeProblem(const QString& text);

private:
    /// An answer that is being written.
    struct Running {
        ChatEngine* engine = nullptr;
        RequestId request = 0;
        bool ownSettings = false;  ///< not the conversation's: changes of those do not reach it
        bool byText = false;       ///< what was there already went along as text: its figures are not in the updates …
        QList<qint32> begun = {};  ///< … and neither are its ids
        MessageRecord answer;
        TraceView trace;             ///< all passes so far
        qsizetype storedPasses = 0;  ///< of them handed to the store
        qint64 storedTokens = 0;     ///< response tokens handed to the store
        GenerationStats base;        ///< of what was written before this run
        double firstBlockMs = 0.0;   ///< see GenerationStats
        std::optional<PauseView> pause = std::nullopt;
    };
    /// What an answer begins with.
    struct Beginning {
        QList<qint32> tokens;
        bool byText = false;  ///< instead of the tokens the text of the answer goes along
        QList<PassView> passes;
        GenerationStats base;
        bool resumes = false;         ///< the last message is written on; otherwise a further version begins with these tokens
        bool thinking = false;        ///< how the prompt ended when they were written
        ControlValues settings = {};  ///< instead of the conversation's; empty: those
        [[nodiscard]] qint32 nextBlock() const;
    };
    /// An answer that waits for its trace, to keep its beginning.
    struct PendingBeginning {
        RequestId request = 0;
        QString messageId;
        int block = -1;  ///< the first one that is written anew; -1: the answer goes on
    };
    /// A question that waits for its prompt to be counted.
    struct PendingSend {
        RequestId request = 0;
        QString text;
        QString edited;  ///< the question of which it becomes a version
    };

    void connectEmbedded();
    void connectEngine(ChatEngine* engine);
    [[nodiscard]] bool isRunning(const ChatEngine* engine, RequestId id) const {
        return m_running && m_running->engine == engine && m_running->request == id;
    }
    /// nullptr: there is none of this id.
    [[nodiscard]] ChatEngine* engineNamed(const QString& id) const;
    /// Takes the engine that the open conversation names.
    void takeEngine();
    /// The same for the conversation on show: what waits for the engine before is dropped, its controls are shown anew.
    void switchEngine();
    void onEngineChanged(const ChatEngine* engine);
    void onPromptCounted(const ChatEngine* engine, RequestId id, const PromptView& prompt);
    void onPromptFitted(const ChatEngine* engine, RequestId id, const QList<PromptMessage>& messages, int dropped);
    void connectStore();
    [[nodiscard]] QList<PromptMessage> promptMessages(const QString& question, const QString& before = {}) const;
    [[nodiscard]] qsizetype indexOf(const QString& messageId) const;
    [[nodiscard]] bool mayAsk() const { return m_model && !m_running && !m_pending && !m_beginning; }
    void putAsideFrom(qsizetype index);
    void begin(const PendingBeginning& wanted, const TraceView& trace);
    void refuse(const QString& text);
    void checkFit(const PromptView& prompt);
    void ask(const PendingSend& pending, const QList<PromptMessage>& messages);
    void startAnswer(const QList<PromptMessage>& messages, const Beginning& beginning);
    void ensureStored();
    void touch(const QString& title = {});
    void refreshList();
    /// What was hidden here may have come back from a file.
    void forgetHidden();
    void publishList();
    [[nodiscard]] AnswerUpdate takeUpdate();
    void takeResponse(const ResponseUpdate& response);
    void onResponse(const ResponseUpdate& response);
    void onPass(const PassView& pass);
    void onFinished(const GenerationOutcome& outcome);
    /// The answer being written ends as it stands. It, as it was kept.
    MessageRecord endAnswer(EndReason reason, const QString& error);
    void onConversationLoaded(RequestId id, const ConversationRecord& record, QList<MessageRecord> messages,
                              const StoreProblem& problem, const QList<MessageRecord>& aside);
    void mergeRunning(QList<MessageRecord>& messages) const;

    EngineWorker* m_embedded;
    StoreWorker* m_store;
    QList<ChatEngine*> m_engines;         ///< the embedded one first
    ChatEngine* m_engine = nullptr;       ///< of the open conversation; nullptr: it is missing
    std::optional<ModelSummary> m_model;  ///< of m_engine
    RequestId m_loadRequest = 0;
    ModelLoadRequest m_loading;
    ModelLoadRequest m_loaded;
    QElapsedTimer m_loadClock;
    RequestId m_examineRequest = 0;

    QList<ConversationSummary> m_list;
    QList<QString> m_deleted;  ///< hidden at once, before the store answers
    RequestId m_listRequest = 0;
    RequestId m_openRequest = 0;
    bool m_resuming = false;  ///< m_openRequest is resumeConversation's
    ConversationRecord m_conversation;
    bool m_stored = false;            ///< the open conversation is in the history
    QList<MessageRecord> m_messages;  ///< the branch on show
    QList<MessageRecord> m_aside;     ///< the conversation's other messages
    MessageVersions m_versions;

    std::optional<Running> m_running;
    std::optional<PendingSend> m_pending;
    std::optional<PendingBeginning> m_beginning;
    RequestId m_countRequest = 0;
    QHash<RequestId, QString> m_traceRequests;
};

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::SendProblem)
