// What every writer of safetensors shards needs: the header's frame, and pieces written by several threads. Private to the
// engine.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace trefoil {

/// A file's beginning: the length in eight bytes, the JSON, and blanks up to a multiple of eight.
[[nodiscard]] std::string safetensorsHeader(std::string json);

/// Writes piece number i; gives the bytes written.
using PieceWork = std::function<Result<std::uint64_t>(std::size_t i)>;

struct PieceRun {
    std::size_t pieces = 0;
    int threads = 0;                                                    ///< 0: all cores
    std::uint64_t before = 0;                                           ///< bytes that were done already, for the progress
    std::uint64_t total = 0;                                            ///< bytes in all
    const std::function<void(std::uint64_t, std::uint64_t)>& progress;  ///< called from the calling thread; may be empty
    const CancelFlag* cancel = nullptr;
};

/// Does every piece once, with several threads; each asks `makeWork` for a worker of its own, from its own thread. Gives the
/// bytes written. The first error ends the run; Cancelled when the flag did; OutOfMemory where a worker threw bad_alloc.
Result<std::uint64_t> runPieces(const PieceRun& run, const std::function<PieceWork()>& makeWork);

}  // namespace trefoil
