#include "app/cli/gpu_bench.h"

#include "app/cli/support.h"
#include "engine/decode/generation_config.h"
#include "engine/runtime/cuda_plugin.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <span>
#include <utility>

namespace trefoil::cli {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Different ids all over the vocabulary, none of them special.
std::vector<TokenId> plainIds(const ModelConfig& config, std::int64_t count, std::int64_t seed) {
    std::vector<TokenId> ids;
    ids.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = seed; static_cast<std::int64_t>(ids.size()) < count; ++i) {
        const auto id =
            static_cast<TokenId>(static_cast<std::uint64_t>(i) * 2654435761ULL % static_cast<std::uint64_t>(config.vocabSize));
        if (id != config.maskTokenId && !config.isEos(id)) ids.push_back(id);
    }
    return ids;
}

/// What passes found in main memory only, each pass on average.
struct Missed {
    double bytes = 0;
    double stall = 0;  ///< milliseconds
    double experts = 0;
    double named = 0;

    void add(const PassStats& stats) {
        for (const LayerStats& layer : stats.layers) {
            bytes += static_cast<double>(layer.missedExperts) * static_cast<double>(layer.expertBytes);
            stall += layer.stallMilliseconds;
            experts += layer.missedExperts;
            named += layer.distinctExperts;
        }
    }
    void average(double passes) {
        bytes /= passes;
        stall /= passes;
    }
    [[nodiscard]] double hitRate() const { return named > 0 ? 1.0 - experts / named : 1.0; }
};

class Bench {
public:
    Bench(Executor& executor, const CudaBandwidth& bandwidth, const GpuBenchOptions& options, Json& rows)
        : m_executor(executor), m_config(executor.config()), m_bandwidth(bandwidth), m_options(options), m_rows(rows) {
        m_block = plainIds(m_config, 32, 1000);
        for (std::size_t i = 0; i < m_block.size(); i += 2) m_block[i] = m_config.maskTokenId;
        m_clean = plainIds(m_config, 32, 5000);
        m_open.coresetEnabled = false;
    }

    Status passes(std::int64_t prefix) {
        if (!m_options.quiet)
            std::printf("%-34s %9s %9s %7s %9s %9s\n", ("prefix " + std::to_string(prefix)).c_str(), "ms", "floor ms", "ratio",
                        "experts", "coreset");
        skewCudaRouter(m_executor, m_options.routerSkew);
        if (Status s = fill(prefix); !s.ok()) return s;
        if (Status s = row("noisy 32, coreset off", 0, [&] { return m_executor.denoise(m_block, controls(m_open)); }); !s.ok())
            return s;
        if (Status s = row("noisy 32, coreset 0.9", 0, [&] { return m_executor.denoise(m_block, controls(m_coreset)); }); !s.ok())
            return s;
        for (const int experts : m_options.experts) {
            if (experts > m_config.numExperts || experts < m_config.numExpertsPerTok) continue;
            if (Status s = row("noisy 32, forced " + std::to_string(experts), experts,
                               [&] { return m_executor.denoise(m_block, controls(m_open)); });
                !s.ok())
                return s;
        }
        if (m_executor.prefixLength() + 2048 > m_config.maxPositionEmbeddings)
            return {};  // no room for rows that extend the prefix
        if (Status s = row("commit 32", 0, [&] { return m_executor.commit(m_clean, nullptr); }); !s.ok()) return s;
        if (Status s = row("verify 32", 0,
                           [&]() -> Result<PassOutput> {
                               auto pass = m_executor.verify(m_clean, controls(m_open));
                               if (Status k = m_executor.keep(0); !k.ok()) return k.error();
                               return pass;
                           });
            !s.ok())
            return s;
        const PassControls c = controls(m_open);
        if (Status s = row("one token", 0, [&] { return m_executor.commit(std::span(m_clean).first(1), &c); }); !s.ok()) return s;
        return row("commit 32 and denoise 32", 0,
                   [&] { return m_executor.commitAndDenoise(m_clean, {}, m_block, controls(m_open)); });
    }

    Status prompt(std::int64_t tokens, int repeats) {
        std::vector<double> times;
        for (int i = 0; i <= repeats; ++i) {
            const auto start = Clock::now();
            if (Status s = fill(tokens); !s.ok()) return s;
            if (i > 0 || repeats == 0) times.push_back(millisecondsSince(start));
        }
        std::sort(times.begin(), times.end());
        const double ms = times[times.size() / 2];
        m_rows.push_back({{"row", "prompt"},
                          {"tokens", tokens},
                          {"ms", ms},
                          {"tokens_per_second", static_cast<double>(tokens) * 1000.0 / ms}});
        if (m_options.quiet) return {};
        std::printf("prompt of %-24lld %9.1f ms, %.0f tokens a second\n", static_cast<long long>(tokens), ms,
                    static_cast<double>(tokens) * 1000.0 / ms);
        std::fflush(stdout);
        return {};
    }

    Status fill(std::int64_t tokens) {
        if (static_cast<std::int64_t>(m_prompt.size()) < tokens) m_prompt = plainIds(m_config, tokens, 1);
        if (Status s = m_executor.reset(); !s.ok()) return s;
        for (std::int64_t at = 0; at < tokens;) {
            const std::int64_t n = std::min(m_executor.maxChunk(), tokens - at);
            if (auto pass = m_executor.prefill(
                    std::span(m_prompt).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(n)), nullptr);
                !pass.ok())
                return pass.error();
            at += n;
        }
        return {};
    }

private:
    static PassControls controls(const GenerationConfig& g) { return {&g, 0, 0, 0, false, std::nullopt}; }

    /// Bytes of K and V that a pass behind the prefix reads.
    [[nodiscard]] double keyValueBytes() const {
        const auto layers =
            static_cast<double>(std::count(m_config.layers.begin(), m_config.layers.end(), LayerKind::FullAttention));
        return layers * 2.0 * 2.0 * static_cast<double>(m_config.numKeyValueHeads * m_config.headDim * m_executor.prefixLength());
    }

    template <class Run>
    Status row(const std::string& name, int forced, Run&& run) {
        forceCudaExperts(m_executor, forced);
        std::vector<double> times;
        PassStats stats;
        Missed missed;
        // The first runs capture the graph, and fill the caches of experts.
        const int warmUp = m_options.routerSkew >= 0.0 ? 40 : 3;
        for (int i = 0; i < m_options.repeats + warmUp; ++i) {
            if (cancelFlag().requested()) return makeError(ErrorKind::Cancelled, "stopped");
            const auto start = Clock::now();
            auto pass = run();
            const double ms = millisecondsSince(start);
            if (!pass.ok()) return pass.error();
            if (i >= warmUp) times.push_back(ms);
            stats = std::move(pass->stats);
            if (i >= warmUp) missed.add(stats);
        }
        missed.average(static_cast<double>(times.size()));
        forceCudaExperts(m_executor, 0);
        std::sort(times.begin(), times.end());
        const double ms = times[times.size() / 2];
        double experts = 0;
        double coreset = 0;
        for (const LayerStats& layer : stats.layers) {
            experts += layer.distinctExperts;
            coreset += layer.coresetSize;
        }
        const auto layers = static_cast<double>(stats.layers.size());
        const double card = (static_cast<double>(stats.weightBytes) + keyValueBytes()) / m_bandwidth.deviceRead * 1000.0;
        const double bus = m_bandwidth.pinnedCopy > 0 ? missed.bytes / m_bandwidth.pinnedCopy * 1000.0 : 0.0;
        const double floor = std::max(card, bus);
        m_rows.push_back({{"row", name},
                          {"prefix", m_executor.prefixLength()},
                          {"ms", ms},
                          {"floor_ms", floor},
                          {"ratio", ms / floor},
                          {"distinct_experts", experts / layers},
                          {"coreset", coreset / layers},
                          {"host_bytes", missed.bytes},
                          {"hit_rate", missed.hitRate()},
                          {"stall_ms", missed.stall}});
        if (m_options.quiet) return {};
        std::printf("%-34s %9.3f %9.3f %7.2f %9.1f %9.1f", name.c_str(), ms, floor, ms / floor, experts / layers,
                    coreset / layers);
        if (missed.bytes > 0)
            std::printf("   %6.3f GB copied, %4.1f%% found, stalled %.2f ms", missed.bytes / 1e9, missed.hitRate() * 100.0,
                        missed.stall);
        std::printf("\n");
        std::fflush(stdout);
        return {};
    }

    Executor& m_executor;
    const ModelConfig& m_config;
    CudaBandwidth m_bandwidth;
    const GpuBenchOptions& m_options;
    Json& m_rows;
    std::vector<TokenId> m_block;
    std::vector<TokenId> m_clean;
    std::vector<TokenId> m_prompt;
    GenerationConfig m_open;
    GenerationConfig m_coreset;
};

}  // namespace

Status benchGpu(Executor& executor, const GpuBenchOptions& options, Json& out) {
    const CudaBandwidth bandwidth = measureCudaBandwidth(options.device);
    if (bandwidth.deviceRead <= 0.0)
        return makeError(ErrorKind::DeviceUnavailable, "the GPU's memory bandwidth could not be measured",
                         "close other programs that use the GPU");
    Json& gpu = out["gpu"];
    gpu["read_bytes_per_second"] = bandwidth.deviceRead;
    gpu["pinned_copy_bytes_per_second"] = bandwidth.pinnedCopy;
    Json& rows = gpu["rows"] = Json::array();
    if (!options.quiet)
        std::printf("memory read %.0f GB/s, pinned copy %.1f GB/s\n", bandwidth.deviceRead / 1e9, bandwidth.pinnedCopy / 1e9);
    Bench bench(executor, bandwidth, options, rows);
    const std::int64_t context = executor.config().maxPositionEmbeddings;
    if (Status s = bench.passes(std::min<std::int64_t>(1024, context / 2)); !s.ok()) return s;
    for (const std::int64_t tokens : {1024, 8192})
        if (options.prompts && tokens < context)
            if (Status s = bench.prompt(tokens, 3); !s.ok()) return s;
    if (options.longPrefix <= 0) return {};
    if (options.longPrefix >= context)
        return makeError(ErrorKind::InvalidArgument, "--long " + std::to_string(options.longPrefix) + " exceeds the context of " +
                                                         std::to_string(context) + " tokens");
    if (Status s = bench.prompt(options.longPrefix, 0); !s.ok()) return s;
    return bench.passes(options.longPrefix);
}

}  // namespace trefoil::cli
