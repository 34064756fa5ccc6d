// Values of the conversation store: what is kept of a conversation and of a message, and how a failure is told.
#pragma once

#include "app/core/generation_types.h"

#include <QDateTime>
#include <QList>
#include <QMetaType>
#include <QString>

namespace trefoil {

enum class StoreProblemKind : quint8 {
    None,
    NewerVersion,  ///< written by a newer Trefoil; left as it is
    Damaged,       ///< no database, another program's, cut off, or failing its check
    WalMismatch,   ///< the file and its -wal log do not belong together
    Locked,        ///< another program holds the write lock; will pass
    ReadOnly,      ///< file or folder cannot be written
    DiskFull,
    Io,
    NotFound,  ///< the conversation or message is not there
    Invalid,   ///< a value that the store cannot take
    Closed,    ///< no store is open
};

/// Success, or what went wrong: one line each for what was found and for what to do.
struct StoreProblem {
    StoreProblemKind kind = StoreProblemKind::None;
    QString message;
    QString hint;

    [[nodiscard]] bool ok() const { return kind == StoreProblemKind::None; }
    /// The same write can succeed later without a change of it.
    [[nodiscard]] bool retryable() const;
    /// "message hint" on one line.
    [[nodiscard]] QString text() const { return hint.isEmpty() ? message : message + QLatin1Char(' ') + hint; }
    bool operator==(const StoreProblem&) const = default;
};

template <class T>
struct StoreResult {
    T value{};
    StoreProblem problem;
    [[nodiscard]] bool ok() const { return problem.ok(); }
};

/// A row of the conversation list.
struct ConversationSummary {
    QString id;
    QString title;  ///< empty until the first question or a rename
    QDateTime createdUtc;
    QDateTime updatedUtc;  ///< of the last message
    bool operator==(const ConversationSummary&) const = default;
};

struct ConversationRecord {
    QString id;
    QString title;
    bool titleIsManual = false;  ///< renamed by the person: the first question does not replace it
    QDateTime createdUtc;
    QDateTime updatedUtc;
    QString systemPrompt;
    ControlValues controls;
    QString modelFolder;
    QString draft;   ///< what stands in the composer
    QString edited;  ///< id of a question whose next version was begun; empty: none
    QString edit;    ///< that version, as far as it is written
    QString engine;  ///< EngineIdentity::id of what answers it; empty: the embedded engine
    bool operator==(const ConversationRecord&) const = default;
};

struct MessageRecord {
    QString id;
    QString conversationId;
    QString parentId;  ///< empty: the first one. Several messages with one parent are versions of each other.
    QString role;      ///< "user" or "assistant"
    QString content;
    QString thinking;
    bool hasThinking = false;
    bool thinkingClosed = true;  ///< false: the answer was cut inside its thinking
    QList<qint32> responseIds;
    EndReason stopReason = EndReason::None;  ///< None for a question, and for an answer that is being written
    bool inProgress = false;                 ///< being written, by this or another running Trefoil
    QString error;
    GenerationStats stats;
    QDateTime createdUtc;
    QString model;           ///< folder name of the model that answered
    ControlValues settings;  ///< the controls of that request
    bool operator==(const MessageRecord&) const = default;
};

/// The answer after a further block. `trace` holds only the passes since the last update.
struct AnswerUpdate {
    QString messageId;
    QString content;
    QString thinking;
    bool hasThinking = false;
    bool thinkingClosed = true;
    QList<qint32> responseIds;
    GenerationStats stats;
    TraceView trace;
    bool operator==(const AnswerUpdate&) const = default;
};

/// How opening went. Without `problem` the store is open; `notice` is then something to show all the same (another program holds
/// the write lock, the disk is full: reading works, writes wait).
struct OpenReport {
    QString path;  ///< the file in use, or the one that could not be opened; empty for a temporary history
    bool temporary = false;
    bool created = false;
    StoreProblem problem;
    StoreProblem notice;
    int migratedFrom = 0;      ///< 0: no migration
    QString backupPath;        ///< the copy from before a migration
    int interrupted = 0;       ///< answers of an ended process that were marked as interrupted
    bool canOpenFresh = true;  ///< a new file beside this one may help (not when the folder itself cannot be written)
    [[nodiscard]] bool ok() const { return problem.ok(); }
};

/// How restoring a backup went.
struct RestoreReport {
    StoreProblem problem;
    QString aside;      ///< where the history that was open before is kept
    OpenReport opened;  ///< of the history that is open now
    [[nodiscard]] bool ok() const { return problem.ok(); }
};

/// What one answer took, for statistics.
struct AnswerFigures {
    QString model;
    QDateTime createdUtc;
    QString decoding;  ///< the control's value; empty: not kept
    EndReason stopReason = EndReason::None;
    GenerationStats stats;
    bool operator==(const AnswerFigures&) const = default;
};

/// Result of StoreWorker::flushAndClose.
struct FlushReport {
    bool allStored = false;
    int waiting = 0;       ///< writes that are not stored
    StoreProblem problem;  ///< why not
};

/// A random id for a new conversation or message, unique without asking the store.
QString newRecordId();
/// First line of the question, trimmed, at most 60 characters as a person counts them.
QString titleFromQuestion(const QString& question);

/// Stable names, also for exports: "none", "end", "length", "cancelled", "refused", "failed", "interrupted".
QString endReasonName(EndReason reason);
/// None for an unknown name.
EndReason endReasonFromName(const QString& name);

/// JSON with exact numbers, independent of the locale; keys sorted.
QByteArray controlsToJson(const ControlValues& controls, bool indented = false);
/// Entries that are no number, text or boolean are left out. False when `json` is no object.
bool controlsFromJson(const QByteArray& json, ControlValues* controls);
QByteArray statsToJson(const GenerationStats& stats);
/// Missing or mistyped entries are 0.
GenerationStats statsFromJson(const QByteArray& json);

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::StoreProblem)
Q_DECLARE_METATYPE(trefoil::ConversationSummary)
Q_DECLARE_METATYPE(trefoil::ConversationRecord)
Q_DECLARE_METATYPE(trefoil::MessageRecord)
Q_DECLARE_METATYPE(trefoil::OpenReport)
Q_DECLARE_METATYPE(trefoil::RestoreReport)
