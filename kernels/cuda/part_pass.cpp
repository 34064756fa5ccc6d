#include "kernels/cuda/part_pass.h"

#include "kernels/cuda/calls.h"
#include "kernels/cuda/delta_chunk.h"
#include "kernels/cuda/draw.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/expert_packed.h"
#include "kernels/cuda/gdn_prompt.h"
#include "kernels/cuda/route_hopper.h"
#include "kernels/cuda/skinny_gemm.h"
#include "kernels/cuda/skinny_packed.h"
#include "kernels/cuda/unpack.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace trefoil::cuda {
namespace {

/// T: the activations' type.
template <class T>
class Pass final : public PartPass {
    static constexpr bool kBf16 = std::is_same_v<T, Bf16>;

public:
    explicit Pass(DevicePart& part)
        : m_config(part.config()),
          m_shape(part.shape()),
          m_range(part.setup().range),
          m_size(part.setup().size),
          m_weights(part.weights()),
          m_space(part.space()),
          m_host(part.host()),
          m_on(part.on()),
          m_blas(part.blas()) {}

    cudaError_t enqueue(const PassShape& shape, std::int64_t prefix, PassCapture* capture) override;

private:
    void begin(Calls& ok, const PassShape& p);
    [[nodiscard]] Rows layers(Calls& ok, const PassShape& p, PassCapture* capture);
    [[nodiscard]] Rows gemm(Calls& ok, const WeightMatrix& w, const T* x, std::int64_t t, void* out, bool wantFloat,
                            bool onePart = false);
    [[nodiscard]] const void* plainOf(Calls& ok, const WeightMatrix& w);
    [[nodiscard]] Launcher after(bool unpacked) const;
    void logits(Calls& ok, const T* rows, std::int64_t count);
    [[nodiscard]] Rows gdn(Calls& ok, const PassShape& p, const LayerWeights& w, int index);
    void promptGdn(Calls& ok, const PassShape& p, const GdnVectors& w, const Rows& projected, float* state, float* tail,
                   Bf16* mixed);
    [[nodiscard]] Rows attention(Calls& ok, const PassShape& p, const LayerWeights& w, int index);
    [[nodiscard]] RouteOptions routeOptions(const PassShape& p) const {
        return {m_shape.experts, m_shape.perToken, p.coreset, m_config.compatibility.coresetMassRenormalised};
    }
    [[nodiscard]] bool routesInCluster(const PassShape& p) const {
        return kBf16 && routeClusterSupports(m_on, routeOptions(p), m_shape.hidden, p.t);
    }
    void route(Calls& ok, const PassShape& p, const LayerWeights& w, LayerResult* result);
    [[nodiscard]] Rows mixtureOfExperts(Calls& ok, const PassShape& p, const LayerWeights& w, int layer);
    [[nodiscard]] Rows fewExperts(Calls& ok, const PassShape& p, const LayerWeights& w, const Bf16* h);
    void manyExperts(Calls& ok, const PassShape& p, const LayerWeights& w, const Bf16* h, LayerResult* result);
    [[nodiscard]] ExpertWeights unpackedExperts(Calls& ok, const LayerWeights& w, int first, int count, const std::uint8_t* used);
    void complete(Calls& ok, const PassShape& p, Rows& add);
    void head(Calls& ok, const PassShape& p, const Rows& add);
    void shiftRows(Calls& ok, const PassShape& p, Rows& add, std::int64_t prefix);
    /// First row of x that the logits of output rows from `first` on come from (section 9: noisy rows may predict the next
    /// token).
    [[nodiscard]] std::int64_t logitRow(const PassShape& p, std::int64_t first) const {
        return m_config.compatibility.noisyRowsPredictNext && p.clean < p.t ? first - 1 : first;
    }
    void captureLayer(Calls& ok, const PassShape& p, Rows& add, PassCapture& capture);
    void captureLogits(Calls& ok, const PassShape& p, PassCapture& capture);
    [[nodiscard]] bool smallExperts(std::int64_t t) const {
        return kBf16 && t <= kSmallRows && m_shape.hidden % 8 == 0 && m_shape.width % 8 == 0 && m_shape.sharedWidth % 8 == 0;
    }
    [[nodiscard]] bool largeExperts() const {
        return kBf16 && m_shape.hidden % 8 == 0 && m_shape.width % 8 == 0 && m_shape.sharedWidth % 8 == 0;
    }

    // All of the part.
    const ModelConfig& m_config;
    const ModelShape& m_shape;
    const LayerRange& m_range;
    const WorkspaceShape& m_size;
    const ModelWeights& m_weights;
    const Workspace& m_space;
    const HostBuffers& m_host;
    const Launcher& m_on;
    CublasLt* m_blas;
};

template <class T>
cudaError_t Pass<T>::enqueue(const PassShape& p, std::int64_t prefix, PassCapture* capture) {
    Calls ok;
    begin(ok, p);
    Rows add = layers(ok, p, capture);
    if (ok.error() != cudaSuccess) return ok.error();
    if (!m_range.isLast()) {
        complete(ok, p, add);
        return ok.error();
    }
    if (m_config.compatibility.noisyRowsPredictNext) shiftRows(ok, p, add, prefix);
    if (ok.error() == cudaSuccess && capture != nullptr) captureLogits(ok, p, *capture);
    if (ok.error() == cudaSuccess) head(ok, p, add);
    return ok.error();
}

/// What a pass leaves for the host (results, layers) is written by its kernels straight into pinned memory; only its parameters
/// are copied.
template <class T>
void Pass<T>::begin(Calls& ok, const PassShape& p) {
    ok(cudaMemcpyAsync(m_space.params, m_host.params, sizeof(PassParams), cudaMemcpyHostToDevice, m_on.stream));
    if (!m_range.isFirst()) return;
    const bool fewIds = p.t <= kMaxPassRows;
    if (!fewIds)
        ok(cudaMemcpyAsync(m_space.ids, m_host.ids, static_cast<std::size_t>(p.t) * sizeof(std::int32_t), cudaMemcpyHostToDevice,
                           m_on.stream));
    ok(embed(m_on, m_weights.format(), m_weights.embedding(), fewIds ? m_space.params->ids : m_space.ids, p.t, m_shape.hidden,
             m_space.x));
}

/// The part's layers. What the last one adds to x is left for the next norm to add.
template <class T>
Rows Pass<T>::layers(Calls& ok, const PassShape& p, PassCapture* capture) {
    const auto eps = static_cast<float>(m_config.rmsNormEps);
    const bool zeroCentred = m_config.compatibility.zeroCentredNorms;
    T* h = static_cast<T*>(m_space.h);
    Rows add;
    int gdnIndex = 0;
    int attentionIndex = 0;
    for (std::size_t i = 0; i < m_weights.layers().size() && ok.error() == cudaSuccess; ++i) {
        const LayerWeights& w = m_weights.layers()[i];
        ok(addNorm<T>(m_on, m_space.x, add, w.inputNorm, zeroCentred, eps, 0, p.t, m_shape.hidden, h));
        add = w.kind == LayerKind::GatedDeltaNet ? gdn(ok, p, w, gdnIndex++) : attention(ok, p, w, attentionIndex++);
        ok(addNorm<T>(m_on, m_space.x, add, w.postNorm, zeroCentred, eps, 0, p.t, m_shape.hidden, h));
        add = mixtureOfExperts(ok, p, w, static_cast<int>(m_range.first) + static_cast<int>(i));
        if (capture != nullptr) captureLayer(ok, p, add, *capture);
    }
    return add;
}

/// x += what is left to add: the same sum, in the same order, as in the next norm.
template <class T>
void Pass<T>::complete(Calls& ok, const PassShape& p, Rows& add) {
    if (add.data != nullptr) ok(addRows(m_on, m_space.x, add, p.t, m_shape.hidden));
    add = Rows{};
}

// ---- the parts of a pass

/// x [t, k] · w [m, k] transposed, by whichever kernel suits. Small passes give partial sums, large ones bf16 rows (float32 when
/// wantFloat).
template <class T>
Rows Pass<T>::gemm(Calls& ok, const WeightMatrix& w, const T* x, std::int64_t t, void* out, bool wantFloat, bool onePart) {
    const std::int64_t m = w.rows;
    const std::int64_t k = w.columns;
    Rows result{out, m, t * m, 1, false};
    if constexpr (kBf16) {
        if (skinnySupports(k)) {
            if (t <= kSmallRows) {
                result.splits = onePart ? 1 : skinnySplits(m, k, m_on.sms);
                auto* sums = static_cast<float*>(out);
                if (w.packed())
                    ok(skinnyPacked(m_on, w, x, static_cast<int>(t), result.splits, sums));
                else
                    ok(skinnyGemm(m_on, static_cast<const Bf16*>(w.plain), m, k, x, static_cast<int>(t), result.splits, sums));
                return result;
            }
            const auto* weights = static_cast<const Bf16*>(plainOf(ok, w));
            result.isBf16 = !wantFloat;
            if (m_blas != nullptr && m % 8 == 0 &&
                m_blas->gemm(m_on.stream, weights, m, k, x, t, out, wantFloat, m_space.blasWorkspace))
                return result;
            ok(tileGemm(after(w.packed()), weights, m, k, x, t, out, wantFloat));
            return result;
        }
    }
    const void* weights = plainOf(ok, w);
    ok(plainGemm<T>(after(w.packed()), m_weights.format(), weights, m, k, x, t, static_cast<float*>(out)));
    return result;
}

/// The matrix row by row, in the scratch where it is packed.
template <class T>
const void* Pass<T>::plainOf(Calls& ok, const WeightMatrix& w) {
    if (!w.packed()) return w.plain;
    ok(unpackMatrix(m_on, w, m_weights.format(), m_space.unpacked));
    return m_space.unpacked;
}

/// For kernels that may read weights before the kernel ahead of them has ended: not where that one writes them.
template <class T>
Launcher Pass<T>::after(bool unpacked) const {
    Launcher on = m_on;
    if (unpacked) on.overlap = false;
    return on;
}

/// The head's product of `count` rows into the workspace. A packed head is never unpacked as a whole: that would take a scratch
/// of its size.
template <class T>
void Pass<T>::logits(Calls& ok, const T* rows, std::int64_t count) {
    const WeightMatrix& head = m_weights.head();
    const std::int64_t step = head.packed() ? kSmallRows : count;
    for (std::int64_t first = 0; first < count; first += step)
        (void)gemm(ok, head, rows + first * m_shape.hidden, std::min(step, count - first), m_space.logits + first * m_shape.vocab,
                   true, true);
}

template <class T>
Rows Pass<T>::gdn(Calls& ok, const PassShape& p, const LayerWeights& w, int index) {
    const GdnShape& s = m_shape.gdn;
    const auto slot = static_cast<std::size_t>(index);
    const Rows projected = gemm(ok, w.input, static_cast<const T*>(m_space.h), p.t, m_space.projected, false);
    const GdnRows& rows = p.verify ? m_space.kept[slot] : m_space.rows;
    const Compatibility& switches = m_config.compatibility;
    const auto eps = static_cast<float>(m_config.rmsNormEps);
    float* state = m_space.states[slot];
    float* tail = m_space.tails[slot];
    T* mixed = static_cast<T*>(m_space.mixed);
    const std::int64_t noisy = p.t - p.clean;
    if constexpr (kBf16) {
        if (p.t == 1 && p.clean == 1 && !p.verify && !projected.isBf16 && gdnStepSupports(m_on, s)) {
            ok(gdnStep(m_on, s, w.gdn, projected, tail, state, eps, mixed));
            return gemm(ok, w.output, mixed, p.t, m_space.partial, true);
        }
    }
    if constexpr (kBf16) {
        if (p.t > kSmallRows && noisy == 0 && !p.verify && m_size.chunkedDelta && promptInputsSupports(s, projected)) {
            promptGdn(ok, p, w.gdn, projected, state, tail, static_cast<Bf16*>(mixed));
            return gemm(ok, w.output, mixed, p.t, m_space.partial, true);
        }
    }
    const bool fused = kBf16 && !projected.isBf16 && fusedMixSupports(m_on, s, noisy);
    // A fused block reads the tail before the clean rows replace it: the order of the next three matters when it follows few of
    // them.
    const bool tailInInputs = !p.verify && p.clean == p.t && gdnInputsWritesTail(s, p.t);
    if (!fused || p.clean > 0)
        ok(gdnInputs(m_on, s, w.gdn, projected, tail, tailInInputs ? tail : nullptr, m_space.params, p.t, rows));
    if (p.clean > 0) ok(deltaRule(m_on, s, rows, p.clean, state, !p.verify, m_space.o));
    if (noisy > 0 && !fused)
        ok(blockMix(m_on, s, w.gdn, rows, p.clean, static_cast<int>(noisy), state, switches.scaleHistoryRead,
                    switches.scaleNoisyValueByBeta, m_space.o));
    if (!fused || p.clean > 0) ok(gatedNorm<T>(m_on, s, w.gdn, m_space.o, projected, eps, fused ? p.clean : p.t, mixed));
    if constexpr (kBf16) {
        if (noisy > 0 && fused)
            ok(fusedMix(m_on, s, w.gdn, projected, tail, p.clean, static_cast<int>(noisy), state, p.clean == 0,
                        switches.scaleHistoryRead, switches.scaleNoisyValueByBeta, eps, mixed));
    }
    if (p.clean > 0 && !p.verify && !tailInInputs) ok(gdnTail(m_on, s, projected, tail, m_space.params, -1));
    return gemm(ok, w.output, mixed, p.t, m_space.partial, true);
}

/// The clean rows of a prompt: the delta rule in chunks on tensor cores, with float16 between its kernels.
template <class T>
void Pass<T>::promptGdn(Calls& ok, const PassShape& p, const GdnVectors& w, const Rows& projected, float* state, float* tail,
                        Bf16* mixed) {
    const GdnShape& s = m_shape.gdn;
    // The float32 buffers of small passes, at half their width.
    const PromptRows rows{reinterpret_cast<__half*>(m_space.rows.q), reinterpret_cast<__half*>(m_space.rows.k),
                          reinterpret_cast<__half*>(m_space.rows.v), m_space.rows.decay, m_space.rows.beta};
    auto* o = reinterpret_cast<__half*>(m_space.o);
    const DeltaChunkRows<__half> in{rows.q, rows.k, rows.v, rows.decay, rows.beta};
    ok(promptInputs(m_on, s, w, projected, tail, p.t, rows)) &&
        ok(deltaChunk(m_on, s, in, p.t, state, true, o, m_space.deltaSpace, DeltaChunkPlan{})) &&
        ok(promptGatedNorm(m_on, s, w, o, projected, static_cast<float>(m_config.rmsNormEps), p.t, mixed)) &&
        ok(gdnTail(m_on, s, projected, tail, m_space.params, -1));
}

template <class T>
Rows Pass<T>::attention(Calls& ok, const PassShape& p, const LayerWeights& w, int index) {
    const AttentionShape& s = m_shape.attention;
    const auto slot = static_cast<std::size_t>(index);
    const Rows projected = gemm(ok, w.input, static_cast<const T*>(m_space.h), p.t, m_space.projected, false);
    T* q = static_cast<T*>(m_space.q);
    T* keys = static_cast<T*>(m_space.keys[slot]);
    T* values = static_cast<T*>(m_space.values[slot]);
    ok(attentionInputs<T>(m_on, s, projected, w.qNorm, w.kNorm, m_config.compatibility.zeroCentredNorms,
                          static_cast<float>(m_config.rmsNormEps), m_space.frequencies, m_space.params, p.t, q, keys, values));
    int splits = 1;
    bool done = false;
    if constexpr (kBf16) {
        if (flashSupports(s)) {
            splits = flashSplits(s, p.t, m_on.sms);
            ok(flashAttention(m_on, s, q, keys, values, m_size.positions, m_space.params, p.t, splits, m_space.parts));
            done = true;
        }
    }
    if (!done) ok(plainAttention<T>(m_on, s, q, keys, values, m_space.params, p.t, m_space.parts));
    T* mixed = static_cast<T*>(m_space.mixed);
    ok(attentionOutput<T>(m_on, s, m_space.parts, splits, projected, p.t, mixed));
    return gemm(ok, w.output, mixed, p.t, m_space.partial, true);
}

/// The router's product and its decision.
template <class T>
void Pass<T>::route(Calls& ok, const PassShape& p, const LayerWeights& w, LayerResult* result) {
    const T* h = static_cast<const T*>(m_space.h);
    const RouteOptions options = routeOptions(p);
    if constexpr (kBf16) {
        if (routesInCluster(p)) {
            ok(routeCluster(m_on, static_cast<const Bf16*>(w.router), h, m_shape.hidden, static_cast<int>(p.t), options,
                            m_space.params, m_space.routing, m_space.active, result));
            return;
        }
    }
    WeightMatrix router;
    router.rows = p.t > kSmallRows ? m_shape.routerRows() : m_shape.experts + 1;
    router.columns = m_shape.hidden;
    router.plain = w.router;
    const Rows logits = gemm(ok, router, h, p.t, m_space.routerLogits, true);
    if (p.t <= kMaxPassRows)
        ok(routeSmall(m_on, logits, static_cast<int>(p.t), options, m_space.params, m_space.routing, m_space.active, result));
    else
        ok(routeLarge(m_on, logits, p.t, options, m_space.params, m_space.routing));
}

template <class T>
Rows Pass<T>::mixtureOfExperts(Calls& ok, const PassShape& p, const LayerWeights& w, int layer) {
    const T* h = static_cast<const T*>(m_space.h);
    LayerResult* result = m_host.layers + layer;
    route(ok, p, w, result);
    if (p.draws)
        ok(drawExperts(m_on, m_space.params, layer, m_shape.experts, m_shape.perToken, static_cast<int>(p.t), m_space.routing,
                       m_space.active, result));
    if (w.cache.inUse() && p.t <= kSmallRows) ok(fillCache(m_on, w.cache, m_space.active, static_cast<int>(p.t), result));
    if constexpr (kBf16) {
        if (smallExperts(p.t)) return fewExperts(ok, p, w, h);
        if (largeExperts()) {
            manyExperts(ok, p, w, h, result);
            return Rows{};
        }
    }
    const ExpertWeights experts = w.packed.inUse() ? unpackedExperts(ok, w, 0, m_shape.experts, nullptr) : w.experts;
    ok(plainExperts<T>(after(w.packed.inUse()), experts, m_space.routing, h, p.t, m_shape.perToken,
                       static_cast<float*>(m_space.act), m_space.x));
    return Rows{};
}

/// Bound by memory: each expert's weights are read once, as they are stored.
template <class T>
Rows Pass<T>::fewExperts(Calls& ok, const PassShape& p, const LayerWeights& w, const Bf16* h) {
    auto* act = static_cast<Bf16*>(m_space.act);
    const auto t = static_cast<int>(p.t);
    int splits = expertDownSplits(m_shape.hidden, m_on.sms);
    if (w.packed.inUse()) {
        // The router on a cluster lets the next kernel start only when its own input, h, is complete.
        const bool ready = routesInCluster(p) && !p.draws && !w.cache.inUse();
        ok(packedGateUp(m_on, w.packed, m_space.active, h, t, ready, act));
        ok(packedDown(m_on, w.packed, m_space.active, act, t, splits, m_space.partial));
        splits = packedDownParts(w.packed, splits);
    } else {
        ok(expertGateUp(m_on, w.experts, m_space.active, h, t, act));
        ok(expertDown(m_on, w.experts, m_space.active, act, t, splits, m_space.partial));
    }
    return Rows{m_space.partial, m_shape.hidden, p.t * m_shape.hidden, splits, false};
}

/// Rows grouped by expert; packed experts a slice at a time, from wherever they lie.
template <class T>
void Pass<T>::manyExperts(Calls& ok, const PassShape& p, const LayerWeights& w, const Bf16* h, LayerResult* result) {
    auto* act = static_cast<Bf16*>(m_space.act);
    const std::int64_t positions = p.t * (m_shape.perToken + 1);
    // Small passes have counted their experts already, with the coreset: keep what the router left.
    LayerResult* counted = p.t <= kMaxPassRows ? nullptr : result;
    ok(groupRows(m_on, m_space.routing, p.t, m_shape.experts, m_shape.perToken, m_space.groups, counted));
    if (!w.packed.inUse()) {
        ok(groupedGateUp(m_on, w.experts, m_space.groups, h, positions, act));
        ok(groupedDown(m_on, w.experts, m_space.groups, act, positions, m_space.expertOut));
    } else {
        ExpertGroups groups = m_space.groups;
        groups.tiles = m_space.slice.tiles;
        groups.tileCount = m_space.slice.tileCount;
        for (int first = 0; first < m_shape.experts && ok.error() == cudaSuccess; first += m_size.expertSlice) {
            const int count = std::min(m_size.expertSlice, m_shape.experts - first);
            const bool last = first + count == m_shape.experts;
            ok(sliceGroups(m_on, m_space.groups, m_shape.experts, first, count, last, m_space.slice));
            if (w.cache.inUse()) ok(countMissing(m_on, w.cache, m_space.slice.used, first, count, result));
            const ExpertWeights experts = unpackedExperts(ok, w, first, count, m_space.slice.used);
            ok(groupedGateUp(after(true), experts, groups, h, positions, act));
            ok(groupedDown(after(true), experts, groups, act, positions, m_space.expertOut));
        }
    }
    ok(combineGroups(m_on, m_space.routing, m_space.groups, m_space.expertOut, p.t, m_shape.hidden, m_shape.perToken, m_space.x));
}

/// Experts [first, first + count) as plain ones in the scratch, those that `used` (unless null) marks, and with the first of them
/// the shared expert.
template <class T>
ExpertWeights Pass<T>::unpackedExperts(Calls& ok, const LayerWeights& w, int first, int count, const std::uint8_t* used) {
    const UnpackedExperts at(m_shape, m_size.expertSlice);
    T* base = static_cast<T*>(m_space.unpacked);
    ok(unpackExperts(m_on, w.packed, first, count, used, m_weights.format(), base, base + at.down));
    if (first == 0) ok(unpackShared(m_on, w.packed, m_weights.format(), base + at.sharedGateUp, base + at.sharedDown));
    ExpertWeights experts = w.experts;
    experts.experts = count;
    experts.gateUp = base;
    experts.down = base + at.down;
    experts.sharedGateUp = base + at.sharedGateUp;
    experts.sharedDown = base + at.sharedDown;
    return experts;
}

/// Where a noisy row's logits are those of the row before it: row -1 of x is the last clean one. A pass that extends the prefix
/// leaves it.
template <class T>
void Pass<T>::shiftRows(Calls& ok, const PassShape& p, Rows& add, std::int64_t prefix) {
    const std::size_t row = static_cast<std::size_t>(m_shape.hidden) * sizeof(float);
    complete(ok, p, add);
    const float* before = prefix > 0 ? m_space.lastHidden : m_space.x;
    ok(cudaMemcpyAsync(m_space.x - m_shape.hidden, before, row, cudaMemcpyDeviceToDevice, m_on.stream));
    if (p.clean > 0 && !p.verify)
        ok(cudaMemcpyAsync(m_space.lastHidden, m_space.x + (p.clean - 1) * m_shape.hidden, row, cudaMemcpyDeviceToDevice,
                           m_on.stream));
}

template <class T>
void Pass<T>::head(Calls& ok, const PassShape& p, const Rows& add) {
    if (p.outputs == 0) return;
    T* rows = static_cast<T*>(m_space.headRows);
    ok(addNorm<T>(m_on, m_space.x, add, m_weights.norm(), m_config.compatibility.zeroCentredNorms,
                  static_cast<float>(m_config.rmsNormEps), logitRow(p, p.outputFirst), p.outputs, m_shape.hidden, rows));
    if (p.counts) ok(markPassIds(m_on, m_space.params, m_space.flags, true));
    const ControlTables tables{m_space.flags, m_space.counts};
    const int outputs = static_cast<int>(p.outputs);
    const bool sample = p.head == HeadMode::SampledRecords || p.head == HeadMode::SampledLogits;
    if (p.head == HeadMode::Records || p.head == HeadMode::SampledRecords) {
        if constexpr (kBf16) {
            ok(headRecords(m_on, static_cast<const Bf16*>(m_weights.head().plain), m_shape.vocab, m_shape.hidden, rows, outputs,
                           m_space.params, tables, sample, m_space.records));
            ok(mergeRecords(m_on, m_space.records, headBlocks(m_on.sms), outputs, m_space.params, sample, m_host.results));
        }
    } else {
        logits(ok, rows, p.outputs);
        ok(chooseRows(m_on, m_space.logits, m_shape.vocab, outputs, m_space.params, tables, sample, m_host.results));
    }
    if (p.counts) ok(markPassIds(m_on, m_space.params, m_space.flags, false));
}

// ---- debugging

template <class T>
void Pass<T>::captureLayer(Calls& ok, const PassShape& p, Rows& add, PassCapture& capture) {
    complete(ok, p, add);
    std::vector<float> x(static_cast<std::size_t>(p.t * m_shape.hidden));
    std::vector<std::int32_t> experts(static_cast<std::size_t>(p.t * m_shape.perToken));
    std::vector<std::int32_t> coreset(static_cast<std::size_t>(m_shape.experts + 1));
    ok(cudaStreamSynchronize(m_on.stream)) &&
        ok(cudaMemcpy(x.data(), m_space.x, x.size() * sizeof(float), cudaMemcpyDeviceToHost)) &&
        ok(cudaMemcpy(experts.data(), m_space.routing.experts, experts.size() * sizeof(std::int32_t), cudaMemcpyDeviceToHost)) &&
        ok(cudaMemcpy(coreset.data(), m_space.routing.coreset, coreset.size() * sizeof(std::int32_t), cudaMemcpyDeviceToHost));
    if (ok.error() != cudaSuccess) return;
    coreset.resize(static_cast<std::size_t>(std::clamp(coreset[0], 0, m_shape.experts)) + 1);
    coreset.erase(coreset.begin());
    capture.layers.push_back(std::move(x));
    capture.experts.push_back(std::move(experts));
    capture.coreset.push_back(std::move(coreset));
}

template <class T>
void Pass<T>::captureLogits(Calls& ok, const PassShape& p, PassCapture& capture) {
    capture.logits.resize(static_cast<std::size_t>(p.t * m_shape.vocab));
    T* rows = static_cast<T*>(m_space.headRows);
    for (std::int64_t first = 0; first < p.t && ok.error() == cudaSuccess; first += kMaxOutputRows) {
        const std::int64_t n = std::min<std::int64_t>(kMaxOutputRows, p.t - first);
        ok(addNorm<T>(m_on, m_space.x, Rows{}, m_weights.norm(), m_config.compatibility.zeroCentredNorms,
                      static_cast<float>(m_config.rmsNormEps), logitRow(p, first), n, m_shape.hidden, rows));
        logits(ok, rows, n);
        ok(cudaStreamSynchronize(m_on.stream)) &&
            ok(cudaMemcpy(capture.logits.data() + first * m_shape.vocab, m_space.logits,
                          static_cast<std::size_t>(n * m_shape.vocab) * sizeof(float), cudaMemcpyDeviceToHost));
    }
}

}  // namespace

std::unique_ptr<PartPass> makePartPass(DevicePart& part) {
    if (part.setup().size.floats) return std::make_unique<Pass<float>>(part);
    return std::make_unique<Pass<Bf16>>(part);
}

}  // namespace trefoil::cuda
