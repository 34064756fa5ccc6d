// The half of HistoryTransfer that lives on its thread: the files. Internal.
#pragma once

#include "app/core/generation_types.h"
#include "app/core/transfer/conversation_json.h"

#include <QObject>
#include <QSaveFile>

#include <atomic>
#include <memory>

namespace trefoil {

class TransferBackend : public QObject {
    Q_OBJECT
public:
    /// Set from any thread when the program ends.
    std::atomic<bool> cancelled = false;

    void begin(RequestId id, const QString& path);
    void add(RequestId id, const ArchivedConversation& conversation);
    void end(RequestId id);
    /// What was written so far is thrown away; the file that was there before stays.
    void abandon();
    void write(RequestId id, const QString& path, const QByteArray& bytes);
    void read(RequestId id, const QString& path);

signals:
    /// After begin and add: the next conversation can come. With a problem the export is over.
    void ready(trefoil::RequestId id, const trefoil::StoreProblem& problem);
    void written(trefoil::RequestId id, const trefoil::StoreProblem& problem);
    void fileRead(trefoil::RequestId id, const trefoil::ConversationArchive& archive, const trefoil::StoreProblem& problem);

private:
    [[nodiscard]] StoreProblem put(const QByteArray& bytes);

    std::unique_ptr<QSaveFile> m_file;
    bool m_first = true;
};

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::ConversationArchive)
