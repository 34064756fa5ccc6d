// Comparison of an Executor with golden files: tensors of single passes and whole decoding runs (model-contract.md, section 10).
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/decode/block_decoder.h"
#include "engine/decode/trace.h"
#include "engine/runtime/executor.h"

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace trefoil {

/// One line of the report.
struct VerifyRow {
    std::string name;    ///< "causal.layer.3" or "case 7"
    std::string result;  ///< "1.2e-06" (relative error) or what was compared; of a failure the first difference
    bool ok = false;
    bool skipped = false;  ///< not compared at this precision; says why in `result`
    double error = 0.0;    ///< relative error of a tensor; infinite where sizes differ. 0 of anything else
};

struct VerifyReport {
    std::vector<VerifyRow> rows;
    double worstError = 0.0;  ///< largest relative error of a compared tensor
    [[nodiscard]] bool ok() const;
    [[nodiscard]] std::size_t failed() const;
    /// One sentence on the first row that failed, in the order in which the model computes: which layer of which pass, by how
    /// much, and what still agreed. Empty when all is well.
    std::string firstDifference;
};

struct VerifyOptions {
    /// Called after each row, for progress; may be empty.
    std::function<void(const VerifyRow&)> onRow;
    const CancelFlag* cancel = nullptr;
    std::size_t mostCases = std::numeric_limits<std::size_t>::max();  ///< of the decoding runs, only the first so many
};

/// `golden`: a folder with golden.safetensors or traces.json or both, or a traces file. At reduced precision
/// (Executor::reducedPrecision) only logits are compared, within 3e-2, and only the cases marked bf16; otherwise every tensor
/// within 1e-4 and every case, with ids and passes identical. A golden.safetensors whose metadata give a `dtype` was made by
/// tests/reference/dump_reference.py: one of a 16-bit type is compared within 5e-2, and layers at reduced precision too.
/// A case whose `passes` are null is compared by its response alone (docs/verify-a-checkpoint.md).
Result<VerifyReport> verifyGolden(Executor& executor, const std::filesystem::path& golden, const VerifyOptions& options);

/// Whether verifyGolden will find anything at this place: to be asked before a model is loaded.
[[nodiscard]] Status findGolden(const std::filesystem::path& golden);

/// ‖a − b‖₂ / ‖b‖₂; infinite for different sizes or NaN.
[[nodiscard]] double relativeError(const std::vector<float>& a, const std::vector<float>& b);

/// A finished run as a list of one case in the golden traces' form (section 10), which verifyGolden reads back.
[[nodiscard]] std::string traceToJson(const DecodeRequest& request, const DecodeResult& result,
                                      const std::vector<PassRecord>& passes);

}  // namespace trefoil
