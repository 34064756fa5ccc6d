#include "app/core/store_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <QFile>
#include <QRandomGenerator>
#include <QThread>

#include <cerrno>

namespace trefoil {

namespace {

constexpr qint64 kOpeningByte = 0;
constexpr unsigned long kPollMs = 10;

qint64 drawWriter() { return qint64{QRandomGenerator::system()->bounded(1, 2'000'000'000)}; }

// Open-file-description locks: they belong to the descriptor, so two stores in one process see each other, and closing another
// descriptor of the same file does not drop them (both are traps of the older POSIX locks).
bool setLock(int file, short type, qint64 start) {
    struct flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = start;
    range.l_len = 1;
    int result = 0;
    do {
        result = ::fcntl(file, F_OFD_SETLK, &range);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

}  // namespace

StoreLock::StoreLock() : m_writer(drawWriter()) {}

StoreLock::~StoreLock() { close(); }

bool StoreLock::open(const QString& databasePath) {
    close();
    m_writer = drawWriter();
    const QByteArray path = QFile::encodeName(databasePath + QStringLiteral("-lock"));
    m_file = ::open(path.constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (m_file < 0) return false;
    for (int attempt = 0; attempt < 8; ++attempt) {
        if (setLock(m_file, F_WRLCK, m_writer)) return true;
        if (errno != EAGAIN && errno != EACCES) break;
        m_writer = drawWriter();
    }
    ::close(m_file);
    m_file = -1;
    return false;
}

void StoreLock::close() {
    if (m_file >= 0) ::close(m_file);
    m_file = -1;
}

bool StoreLock::isAlive(qint64 writer) const {
    if (writer <= 0) return false;
    return writer == m_writer || lockedByOthers(writer, 1);
}

bool StoreLock::othersAlive() const { return lockedByOthers(1, 0); }

bool StoreLock::beginOpening(int timeoutMs) {
    if (m_file < 0) return true;
    for (int waited = 0;; waited += int{kPollMs}) {
        if (setLock(m_file, F_WRLCK, kOpeningByte)) return true;
        if (waited >= timeoutMs) return false;
        QThread::msleep(kPollMs);
    }
}

void StoreLock::endOpening() {
    if (m_file >= 0) setLock(m_file, F_UNLCK, kOpeningByte);
}

bool StoreLock::lockedByOthers(qint64 start, qint64 length) const {
    if (m_file < 0) return false;
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = start;
    range.l_len = length;
    return ::fcntl(m_file, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

}  // namespace trefoil
