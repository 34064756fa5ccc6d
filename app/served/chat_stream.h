// ChatStream: one request for an answer to a served model, streamed. Values in, signals out; lives on the caller's thread.
#pragma once

#include "app/served/chat_event.h"
#include "app/served/pass_event.h"
#include "app/served/served_error.h"
#include "app/served/served_text.h"
#include "app/served/server_profile.h"

#include <QByteArray>
#include <QJsonObject>
#include <QMetaType>
#include <QObject>
#include <QString>

#include <memory>
#include <optional>

class QSslCertificate;

namespace trefoil {

/// Limits of a stream. The defaults are the product's; tests shorten them.
struct StreamLimits {
    int connectMs = 15'000;     ///< until the request is on its way
    int firstByteMs = 600'000;  ///< then until the first word or pass: a long prompt on a busy server
    int silenceMs = 120'000;  ///< between two arrivals after it; also how a connection that died while the machine slept is found
    int lingerMs = 5'000;     ///< the same, once the server has said why the answer ends
    qint64 maxBytes = 256LL << 20;  ///< of one answer
    int atOnceWaitMs = 3'000;       ///< an answer that took longer than this and came in one piece was held back on the way
};

struct ServedCall {
    ServerProfile server;
    QString key;                        ///< empty: none. Sent only where endpoint_rules.h allows; kept in no message and no log
    QByteArray body;                    ///< of servedRequestBody
    bool thinkingAsked = true;          ///< ServedBody::thinkingAsked
    bool beginsInsideThinking = false;  ///< ServedText::beganInsideThinking of an earlier answer of this server
    StreamLimits limits = {};
};

struct ServedEnd {
    QString finishReason;  ///< "stop", "length", or what the server calls it; empty: it said none
    ServedUsage usage;
    std::optional<GenerationStats> stats;  ///< kind Trefoil: as its engine counted
    bool cameAtOnce = false;           ///< the pieces were held back on the way (a proxy that buffers): the answer came in one go
    bool notStreamed = false;          ///< the server answered with one JSON object though a stream was asked for
    bool beganInsideThinking = false;  ///< ServedText::beganInsideThinking
    QString note;                      ///< a sentence about the two above; empty: nothing to say
};

/// May be cancelled from a slot of its signals; to be deleted there it wants deleteLater.
/// Gives exactly one of finished and failed, or after cancel() none. What arrived before a failure stays in text().
/// Redirects are not followed, certificates that are not valid are refused, cookies are not kept.
class ChatStream : public QObject {
    Q_OBJECT
public:
    explicit ChatStream(QObject* parent = nullptr);
    /// Cancels.
    ~ChatStream() override;

    /// Once in an object's life. Nothing is emitted before the caller's event loop runs.
    void start(const ServedCall& call);
    /// Ends the connection at once; no signal comes any more.
    void cancel();
    [[nodiscard]] bool running() const;

    /// The answer so far.
    [[nodiscard]] const ServedText& text() const;
    [[nodiscard]] ServedUsage usage() const;
    /// Pieces of text that arrived; a server that reports no usage gives about a token in each.
    [[nodiscard]] qint64 pieces() const;
    /// Certificates that are trusted besides the system's, for streams that start from now on: for tests and for a server's own
    /// certificate authority.
    void addTrustedCertificate(const QSslCertificate& certificate);

signals:
    /// The server has accepted the request: the first bytes of a good answer are there.
    void started();
    void contentArrived(const QString& piece);
    void thinkingArrived(const QString& piece);
    /// What contentArrived gave until now was thinking; contentArrived begins anew.
    void contentWasThinking();
    /// What the passes need to be drawn (kind Trefoil), before them.
    void traceArrived(const trefoil::ServedTrace& trace);
    /// Ids that joined the response (kind Trefoil), before the text that they give.
    void tokensArrived(const QList<qint32>& tokens);
    /// An event about a pass (kind Trefoil): the object as the server sent it, for readPassEvent.
    void passArrived(const QJsonObject& pass);
    void usageArrived(const trefoil::ServedUsage& usage);
    void finished(const trefoil::ServedEnd& end);
    void failed(const trefoil::ServedError& error);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::ServedUsage)
Q_DECLARE_METATYPE(trefoil::ServedEnd)
