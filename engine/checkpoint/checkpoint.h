// Checkpoint: a model folder on disk, opened and validated from headers alone (model-contract.md, section 1).
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/model_config.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

/// Element type of a stored tensor.
enum class DType : std::uint8_t { F32, F16, BF16 };

[[nodiscard]] constexpr std::size_t dtypeSize(DType t) { return t == DType::F32 ? 4 : 2; }
[[nodiscard]] std::string_view dtypeName(DType t);

/// Converts `source`, elements of type `type` as stored, to float32; exact for every value. `destination` holds one float for
/// each.
void toFloat32(DType type, std::span<const std::byte> source, std::span<float> destination);

enum class QuantisedFormat : std::uint8_t {
    None,
    Fp8Blocks,   ///< quant_method fp8: F8_E4M3, one scale for each block of 128 × 128
    Int4Groups,  ///< compressed-tensors, pack-quantized, 4 bits: one scale for each group of a row
};

/// Rows and columns that share one scale in Fp8Blocks.
inline constexpr std::int64_t kScaleBlock = 128;
/// 4-bit values in one stored word.
inline constexpr std::int64_t kNibblesPerWord = 8;

/// How many pieces of `size` hold `n`, the last one perhaps in part: blocks, groups, words.
[[nodiscard]] constexpr std::int64_t piecesFor(std::int64_t n, std::int64_t size) { return (n + size - 1) / size; }

/// How the rows of a quantised tensor are stored.
struct QuantisedForm {
    QuantisedFormat format = QuantisedFormat::Fp8Blocks;
    std::int64_t columns = 0;
    std::int64_t groupSize = 0;  ///< columns that share a scale of their row: the group, or kScaleBlock
    DType scaleType = DType::F32;
    bool hasZeroPoints = false;

    [[nodiscard]] std::int64_t groups() const { return piecesFor(columns, groupSize); }
    /// Bytes of a row's codes: a byte each, or eight in a word, the first in the lowest bits.
    [[nodiscard]] std::int64_t rowBytes() const {
        return format == QuantisedFormat::Fp8Blocks ? columns : piecesFor(columns, kNibblesPerWord) * 4;
    }
    friend bool operator==(const QuantisedForm&, const QuantisedForm&) = default;
};

/// Rows of a quantised tensor as they are stored, with the scales of each row beside it.
struct QuantisedRows {
    std::vector<std::byte> codes;          ///< [rows, rowBytes()]; 4 bits: stored plus 8
    std::vector<std::byte> scales;         ///< [rows, groups()] of scaleType
    std::vector<std::uint8_t> zeroPoints;  ///< [rows, groups()], stored plus 8; empty without zero points
};

/// One tensor of the catalogue, under its canonical name: prefix `model.`, experts fused ([E, 2·I, D] and [E, D, I]), whatever
/// the layout on disk. `conv1d.weight` is [C, K] and `conv_right_weight` [C, K-1] here. A fused view over per-expert tensors
/// of several types has dtype F32 and is converted while it is read. A quantised tensor has the type that its values are given
/// in: BF16 for FP8, the scales' type for 4 bits.
struct TensorInfo {
    std::string name;
    DType dtype = DType::BF16;
    std::vector<std::int64_t> shape;
    std::int64_t elements = 0;
    /// Set where all of it is quantised in one way: Checkpoint::readRows then gives its rows as they are stored.
    std::optional<QuantisedForm> quantised = std::nullopt;

    /// As it is read.
    [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(elements) * dtypeSize(dtype); }
};

/// Everything that `info` and the Model dialog show about a folder before it is loaded.
struct CheckpointSummary {
    std::string folder;
    std::int64_t parameters = 0;
    std::uint64_t weightBytes = 0;      ///< bytes of all catalogue tensors on disk
    std::vector<std::string> files;     ///< weight files, in order
    std::vector<std::string> notes;     ///< ignored tensors, stray files, assumed values
    std::vector<std::string> warnings;  ///< why answers are probably wrong, for people, a line each; filled by prepareModel
    std::string layout;                 ///< e.g. "single file, fused experts"
    std::string format;      ///< how weights are stored, e.g. "BF16", "FP8 in blocks of 128 × 128 (97% of the parameters)"
    bool quantised = false;  ///< some weights are stored in FP8 or 4 bits
};

/// An open, validated checkpoint. Immutable and safe to read from several threads; closes its files when destroyed.
/// The folder is never written to.
class Checkpoint {
public:
    /// Reads config.json, generation_config.json if present, the index or the single file, every header, and checks the whole
    /// catalogue: names, shapes, types, offsets, file sizes. Fails with one message that names the file, the tensors (first ten
    /// and a count), what was expected and what was found.
    static Result<Checkpoint> open(const std::filesystem::path& folder);

    Checkpoint(Checkpoint&&) noexcept;
    Checkpoint& operator=(Checkpoint&&) noexcept;
    ~Checkpoint();

    [[nodiscard]] const std::filesystem::path& folder() const;
    [[nodiscard]] const ModelConfig& config() const;
    /// Sets what only the tokenizer knows (section 1: a missing `mask_token_id` is looked up there).
    void setMaskTokenId(TokenId id);
    void setCompatibility(const Compatibility& c);
    /// Makes the context shorter than max_position_embeddings says; never longer.
    void limitContext(std::int64_t positions);
    /// generation_config.json's text; empty when there is none.
    [[nodiscard]] const std::string& generationConfigJson() const;
    [[nodiscard]] const CheckpointSummary& summary() const;

    /// The whole catalogue in model order (embedding, layers, norm, head).
    [[nodiscard]] const std::vector<TensorInfo>& tensors() const;
    /// nullptr when the catalogue has no such canonical name (e.g. `lm_head.weight` with tied embeddings).
    [[nodiscard]] const TensorInfo* find(std::string_view canonicalName) const;

    /// Reads elements [first, first + count) of a tensor in its own dtype, quantised values as what they stand for, into
    /// `destination`, which must hold exactly count · dtypeSize bytes. pread only: a file that shrinks meanwhile gives an Io
    /// error, never a crash.
    Status read(const TensorInfo& tensor, std::int64_t first, std::int64_t count, std::span<std::byte> destination) const;
    /// Rows [first, first + count) of a tensor whose `quantised` is set, as they are stored; the rows of [E, N, K] are E · N.
    /// Format error where a scale is not finite or leaves a weight beyond its type, and where a code is NaN.
    Status readRows(const TensorInfo& tensor, std::int64_t first, std::int64_t count, QuantisedRows& rows) const;

private:
    struct Impl;
    explicit Checkpoint(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Section 9's warning: a sentence when the weights of the zero-centred norms lie nearer 1 than 0 on average, which suggests that
/// this checkpoint stores them plain (Compatibility::zeroCentredNorms); empty otherwise. Reads the norms' weights, two rows of D
/// a layer. Io when they cannot be read.
Result<std::string> normWeightWarning(const Checkpoint& checkpoint);

}  // namespace trefoil
