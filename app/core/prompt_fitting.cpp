#include "app/core/prompt_fitting.h"

namespace trefoil {

FittedPrompt withoutOldest(const QList<PromptMessage>& messages, const std::function<bool(const QList<PromptMessage>&)>& fits) {
    FittedPrompt out{messages};
    QList<PromptMessage>& kept = out.messages;
    const qsizetype first = !kept.isEmpty() && kept.constFirst().role == QLatin1String("system") ? 1 : 0;
    for (out.fits = fits(kept); !out.fits && kept.size() > first + 1; out.fits = fits(kept)) {
        kept.removeAt(first);
        // An answer without its question would begin the conversation: it goes too.
        while (kept.size() > first + 1 && kept.at(first).role == QLatin1String("assistant")) kept.removeAt(first);
    }
    out.dropped = static_cast<int>(messages.size() - kept.size());
    return out;
}

}  // namespace trefoil
