// Cuts long blocks into pieces that can each be laid out within a few milliseconds, so that no text, however long, holds up the
// window. Cutting is greedy from the start: pieces before the last one stay the same while a text grows.
#pragma once

#include "ui/chat/markdown_parser.h"

#include <QString>

#include <vector>

namespace trefoil {

/// Every block of the result is small, or is a part of a longer one (continuesPrevious, goesOn).
[[nodiscard]] std::vector<MarkdownBlock> cutIntoPieces(std::vector<MarkdownBlock> blocks);

/// A text without any markup as Plain pieces.
[[nodiscard]] std::vector<MarkdownBlock> plainPieces(const QString& text);

}  // namespace trefoil
