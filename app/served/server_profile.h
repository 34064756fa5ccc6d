// ServerProfile: a served model as the person set it up. The key is not part of it: see key_store.h.
#pragma once

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QUrl>

#include <cstdint>

namespace trefoil {

/// What answers at an address. Auto: not known yet, only what every OpenAI-style server takes is sent; ServerProbe finds out.
enum class ServerKind : std::uint8_t { Auto, SGLang, Vllm, LlamaCpp, Trefoil };

/// All kinds, Auto first.
QList<ServerKind> serverKinds();
/// The kind's name as stored: "auto", "sglang", "vllm", "llama.cpp", "trefoil".
QString serverKindName(ServerKind kind);
/// The kind of a stored name; Auto for any other text.
ServerKind serverKindFromName(const QString& name);
/// The kind as shown to the person.
QString serverKindTitle(ServerKind kind);

struct ServerProfile {
    QString id;    ///< names the profile in the history and in the key store; made once (newProfileId), never shown
    QString name;  ///< as shown; empty: the address is
    QUrl address;  ///< as readServerAddress gives it: without "/v1" at its end
    ServerKind kind = ServerKind::Auto;
    QString model;        ///< as in the server's list of models
    bool hasKey = false;  ///< a key was given; the key store has it under `id`
    bool operator==(const ServerProfile&) const = default;

    /// What the window calls it.
    [[nodiscard]] QString title() const;
};

QString newProfileId();

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::ServerProfile)
