// Two executors of one synthetic model, loaded in different ways, that are to give the same bits in every kind of pass.
#pragma once

#include "engine/checkpoint/synth_quantised.h"
#include "kernels/cuda/cuda_executor.h"
#include "kernels/cuda/part_plan.h"
#include "tests/kernels/cuda/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trefoil::cuda {

using Ids = std::vector<TokenId>;

/// Clover's layers with fewer experts and tokens, so that its own kernels run; or sizes that only plain kernels take.
inline ModelConfig modelOf(bool odd) {
    auto config = parseModelConfig(cloverConfigJson(), "clover");
    EXPECT_TRUE(config.ok());
    config->numExperts = 32;
    config->vocabSize = 4096;
    config->maxPositionEmbeddings = 2048;
    config->eosTokenIds = {1};
    config->maskTokenId = 2;
    config->layers.resize(6);
    if (odd) {
        config->hiddenSize = 68;
        config->linearKeyHeadDim = 12;
        config->linearValueHeadDim = 10;
        config->headDim = 20;
        config->partialRotaryFactor = 0.5;
        config->numExperts = 7;
        config->numExpertsPerTok = 2;
        config->moeIntermediateSize = 14;
        config->sharedExpertIntermediateSize = 18;
        config->tieWordEmbeddings = true;
    }
    return *config;
}

/// How a synthetic model is loaded.
struct Loading {
    std::vector<int> devices{0};
    SynthFormat format = {};
    bool asValues = false;   ///< quantised weights are read as what they stand for
    double cardShare = 1.0;  ///< below 1: room for that share of the routed experts, the rest in main memory
};

/// The synthetic model's weights as a request that lives as long as this.
class SyntheticRequest {
public:
    SyntheticRequest(const ModelConfig& config, const Loading& loading) : m_weights(config, 5, loading.format) {
        request.config = &config;
        request.tensors = m_weights.tensors();
        request.read = [this](std::size_t tensor, std::int64_t first, std::int64_t count,
                              std::span<std::byte> destination) -> Status {
            m_weights.read(tensor, first, count, destination);
            return {};
        };
        if (!loading.asValues)
            request.readRows = [this](std::size_t tensor, std::int64_t first, std::int64_t count, QuantisedRows& rows) -> Status {
                m_weights.readRows(tensor, first, count, rows);
                return {};
            };
        for (const int device : loading.devices) request.devices.push_back({device, 0});
        if (loading.cardShare < 1.0) request.gpuMemory = memoryFor(config, loading.cardShare);
    }
    SyntheticRequest(const SyntheticRequest&) = delete;
    SyntheticRequest& operator=(const SyntheticRequest&) = delete;

    LoadRequest request;

private:
    /// What leaves room for a share of the experts, from the plan without any on the card.
    std::uint64_t memoryFor(const ModelConfig& config, double share) {
        request.gpuMemory = 1;
        const auto plan = planDeviceMemory(request);
        EXPECT_TRUE(plan.ok());
        if (!plan.ok()) return 0;
        std::uint64_t most = 0;
        for (const PartPlan& part : *plan) {
            EXPECT_GT(part.memory.host, 0U);
            const auto record = part.memory.host / static_cast<std::uint64_t>(part.layers * config.numExperts);
            const auto slots = static_cast<std::uint64_t>(share * static_cast<double>(config.numExperts));
            most = std::max(most, part.memory.total() + slots * static_cast<std::uint64_t>(part.layers) * (record + 64) + 65536);
        }
        return kContextBytes + most * plan->size();
    }

    SyntheticQuantised m_weights;
};

inline std::unique_ptr<Executor> load(const ModelConfig& config, const Loading& loading) {
    const SyntheticRequest synthetic(config, loading);
    const LoadRequest& request = synthetic.request;
    std::uint64_t last = 0;
    std::uint64_t total = 0;
    const Progress progress = [&](std::uint64_t done, std::uint64_t all) {
        EXPECT_GE(done, last);
        EXPECT_LE(done, all);
        last = done;
        total = all;
    };
    auto executor = makeCudaExecutor(request, progress, nullptr);
    EXPECT_TRUE(executor.ok()) << (executor.ok() ? "" : executor.error().text());
    EXPECT_EQ(last, total);
    return executor.ok() ? std::move(*executor) : nullptr;
}

inline Ids idsFrom(int first, int count) {
    Ids ids(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) ids[static_cast<std::size_t>(i)] = 3 + (first + i * 37) % 4000;
    return ids;
}

/// What leaves the executor, bit by bit.
inline std::string bits(const PassOutput& output) {
    std::string out;
    const auto add = [&](const auto& value) { out.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
    for (const RowCandidate& row : output.rows) {
        add(row.token);
        add(row.confidence);
        for (const auto& other : row.top) {
            add(other.token);
            add(other.probability);
        }
    }
    for (const LayerStats& layer : output.stats.layers) {
        add(layer.distinctExperts);
        add(layer.coresetSize);
        add(layer.coresetShare);
    }
    return out;
}

/// Runs each step on both and compares.
class Pair {
public:
    Pair(const ModelConfig& config, const Loading& one, const Loading& other)
        : m_one(load(config, one)), m_parts(load(config, other)) {}
    [[nodiscard]] bool loaded() const { return m_one != nullptr && m_parts != nullptr; }
    [[nodiscard]] Executor& one() { return *m_one; }
    [[nodiscard]] Executor& parts() { return *m_parts; }
    /// Whether both read as many bytes.
    void readsTheSame(bool same) { m_sameBytes = same; }

    template <class Step>
    void pass(const char* name, const Step& step) {
        const Result<PassOutput> wanted = step(*m_one);
        const Result<PassOutput> got = step(*m_parts);
        ASSERT_TRUE(wanted.ok()) << name << ": " << wanted.error().text();
        ASSERT_TRUE(got.ok()) << name << ": " << got.error().text();
        EXPECT_TRUE(bits(*wanted) == bits(*got)) << name;
        if (m_sameBytes) {
            EXPECT_EQ(wanted->stats.weightBytes, got->stats.weightBytes) << name;
        }
        for (const RowCandidate& row : wanted->rows) EXPECT_TRUE(std::isfinite(row.confidence) && row.token >= 0) << name;
        EXPECT_EQ(m_one->prefixLength(), m_parts->prefixLength()) << name;
    }
    template <class Step>
    void call(const char* name, const Step& step) {
        const Status wanted = step(*m_one);
        const Status got = step(*m_parts);
        EXPECT_TRUE(wanted.ok() && got.ok()) << name;
    }

private:
    std::unique_ptr<Executor> m_one;
    std::unique_ptr<Executor> m_parts;
    bool m_sameBytes = true;
};

/// Sets the precision for the loads of a test.
class Precision {
public:
    explicit Precision(bool floats) {
        if (floats) setenv("TREFOIL_CUDA_PRECISION", "float32", 1);
    }
    ~Precision() { unsetenv("TREFOIL_CUDA_PRECISION"); }
    Precision(const Precision&) = delete;
    Precision& operator=(const Precision&) = delete;
};

/// Every kind of pass, and the prefix that it leaves.
inline void expectSame(const ModelConfig& config, const Loading& first, const Loading& second, bool sameBytes = true) {
    Pair pair(config, first, second);
    ASSERT_TRUE(pair.loaded());
    pair.readsTheSame(sameBytes);
    GenerationConfig plain;
    GenerationConfig sampled;
    sampled.doSample = true;
    sampled.temperature = 0.8;
    sampled.seed = 11;
    GenerationConfig truncated = sampled;
    truncated.topK = 20;
    PassControls controls;
    const auto with = [&](const GenerationConfig& g, std::int64_t position) {
        controls.config = &g;
        controls.firstPosition = position;
        return controls;
    };
    // A long prompt, a short one behind it, and single tokens.
    const auto chunk = static_cast<int>(std::min<std::int64_t>({700, pair.one().maxChunk(), pair.parts().maxChunk()}));
    pair.pass("prompt", [&](Executor& e) { return e.prefill(idsFrom(0, chunk), nullptr); });
    pair.pass("short prompt", [&](Executor& e) { return e.prefill(idsFrom(9, 45), nullptr); });
    for (int i = 0; i < 4; ++i)
        pair.pass("token", [&](Executor& e) {
            const PassControls c = with(plain, i);
            return e.commit(idsFrom(90 + i, 1), &c);
        });
    pair.call("counts", [&](Executor& e) { return e.countTokens(idsFrom(300, 80)); });
    // The third time that a shape occurs runs the captured graph again.
    for (int i = 0; i < 3; ++i) {
        for (const GenerationConfig* g : {&plain, &sampled, &truncated})
            pair.pass("noisy block", [&](Executor& e) { return e.denoise(idsFrom(i, 32), with(*g, 0)); });
        pair.pass("noisy block of 100", [&](Executor& e) { return e.denoise(idsFrom(i, 100), with(plain, 0)); });
        pair.pass("clean block with a noisy one", [&](Executor& e) {
            return e.commitAndDenoise(idsFrom(40 + i, 32), idsFrom(40 + i, 30), idsFrom(80 + i, 32), with(sampled, 32));
        });
        pair.pass("draft", [&](Executor& e) { return e.verify(idsFrom(5 * i, 16), with(plain, 64)); });
        pair.call("keep", [&](Executor& e) { return e.keep(5 + i); });
    }
    auto savedOne = pair.one().snapshot();
    auto savedParts = pair.parts().snapshot();
    ASSERT_TRUE(savedOne.ok() && savedParts.ok());
    pair.pass("after a snapshot", [&](Executor& e) { return e.commit(idsFrom(7, 32), nullptr); });
    ASSERT_TRUE(pair.one().restore(**savedOne).ok() && pair.parts().restore(**savedParts).ok());
    EXPECT_EQ((*savedOne)->length(), (*savedParts)->length());
    pair.pass("after restoring", [&](Executor& e) { return e.denoise(idsFrom(3, 32), with(plain, 96)); });
    pair.call("reset", [](Executor& e) { return e.reset(); });
    pair.pass("from the start", [&](Executor& e) {
        const PassControls c = with(plain, 0);
        return e.prefill(idsFrom(1, 33), &c);
    });
    // Everything in between.
    PassCapture one;
    PassCapture parts;
    pair.one().setCapture(&one);
    pair.parts().setCapture(&parts);
    pair.pass("captured", [&](Executor& e) { return e.denoise(idsFrom(8, 32), with(plain, 0)); });
    EXPECT_EQ(one.layers.size(), static_cast<std::size_t>(config.numLayers()));
    EXPECT_TRUE(one.layers == parts.layers);
    EXPECT_TRUE(one.experts == parts.experts);
    EXPECT_TRUE(one.coreset == parts.coreset);
    EXPECT_TRUE(one.logits == parts.logits);
}

}  // namespace trefoil::cuda
