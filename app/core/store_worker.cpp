#include "app/core/store_worker.h"

#include "app/core/store_backend.h"

#include <QCoreApplication>
#include <QSemaphore>
#include <QThread>

#include <atomic>

namespace trefoil {

namespace {

/// One attempt at a locked file takes up to the busy timeout; the answer to a flush may come that much later.
constexpr int kAttemptMs = 1000;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ConversationStore)
};

}  // namespace

class StoreWorker::Private {
public:
    QThread thread;
    StoreBackend* backend = nullptr;  // lives on `thread`, deleted there when it ends
    RequestId lastId = 0;

    FlushReport flush(int timeoutMs, bool close);
    template <class F>
    void post(F&& task) {
        QMetaObject::invokeMethod(backend, std::forward<F>(task), Qt::QueuedConnection);
    }
};

StoreWorker::StoreWorker(QObject* parent) : QObject(parent), d(std::make_unique<Private>()) {
    auto backend = std::make_unique<StoreBackend>();
    connect(backend.get(), &StoreBackend::opened, this, &StoreWorker::opened);
    connect(backend.get(), &StoreBackend::listLoaded, this, &StoreWorker::listLoaded);
    connect(backend.get(), &StoreBackend::conversationLoaded, this, &StoreWorker::conversationLoaded);
    connect(backend.get(), &StoreBackend::traceLoaded, this, &StoreWorker::traceLoaded);
    connect(backend.get(), &StoreBackend::searched, this, &StoreWorker::searched);
    connect(backend.get(), &StoreBackend::backedUp, this, &StoreWorker::backedUp);
    connect(backend.get(), &StoreBackend::figuresLoaded, this, &StoreWorker::figuresLoaded);
    connect(backend.get(), &StoreBackend::restored, this, &StoreWorker::restored);
    connect(backend.get(), &StoreBackend::archiveLoaded, this, &StoreWorker::archiveLoaded);
    connect(backend.get(), &StoreBackend::imported, this, &StoreWorker::imported);
    connect(backend.get(), &StoreBackend::notSaved, this, &StoreWorker::notSaved);
    connect(backend.get(), &StoreBackend::saved, this, &StoreWorker::saved);
    connect(backend.get(), &StoreBackend::writeRejected, this, &StoreWorker::writeRejected);
    backend->moveToThread(&d->thread);
    d->backend = backend.release();
    connect(&d->thread, &QThread::finished, d->backend, &QObject::deleteLater);
    d->thread.setObjectName(QStringLiteral("history"));
    d->thread.start();
}

StoreWorker::~StoreWorker() {
    d->post([backend = d->backend] { (void)backend->flush(0, true); });
    // quit() is handled after what was posted before it.
    d->post([thread = &d->thread] { thread->quit(); });
    d->thread.wait();
}

RequestId StoreWorker::openAsync(const QString& path) {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id, path] { backend->open(id, StoreBackend::Opening::Existing, path); });
    return id;
}

RequestId StoreWorker::openFreshAsync(const QString& path) {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id, path] { backend->open(id, StoreBackend::Opening::Fresh, path); });
    return id;
}

RequestId StoreWorker::openTemporaryAsync() {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id] { backend->open(id, StoreBackend::Opening::Temporary, {}); });
    return id;
}

RequestId StoreWorker::loadListAsync() {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id] { backend->loadList(id); });
    return id;
}

RequestId StoreWorker::loadConversationAsync(const QString& conversationId) {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id, conversationId] { backend->loadConversation(id, conversationId); });
    return id;
}

RequestId StoreWorker::loadTraceAsync(const QString& messageId) {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id, messageId] { backend->loadTrace(id, messageId); });
    return id;
}

RequestId StoreWorker::searchAsync(const QString& text) {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id, text] { backend->search(id, text); });
    return id;
}

RequestId StoreWorker::backUpAsync(const QString& path) {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id, path] { backend->backUp(id, path); });
    return id;
}

RequestId StoreWorker::loadFiguresAsync(int limit) {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id, limit] { backend->loadFigures(id, limit); });
    return id;
}

RequestId StoreWorker::restoreAsync(const QString& backup) {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id, backup] { backend->restore(id, backup); });
    return id;
}

RequestId StoreWorker::loadArchiveAsync(const QString& conversationId) {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id, conversationId] { backend->loadArchive(id, conversationId); });
    return id;
}

RequestId StoreWorker::importAsync(const QList<ArchivedConversation>& conversations, ExistingChoice existing) {
    const RequestId id = ++d->lastId;
    d->post([backend = d->backend, id, conversations, existing] { backend->importConversations(id, conversations, existing); });
    return id;
}

void StoreWorker::write(const StoreOperation& operation) {
    d->post([backend = d->backend, operation] { backend->enqueue(operation); });
}

void StoreWorker::createConversation(const ConversationRecord& record) {
    ConversationRecord dated = record;
    if (!dated.createdUtc.isValid()) dated.createdUtc = QDateTime::currentDateTimeUtc();
    if (!dated.updatedUtc.isValid()) dated.updatedUtc = dated.createdUtc;
    write(CreateConversation{dated});
}

void StoreWorker::renameConversation(const QString& id, const QString& title) { write(RenameConversation{id, title}); }
void StoreWorker::setSystemPrompt(const QString& id, const QString& systemPrompt) { write(SetSystemPrompt{id, systemPrompt}); }
void StoreWorker::setControls(const QString& id, const ControlValues& controls) { write(SetControls{id, controls}); }
void StoreWorker::setModelFolder(const QString& id, const QString& modelFolder) { write(SetModelFolder{id, modelFolder}); }
void StoreWorker::setEngine(const QString& id, const QString& engine) { write(SetEngine{id, engine}); }
void StoreWorker::setDraft(const QString& id, const QString& draft) { write(SetDraft{id, draft}); }

void StoreWorker::setEdit(const QString& id, const QString& edited, const QString& edit) { write(SetEdit{id, edited, edit}); }
void StoreWorker::deleteConversation(const QString& id) { write(DeleteConversation{id, QDateTime::currentDateTimeUtc()}); }
void StoreWorker::restoreConversation(const QString& id) { write(RestoreConversation{id}); }
void StoreWorker::purgeDeleted(qint64 olderThanMs) {
    write(PurgeDeleted{QDateTime::currentDateTimeUtc().addMSecs(-olderThanMs)});
}

void StoreWorker::appendMessage(const MessageRecord& record) {
    MessageRecord dated = record;
    if (!dated.createdUtc.isValid()) dated.createdUtc = QDateTime::currentDateTimeUtc();
    write(AppendMessage{dated});
}

void StoreWorker::beginAnswer(const MessageRecord& record) {
    MessageRecord dated = record;
    if (dated.role.isEmpty()) dated.role = QStringLiteral("assistant");
    if (!dated.createdUtc.isValid()) dated.createdUtc = QDateTime::currentDateTimeUtc();
    write(BeginAnswer{dated});
}

void StoreWorker::updateAnswer(const AnswerUpdate& update) { write(UpdateAnswer{update}); }
void StoreWorker::finishAnswer(const AnswerUpdate& last, EndReason reason, const QString& error) {
    write(FinishAnswer{last, reason, error});
}
void StoreWorker::setAsideAnswer(const QString& messageId) { write(SetAsideAnswer{messageId}); }
void StoreWorker::restoreAnswer(const QString& messageId) { write(RestoreAnswer{messageId}); }
void StoreWorker::chooseBranch(const QString& conversationId, const QString& leafId) {
    write(ChooseBranch{conversationId, leafId});
}
void StoreWorker::resumeAnswer(const QString& messageId) { write(ResumeAnswer{messageId}); }

FlushReport StoreWorker::flush(int timeoutMs) { return d->flush(timeoutMs, false); }

FlushReport StoreWorker::flushAndClose(int timeoutMs) { return d->flush(timeoutMs, true); }

FlushReport StoreWorker::Private::flush(int timeoutMs, bool close) {
    struct Answer {
        QSemaphore done;
        FlushReport report;
    };
    // Shared: the thread may still be at it when this has stopped waiting.
    auto answer = std::make_shared<Answer>();
    post([backend = backend, answer, timeoutMs, close] {
        answer->report = backend->flush(timeoutMs, close);
        answer->done.release();
    });
    if (answer->done.tryAcquire(1, timeoutMs + kAttemptMs)) return answer->report;
    return {
        false,
        -1,
        {StoreProblemKind::Io, Text::tr("The history does not answer."), Text::tr("The disk may be very slow; wait, or quit.")}};
}

}  // namespace trefoil
