#include "app/core/transfer/history_transfer.h"

#include "app/core/transfer/transfer_backend.h"

#include <QHash>
#include <QQueue>
#include <QThread>

namespace trefoil {

class HistoryTransfer::Private {
public:
    struct Export {
        RequestId id = 0;
        QString path;
        QStringList ids;
        bool all = false;
        qsizetype next = 0;     ///< of `ids`
        int written = 0;        ///< conversations
        RequestId reading = 0;  ///< what the store was asked for
    };
    struct Import {
        QString path;
        ExistingChoice existing = ExistingChoice::LeaveOut;
    };

    Private(HistoryTransfer* owner, StoreWorker* history) : q(owner), store(history) {}

    template <class F>
    void post(F&& task) {
        QMetaObject::invokeMethod(backend, std::forward<F>(task), Qt::QueuedConnection);
    }
    void startNext();
    void askForNext();
    void finish(const StoreProblem& problem);
    void connectStore();
    void connectBackend();

    HistoryTransfer* q;
    StoreWorker* store;
    QThread thread;
    TransferBackend* backend = nullptr;  // lives on `thread`, deleted there when it ends
    RequestId lastId = 0;
    QQueue<Export> exports;              // the first one is at work
    QHash<RequestId, QString> writes;    // ids of writeAsync
    QHash<RequestId, Import> imports;    // being read
    QHash<RequestId, RequestId> taking;  // the store's request -> ours
    QHash<RequestId, QStringList> ignored;
};

void HistoryTransfer::Private::startNext() {
    if (exports.isEmpty()) return;
    const Export& job = exports.head();
    if (job.all) {
        exports.head().reading = store->loadListAsync();
        return;
    }
    post([backend = backend, id = job.id, path = job.path] { backend->begin(id, path); });
}

void HistoryTransfer::Private::askForNext() {
    Export& job = exports.head();
    emit q->progress(job.id, job.next, job.ids.size());
    if (job.next == job.ids.size()) {
        post([backend = backend, id = job.id] { backend->end(id); });
    } else {
        job.reading = store->loadArchiveAsync(job.ids.at(job.next++));
    }
}

void HistoryTransfer::Private::finish(const StoreProblem& problem) {
    const Export job = exports.dequeue();
    if (!problem.ok()) post([backend = backend] { backend->abandon(); });
    emit q->written(job.id, job.path, problem.ok() ? job.written : 0, problem);
    startNext();
}

void HistoryTransfer::Private::connectStore() {
    connect(store, &StoreWorker::listLoaded, q,
            [this](RequestId id, const QList<ConversationSummary>& list, const StoreProblem& problem) {
                if (exports.isEmpty() || exports.head().reading != id || !exports.head().all) return;
                if (!problem.ok()) return finish(problem);
                Export& job = exports.head();
                job.all = false;
                job.reading = 0;
                for (const ConversationSummary& row : list) job.ids.append(row.id);
                post([backend = backend, job] { backend->begin(job.id, job.path); });
            });
    connect(store, &StoreWorker::archiveLoaded, q,
            [this](RequestId id, const ArchivedConversation& conversation, const StoreProblem& problem) {
                if (exports.isEmpty() || exports.head().reading != id) return;
                Export& job = exports.head();
                job.reading = 0;
                // It was deleted while others were written.
                if (problem.kind == StoreProblemKind::NotFound && job.ids.size() > 1) return askForNext();
                if (!problem.ok()) return finish(problem);
                ++job.written;
                post([backend = backend, job = job.id, conversation] { backend->add(job, conversation); });
            });
    connect(store, &StoreWorker::imported, q, [this](RequestId id, const ImportReport& report, const StoreProblem& problem) {
        if (!taking.contains(id)) return;
        const RequestId ours = taking.take(id);
        ImportReport whole = report;
        whole.ignored = ignored.take(ours);
        emit q->imported(ours, imports.take(ours).path, whole, problem);
    });
}

void HistoryTransfer::Private::connectBackend() {
    connect(backend, &TransferBackend::ready, q, [this](RequestId id, const StoreProblem& problem) {
        if (exports.isEmpty() || exports.head().id != id) return;
        if (!problem.ok()) return finish(problem);
        askForNext();
    });
    connect(backend, &TransferBackend::written, q, [this](RequestId id, const StoreProblem& problem) {
        if (writes.contains(id)) {
            emit q->written(id, writes.take(id), 0, problem);
        } else if (!exports.isEmpty() && exports.head().id == id) {
            finish(problem);
        }
    });
    connect(backend, &TransferBackend::fileRead, q,
            [this](RequestId id, const ConversationArchive& archive, const StoreProblem& problem) {
                if (!problem.ok()) {
                    emit q->imported(id, imports.take(id).path, {}, problem);
                    return;
                }
                ignored.insert(id, archive.ignored);
                taking.insert(store->importAsync(archive.conversations, imports.value(id).existing), id);
            });
}

HistoryTransfer::HistoryTransfer(StoreWorker* store, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(this, store)) {
    qRegisterMetaType<ImportReport>();
    qRegisterMetaType<ConversationArchive>();
    auto backend = std::make_unique<TransferBackend>();
    d->backend = backend.get();
    d->connectBackend();
    d->connectStore();
    backend->moveToThread(&d->thread);
    connect(&d->thread, &QThread::finished, backend.release(), &QObject::deleteLater);
    d->thread.setObjectName(QStringLiteral("transfer"));
    d->thread.start();
}

HistoryTransfer::~HistoryTransfer() {
    d->backend->cancelled = true;
    // Files that were asked for are still written; the end comes after them.
    d->post([thread = &d->thread] { thread->quit(); });
    d->thread.wait();
}

RequestId HistoryTransfer::exportJsonAsync(const QStringList& ids, const QString& path) {
    Private::Export job;
    job.id = ++d->lastId;
    job.path = path;
    job.ids = ids;
    job.all = ids.isEmpty();
    d->exports.enqueue(job);
    if (d->exports.size() == 1) d->startNext();
    return job.id;
}

RequestId HistoryTransfer::writeAsync(const QString& path, const QByteArray& bytes) {
    const RequestId id = ++d->lastId;
    d->writes.insert(id, path);
    d->post([backend = d->backend, id, path, bytes] { backend->write(id, path, bytes); });
    return id;
}

RequestId HistoryTransfer::importAsync(const QString& path, ExistingChoice existing) {
    const RequestId id = ++d->lastId;
    d->imports.insert(id, {path, existing});
    d->post([backend = d->backend, id, path] { backend->read(id, path); });
    return id;
}

bool HistoryTransfer::isBusy() const { return !d->exports.isEmpty() || !d->writes.isEmpty() || !d->imports.isEmpty(); }

}  // namespace trefoil
