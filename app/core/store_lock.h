// Who has a history open: one byte of a lock file per running program, held by the kernel and given back when it ends, however it
// ends. So an unfinished answer is known to be interrupted exactly when its writer is gone, also with several programs running.
#pragma once

#include <QString>

namespace trefoil {

class StoreLock {
public:
    StoreLock();
    ~StoreLock();
    StoreLock(const StoreLock&) = delete;
    StoreLock& operator=(const StoreLock&) = delete;

    /// Takes a byte of "<database>-lock". False when the file cannot be made or the file system has no locks: then nobody else is
    /// seen, and writer() is still unique.
    bool open(const QString& databasePath);
    void close();

    /// This program's number, positive; goes into the rows that it is writing.
    [[nodiscard]] qint64 writer() const { return m_writer; }
    [[nodiscard]] bool isAlive(qint64 writer) const;
    [[nodiscard]] bool othersAlive() const;

    /// Serialises opening and migrating between programs. False when another one still opens after the wait.
    bool beginOpening(int timeoutMs);
    void endOpening();

private:
    [[nodiscard]] bool lockedByOthers(qint64 start, qint64 length) const;

    int m_file = -1;
    qint64 m_writer = 0;
};

}  // namespace trefoil
