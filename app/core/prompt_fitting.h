// Which turns of a conversation a prompt does without when the whole of it has no room.
#pragma once

#include "app/core/generation_types.h"

#include <QList>

#include <functional>

namespace trefoil {

struct FittedPrompt {
    QList<PromptMessage> messages;  ///< what is left, in order
    int dropped = 0;                ///< messages that were left out
    bool fits = true;               ///< false: not even the system prompt and the last message alone do
};

/// Leaves out the oldest turns until `fits` says so: a question with the answers to it each time, never a system prompt that
/// begins the conversation, never the last message. `fits` is asked once for each state.
FittedPrompt withoutOldest(const QList<PromptMessage>& messages, const std::function<bool(const QList<PromptMessage>&)>& fits);

}  // namespace trefoil
