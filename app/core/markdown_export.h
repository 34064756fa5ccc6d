// A conversation as a Markdown document: roles as headings, questions verbatim, answers as the Markdown that they are.
#pragma once

#include "app/core/store_types.h"

#include <QList>
#include <QString>

namespace trefoil {

struct MarkdownExportOptions {
    bool systemPrompt = true;
    bool thinking = false;  ///< as a quotation before its answer
};

/// Depends on the conversation only: no time of export, no locale.
QString conversationToMarkdown(const ConversationRecord& conversation, const QList<MessageRecord>& messages,
                               const MarkdownExportOptions& options = {});

}  // namespace trefoil
