// The CPU executor on small made-up models of awkward sizes: what golden files do not reach.
#include "engine/runtime/cpu_executor.h"

#include "engine/decode/generation_config.h"
#include "engine/runtime/model_weights.h"
#include "kernels/cpu/packed_matrix.h"
#include "tests/kernels/kernel_test_support.h"

#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

namespace trefoil::test {
namespace {

using Ids = std::vector<TokenId>;

ModelConfig smallConfig() {
    ModelConfig c;
    c.vocabSize = 67;
    c.hiddenSize = 36;
    c.numAttentionHeads = 6;
    c.numKeyValueHeads = 2;
    c.headDim = 20;
    c.linearNumKeyHeads = 2;
    c.linearNumValueHeads = 6;
    c.linearKeyHeadDim = 12;
    c.linearValueHeadDim = 10;
    c.linearConvKernelDim = 3;
    c.numExperts = 7;
    c.numExpertsPerTok = 2;
    c.moeIntermediateSize = 14;
    c.sharedExpertIntermediateSize = 18;
    c.maxPositionEmbeddings = 400;
    c.partialRotaryFactor = 0.5;
    c.ropeTheta = 1e5;
    c.maskTokenId = 4;
    c.eosTokenIds = {1, 3};
    c.layers = {LayerKind::GatedDeltaNet, LayerKind::FullAttention, LayerKind::GatedDeltaNet, LayerKind::FullAttention};
    return c;
}

/// Random weights of any names that are asked for; values depend on the name alone, and hold exactly in every format.
class RandomSource final : public WeightSource {
public:
    explicit RandomSource(DType type, DType vectors = DType::F32) : m_type(type), m_vectors(vectors) {}

    [[nodiscard]] Result<DType> dtype(const std::string& name) const override {
        if (name == m_missing) return makeError(ErrorKind::Format, "no tensor " + name);
        return isVector(name) ? m_vectors : m_type;
    }

    Status read(const std::string& name, std::int64_t first, std::int64_t count,
                std::span<std::byte> destination) const override {
        if (name == m_broken) return makeError(ErrorKind::Io, "cannot read " + name);
        const DType type = isVector(name) ? m_vectors : m_type;
        if (destination.size() != static_cast<std::size_t>(count) * dtypeSize(type))
            return makeError(ErrorKind::Internal, "wrong size of destination");
        const auto seed = static_cast<std::uint32_t>(std::hash<std::string>{}(name));
        for (std::int64_t i = 0; i < count; ++i)
            write(type, value(name, seed, first + i), destination.data() + static_cast<std::size_t>(i) * dtypeSize(type));
        return {};
    }

    void setMissing(const std::string& name) { m_missing = name; }
    void setBroken(const std::string& name) { m_broken = name; }

private:
    static bool isVector(const std::string& name) {
        return name.find("norm") != std::string::npos || name.find("A_log") != std::string::npos ||
               name.find("dt_bias") != std::string::npos || name.find("bd_") != std::string::npos;
    }

    /// Multiples of 1/64 with few digits: exact in BF16 and F16.
    static float value(const std::string& name, std::uint32_t seed, std::int64_t index) {
        std::uint32_t h = seed + 0x9E3779B9U * static_cast<std::uint32_t>(index + 1);
        h = (h ^ (h >> 16)) * 0x85EBCA6BU;
        h = (h ^ (h >> 13)) * 0xC2B2AE35U;
        const float unit = static_cast<float>(static_cast<int>(h >> 26) - 32) / 64.0F;  // [-0.5, 0.5)
        if (name.find("embed_tokens") != std::string::npos) return 2.0F * unit;
        if (name.find("bd_softmax_logit_scale") != std::string::npos) return 4.0F + unit;
        if (name.find("linear_attn.norm") != std::string::npos) return 1.0F + unit / 4.0F;
        return unit;
    }

    static void write(DType type, float v, std::byte* to) {
        const auto bits = std::bit_cast<std::uint32_t>(v);
        if (type == DType::F32) {
            std::memcpy(to, &v, sizeof v);
            return;
        }
        std::uint16_t narrow = static_cast<std::uint16_t>(bits >> 16);
        if (type == DType::F16) {
            const std::uint32_t exponent = (bits >> 23) & 0xFFU;
            narrow = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
            if (exponent != 0) narrow = static_cast<std::uint16_t>(narrow | ((exponent - 112U) << 10) | ((bits >> 13) & 0x3FFU));
        }
        std::memcpy(to, &narrow, sizeof narrow);
    }

    DType m_type;
    DType m_vectors;
    std::string m_missing;
    std::string m_broken;
};

std::unique_ptr<Executor> make(const ModelConfig& config, int threads = 1, DType type = DType::BF16) {
    CpuOptions options;
    options.threads = threads;
    auto executor = makeCpuExecutor(config, RandomSource(type), options, {}, nullptr);
    EXPECT_TRUE(executor.ok());
    return executor.ok() ? *std::move(executor) : nullptr;
}

Ids someIds(std::int64_t count, int salt = 0) {
    Ids ids;
    for (std::int64_t i = 0; i < count; ++i) ids.push_back(static_cast<TokenId>((i * 37 + 11 * salt) % 60 + 5));
    return ids;
}

Ids someBlock(std::int64_t rows) {
    Ids block = someIds(rows, 3);
    for (std::size_t i = 0; i < block.size(); i += 2) block[i] = 4;
    return block;
}

/// Everything that one call leaves in a capture, and what it returned.
struct Seen {
    Result<PassOutput> output = makeError(ErrorKind::Internal, "not run");
    PassCapture capture;
};

class CpuExecutorTest : public testing::Test {
protected:
    template <class Pass>
    static Seen watch(Executor& executor, Pass&& pass) {
        Seen seen;
        executor.setCapture(&seen.capture);
        seen.output = pass();
        executor.setCapture(nullptr);
        EXPECT_TRUE(seen.output.ok()) << (seen.output.ok() ? "" : seen.output.error().text());
        return seen;
    }

    Seen denoise(Executor& executor, const Ids& block) const {
        return watch(executor, [&] { return executor.denoise(block, controls()); });
    }
    Seen prefill(Executor& executor, const Ids& ids) const {
        return watch(executor, [&] { return executor.prefill(ids, nullptr); });
    }
    [[nodiscard]] PassControls controls() const { return {&m_config, 0, 0, 0, false, std::nullopt}; }

    GenerationConfig m_config;
};

void expectSame(const Seen& a, const Seen& b) {
    EXPECT_EQ(a.capture.logits, b.capture.logits);
    EXPECT_EQ(a.capture.experts, b.capture.experts);
    ASSERT_EQ(a.output->rows.size(), b.output->rows.size());
    for (std::size_t t = 0; t < a.output->rows.size(); ++t) {
        EXPECT_EQ(a.output->rows[t].token, b.output->rows[t].token);
        EXPECT_EQ(a.output->rows[t].confidence, b.output->rows[t].confidence);
    }
}

TEST_F(CpuExecutorTest, ThreadsDoNotChangeABit) {
    std::optional<Seen> causal;
    std::optional<Seen> noisy;
    for (const int threads : {1, 2, 3, 8}) {
        const auto executor = make(smallConfig(), threads);
        const Seen c = prefill(*executor, someIds(50));
        const Seen n = denoise(*executor, someBlock(32));
        if (causal) {
            expectSame(c, *causal);
            expectSame(n, *noisy);
        }
        causal = c;
        noisy = n;
    }
}

// Large enough that several threads read each piece and pack its columns.
TEST(ModelWeightsTest, LoadingThreadsDoNotChangeABit) {
    ModelConfig config = smallConfig();
    config.vocabSize = 2011;
    config.hiddenSize = 300;
    config.numExperts = 19;
    const CancelFlag never;
    const auto same = [](const kernels::PackedMatrix& a, const kernels::PackedMatrix& b) {
        return a.bytes() == b.bytes() && a.bytes() > 0 && std::memcmp(a.panel(0, 0), b.panel(0, 0), a.bytes()) == 0;
    };
    for (const DType type : {DType::BF16, DType::F16, DType::F32}) {
        const RandomSource source(type);
        const auto one = loadModelWeights(config, source, 1, {}, &never);
        ASSERT_TRUE(one.ok());
        for (const int threads : {2, 5}) {
            std::uint64_t last = 0;
            std::uint64_t total = 0;
            const auto many = loadModelWeights(
                config, source, threads,
                [&](std::uint64_t done, std::uint64_t all) {
                    EXPECT_LE(last, done);
                    last = done;
                    total = all;
                },
                &never);
            ASSERT_TRUE(many.ok());
            EXPECT_EQ(last, total);
            EXPECT_EQ(std::memcmp(one->embedding.data(), many->embedding.data(), one->embedding.bytes()), 0);
            EXPECT_TRUE(same(one->head, many->head));
            for (std::size_t i = 0; i < config.layers.size(); ++i) {
                EXPECT_TRUE(same(one->layers[i].mixture.gateUp, many->layers[i].mixture.gateUp));
                EXPECT_TRUE(same(one->layers[i].mixture.down, many->layers[i].mixture.down));
                EXPECT_TRUE(same(one->layers[i].mixture.sharedGateUp, many->layers[i].mixture.sharedGateUp));
                if (config.layers[i] == LayerKind::FullAttention) {
                    EXPECT_TRUE(same(one->layers[i].attention.q, many->layers[i].attention.q));
                }
            }
        }
    }
    // An error in one thread's part is the error of the load.
    RandomSource broken(DType::BF16);
    broken.setBroken("model.embed_tokens.weight");
    const auto failed = loadModelWeights(config, broken, 5, {}, &never);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().kind, ErrorKind::Io);
}

TEST_F(CpuExecutorTest, ChunksDoNotChangeABit) {
    const Ids ids = someIds(100);
    const auto whole = make(smallConfig());
    (void)prefill(*whole, ids);
    const Seen expected = denoise(*whole, someBlock(32));
    for (const std::size_t chunk : {1U, 7U, 33U}) {
        const auto parts = make(smallConfig());
        for (std::size_t i = 0; i < ids.size(); i += chunk)
            (void)prefill(*parts, Ids(ids.begin() + static_cast<std::ptrdiff_t>(i),
                                      ids.begin() + static_cast<std::ptrdiff_t>(std::min(i + chunk, ids.size()))));
        EXPECT_EQ(parts->prefixLength(), 100);
        expectSame(denoise(*parts, someBlock(32)), expected);
    }
}

TEST_F(CpuExecutorTest, KeepingNRowsEqualsCommittingThem) {
    const Ids draft = someIds(9, 1);
    for (std::int64_t n = 0; n <= 9; ++n) {
        const auto a = make(smallConfig());
        const auto b = make(smallConfig());
        (void)prefill(*a, someIds(5));
        (void)prefill(*b, someIds(5));
        ASSERT_TRUE(a->verify(draft, controls()).ok());
        EXPECT_EQ(a->prefixLength(), 5);
        ASSERT_TRUE(a->keep(n).ok());
        if (n > 0) {
            ASSERT_TRUE(b->commit(std::span(draft).first(static_cast<std::size_t>(n)), nullptr).ok());
        }
        EXPECT_EQ(a->prefixLength(), 5 + n);
        expectSame(prefill(*a, someIds(3, 2)), prefill(*b, someIds(3, 2)));
    }
}

TEST_F(CpuExecutorTest, ADraftMustBeDecidedBeforeTheNextPass) {
    const auto executor = make(smallConfig());
    EXPECT_FALSE(executor->keep(1).ok());
    ASSERT_TRUE(executor->verify(someIds(4), controls()).ok());
    EXPECT_EQ(executor->denoise(someBlock(4), controls()).error().kind, ErrorKind::InvalidArgument);
    EXPECT_FALSE(executor->keep(5).ok());
    EXPECT_FALSE(executor->keep(-1).ok());
    EXPECT_TRUE(executor->keep(0).ok());
    EXPECT_EQ(executor->prefixLength(), 0);
    EXPECT_TRUE(executor->denoise(someBlock(4), controls()).ok());
}

TEST_F(CpuExecutorTest, ANoisyPassLeavesThePrefixAlone) {
    const auto touched = make(smallConfig());
    const auto fresh = make(smallConfig());
    for (Executor* executor : {touched.get(), fresh.get()}) (void)prefill(*executor, someIds(40));
    const Seen first = denoise(*touched, someBlock(32));
    expectSame(denoise(*touched, someBlock(32)), first);
    EXPECT_EQ(touched->prefixLength(), 40);
    expectSame(prefill(*touched, someIds(5, 4)), prefill(*fresh, someIds(5, 4)));
}

TEST_F(CpuExecutorTest, AnEmptyPrefixWorks) {
    const auto executor = make(smallConfig());
    const Seen seen = denoise(*executor, someBlock(1));
    EXPECT_EQ(seen.output->rows.size(), 1U);
    for (const float l : seen.capture.logits) EXPECT_TRUE(std::isfinite(l));
    EXPECT_EQ(denoise(*executor, someBlock(128)).output->rows.size(), 128U);
}

TEST_F(CpuExecutorTest, RestoreGoesBack) {
    const auto executor = make(smallConfig());
    (void)prefill(*executor, someIds(33));
    const auto saved = executor->snapshot();
    ASSERT_TRUE(saved.ok());
    EXPECT_EQ((*saved)->length(), 33);
    EXPECT_GT((*saved)->bytes(), 0U);
    const Seen before = denoise(*executor, someBlock(16));
    (void)prefill(*executor, someIds(60, 5));
    ASSERT_TRUE(executor->restore(**saved).ok());
    EXPECT_EQ(executor->prefixLength(), 33);
    expectSame(denoise(*executor, someBlock(16)), before);
    const auto other = make(smallConfig());
    EXPECT_EQ(other->restore(**saved).error().kind, ErrorKind::InvalidArgument);
    ASSERT_TRUE(executor->reset().ok());
    EXPECT_EQ(executor->prefixLength(), 0);
    const auto fresh = make(smallConfig());
    expectSame(denoise(*executor, someBlock(16)), denoise(*fresh, someBlock(16)));
}

TEST_F(CpuExecutorTest, EveryWeightTypeGivesTheSameLogits) {
    const auto brain = make(smallConfig(), 1, DType::BF16);
    const Seen expected = prefill(*brain, someIds(20));
    for (const DType type : {DType::F16, DType::F32}) {
        const auto executor = make(smallConfig(), 1, type);
        expectSame(prefill(*executor, someIds(20)), expected);
    }
}

TEST_F(CpuExecutorTest, TiedEmbeddingsServeAsHead) {
    ModelConfig tied = smallConfig();
    tied.tieWordEmbeddings = true;
    const auto executor = make(tied);
    const Seen seen = prefill(*executor, someIds(10));
    for (const float l : seen.capture.logits) ASSERT_TRUE(std::isfinite(l));
    EXPECT_LT(executor->memory().weights, make(smallConfig())->memory().weights);
}

TEST_F(CpuExecutorTest, BadArgumentsAreRefusedAndChangeNothing) {
    const auto executor = make(smallConfig());
    (void)prefill(*executor, someIds(10));
    EXPECT_EQ(executor->prefill(Ids{}, nullptr).error().kind, ErrorKind::InvalidArgument);
    EXPECT_EQ(executor->prefill(Ids{5, 67}, nullptr).error().kind, ErrorKind::InvalidArgument);
    EXPECT_EQ(executor->prefill(Ids{-1}, nullptr).error().kind, ErrorKind::InvalidArgument);
    EXPECT_EQ(executor->prefill(someIds(257), nullptr).error().kind, ErrorKind::InvalidArgument);
    EXPECT_EQ(executor->denoise(someBlock(4), PassControls()).error().kind, ErrorKind::InvalidArgument);
    EXPECT_EQ(executor->countTokens(Ids{67}).error().kind, ErrorKind::InvalidArgument);
    EXPECT_EQ(executor->prefixLength(), 10);
}

TEST_F(CpuExecutorTest, CountsReachThePenalties) {
    m_config.presencePenalty = 10.0;
    m_config.repetitionPenalty = 1.0;
    const auto executor = make(smallConfig());
    const Ids masks(8, 4);
    const auto free = executor->denoise(masks, controls());
    ASSERT_TRUE(free.ok());
    const TokenId favourite = free->rows[0].token;
    // A resolved row of the block counts …
    Ids block = masks;
    block[7] = favourite;
    PassControls pass = controls();
    const auto own = executor->denoise(block, pass);
    // … a prompt row, as all rows up to promptRows are, does not.
    pass.promptRows = 8;
    const auto prompt = executor->denoise(block, pass);
    ASSERT_TRUE(own.ok() && prompt.ok());
    const auto probabilityOf = [&](const RowCandidate& row) {
        for (const TokenProbability& p : row.top)
            if (p.token == favourite) return p.probability;
        return 0.0F;
    };
    EXPECT_LT(probabilityOf(own->rows[0]), probabilityOf(prompt->rows[0]));
    ASSERT_TRUE(executor->countTokens(Ids{favourite}).ok());
    EXPECT_NE(executor->denoise(masks, controls())->rows[0].token, favourite);
    ASSERT_TRUE(executor->resetCounts().ok());
    EXPECT_EQ(executor->denoise(masks, controls())->rows[0].token, favourite);
}

TEST_F(CpuExecutorTest, StatsCountExpertsAndBytes) {
    const auto executor = make(smallConfig());
    m_config.coresetTopP = 0.3;
    const Seen restricted = denoise(*executor, someBlock(32));
    ASSERT_EQ(restricted.output->stats.layers.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        const LayerStats& layer = restricted.output->stats.layers[i];
        EXPECT_EQ(layer.coresetSize, static_cast<std::int32_t>(restricted.capture.coreset[i].size()));
        EXPECT_GE(layer.coresetSize, 2);
        EXPECT_LE(layer.distinctExperts, layer.coresetSize);
        EXPECT_GE(layer.coresetShare, 0.3F);
        for (const std::int32_t e : restricted.capture.experts[i])
            EXPECT_TRUE(std::binary_search(restricted.capture.coreset[i].begin(), restricted.capture.coreset[i].end(), e));
    }
    m_config.coresetEnabled = false;
    const Seen free = denoise(*executor, someBlock(32));
    EXPECT_EQ(free.output->stats.layers[0].coresetSize, 0);
    EXPECT_TRUE(free.capture.coreset[0].empty());
    EXPECT_GT(free.output->stats.weightBytes, restricted.output->stats.weightBytes);
    EXPECT_LE(free.output->stats.weightBytes, executor->memory().weights);
}

TEST_F(CpuExecutorTest, CompatibilitySwitchesChangeOnlyWhatTheyName) {
    const auto logits = [&](const Compatibility& compatibility, bool noisy) {
        ModelConfig config = smallConfig();
        config.compatibility = compatibility;
        const auto executor = make(config);
        const Seen clean = prefill(*executor, someIds(20));
        return noisy ? denoise(*executor, someBlock(16)).capture.logits : clean.capture.logits;
    };
    const Compatibility plain;
    for (const auto member :
         {&Compatibility::scaleHistoryRead, &Compatibility::scaleNoisyValueByBeta, &Compatibility::noisyRowsPredictNext}) {
        Compatibility changed;
        changed.*member = true;
        EXPECT_EQ(logits(changed, false), logits(plain, false));
        EXPECT_NE(logits(changed, true), logits(plain, true));
    }
    Compatibility changed;
    changed.zeroCentredNorms = false;
    EXPECT_NE(logits(changed, false), logits(plain, false));
}

TEST_F(CpuExecutorTest, RowsThatPredictTheNextAreShifted) {
    ModelConfig shifted = smallConfig();
    shifted.compatibility.noisyRowsPredictNext = true;
    const auto next = make(shifted);
    const auto own = make(smallConfig());
    const Seen clean = prefill(*next, someIds(20));
    (void)prefill(*own, someIds(20));
    const Floats a = denoise(*next, someBlock(16)).capture.logits;
    const Floats b = denoise(*own, someBlock(16)).capture.logits;
    const std::int64_t V = shifted.vocabSize;
    EXPECT_EQ(slice(a, 0, V), slice(clean.capture.logits, 19 * V, V));  // the last clean row predicts the block's first
    EXPECT_EQ(slice(a, V, 15 * V), slice(b, 0, 15 * V));
}

TEST_F(CpuExecutorTest, VerifyRowsSeeTheTokensBeforeThem) {
    m_config.presencePenalty = 10.0;
    m_config.repetitionPenalty = 1.0;
    const auto executor = make(smallConfig());
    const Ids draft = someIds(6);
    const auto drafted = executor->verify(draft, controls());
    ASSERT_TRUE(drafted.ok() && executor->keep(0).ok());
    // Row t must choose what a causal step would after counting ids[0…t].
    for (std::size_t t = 0; t < draft.size(); ++t) {
        ASSERT_TRUE(executor->countTokens(std::span(draft).subspan(t, 1)).ok());
        PassControls pass = controls();
        pass.firstPosition = static_cast<std::int64_t>(t);
        const auto step = executor->commit(std::span(draft).subspan(t, 1), &pass);
        ASSERT_TRUE(step.ok());
        EXPECT_EQ(step->rows[0].token, drafted->rows[t].token) << t;
        EXPECT_EQ(step->rows[0].confidence, drafted->rows[t].confidence) << t;
    }
}

TEST_F(CpuExecutorTest, LoadingReportsProgressAndStops) {
    std::vector<std::uint64_t> done;
    std::uint64_t total = 0;
    const LoadProgress progress = [&](std::uint64_t d, std::uint64_t t) {
        done.push_back(d);
        total = t;
    };
    ASSERT_TRUE(makeCpuExecutor(smallConfig(), RandomSource(DType::BF16), {1, 0}, progress, nullptr).ok());
    ASSERT_FALSE(done.empty());
    EXPECT_EQ(done.back(), total);
    CancelFlag cancel;
    cancel.request();
    const auto cancelled = makeCpuExecutor(smallConfig(), RandomSource(DType::BF16), {1, 0}, {}, &cancel);
    ASSERT_FALSE(cancelled.ok());
    EXPECT_EQ(cancelled.error().kind, ErrorKind::Cancelled);
}

TEST_F(CpuExecutorTest, AFailingSourceFailsTheLoad) {
    RandomSource missing(DType::BF16);
    missing.setMissing("model.layers.1.self_attn.k_proj.weight");
    EXPECT_EQ(makeCpuExecutor(smallConfig(), missing, {1, 0}, {}, nullptr).error().kind, ErrorKind::Format);
    RandomSource broken(DType::BF16);
    broken.setBroken("model.layers.3.mlp.experts.down_proj");
    EXPECT_EQ(makeCpuExecutor(smallConfig(), broken, {1, 0}, {}, nullptr).error().kind, ErrorKind::Io);
}

TEST_F(CpuExecutorTest, PlannedWeightsAreExact) {
    for (const DType type : {DType::BF16, DType::F32}) {
        const auto planned = plannedWeightBytes(smallConfig(), RandomSource(type, DType::F16));
        const auto executor = makeCpuExecutor(smallConfig(), RandomSource(type, DType::F16), {1, 0}, {}, nullptr);
        ASSERT_TRUE(planned.ok() && executor.ok());
        EXPECT_EQ((*executor)->memory().weights, planned->all);
        EXPECT_EQ((*executor)->memory().experts, planned->experts);
        // Three matrices of each expert, and nothing else.
        const ModelConfig c = smallConfig();
        const std::int64_t values = c.numLayers() * c.numExperts * 3 * c.moeIntermediateSize * c.hiddenSize;
        EXPECT_GE(planned->experts, static_cast<std::uint64_t>(values * (type == DType::F32 ? 4 : 2)));
        EXPECT_LT(planned->experts, planned->all);
    }
}

}  // namespace
}  // namespace trefoil::test
