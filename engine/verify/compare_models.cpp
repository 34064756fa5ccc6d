#include "engine/verify/compare_models.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace trefoil {
namespace {

/// The logarithm of the sum of exponentials.
double logSum(std::span<const float> logits, float largest) {
    double sum = 0;
    for (const float l : logits) sum += std::exp(static_cast<double>(l) - static_cast<double>(largest));
    return static_cast<double>(largest) + std::log(sum);
}

template <class RunPass>
Status capturePass(Executor& executor, PassCapture& capture, RunPass&& runPass) {
    executor.setCapture(&capture);
    const Result<PassOutput> output = runPass(executor);
    executor.setCapture(nullptr);
    return output.ok() ? Status() : Status(output.error());
}

}  // namespace

void RowAgreement::add(std::span<const float> first, std::span<const float> second) {
    const auto topFirst = std::max_element(first.begin(), first.end());
    const auto topSecond = std::max_element(second.begin(), second.end());
    const double sumFirst = logSum(first, *topFirst);
    const double sumSecond = logSum(second, *topSecond);
    double kl = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const double p = static_cast<double>(first[i]) - sumFirst;
        kl += std::exp(p) * (p - (static_cast<double>(second[i]) - sumSecond));
    }
    divergence += std::max(kl, 0.0);
    sameTop += topFirst - first.begin() == topSecond - second.begin() ? 1 : 0;
    ++rows;
}

Status compareRows(Executor& first, Executor& second, std::span<const TokenId> text, const GenerationConfig& config,
                   const CancelFlag& cancel, ModelAgreement& into) {
    const ModelConfig& model = first.config();
    if (model.vocabSize != second.config().vocabSize || model.maskTokenId != second.config().maskTokenId)
        return makeError(ErrorKind::InvalidArgument,
                         "the models have vocabularies of " + std::to_string(model.vocabSize) + " and " +
                             std::to_string(second.config().vocabSize) + " tokens, or other mask tokens",
                         "compare two forms of one model");
    for (Executor* executor : {&first, &second}) {
        if (auto ok = executor->reset(); !ok.ok()) return ok;
        if (auto ok = executor->resetCounts(); !ok.ok()) return ok;
    }
    const auto vocabulary = static_cast<std::size_t>(model.vocabSize);
    const auto size = static_cast<std::size_t>(config.blockSize);
    PassControls controls;
    controls.config = &config;
    PassCapture a;
    PassCapture b;
    const auto addRow = [&](RowAgreement& sums, std::size_t row) {
        sums.add(std::span(a.logits).subspan(row * vocabulary, vocabulary),
                 std::span(b.logits).subspan(row * vocabulary, vocabulary));
    };
    for (std::size_t at = 0; at < text.size(); at += size) {
        const std::span<const TokenId> part = text.subspan(at, std::min(size, text.size() - at));
        for (std::size_t parity = 0; parity < 2 && at > 0; ++parity) {
            if (cancel.requested()) return makeError(ErrorKind::Cancelled, "the comparison was stopped");
            std::vector<TokenId> block(part.begin(), part.end());
            for (std::size_t i = 1 - parity; i < block.size(); i += 2) block[i] = model.maskTokenId;
            const auto denoise = [&](Executor& e) { return e.denoise(block, controls); };
            if (auto ok = capturePass(first, a, denoise); !ok.ok()) return ok;
            if (auto ok = capturePass(second, b, denoise); !ok.ok()) return ok;
            for (std::size_t i = 1 - parity; i < block.size(); i += 2) addRow(into.noisy, i);
        }
        const auto prefill = [&](Executor& e) { return e.prefill(part, &controls); };
        if (auto ok = capturePass(first, a, prefill); !ok.ok()) return ok;
        if (auto ok = capturePass(second, b, prefill); !ok.ok()) return ok;
        for (std::size_t i = 0; i < part.size(); ++i) addRow(into.causal, i);
    }
    return {};
}

}  // namespace trefoil
