#include "ui/main_window/message_conversion.h"

namespace trefoil {

TranscriptMessage toTranscriptMessage(const MessageRecord& message, const QString& running, const QStringList& versions,
                                      bool canContinue) {
    TranscriptMessage out;
    out.versions = versions;
    out.canContinue = canContinue;
    out.id = message.id;
    out.role = message.role;
    out.content = message.content;
    out.thinking = message.thinking;
    out.hasThinking = message.hasThinking;
    out.thinkingClosed = message.thinkingClosed;
    out.reason = message.stopReason;
    out.error = message.error;
    out.stats = message.stats;
    out.streaming = message.inProgress && message.id == running;
    out.hasTrace = message.role == QLatin1String("assistant") &&
                   (out.streaming || !message.responseIds.isEmpty() || message.stats.responseTokens > 0);
    out.created = message.createdUtc;
    return out;
}

QList<ConversationItem> toConversationItems(const QList<ConversationSummary>& list, const QString& working) {
    QList<ConversationItem> items;
    items.reserve(list.size());
    for (const ConversationSummary& c : list) items.append({c.id, c.title, c.updatedUtc, c.id == working});
    return items;
}

}  // namespace trefoil
