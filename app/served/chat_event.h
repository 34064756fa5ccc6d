// ChatEvent: one JSON object of a served model's answer, in any of the shapes that such servers give it. Pure.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QString>

#include <optional>

namespace trefoil {

/// Tokens and times as the server counted them; -1: not said.
struct ServedUsage {
    qint64 promptTokens = -1;
    qint64 cachedTokens = -1;  ///< of the prompt, not computed anew
    qint64 answerTokens = -1;  ///< with the thinking
    qint64 thinkingTokens = -1;
    double promptMs = -1.0;
    double answerMs = -1.0;
    bool operator==(const ServedUsage&) const = default;
};

/// What a server says went wrong.
struct ServerComplaint {
    QString message;  ///< as the server put it, shortened to a readable length, in one line; may be empty
    QString type;     ///< the server's own name of the fault; may be empty
    int code = 0;     ///< an HTTP status; 0: none
};

struct ChatEvent {
    QString content;
    QString thinking;
    QString finishReason;              ///< empty: the answer goes on
    QJsonObject pass;                  ///< of a server of kind Trefoil: what one pass did (readPassEvent); empty: none
    QJsonObject trace;                 ///< of such a server: what its passes need (readTraceEvent); empty: none
    QJsonObject stats;                 ///< of such a server, with the end: what the answer cost (readStatsEvent); empty: none
    QList<qint32> tokens;              ///< of such a server: ids that joined the response
    std::optional<ServedUsage> usage;  ///< with what earlier events said kept by the caller
    std::optional<ServerComplaint> complaint;
};

/// Reads the data of one event, or a whole answer that was not streamed ("message" in place of "delta"). Unknown members are
/// ignored; nullopt where the data is no JSON object.
std::optional<ChatEvent> readChatEvent(const QByteArray& data);

/// The complaint in an error's body: {"error": {…}}, {"error": "…"}, {"object": "error", …}, {"detail": …}; nullopt: there is
/// none.
std::optional<ServerComplaint> readComplaint(const QByteArray& data);

/// `later` over `earlier`: what it says counts.
ServedUsage mergedUsage(const ServedUsage& earlier, const ServedUsage& later);

}  // namespace trefoil
