#include "app/served/server_profile.h"

#include "app/served/endpoint_rules.h"

#include <QCoreApplication>
#include <QUuid>

#include <algorithm>

namespace trefoil {

QList<ServerKind> serverKinds() {
    return {ServerKind::Auto, ServerKind::SGLang, ServerKind::Vllm, ServerKind::LlamaCpp, ServerKind::Trefoil};
}

QString serverKindName(ServerKind kind) {
    switch (kind) {
        case ServerKind::Auto:
            return QStringLiteral("auto");
        case ServerKind::SGLang:
            return QStringLiteral("sglang");
        case ServerKind::Vllm:
            return QStringLiteral("vllm");
        case ServerKind::LlamaCpp:
            return QStringLiteral("llama.cpp");
        case ServerKind::Trefoil:
            return QStringLiteral("trefoil");
    }
    return {};
}

ServerKind serverKindFromName(const QString& name) {
    const QList<ServerKind> kinds = serverKinds();
    const auto found = std::find_if(kinds.cbegin(), kinds.cend(), [&name](ServerKind k) { return serverKindName(k) == name; });
    return found == kinds.cend() ? ServerKind::Auto : *found;
}

QString serverKindTitle(ServerKind kind) {
    switch (kind) {
        case ServerKind::Auto:
            return QCoreApplication::translate("ServerProfile", "OpenAI-style server");
        case ServerKind::SGLang:
            return QStringLiteral("SGLang");
        case ServerKind::Vllm:
            return QStringLiteral("vLLM");
        case ServerKind::LlamaCpp:
            return QStringLiteral("llama.cpp");
        case ServerKind::Trefoil:
            return QStringLiteral("Trefoil");
    }
    return {};
}

QString ServerProfile::title() const { return name.isEmpty() ? shownAddress(address) : name; }

QString newProfileId() { return QUuid::createUuid().toString(QUuid::WithoutBraces); }

}  // namespace trefoil
