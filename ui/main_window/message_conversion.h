// The history's values as the widgets show them.
#pragma once

#include "app/core/store_types.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/transcript_view.h"

#include <QList>
#include <QString>

namespace trefoil {

/// `running`: the id of the answer that this window's engine is writing; others in progress belong to another Trefoil.
/// `versions`: see TranscriptMessage.
[[nodiscard]] TranscriptMessage toTranscriptMessage(const MessageRecord& message, const QString& running,
                                                    const QStringList& versions, bool canContinue);
[[nodiscard]] QList<ConversationItem> toConversationItems(const QList<ConversationSummary>& list, const QString& working);

}  // namespace trefoil
