#include "engine/verify/golden_tensors.h"

#include "engine/checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string>

namespace trefoil {
namespace {

constexpr double kFloatTolerance = 1e-4;
constexpr double kReducedTolerance = 3e-2;
constexpr double kDumpTolerance = 5e-2;  ///< a dump whose own activations had 16 bits, or one compared on a device with 16
constexpr double kDefaultCoresetTopP = 0.9;

std::string scientific(double v) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2e", v);
    return text.data();
}

/// The passes of golden.safetensors, run one after the other on one executor.
class TensorComparison {
public:
    TensorComparison(Executor& executor, const SafetensorsFile& file, const std::function<void(VerifyRow)>& add)
        : m_executor(executor), m_file(file), m_add(add) {}

    Status run() {
        const auto& meta = m_file.metadata();
        const auto topP = meta.find("coreset_top_p");
        m_coreset.coresetTopP = topP != meta.end() ? std::strtod(topP->second.c_str(), nullptr) : kDefaultCoresetTopP;
        m_plain.coresetEnabled = false;
        const auto dtype = meta.find("dtype");
        m_dump = dtype != meta.end();
        const bool exact = !m_executor.reducedPrecision() && (!m_dump || dtype->second == "float32");
        m_tolerance = exact ? kFloatTolerance : m_dump ? kDumpTolerance : kReducedTolerance;
        auto prompt = ids("prompt");
        if (!prompt.ok()) return prompt.error();
        if (const Status s = m_executor.reset(); !s.ok()) return s;
        const PassControls plain = controls(m_plain);
        if (const Status s = pass("causal", [&] { return m_executor.prefill(*prompt, &plain); }); !s.ok()) return s;
        if (const Status s = noisyPasses(); !s.ok()) return s;
        return partialPass();
    }

private:
    static PassControls controls(const GenerationConfig& config) { return {&config, 0, 0, 0, false, std::nullopt}; }

    /// Whether the file holds anything of a pass: logits or a layer.
    [[nodiscard]] bool has(const std::string& name) const {
        const auto& entries = m_file.entries();
        return std::any_of(entries.begin(), entries.end(),
                           [&](const SafetensorsEntry& e) { return e.name.starts_with(name + "."); });
    }

    Status noisyPasses() {
        if (m_file.find("block") == nullptr) return {};
        auto block = ids("block");
        if (!block.ok()) return block.error();
        const PassControls plain = controls(m_plain);
        const PassControls coreset = controls(m_coreset);
        if (has("noisy"))
            if (const Status s = pass("noisy", [&] { return m_executor.denoise(*block, plain); }); !s.ok()) return s;
        if (m_file.find("noisy_short.logits") != nullptr) {
            const std::span<const TokenId> head(block->data(), block->size() / 2);
            if (const Status s = pass("noisy_short", [&] { return m_executor.denoise(head, plain); }); !s.ok()) return s;
        }
        if (!has("noisy_coreset")) return {};
        return pass("noisy_coreset", [&] { return m_executor.denoise(*block, coreset); });
    }

    Status partialPass() {
        if (m_file.find("partial.logits") == nullptr) return {};
        auto clean = ids("clean");
        if (!clean.ok()) return clean.error();
        auto more = ids("more");
        if (!more.ok()) return more.error();
        const auto keep = m_file.metadata().find("partial_keep");
        const PassControls plain = controls(m_plain);
        if (auto v = m_executor.verify(*clean, plain); !v.ok()) return v.error();
        const auto rows = keep != m_file.metadata().end() ? std::strtoll(keep->second.c_str(), nullptr, 10) : 0;
        if (const Status s = m_executor.keep(rows); !s.ok()) return s;
        return pass("partial", [&] { return m_executor.prefill(*more, &plain); });
    }

    Result<std::vector<TokenId>> ids(const std::string& name) const {
        const SafetensorsEntry* entry = m_file.find(name);
        if (entry == nullptr || entry->dtype != "I32")
            return makeError(ErrorKind::Format, "golden.safetensors has no I32 tensor named " + name);
        std::vector<TokenId> out(static_cast<std::size_t>(entry->elements));
        if (const Status s = m_file.read(*entry, std::as_writable_bytes(std::span(out))); !s.ok()) return s.error();
        return out;
    }

    template <class RunPass>
    Status pass(const std::string& name, RunPass&& runPass) {
        PassCapture capture;
        m_executor.setCapture(&capture);
        const Result<PassOutput> output = runPass();
        m_executor.setCapture(nullptr);
        if (!output.ok()) return output.error();
        const bool reduced = m_executor.reducedPrecision();
        for (std::size_t i = 0; i < capture.layers.size() && (!reduced || m_dump); ++i)
            if (const Status s = compare(name + ".layer." + std::to_string(i), capture.layers[i]); !s.ok()) return s;
        for (std::size_t i = 0; i < capture.experts.size() && !reduced; ++i) {
            if (const Status s = compareIds(name + ".experts." + std::to_string(i), capture.experts[i], true); !s.ok()) return s;
            if (const Status s = compareIds(name + ".coreset." + std::to_string(i), capture.coreset[i], false); !s.ok()) return s;
        }
        return compare(name + ".logits", capture.logits);
    }

    Status compare(const std::string& name, const std::vector<float>& computed) {
        const SafetensorsEntry* entry = m_file.find(name);
        if (entry == nullptr) return {};
        if (entry->dtype != "F32") return makeError(ErrorKind::Format, name + " is " + entry->dtype + ", not F32");
        if (static_cast<std::int64_t>(computed.size()) != entry->elements)
            return makeError(ErrorKind::Format,
                             "golden.safetensors was recorded with another model: " + name + " is " +
                                 describeShape(entry->shape) + " there, with " + std::to_string(entry->elements) +
                                 " values; this model gives " + std::to_string(computed.size()),
                             "compare with what was recorded from this checkpoint");
        std::vector<float> expected(static_cast<std::size_t>(entry->elements));
        if (const Status s = m_file.read(*entry, std::as_writable_bytes(std::span(expected))); !s.ok()) return s;
        const double error = relativeError(computed, expected);
        m_add({name, scientific(error), error <= m_tolerance, false, error});
        return {};
    }

    /// Experts of a row are a set: their order follows weights that may tie to rounding. `perRow`: [T, k].
    Status compareIds(const std::string& name, std::vector<std::int32_t> computed, bool perRow) {
        if (m_file.find(name) == nullptr) return {};
        auto expected = ids(name);
        if (!expected.ok()) return expected.error();
        const SafetensorsEntry* entry = m_file.find(name);
        const std::size_t row = perRow && entry->shape.size() == 2 ? static_cast<std::size_t>(entry->shape[1]) : expected->size();
        bool same = computed.size() == expected->size();
        for (std::size_t at = 0; same && at + row <= computed.size() && row > 0; at += row) {
            const auto c = computed.begin() + static_cast<std::ptrdiff_t>(at);
            const auto e = expected->begin() + static_cast<std::ptrdiff_t>(at);
            std::sort(c, c + static_cast<std::ptrdiff_t>(row));
            std::sort(e, e + static_cast<std::ptrdiff_t>(row));
            same = std::equal(c, c + static_cast<std::ptrdiff_t>(row), e);
        }
        m_add({name, same ? "identical" : "other experts", same, false});
        return {};
    }

    Executor& m_executor;
    const SafetensorsFile& m_file;
    const std::function<void(VerifyRow)>& m_add;
    GenerationConfig m_plain;
    GenerationConfig m_coreset;
    bool m_dump = false;  ///< made by the dump script, not by the oracle
    double m_tolerance = kFloatTolerance;
};

}  // namespace

double relativeError(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        difference += d * d;
        norm += static_cast<double>(b[i]) * static_cast<double>(b[i]);
    }
    const double error = norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

Status compareGoldenTensors(Executor& executor, const std::filesystem::path& file, const std::function<void(VerifyRow)>& add) {
    auto golden = SafetensorsFile::open(file);
    if (!golden.ok()) return golden.error();
    return TensorComparison(executor, *golden, add).run();
}

}  // namespace trefoil
