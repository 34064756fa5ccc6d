// trefoil-bench-kernels: how fast the CPU engine runs the demo model, as ratios taken in one run on one machine.
// Usage: trefoil-bench-kernels [MODEL]. Prints a table; never fails for being slow.
#include "engine/checkpoint/checkpoint.h"
#include "engine/decode/generation_config.h"
#include "engine/runtime/cpu_executor.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/matrix_product.h"
#include "tests/bench/fma_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace trefoil {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 200;
constexpr std::int64_t kBlock = 32;
constexpr std::int64_t kPrompt = 2048;

/// The shortest of `repeats` runs, in milliseconds: what the code needs when nothing else runs.
template <class Body>
double shortest(int repeats, Body&& body) {
    double best = 1e30;
    for (int i = 0; i < repeats; ++i) {
        const auto start = Clock::now();
        body();
        best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    return best;
}

template <class T>
T must(Result<T> result) {
    if (result.ok()) return *std::move(result);
    std::fprintf(stderr, "%s\n", result.error().text().c_str());
    std::exit(1);
}

void must(const Status& status) {
    if (status.ok()) return;
    std::fprintf(stderr, "%s\n", status.error().text().c_str());
    std::exit(1);
}

/// Operations of one row: two for each weight that it meets, as in model-contract.md (attention to the prefix left out).
double operationsPerRow(const ModelConfig& c) {
    const auto d = static_cast<double>(c.hiddenSize);
    double weights = static_cast<double>(c.vocabSize) * d;
    for (const LayerKind kind : c.layers) {
        if (kind == LayerKind::GatedDeltaNet)
            weights += d * static_cast<double>(c.convChannels() + 2 * c.valueDim());
        else
            weights += d * static_cast<double>(c.headDim * (3 * c.numAttentionHeads + 2 * c.numKeyValueHeads));
        weights += d * static_cast<double>(c.numExperts + 3 * c.numExpertsPerTok * c.moeIntermediateSize +
                                           3 * c.sharedExpertIntermediateSize);
    }
    return 2 * weights;
}

std::vector<TokenId> someIds(const ModelConfig& config, std::int64_t count) {
    std::vector<TokenId> ids;
    for (std::int64_t i = 0; i < count; ++i)
        ids.push_back(static_cast<TokenId>((7919 * i + 300) % (config.vocabSize - 300) + 300));
    return ids;
}

/// Half masks, half tokens, as in the middle of denoising.
std::vector<TokenId> someBlock(const ModelConfig& config) {
    std::vector<TokenId> block = someIds(config, kBlock);
    for (std::size_t i = 0; i < block.size(); i += 2) block[i] = config.maskTokenId;
    return block;
}

struct Times {
    double noisy = 0;
    double coreset = 0;
    double commit = 0;
    double token = 0;
    double prefill = 0;
};

void prefill(Executor& executor, const std::vector<TokenId>& ids) {
    must(executor.reset());
    const auto chunk = static_cast<std::size_t>(executor.maxChunk());
    for (std::size_t done = 0; done < ids.size(); done += chunk)
        must(executor.prefill(std::span(ids).subspan(done, std::min(chunk, ids.size() - done)), nullptr));
}

Times measure(const Checkpoint& checkpoint, int threads) {
    CpuOptions options;
    options.threads = threads;
    const auto executor = must(makeCpuExecutor(checkpoint, options, {}, nullptr));
    const ModelConfig& config = executor->config();
    GenerationConfig free;
    free.coresetEnabled = false;
    const GenerationConfig restricted;
    const PassControls plain{&free, 0, 0, 0, false, std::nullopt};
    const PassControls coreset{&restricted, 0, 0, 0, false, std::nullopt};
    const std::vector<TokenId> block = someBlock(config);
    const std::vector<TokenId> clean = someIds(config, kBlock);
    Times times;
    prefill(*executor, someIds(config, 64));
    const auto saved = must(executor->snapshot());
    times.noisy = shortest(kRepeats, [&] { must(executor->denoise(block, plain)); });
    times.coreset = shortest(kRepeats, [&] { must(executor->denoise(block, coreset)); });
    times.token = shortest(kRepeats, [&] { must(executor->commit(std::span(clean).first(1), &plain)); });
    must(executor->restore(*saved));
    times.commit = shortest(kRepeats / 4, [&] { must(executor->commit(clean, nullptr)); });
    const std::vector<TokenId> prompt = someIds(config, std::min(kPrompt, config.maxPositionEmbeddings));
    times.prefill = shortest(3, [&] { prefill(*executor, prompt); });
    return times;
}

/// The matrix kernel alone: BF16 weights, the shape of a projection of the demo model.
double productRate(std::int64_t rows, std::int64_t outputs, std::int64_t inputs) {
    kernels::ThreadPool pool(1);
    const kernels::PackedMatrix weights(kernels::WeightFormat::BF16, 1, outputs, inputs, kernels::RowOrder::Plain);
    std::vector<std::vector<float>> x(static_cast<std::size_t>(rows),
                                      std::vector<float>(static_cast<std::size_t>(inputs + 16), 1.0F));
    std::vector<std::vector<float>> y(static_cast<std::size_t>(rows), std::vector<float>(static_cast<std::size_t>(outputs + 32)));
    std::vector<const float*> xRows;
    std::vector<float*> yRows;
    for (auto& r : x) xRows.push_back(r.data());
    for (auto& r : y) yRows.push_back(r.data());
    const double ms = shortest(kRepeats, [&] {
        kernels::ProductJob job{&weights, 0, rows, xRows.data(), yRows.data(), kernels::Epilogue::Store, 0};
        kernels::matrixProducts(pool, std::span(&job, 1));
    });
    return 2.0 * static_cast<double>(rows * outputs * inputs) / (ms * 1e-3);
}

void run(const std::string& folder) {
    const Checkpoint checkpoint = must(Checkpoint::open(folder));
    const double loadMs = shortest(10, [&] {
        const Checkpoint opened = must(Checkpoint::open(folder));
        must(makeCpuExecutor(opened, {1, 0}, {}, nullptr));
    });
    const double operations = operationsPerRow(checkpoint.config()) * static_cast<double>(kBlock);
    double peak = bench::measureFmaPeak(300);
    const Times one = measure(checkpoint, 1);
    peak = std::max(peak, bench::measureFmaPeak(300));
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const Times two = measure(checkpoint, 2);

    std::printf("instruction set             %s, %d cores\n", kernels::instructionSetName().c_str(), cores);
    std::printf("float32 FMA peak, one core  %.1f GFLOP/s\n", peak * 1e-9);
    for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{8}, kBlock}) {
        const double rate = productRate(rows, 512, 256);
        std::printf("matrix kernel, %2d rows      %.1f GFLOP/s, %.0f%% of the peak\n", static_cast<int>(rows), rate * 1e-9,
                    100 * rate / peak);
    }
    const double rate = operations / (one.noisy * 1e-3);
    std::printf("noisy pass, 32 rows         %.3f ms, %.3f GFLOP, %.1f GFLOP/s, %.0f%% of the peak\n", one.noisy,
                operations * 1e-9, rate * 1e-9, 100 * rate / peak);
    std::printf("  with two threads          %.3f ms, %.2f times as fast\n", two.noisy, one.noisy / two.noisy);
    std::printf("  with the coreset          %.3f ms, two threads %.3f ms\n", one.coreset, two.coreset);
    std::printf("commit of 32 rows           %.3f ms, two threads %.3f ms\n", one.commit, two.commit);
    std::printf("one token                   %.3f ms, two threads %.3f ms\n", one.token, two.token);
    std::printf("prefill of 2048 tokens      %.1f ms, two threads %.1f ms\n", one.prefill, two.prefill);
    std::printf("load, warm                  %.1f ms\n", loadMs);
}

}  // namespace
}  // namespace trefoil

int main(int argc, char** argv) {
    trefoil::run(argc > 1 ? argv[1] : TREFOIL_DEMO_MODEL);
    return 0;
}
