// ServerProbe: the test button. Says step by step what works and, at the first that does not, exactly what failed.
#pragma once

#include "app/core/generation_types.h"
#include "app/served/chat_stream.h"
#include "app/served/served_error.h"
#include "app/served/server_profile.h"

#include <QMetaType>
#include <QObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>

class QSslCertificate;

namespace trefoil {

enum class ProbeStep : std::uint8_t { Address, Name, Connection, Tls, Key, Models, Streaming };
enum class ProbeOutcome : std::uint8_t {
    Passed,
    Noted,    ///< works, with something to know
    Failed,   ///< the steps behind it were not tried
    Skipped,  ///< does not apply, or was not tried
};

/// All steps, in order.
QList<ProbeStep> probeSteps();
QString probeStepTitle(ProbeStep step);

struct ProbeReport {
    ProbeStep step = ProbeStep::Address;
    ProbeOutcome outcome = ProbeOutcome::Skipped;
    QString text;  ///< a sentence: what was found, or why it failed and what to do
};

/// How far a probe goes.
enum class ProbeDepth : std::uint8_t {
    Models,     ///< up to the list of models
    Streaming,  ///< all steps
};

struct ProbeResult {
    QList<ProbeReport> steps;            ///< all of probeSteps()
    QStringList models;                  ///< in the server's order
    QString model;                       ///< that the streaming was tried with: the profile's, or the only one of the list
    ServerKind kind = ServerKind::Auto;  ///< recognised; Auto: an OpenAI-style server of another make
    qint64 context = -1;                 ///< tokens, where the server says; -1: it does not
    // Of `model`, where the server is of kind Trefoil.
    QString device;  ///< what it runs on, for people
    qint32 maskId = -1;
    bool thinks = true;      ///< it has a think phase; true too where the server does not say
    ControlValues defaults;  ///< what absent controls mean
    ServedError error;       ///< of the step that failed
    [[nodiscard]] bool ok() const { return error.ok(); }
};

class ServerProbe : public QObject {
    Q_OBJECT
public:
    explicit ServerProbe(QObject* parent = nullptr);
    ~ServerProbe() override;

    /// Starts over; a probe that runs is cancelled. Asks for one token of `profile.model` at the end, so costs next to nothing.
    void start(const ServerProfile& profile, const QString& key, const StreamLimits& limits = {},
               ProbeDepth depth = ProbeDepth::Streaming);
    /// No signal comes any more.
    void cancel();
    [[nodiscard]] bool running() const;
    /// As in ChatStream.
    void addTrustedCertificate(const QSslCertificate& certificate);

signals:
    void stepDone(const trefoil::ProbeReport& report);
    /// Once per start().
    void finished(const trefoil::ProbeResult& result);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::ProbeReport)
Q_DECLARE_METATYPE(trefoil::ProbeResult)
