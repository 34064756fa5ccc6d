// ServedEngine: a served model as a ChatEngine. Asks over ChatStream; nothing is sent before generateAsync.
#pragma once

#include "app/core/chat_engine.h"
#include "app/served/chat_stream.h"
#include "app/served/key_store.h"
#include "app/served/server_profile.h"

#include <QHash>
#include <QSslCertificate>

#include <memory>

namespace trefoil {

/// A served model as it was set up and found.
struct ServerEntry {
    ServerProfile profile;
    qint64 context = 0;  ///< positions for prompt and answer, as the server said when it was tested; 0: not known
    bool operator==(const ServerEntry&) const = default;
};

class ServedEngine : public ChatEngine {
    Q_OBJECT
public:
    /// `keys` is not owned and outlives this object.
    ServedEngine(const ServerEntry& entry, KeyStore* keys, QObject* parent = nullptr);
    ~ServedEngine() override;

    /// The same server with other data; what runs goes on with the old ones. Emits changed().
    void setEntry(const ServerEntry& entry);
    [[nodiscard]] const ServerEntry& entry() const { return m_entry; }
    /// Of answers from now on; tests shorten them.
    void setLimits(const StreamLimits& limits) { m_limits = limits; }
    /// As in ChatStream.
    void addTrustedCertificate(const QSslCertificate& certificate) { m_certificates.append(certificate); }

    [[nodiscard]] EngineIdentity identity() const override;
    [[nodiscard]] EngineCapabilities capabilities() const override;
    [[nodiscard]] std::optional<ModelSummary> model() const override;
    [[nodiscard]] QString notReady() const override;
    /// The key is read from the key store first. What arrived before a failure stays in the outcome.
    RequestId generateAsync(const GenerateRequest& request) override;
    void cancel(RequestId id) override;
    [[nodiscard]] bool generating() const override { return !m_runs.isEmpty(); }
    /// An estimate: no text leaves this program for it.
    RequestId previewPromptAsync(const QList<PromptMessage>& messages, bool thinking) override;
    RequestId fitPromptAsync(const QList<PromptMessage>& messages, const ControlValues& controls) override;

private:
    class Run;
    [[nodiscard]] qint64 estimatedTokens(const QList<PromptMessage>& messages) const;
    /// The server said it with an answer; what was known before stays.
    void learnContext(qint64 context);
    void begin(RequestId id, const QString& key);
    void end(RequestId id, const GenerationOutcome& outcome);

    ServerEntry m_entry;
    KeyStore* m_keys;
    StreamLimits m_limits;
    QList<QSslCertificate> m_certificates;
    QHash<RequestId, std::shared_ptr<Run>> m_runs;
    RequestId m_lastId = 0;
    RequestId m_newestPreview = 0;
    double m_tokensPerByte;               ///< of prompts, as this server counted the last one
    bool m_beginsInsideThinking = false;  ///< see ServedCall
};

}  // namespace trefoil
