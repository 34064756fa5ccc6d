#include "app/served/served_capabilities.h"

#include "app/core/generation_types.h"

#include <QCoreApplication>
#include <QSet>

namespace trefoil {
namespace {

/// lupdate takes the context from here, not through another name.
struct Text {
    Q_DECLARE_TR_FUNCTIONS(ServedCapabilities)
};

/// Every OpenAI-style server takes these, under these or their own names.
bool isCommon(const QString& control) {
    static const QSet<QString> common{QStringLiteral("max_new_tokens"),
                                      QStringLiteral("enable_thinking"),
                                      QStringLiteral("do_sample"),
                                      QStringLiteral("temperature"),
                                      QStringLiteral("top_p"),
                                      QStringLiteral("seed"),
                                      QStringLiteral("presence_penalty"),
                                      QStringLiteral("frequency_penalty")};
    return common.contains(control);
}

/// Beyond OpenAI's API, taken by the servers of language models that are known here.
bool isExtension(const QString& control) {
    return control == QLatin1String("top_k") || control == QLatin1String("repetition_penalty");
}

bool isKnown(const QString& control) {
    static const QSet<QString> known = [] {
        QSet<QString> names;
        for (const ControlDescription& description : controlDescriptions()) names.insert(description.name);
        return names;
    }();
    return known.contains(control);
}

}  // namespace

ServedCapabilities servedCapabilities(ServerKind kind) {
    ServedCapabilities out;
    out.confidences = kind == ServerKind::Trefoil;
    out.continuesThinking = kind == ServerKind::Trefoil;
    // Another make may take the beginning of an answer for a turn that is over, and answer to it.
    out.continuesAnswers = kind != ServerKind::Auto;
    return out;
}

QString servedControlRefusal(ServerKind kind, const QString& control) {
    if (!isKnown(control)) return Text::tr("There is no control of this name.");
    if (kind == ServerKind::Trefoil || isCommon(control)) return {};
    if (isExtension(control)) {
        if (kind != ServerKind::Auto) return {};
        return Text::tr("Not every OpenAI-style server takes this. Test the connection, or choose what kind of server it is.");
    }
    if (kind == ServerKind::SGLang)
        return Text::tr("SGLang fixes this when the server is started; it cannot be changed for one answer.");
    if (kind == ServerKind::Auto) return Text::tr("An OpenAI-style server has no such control.");
    return Text::tr("%1 writes one token at a time and has no such control.").arg(serverKindTitle(kind));
}

QStringList servedControls(ServerKind kind) {
    QStringList out;
    for (const ControlDescription& d : controlDescriptions())
        if (servedControlRefusal(kind, d.name).isEmpty()) out.append(d.name);
    return out;
}

}  // namespace trefoil
