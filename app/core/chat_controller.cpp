#include "app/core/chat_controller.h"

#include <algorithm>
#include <utility>

namespace trefoil {

ChatController::ChatController(EngineWorker* embedded, StoreWorker* store, QObject* parent)
    : QObject(parent), m_embedded(embedded), m_store(store), m_engines{embedded}, m_engine(embedded), m_model(embedded->model()) {
    qRegisterMetaType<SendProblem>();
    connectEmbedded();
    connectEngine(embedded);
    connectStore();
    m_conversation.id = newRecordId();
}

/// What the embedded engine alone does: models are loaded into it.
void ChatController::connectEmbedded() {
    connect(m_embedded, &EngineWorker::loadProgress, this, [this](RequestId id, quint64 done, quint64 total) {
        if (id == m_loadRequest) emit loadProgress(done, total, m_loadClock.elapsed());
    });
    connect(m_embedded, &EngineWorker::modelLoaded, this, [this](RequestId id, const ModelSummary& model) {
        if (id == m_loadRequest) {
            m_loadRequest = 0;
            m_loaded = m_loading;
        }
        emit modelReady(model);
        if (m_engine == m_embedded) emit controlsChanged(controls());
    });
    connect(m_embedded, &EngineWorker::modelUnloaded, this, &ChatController::modelGone);
    connect(m_embedded, &EngineWorker::loadFailed, this, [this](RequestId id, const QString& message, LoadEnd end) {
        if (id != m_loadRequest) return;
        m_loadRequest = 0;
        emit loadEnded(m_loading, end == LoadEnd::Cancelled ? QString() : message, end);
    });
    connect(m_embedded, &EngineWorker::cardsMeasured, this, &ChatController::cardsMeasured);
    connect(m_embedded, &EngineWorker::modelExamined, this, [this](RequestId id, const ModelExaminationView& model) {
        if (id == m_examineRequest) emit modelExamined(model);
    });
}

void ChatController::connectEngine(ChatEngine* engine) {
    connect(engine, &ChatEngine::changed, this, [this, engine] { onEngineChanged(engine); });
    connect(engine, &ChatEngine::prefillProgress, this, [this, engine](RequestId id, qint64 done, qint64 total) {
        if (!isRunning(engine, id)) return;
        const QLocale locale;
        emit activityChanged(done < total
                                 ? tr("Reading the prompt: %1 of %2 tokens").arg(locale.toString(done), locale.toString(total))
                                 : QString());
    });
    connect(engine, &ChatEngine::traceBegan, this,
            [this, engine](RequestId id, qint32 maskId, qint32 blockSize, double threshold) {
                if (!isRunning(engine, id)) return;
                TraceView& trace = m_running->trace;
                trace.maskId = maskId;
                trace.blockSize = blockSize;
                trace.threshold = threshold;
                emit answerBegan(trace);
            });
    connect(engine, &ChatEngine::passDone, this, [this, engine](RequestId id, const PassView& pass) {
        if (isRunning(engine, id)) onPass(pass);
    });
    connect(engine, &ChatEngine::pausedAt, this, [this, engine](RequestId id, const PauseView& state) {
        if (!isRunning(engine, id)) return;
        m_running->pause = state;
        emit pausedAt(state);
    });
    connect(engine, &ChatEngine::resumed, this, [this, engine](RequestId id) {
        if (!isRunning(engine, id)) return;
        m_running->pause.reset();
        emit resumed();
    });
    connect(engine, &ChatEngine::responseUpdated, this, [this, engine](RequestId id, const ResponseUpdate& response) {
        if (isRunning(engine, id)) onResponse(response);
    });
    connect(engine, &ChatEngine::generationFinished, this, [this, engine](RequestId id, const GenerationOutcome& outcome) {
        if (isRunning(engine, id)) onFinished(outcome);
    });
    connect(engine, &ChatEngine::promptPreviewed, this,
            [this, engine](RequestId id, const PromptView& prompt) { onPromptCounted(engine, id, prompt); });
    connect(engine, &ChatEngine::promptFitted, this,
            [this, engine](RequestId id, const QList<PromptMessage>& messages, int dropped) {
                onPromptFitted(engine, id, messages, dropped);
            });
}

void ChatController::onPromptCounted(const ChatEngine* engine, RequestId id, const PromptView& prompt) {
    if (engine != m_engine) return;
    if (m_pending && id == m_pending->request) return checkFit(prompt);
    if (id == m_countRequest) emit promptCounted(prompt);
}

void ChatController::onPromptFitted(const ChatEngine* engine, RequestId id, const QList<PromptMessage>& messages, int dropped) {
    if (engine != m_engine || !m_pending || id != m_pending->request) return;
    const PendingSend pending = *std::exchange(m_pending, std::nullopt);
    if (dropped < 0)
        return emit sendRefused({tr("Even the question alone does not fit with this answer length."), false, 0, false},
                                pending.text);
    ask(pending, messages);
}

void ChatController::connectStore() {
    connect(m_store, &StoreWorker::opened, this, [this](RequestId /*id*/, const OpenReport& report) {
        if (report.ok()) refreshList();
    });
    connect(m_store, &StoreWorker::listLoaded, this,
            [this](RequestId id, const QList<ConversationSummary>& list, const StoreProblem& problem) {
                if (id != m_listRequest) return;
                m_listRequest = 0;
                if (!problem.ok()) return emit storeProblem(problem.text());
                m_list = list;
                publishList();
            });
    connect(m_store, &StoreWorker::imported, this, &ChatController::forgetHidden);
    connect(m_store, &StoreWorker::restored, this, &ChatController::forgetHidden);
    connect(m_store, &StoreWorker::conversationLoaded, this, &ChatController::onConversationLoaded);
    connect(m_store, &StoreWorker::traceLoaded, this,
            [this](RequestId id, const QString& messageId, const TraceView& trace, const StoreProblem& problem) {
                if (m_beginning && id == m_beginning->request) return begin(*std::exchange(m_beginning, std::nullopt), trace);
                if (m_traceRequests.take(id) == messageId)
                    emit traceReady(messageId, trace, problem.ok() ? QString() : problem.text());
            });
}

ControlValues ChatController::controls() const {
    ControlValues values = m_model ? m_model->defaults : ControlValues();
    for (auto it = m_conversation.controls.constBegin(); it != m_conversation.controls.constEnd(); ++it)
        values.insert(it.key(), it.value());
    return values;
}

// ---------------------------------------------------------------------------------------------------------------- model

void ChatController::loadModel(const ModelLoadRequest& request) {
    if (m_loadRequest != 0) m_embedded->cancel(m_loadRequest);
    m_loadClock.start();
    m_loading = request;
    m_loadRequest = m_embedded->loadModelAsync(request);
    emit loadStarted(request.folder.section(QLatin1Char('/'), -1, -1, QString::SectionSkipEmpty));
}

void ChatController::measureCards() { m_embedded->measureCardsAsync(); }

void ChatController::examineModel(const ModelLoadRequest& request) { m_examineRequest = m_embedded->examineModelAsync(request); }

void ChatController::cancelLoad() { m_embedded->cancel(m_loadRequest); }

// -------------------------------------------------------------------------------------------------------- conversations

void ChatController::newConversation() {
    keepDraft();
    m_openRequest = 0;
    m_pending.reset();
    m_beginning.reset();
    m_conversation = ConversationRecord();
    m_conversation.id = newRecordId();
    m_stored = false;
    m_messages.clear();
    m_aside.clear();
    m_versions = {};
    takeEngine();
    emit conversationShown(m_conversation, m_messages);
    emit controlsChanged(controls());
}

void ChatController::openConversation(const QString& id) {
    if (id == m_conversation.id && m_stored) return;
    keepDraft();
    m_pending.reset();
    m_beginning.reset();
    m_openRequest = m_store->loadConversationAsync(id);
    m_resuming = false;
}

void ChatController::resumeConversation(const QString& id) {
    if (id.isEmpty() || m_stored || m_pending || m_openRequest != 0 || !m_conversation.draft.isEmpty()) return;
    m_openRequest = m_store->loadConversationAsync(id);
    m_resuming = true;
}

void ChatController::onConversationLoaded(RequestId id, const ConversationRecord& record, QList<MessageRecord> messages,
                                          const StoreProblem& problem, const QList<MessageRecord>& aside) {
    if (id != m_openRequest) return;  // another conversation was chosen meanwhile
    m_openRequest = 0;
    const bool resuming = std::exchange(m_resuming, false);
    if (resuming && (m_stored || m_pending || problem.kind == StoreProblemKind::NotFound)) return;
    if (!problem.ok()) return emit storeProblem(problem.text());
    m_conversation = record;
    m_stored = true;
    mergeRunning(messages);
    m_messages = std::move(messages);
    m_aside = aside;
    m_versions = MessageVersions(m_messages, m_aside);
    takeEngine();
    emit conversationShown(m_conversation, m_messages);
    emit controlsChanged(controls());
}

/// What is in memory of the running answer is newer than what the store gave.
void ChatController::mergeRunning(QList<MessageRecord>& messages) const {
    if (!m_running) return;
    for (MessageRecord& m : messages)
        if (m.id == m_running->answer.id) m = m_running->answer;
}

void ChatController::renameConversation(const QString& id, const QString& title) {
    m_store->renameConversation(id, title);
    if (id == m_conversation.id) {
        m_conversation.title = title;
        m_conversation.titleIsManual = true;
    }
    for (ConversationSummary& c : m_list)
        if (c.id == id) c.title = title;
    publishList();
}

void ChatController::deleteConversation(const QString& id) {
    if (runningConversation() == id) stop();
    QString title;
    for (const ConversationSummary& c : std::as_const(m_list))
        if (c.id == id) title = c.title;
    m_store->deleteConversation(id);
    m_deleted.append(id);
    publishList();
    if (id == m_conversation.id) newConversation();
    emit conversationDeleted(id, title);
}

void ChatController::undoDelete(const QString& id) {
    m_store->restoreConversation(id);
    m_deleted.removeAll(id);
    publishList();
    openConversation(id);
}

void ChatController::setSystemPrompt(const QString& conversationId, const QString& text) {
    if (conversationId == m_conversation.id) {
        if (m_conversation.systemPrompt == text) return;
        m_conversation.systemPrompt = text;
        ensureStored();
    }
    m_store->setSystemPrompt(conversationId, text);
}

void ChatController::setControls(const ControlValues& values) {
    if (values == controls()) return;
    if (m_running && runningConversation() == m_conversation.id && !m_running->ownSettings)
        m_running->engine->steer(m_running->request, values);
    m_conversation.controls = values;
    if (m_stored) m_store->setControls(m_conversation.id, values);
    emit controlsChanged(values);
}

void ChatController::setDraft(const QString& text) {
    if (m_conversation.draft == text) return;
    m_conversation.draft = text;
    if (m_stored) m_store->setDraft(m_conversation.id, text);
}

void ChatController::setEdit(const QString& messageId, const QString& text) {
    if (m_conversation.edited == messageId && m_conversation.edit == text) return;
    m_conversation.edited = messageId;
    m_conversation.edit = text;
    if (m_stored) m_store->setEdit(m_conversation.id, messageId, text);
}

void ChatController::keepDraft() {
    if (!m_conversation.draft.trimmed().isEmpty()) ensureStored();
}

/// Puts the open conversation into the history when the first thing worth keeping happens.
void ChatController::ensureStored() {
    if (m_stored) return;
    m_stored = true;
    m_conversation.createdUtc = m_conversation.updatedUtc = QDateTime::currentDateTimeUtc();
    m_conversation.controls = controls();
    if (const auto loaded = loadedModel()) m_conversation.modelFolder = loaded->folder;
    m_store->createConversation(m_conversation);
    m_list.prepend({m_conversation.id, m_conversation.title, m_conversation.createdUtc, m_conversation.updatedUtc});
    publishList();
}

/// The open conversation becomes the newest of the list, with a title if it has none.
void ChatController::touch(const QString& title) {
    if (m_conversation.title.isEmpty() && !m_conversation.titleIsManual) m_conversation.title = title;
    m_conversation.updatedUtc = QDateTime::currentDateTimeUtc();
    for (ConversationSummary& c : m_list)
        if (c.id == m_conversation.id) {
            c.title = m_conversation.title;
            c.updatedUtc = m_conversation.updatedUtc;
        }
    std::stable_sort(m_list.begin(), m_list.end(),
                     [](const ConversationSummary& a, const ConversationSummary& b) { return a.updatedUtc > b.updatedUtc; });
    publishList();
}

void ChatController::refreshList() { m_listRequest = m_store->loadListAsync(); }

void ChatController::forgetHidden() {
    m_list.removeIf([this](const ConversationSummary& c) { return m_deleted.contains(c.id); });
    m_deleted.clear();
    refreshList();
}

void ChatController::publishList() {
    // A list that was asked for before this change would undo it on the screen: ask anew, what waits to be written included.
    if (m_listRequest != 0) refreshList();
    QList<ConversationSummary> shown;
    for (const ConversationSummary& c : std::as_const(m_list))
        if (!m_deleted.contains(c.id)) shown.append(c);
    emit listChanged(shown, runningConversation());
}

void ChatController::publishAll() {
    publishList();
    emit conversationShown(m_conversation, m_messages);
    emit controlsChanged(controls());
}

}  // namespace trefoil
