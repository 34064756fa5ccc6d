// Makes quantised checkpoints from ones in BF16, F16 or F32, in the conventions that Quantisation reads (model-contract.md,
// section 1).
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/importance.h"
#include "engine/checkpoint/quantisation.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace trefoil {

struct QuantiseOptions {
    QuantisedFormat format = QuantisedFormat::Fp8Blocks;
    std::int64_t groupSize = 32;    ///< Int4Groups: 32 or 128
    std::vector<std::string> keep;  ///< NamePatterns of modules that keep their type
    /// Int4Groups: weighs the squares that the scales are chosen by; null: all weights count alike. Not owned.
    const Importance* importance = nullptr;
    bool quantiseHead = false;  ///< lm_head as well
    int threads = 0;            ///< 0: all cores
    std::uint64_t shardBytes = std::uint64_t{4} << 30;
    std::function<void(std::uint64_t, std::uint64_t)> progress;  ///< bytes written, bytes in all; from the calling thread
    const CancelFlag* cancel = nullptr;
};

struct QuantiseReport {
    std::uint64_t bytes = 0;     ///< of all shards
    std::int64_t quantised = 0;  ///< parameters
    std::int64_t parameters = 0;
    std::uint64_t shards = 0;
    std::uint64_t shardsFound = 0;   ///< whole ones of an earlier run, which were used
    std::vector<std::string> notes;  ///< what could not be quantised, and why
};

/// Reads the checkpoint in `model` piece by piece and writes another into `out`: shards, index, the other small files, and at
/// last config.json, so that a folder that has one is complete. Experts are written one by one. Embedding, head, router, norms,
/// convolutions, the small projections and vectors of the GDN layers and all block tensors keep their type, and so do matrices
/// whose rows the group size does not divide. Memory: a few MB for each thread.
/// `out` is made; a run that was stopped goes on where its last whole shard ends, given the same model and options. Refused: a
/// quantised model, a folder that holds anything else, one that is complete, and too little room on the disk.
Result<QuantiseReport> quantiseCheckpoint(const std::filesystem::path& model, const std::filesystem::path& out,
                                          const QuantiseOptions& options);

/// The catalogue that quantiseCheckpoint would leave of `tensors` (canonical names, whatever they are now), for plans:
/// `quantised` is set where it would be, and nowhere else. Of `options` only format, groupSize and quantiseHead count.
[[nodiscard]] std::vector<TensorInfo> catalogueAfterQuantising(std::span<const TensorInfo> tensors,
                                                               const QuantiseOptions& options);
/// Whether the groups divide the rows of every matrix that would be quantised; blocks of FP8 always do.
[[nodiscard]] bool formDividesRows(std::span<const TensorInfo> tensors, const QuantiseOptions& options);

/// The scale, exactly a BF16 value, for which 4-bit values -8…7 come nearest to `weights` in the sum of squares, among those
/// tried; 1 for zeros only. `weights` are finite. With `importance`, as many values, each square counts that many times, and the
/// sum is never larger than with the scale chosen without.
[[nodiscard]] float int4Scale(std::span<const float> weights, std::span<const float> importance = {});

}  // namespace trefoil
