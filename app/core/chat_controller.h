// ChatController: what the window does, without the window. Holds the open conversation, asks the engine, feeds the history.
//
// Everything is asynchronous and by value: the window calls a slot, answers come as signals. One answer is written at a time; it
// belongs to its conversation whatever is on show.
#pragma once

#include "app/core/engine_worker.h"
#include "app/core/generation_types.h"
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
    /// `engine` and `store` are not owned and outlive this object.
    ChatController(EngineWorker* engine, StoreWorker* store, QObject* parent = nullptr);

    [[nodiscard]] const std::optional<ModelSummary>& model() const { return m_model; }
    [[nodiscard]] const ConversationRecord& conversation() const { return m_conversation; }
    [[nodiscard]] const QList<MessageRecord>& messages() const { return m_messages; }
    [[nodiscard]] bool isRunning() const { return m_running.has_value(); }
    /// The conversation that is being answered; empty when none is.
    [[nodiscard]] QString runningConversation() const { return m_running ? m_running->answer.conversationId : QString(); }
    [[nodiscard]] QString runningMessage() const { return m_running ? m_running->answer.id : QString(); }
    /// The trace of the answer being written, so far.
    [[nodiscard]] TraceView liveTrace() const { return m_running ? m_running->trace : TraceView(); }
    /// What the model in use was loaded with.
    [[nodiscard]] const ModelLoadRequest& loadedRequest() const { return m_loaded; }
    [[nodiscard]] bool isLoading() const { return m_loadRequest != 0; }
    /// Controls of the open conversation: the model's defaults with the conversation's own values over them.
    [[nodiscard]] ControlValues controls() const;

public slots:
    /// The model in use stays until the new one is ready; where both do not fit, `mayUnload` decides (see EngineWorker).
    void loadModel(const trefoil::ModelLoadRequest& request);
    void cancelLoad();
    /// Says what a folder holds and needs; answers with modelExamined, for the newest request only.
    void examineModel(const trefoil::ModelLoadRequest& request);

    void newConversation();
    void openConversation(const QString& id);
    void renameConversation(const QString& id, const QString& title);
    void deleteConversation(const QString& id);
    void undoDelete(const QString& id);
    void setSystemPrompt(const QString& conversationId, const QString& text);
    void setControls(const ControlValues& values);
    void setDraft(const QString& text);
    /// Before the program ends: a draft in a conversation that is not in the history yet puts it there.
    void keepDraft();

    /// Counts the prompt as it would be sent with `draft` as the question; answers with promptCounted.
    void countPrompt(const QString& draft);
    /// Checks that the question fits, then asks. Answers with sent or sendRefused.
    void send(const QString& text);
    /// After sendRefused: the two ways out, with the same text.
    void sendWithShorterAnswer(const QString& text, qint64 maxNewTokens);
    void sendWithoutOldest(const QString& text);
    /// Writes the last answer anew.
    void regenerate(const QString& messageId);
    void stop();
    /// The blocks of a saved answer (see liveTrace for the one being written); answers with traceReady.
    void requestTrace(const QString& messageId);

signals:
    void loadStarted(const QString& name);
    void loadProgress(quint64 done, quint64 total, qint64 elapsedMs);
    void modelReady(const trefoil::ModelSummary& model);
    /// The model in use had to go for the one that is being loaded.
    void modelGone();
    /// model() says whether the model that was loaded before is still there. `message` is empty when the person cancelled.
    void loadEnded(const trefoil::ModelLoadRequest& request, const QString& message, trefoil::LoadEnd end);
    void modelExamined(const trefoil::ModelExaminationView& model);

    /// Newest first. `working`: the conversation that is being answered.
    void listChanged(const QList<trefoil::ConversationSummary>& list, const QString& working);
    void conversationShown(const trefoil::ConversationRecord& conversation, const QList<trefoil::MessageRecord>& messages);
    void conversationDeleted(const QString& id, const QString& title);
    void controlsChanged(const trefoil::ControlValues& values);
    void messageAdded(const trefoil::MessageRecord& message);
    void messageChanged(const trefoil::MessageRecord& message);
    void messageRemoved(const QString& id);
    void runningChanged();
    void activityChanged(const QString& text);

    void promptCounted(const trefoil::PromptView& prompt);
    /// The question was stored and is being answered.
    void sent(const QString& text);
    void sendRefused(const trefoil::SendProblem& problem, const QString& text);

    void answerBegan(const trefoil::TraceView& emptyTrace);
    void passArrived(const trefoil::PassView& pass);
    void answerEnded(const trefoil::MessageRecord& answer);
    void traceReady(const QString& messageId, const trefoil::TraceView& trace, const QString& problem);
    void storeProblem(const QString& text);

private:
    /// An answer that is being written.
    struct Running {
        RequestId request = 0;
        MessageRecord answer;
        TraceView trace;             ///< all passes so far
        qsizetype storedPasses = 0;  ///< of them handed to the store
        qint64 storedTokens = 0;     ///< response tokens handed to the store
    };
    /// A question that waits for its prompt to be counted.
    struct PendingSend {
        RequestId request = 0;
        QString text;
        bool leaveOutOldest = false;
    };

    void connectEngine();
    void connectStore();
    [[nodiscard]] QList<PromptMessage> promptMessages(const QString& question) const;
    void checkFit(const PromptView& prompt);
    void ask(const QString& question, const QList<PromptMessage>& messages);
    void startAnswer(const QList<PromptMessage>& messages);
    void ensureStored();
    void touch(const QString& title = {});
    void refreshList();
    void publishList();
    [[nodiscard]] AnswerUpdate takeUpdate();
    void onResponse(RequestId id, const ResponseUpdate& response);
    void onPass(RequestId id, const PassView& pass);
    void onFinished(RequestId id, const GenerationOutcome& outcome);
    void onConversationLoaded(RequestId id, const ConversationRecord& record, QList<MessageRecord> messages,
                              const StoreProblem& problem);
    void mergeRunning(QList<MessageRecord>& messages) const;

    EngineWorker* m_engine;
    StoreWorker* m_store;
    std::optional<ModelSummary> m_model;
    RequestId m_loadRequest = 0;
    ModelLoadRequest m_loading;
    ModelLoadRequest m_loaded;
    QElapsedTimer m_loadClock;
    RequestId m_examineRequest = 0;

    QList<ConversationSummary> m_list;
    QList<QString> m_deleted;  ///< hidden at once, before the store answers
    RequestId m_listRequest = 0;
    RequestId m_openRequest = 0;
    ConversationRecord m_conversation;
    bool m_stored = false;  ///< the open conversation is in the history
    QList<MessageRecord> m_messages;

    std::optional<Running> m_running;
    std::optional<PendingSend> m_pending;
    RequestId m_countRequest = 0;
    QHash<RequestId, QString> m_traceRequests;
};

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::SendProblem)
