// Conversations out to files and in from them, and other files that the window writes. Works on a thread of its own; nothing here
// waits for a disk. Files are written whole or not at all.
#pragma once

#include "app/core/store_types.h"
#include "app/core/store_worker.h"
#include "app/core/transfer/archive_types.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>

namespace trefoil {

class HistoryTransfer : public QObject {
    Q_OBJECT
public:
    /// `store` is not owned and outlives this object.
    explicit HistoryTransfer(StoreWorker* store, QObject* parent = nullptr);
    /// Ends the thread; an export that is not complete leaves no file.
    ~HistoryTransfer() override;

    /// Complete JSON of these conversations, or of all when `ids` is empty. Exports wait for each other. Answers with written.
    RequestId exportJsonAsync(const QStringList& ids, const QString& path);
    /// Any other file; answers with written.
    RequestId writeAsync(const QString& path, const QByteArray& bytes);
    /// Reads a file and takes its conversations into the history, all or none. Answers with imported.
    RequestId importAsync(const QString& path, ExistingChoice existing = ExistingChoice::LeaveOut);

    /// Files are being read or written, or wait for it.
    [[nodiscard]] bool isBusy() const;

signals:
    /// `conversations`: of a JSON export, how many.
    void written(trefoil::RequestId id, const QString& path, int conversations, const trefoil::StoreProblem& problem);
    void imported(trefoil::RequestId id, const QString& path, const trefoil::ImportReport& report,
                  const trefoil::StoreProblem& problem);
    /// Of a JSON export of several.
    void progress(trefoil::RequestId id, qsizetype done, qsizetype total);

private:
    class Private;
    std::unique_ptr<Private> d;
};

}  // namespace trefoil
