// The bodies of the fuzz targets: each takes any bytes and must return. Used by libFuzzer's entry points and by the replay test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trefoil::fuzz {

/// A whole .safetensors file: length, header, data; the checked offsets are then read.
void safetensorsFile(std::span<const std::uint8_t> input);
/// config.json: what is accepted has dimensions that nothing can overflow.
void configJson(std::span<const std::uint8_t> input);
/// The quantization_config of a config.json: what is accepted has groups that can be counted, and says of any module in bounded
/// time whether it keeps its type.
void quantisationConfig(std::span<const std::uint8_t> input);
/// model.safetensors.index.json, and the end tokens of generation_config.json.
void indexJson(std::span<const std::uint8_t> input);
/// tokenizer.json: what is accepted encodes any text and gives it back, without control pieces.
void bytePairTokenizer(std::span<const std::uint8_t> input);
/// A chat template: judged within its limits, with a verdict that says what it is.
void chatTemplate(std::span<const std::uint8_t> input);
/// generation_config.json: what is accepted is in range, what is refused changes nothing.
void generationConfig(std::span<const std::uint8_t> input);
/// The traces of golden files.
void goldenTraces(std::span<const std::uint8_t> input);
/// The reader of tokenizer.model (not the library's own).
void sentencePieceModel(std::span<const std::uint8_t> input);
/// The body of a chat request: what is taken has controls in range and messages, what is refused says why.
void chatRequest(std::span<const std::uint8_t> input);

}  // namespace trefoil::fuzz
