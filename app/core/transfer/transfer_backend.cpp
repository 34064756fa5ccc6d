#include "app/core/transfer/transfer_backend.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLocale>
#include <QSet>

namespace trefoil {

namespace {

StoreProblem notWritten(const QFileDevice& file) {
    return {
        StoreProblemKind::Io,
        TransferBackend::tr("“%1” could not be written: %2.").arg(QDir::toNativeSeparators(file.fileName()), file.errorString()),
        TransferBackend::tr("Choose another place, or free some space. What was there before is unchanged.")};
}

}  // namespace

StoreProblem TransferBackend::put(const QByteArray& bytes) {
    if (m_file == nullptr) return {StoreProblemKind::Closed, tr("The export was ended before."), {}};
    if (m_file->write(bytes) == bytes.size()) return {};
    const StoreProblem problem = notWritten(*m_file);
    abandon();
    return problem;
}

void TransferBackend::begin(RequestId id, const QString& path) {
    m_file = std::make_unique<QSaveFile>(path);
    m_first = true;
    StoreProblem problem;
    if (!m_file->open(QIODevice::WriteOnly)) {
        problem = notWritten(*m_file);
        abandon();
    } else {
        problem = put(archiveHead(QDateTime::currentDateTimeUtc()));
    }
    emit ready(id, problem);
}

void TransferBackend::add(RequestId id, const ArchivedConversation& conversation) {
    const QByteArray separator = m_first ? QByteArray() : archiveSeparator();
    m_first = false;
    emit ready(id, put(separator + conversationToJson(conversation)));
}

void TransferBackend::end(RequestId id) {
    StoreProblem problem = put(archiveTail());
    if (problem.ok() && !m_file->commit()) problem = notWritten(*m_file);
    abandon();
    emit written(id, problem);
}

void TransferBackend::abandon() { m_file.reset(); }

void TransferBackend::write(RequestId id, const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    const bool done = file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
    emit written(id, done ? StoreProblem() : notWritten(file));
}

void TransferBackend::read(RequestId id, const QString& path) {
    QFile file(path);
    const QString name = QDir::toNativeSeparators(path);
    const auto fail = [&](const QString& message) {
        emit fileRead(id, {}, {StoreProblemKind::Io, message, tr("Nothing was taken from this file.")});
    };
    // A pipe or a device would never end.
    if (QFileInfo(path).exists() && !QFileInfo(path).isFile()) return fail(tr("“%1” is no file.").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return fail(tr("“%1” could not be read: %2.").arg(name, file.errorString()));
    if (file.size() > kLargestArchive)
        return fail(tr("“%1” has %2; files of up to %3 are read. Export fewer conversations at once, or use a backup.")
                        .arg(name, QLocale().formattedDataSize(file.size()), QLocale().formattedDataSize(kLargestArchive)));
    const QByteArray bytes = file.readAll();
    if (file.error() != QFileDevice::NoError) return fail(tr("“%1” could not be read: %2.").arg(name, file.errorString()));
    QSet<QString> known;
    for (const ControlDescription& control : controlDescriptions()) known.insert(control.name);
    ArchiveReading reading;
    reading.nowUtc = QDateTime::currentDateTimeUtc();
    reading.cancelled = [this] { return cancelled.load(); };
    reading.controlProblem = [&known](const QString& control, const QVariant& value) {
        return known.contains(control) ? controlProblem(control, value) : QString();
    };
    const StoreResult<ConversationArchive> archive = readConversationJson(bytes, reading);
    emit fileRead(id, archive.value, archive.problem);
}

}  // namespace trefoil
