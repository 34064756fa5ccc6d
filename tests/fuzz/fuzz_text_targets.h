// The bodies of the fuzz targets for what the window stores, shows and receives; as fuzz_targets.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trefoil::fuzz {

/// A stored piece of a trace: the input as it is, and as the content of a well-packed piece.
void traceBlob(std::span<const std::uint8_t> input);
/// An answer's Markdown, whole and while it grows.
void markdownText(std::span<const std::uint8_t> input);
/// A file of conversations that is imported.
void conversationFile(std::span<const std::uint8_t> input);
/// A served model's event stream, whole and in pieces, and its text as pieces of an answer.
void eventStream(std::span<const std::uint8_t> input);

}  // namespace trefoil::fuzz
