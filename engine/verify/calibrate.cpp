#include "engine/verify/calibrate.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace trefoil {
namespace {

/// Rows of the mean of all experts that each one is given besides its own.
constexpr double kSharedRows = 16.0;

Status feed(Executor& executor, std::span<const TokenId> text, const GenerationConfig& config, const CancelFlag& cancel) {
    if (auto ok = executor.reset(); !ok.ok()) return ok;
    PassControls controls;
    controls.config = &config;
    const auto size = static_cast<std::size_t>(config.blockSize);
    for (std::size_t at = 0; at < text.size(); at += size) {
        const std::span<const TokenId> part = text.subspan(at, std::min(size, text.size() - at));
        for (std::size_t parity = 0; parity < 2 && at > 0; ++parity) {
            if (cancel.requested()) return makeError(ErrorKind::Cancelled, "calibrating was stopped");
            std::vector<TokenId> block(part.begin(), part.end());
            for (std::size_t i = 1 - parity; i < block.size(); i += 2) block[i] = executor.config().maskTokenId;
            if (auto pass = executor.denoise(block, controls); !pass.ok()) return pass.error();
        }
        if (auto pass = executor.prefill(part, &controls); !pass.ok()) return pass.error();
    }
    return {};
}

}  // namespace

Status gatherInputs(Executor& executor, std::span<const TokenId> text, const GenerationConfig& config, const CancelFlag& cancel,
                    InputSums& sums) {
    if (auto ok = collectInputs(executor, &sums); !ok.ok()) return ok;
    const Status fed = feed(executor, text, config, cancel);
    const Status ended = collectInputs(executor, nullptr);
    return fed.ok() ? ended : fed;
}

Importance importanceOf(const InputSums& sums) {
    Importance out;
    for (const auto& [name, inputs] : sums.matrices) {
        const auto columns = static_cast<std::size_t>(inputs.columns);
        std::vector<double> mean(columns);
        double rows = 0;
        for (std::size_t item = 0; item < inputs.rows.size(); ++item) {
            rows += static_cast<double>(inputs.rows[item]);
            for (std::size_t c = 0; c < columns; ++c) mean[c] += inputs.squares[item * columns + c];
        }
        if (rows > 0)
            for (double& m : mean) m /= rows;
        std::vector<float> values(inputs.squares.size());
        for (std::size_t item = 0; item < inputs.rows.size(); ++item)
            for (std::size_t c = 0; c < columns; ++c)
                values[item * columns + c] = static_cast<float>((inputs.squares[item * columns + c] + kSharedRows * mean[c]) /
                                                                (static_cast<double>(inputs.rows[item]) + kSharedRows));
        out.set(name, inputs.columns, std::move(values));
    }
    return out;
}

}  // namespace trefoil
