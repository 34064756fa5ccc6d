#include "engine/runtime/cpu_pass.h"

#include "kernels/cpu/attention.h"
#include "kernels/cpu/gated_delta_net.h"
#include "kernels/cpu/mixture.h"
#include "kernels/cpu/row_operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace trefoil {
namespace {

using kernels::Epilogue;
using kernels::kPanel;

/// Rows that share one task where each row is little work, and where they also meet the router's weights.
constexpr std::int64_t kRowsPerTask = 2;
constexpr std::int64_t kRoutedRows = 4;
/// Rows of a head that share one task of the noisy mixer: three tiles of the matrix kernel.
constexpr std::int64_t kMixRows = 33;
constexpr std::int64_t kSmallestWorkspace = 32;

void copyRows(const RowBuffer& rows, std::int64_t width, std::vector<float>& out) {
    const auto count = static_cast<std::int64_t>(out.size()) / width;
    for (std::int64_t r = 0; r < count; ++r) std::copy_n(rows.row(r), width, out.begin() + r * width);
}

}  // namespace

CpuModel::CpuModel(ModelConfig config, ModelWeights weights, int threads)
    : m_config(std::move(config)), m_weights(std::move(weights)), m_pool(threads) {
    constexpr std::size_t kMostDenseJobs = 8;
    m_jobs.reserve(static_cast<std::size_t>(m_config.numExperts) + kMostDenseJobs);
}

std::uint64_t CpuModel::workspaceBytes() const {
    std::uint64_t draft = m_draft.hidden.bytes();
    for (const DraftLayer& layer : m_draft.layers)
        draft += layer.k.bytes() + layer.v.bytes() + layer.decay.bytes() + layer.beta.bytes() + layer.convInput.bytes();
    return m_work.bytes() + m_final.bytes() + m_logits.bytes() + draft;
}

std::uint64_t CpuModel::plannedWorkspaceBytes(const ModelConfig& config, std::int64_t rows, std::int64_t logitRows, int threads) {
    return CpuWorkspace::plannedBytes(config, rows, threads) + RowBuffer::plannedBytes(logitRows, config.hiddenSize) +
           RowBuffer::plannedBytes(logitRows, config.vocabSize);
}

/// All allocations of a pass, before it changes anything.
void CpuModel::prepare(const PassRequest& request, CpuPrefix& prefix) {
    const auto rows = static_cast<std::int64_t>(request.ids.size());
    if (rows > m_work.rows) m_work = CpuWorkspace(m_config, std::max(rows, kSmallestWorkspace), m_pool.threads());
    const bool all = request.logits == LogitRows::All || request.capture != nullptr;
    const std::int64_t logitRows = all ? rows : request.logits == LogitRows::Last ? 1 : 0;
    if (logitRows > m_logits.count()) {
        const std::int64_t room = logitRows == 1 ? 1 : std::max(logitRows, kSmallestWorkspace);
        m_final = RowBuffer(room, m_config.hiddenSize);
        m_logits = RowBuffer(room, m_config.vocabSize);
    }
    if (request.mode == PassMode::Draft) prepareDraft(rows);
    if (request.capture != nullptr) prepareCapture(*request.capture, rows);
    prefix.reserve(rows);
    m_logitRows = logitRows;
    m_rows = rows;
    m_noisy = request.mode == PassMode::Noisy;
    m_readBytes = 0;
}

void CpuModel::prepareCapture(PassCapture& capture, std::int64_t rows) const {
    const std::size_t layers = m_config.layers.size();
    capture = PassCapture();
    capture.logits.resize(static_cast<std::size_t>(rows * m_config.vocabSize));
    capture.layers.assign(layers, std::vector<float>(static_cast<std::size_t>(rows * m_config.hiddenSize)));
    capture.experts.assign(layers, std::vector<std::int32_t>(static_cast<std::size_t>(rows * m_config.numExpertsPerTok)));
    capture.coreset.resize(layers);
    for (auto& kept : capture.coreset) kept.reserve(static_cast<std::size_t>(m_config.numExperts));
}

void CpuModel::prepareDraft(std::int64_t rows) {
    m_draft.rows = rows;
    if (m_draft.hidden.size() >= rows * m_config.hiddenSize && !m_draft.layers.empty()) return;
    const std::int64_t room = std::max(rows, kSmallestWorkspace);
    const std::int64_t Hv = m_config.linearNumValueHeads;
    Draft draft;
    draft.rows = rows;
    draft.layers.resize(m_config.layers.size());
    for (std::size_t i = 0; i < draft.layers.size(); ++i) {
        if (m_config.layers[i] != LayerKind::GatedDeltaNet) continue;
        DraftLayer& layer = draft.layers[i];
        layer.k = FloatArray(m_config.keyDim() * room);
        layer.v = FloatArray(Hv * kernels::valuePanels(m_config.linearValueHeadDim) * room * kPanel);
        layer.decay = FloatArray(Hv * room);
        layer.beta = FloatArray(Hv * room);
        layer.convInput = FloatArray((m_config.linearConvKernelDim - 1 + room) * m_config.convChannels());
    }
    draft.hidden = FloatArray(room * m_config.hiddenSize);
    m_draft = std::move(draft);
}

PassStats CpuModel::run(const PassRequest& request, CpuPrefix& prefix) {
    prepare(request, prefix);
    PassStats stats;
    stats.layers.resize(m_config.layers.size());
    const std::int64_t D = m_config.hiddenSize;
    const auto epsilon = static_cast<float>(m_config.rmsNormEps);
    forRows([&](std::int64_t t, int) {
        m_weights.embed(request.ids[static_cast<std::size_t>(t)], D, m_work.hidden.row(t));
        float* cosines = m_work.cosines.data() + t * (m_config.rotaryDim() / 2);
        float* sines = m_work.sines.data() + t * (m_config.rotaryDim() / 2);
        kernels::rotaryAngles(prefix.length + t, m_config.rotaryDim(), static_cast<float>(m_config.ropeTheta), cosines, sines);
    });
    for (std::size_t i = 0; i < m_config.layers.size(); ++i) {
        const LayerWeights& w = m_weights.layers[i];
        forRows([&](std::int64_t t, int) {
            kernels::rmsNorm(m_work.hidden.row(t), w.inputNorm.data(), D, epsilon, m_work.normed.row(t));
        });
        if (w.kind == LayerKind::GatedDeltaNet) {
            gatedDeltaNet(w.gdn, prefix.layers[i], request.mode == PassMode::Draft ? &m_draft.layers[i] : nullptr);
        } else {
            attention(w.attention, prefix.layers[i], prefix.length);
        }
        mixture(w, m_noisy ? request.coresetTopP : std::nullopt, stats.layers[i]);
        if (request.capture != nullptr) captureLayer(*request.capture, i, stats.layers[i].coresetSize > 0);
    }
    computeLogits(request, prefix);
    if (request.mode == PassMode::Commit) {
        prefix.length += m_rows;
        std::copy_n(m_work.hidden.row(m_rows - 1), D, prefix.lastHidden.data());
        prefix.hasLastHidden = true;
    } else if (request.mode == PassMode::Draft) {
        for (std::int64_t t = 0; t < m_rows; ++t) std::copy_n(m_work.hidden.row(t), D, m_draft.hidden.data() + t * D);
    }
    stats.weightBytes = m_readBytes;
    return stats;
}

template <class Task>
void CpuModel::forRows(Task&& task) {
    m_pool.run(kernels::divideUp(m_rows, kRowsPerTask), [&](std::int64_t group, int worker) {
        const std::int64_t end = std::min(m_rows, (group + 1) * kRowsPerTask);
        for (std::int64_t t = group * kRowsPerTask; t < end; ++t) task(t, worker);
    });
}

void CpuModel::product(const kernels::PackedMatrix& weights, const RowBuffer& x, const RowBuffer& y, Epilogue epilogue,
                       std::int64_t firstOutputRow) {
    m_jobs.push_back({&weights, 0, m_rows, x.rows(), y.rows(firstOutputRow), epilogue, 0});
    m_readBytes += weights.weightBytesPerItem();
}

void CpuModel::collectInputs(InputSums* sums) {
    m_inputs = sums != nullptr ? std::make_unique<InputCollector>(m_weights, *sums) : nullptr;
}

void CpuModel::runProducts() {
    if (m_inputs) m_inputs->add(m_jobs);
    kernels::matrixProducts(m_pool, m_jobs);
    m_jobs.clear();
}

// ---------------------------------------------------------------------------------------------------- Gated DeltaNet

void CpuModel::gatedDeltaNet(const GatedDeltaNetWeights& w, LayerPrefix& prefix, DraftLayer* draft) {
    const std::int64_t before = m_config.linearConvKernelDim - 1;
    const std::int64_t C = m_config.convChannels();
    for (std::int64_t j = 0; j < before; ++j) {
        std::copy_n(prefix.tail.data() + j * C, C, m_work.convInput.row(j));
        std::fill_n(m_work.convInput.row(before + m_rows + j), C, 0.0F);
    }
    product(w.qkv, m_work.normed, m_work.convInput, Epilogue::Store, before);
    product(w.z, m_work.normed, m_work.gate, Epilogue::Store);
    if (!m_noisy || m_config.compatibility.scaleNoisyValueByBeta) product(w.b, m_work.normed, m_work.betaLogits, Epilogue::Store);
    if (!m_noisy) product(w.a, m_work.normed, m_work.stepLogits, Epilogue::Store);
    runProducts();
    convolve(w);
    if (m_noisy) {
        noisyMix(w, prefix);
    } else {
        if (draft != nullptr) saveDraft(*draft);
        causalMix(w, prefix, draft == nullptr);
        if (draft == nullptr)
            for (std::int64_t j = 0; j < before; ++j)
                std::copy_n(m_work.convInput.row(m_rows + j), C, prefix.tail.data() + j * C);
    }
    product(w.out, m_work.mixed, m_work.hidden, Epilogue::Add);
    runProducts();
}

/// From conv inputs to q, k, v, beta and decay, each head's rows together.
void CpuModel::convolve(const GatedDeltaNetWeights& w) {
    const std::int64_t K = m_config.linearConvKernelDim;
    const std::int64_t Hk = m_config.linearNumKeyHeads;
    const std::int64_t Hv = m_config.linearNumValueHeads;
    const std::int64_t Dk = m_config.linearKeyHeadDim;
    const std::int64_t Dv = m_config.linearValueHeadDim;
    const std::int64_t panels = kernels::valuePanels(Dv);
    const float queryScale = m_noisy ? 1.0F : 1.0F / std::sqrt(static_cast<float>(Dk));
    const bool scaleValues = m_noisy && m_config.compatibility.scaleNoisyValueByBeta;
    forRows([&](std::int64_t t, int worker) {
        float* u = m_work.scratch.row(worker);
        kernels::convolveSilu(m_work.convInput.row(t), m_work.convInput.stride(), w.taps.data(), m_noisy ? 2 * K - 1 : K,
                              m_config.convChannels(), u);
        for (std::int64_t h = 0; h < Hk; ++h) {
            kernels::l2Normalise(u + h * Dk, Dk, queryScale, m_work.q.data() + (h * m_rows + t) * Dk);
            kernels::l2Normalise(u + (Hk + h) * Dk, Dk, 1.0F, m_work.k.data() + (h * m_rows + t) * Dk);
        }
        for (std::int64_t h = 0; h < Hv; ++h) {
            float* value = u + 2 * Hk * Dk + h * Dv;
            if (scaleValues) kernels::scaleRow(value, Dv, kernels::sigmoidOf(m_work.betaLogits.row(t)[h]));
            kernels::storeValueRow(value, Dv, t, m_rows, m_work.v.data() + h * panels * m_rows * kPanel);
            if (m_noisy) continue;
            m_work.beta.row(t)[h] = kernels::sigmoidOf(m_work.betaLogits.row(t)[h]);
            m_work.decay.row(t)[h] = kernels::decayFactor(m_work.stepLogits.row(t)[h], w.timeBias[h], w.negativeRate[h]);
        }
    });
}

void CpuModel::causalMix(const GatedDeltaNetWeights& w, LayerPrefix& prefix, bool keepsState) {
    const std::int64_t Hk = m_config.linearNumKeyHeads;
    const std::int64_t Hv = m_config.linearNumValueHeads;
    const std::int64_t Dk = m_config.linearKeyHeadDim;
    const std::int64_t Dv = m_config.linearValueHeadDim;
    const std::int64_t panels = kernels::valuePanels(Dv);
    const auto epsilon = static_cast<float>(m_config.rmsNormEps);
    if (!keepsState) std::copy_n(prefix.state.data(), prefix.state.size(), m_work.state.data());
    float* states = keepsState ? prefix.state.data() : m_work.state.data();
    m_pool.run(Hv, [&](std::int64_t h, int) {
        const std::int64_t keyHead = h * Hk / Hv;
        float* out = m_work.o.data() + h * m_rows * panels * kPanel;
        kernels::deltaRule(m_work.q.data() + keyHead * m_rows * Dk, m_work.k.data() + keyHead * m_rows * Dk,
                           m_work.v.data() + h * panels * m_rows * kPanel, m_work.decay.row(0) + h, m_work.beta.row(0) + h,
                           m_work.beta.stride(), m_rows, m_rows, Dk, panels, states + h * panels * Dk * kPanel, out);
        for (std::int64_t t = 0; t < m_rows; ++t)
            kernels::gatedRmsNorm(out + t * panels * kPanel, m_work.gate.row(t) + h * Dv, w.norm.data(), Dv, epsilon,
                                  m_work.mixed.row(t) + h * Dv);
    });
}

void CpuModel::noisyMix(const GatedDeltaNetWeights& w, const LayerPrefix& prefix) {
    const std::int64_t Hk = m_config.linearNumKeyHeads;
    const std::int64_t Hv = m_config.linearNumValueHeads;
    const std::int64_t Dk = m_config.linearKeyHeadDim;
    const std::int64_t Dv = m_config.linearValueHeadDim;
    const std::int64_t panels = kernels::valuePanels(Dv);
    const auto epsilon = static_cast<float>(m_config.rmsNormEps);
    const auto age = static_cast<float>(std::log(static_cast<double>(m_rows) / 32.0));
    const std::int64_t groups = kernels::divideUp(m_rows, kMixRows);
    m_pool.run(Hv * groups, [&](std::int64_t task, int worker) {
        const std::int64_t h = task / groups;
        const std::int64_t first = task % groups * kMixRows;
        const std::int64_t count = std::min(kMixRows, m_rows - first);
        const std::int64_t keyHead = h * Hk / Hv;
        kernels::BlockMixControls controls;
        controls.logitScale = w.logitScale[h];
        controls.historyLogit = w.historyBias[h] + w.historyCoefficient[h] * age;
        if (m_config.compatibility.scaleHistoryRead) controls.historyReadScale = 1.0F / std::sqrt(static_cast<float>(Dk));
        float* out = m_work.o.data() + h * m_rows * panels * kPanel;
        kernels::blockMix(m_work.q.data() + keyHead * m_rows * Dk, m_work.k.data() + keyHead * m_rows * Dk,
                          m_work.v.data() + h * panels * m_rows * kPanel, prefix.state.data() + h * panels * Dk * kPanel, m_rows,
                          Dk, panels, controls, first, count, m_work.scratch.row(worker), out);
        for (std::int64_t t = first; t < first + count; ++t)
            kernels::gatedRmsNorm(out + t * panels * kPanel, m_work.gate.row(t) + h * Dv, w.norm.data(), Dv, epsilon,
                                  m_work.mixed.row(t) + h * Dv);
    });
}

void CpuModel::saveDraft(DraftLayer& draft) {
    const std::int64_t Hv = m_config.linearNumValueHeads;
    const std::int64_t C = m_config.convChannels();
    std::copy_n(m_work.k.data(), m_config.keyDim() * m_rows, draft.k.data());
    std::copy_n(m_work.v.data(), Hv * kernels::valuePanels(m_config.linearValueHeadDim) * m_rows * kPanel, draft.v.data());
    for (std::int64_t t = 0; t < m_rows; ++t) {
        std::copy_n(m_work.decay.row(t), Hv, draft.decay.data() + t * Hv);
        std::copy_n(m_work.beta.row(t), Hv, draft.beta.data() + t * Hv);
    }
    for (std::int64_t j = 0; j < m_config.linearConvKernelDim - 1 + m_rows; ++j)
        std::copy_n(m_work.convInput.row(j), C, draft.convInput.data() + j * C);
}

void CpuModel::keepDraft(std::int64_t rows, CpuPrefix& prefix) {
    if (rows == 0) return;
    const std::int64_t Hk = m_config.linearNumKeyHeads;
    const std::int64_t Hv = m_config.linearNumValueHeads;
    const std::int64_t Dk = m_config.linearKeyHeadDim;
    const std::int64_t C = m_config.convChannels();
    const std::int64_t T = m_draft.rows;
    const std::int64_t panels = kernels::valuePanels(m_config.linearValueHeadDim);
    const auto layers = static_cast<std::int64_t>(m_config.layers.size());
    m_pool.run(layers * Hv, [&](std::int64_t task, int) {
        const auto i = static_cast<std::size_t>(task / Hv);
        const std::int64_t h = task % Hv;
        if (m_config.layers[i] != LayerKind::GatedDeltaNet) return;
        const DraftLayer& draft = m_draft.layers[i];
        kernels::deltaRule(nullptr, draft.k.data() + h * Hk / Hv * T * Dk, draft.v.data() + h * panels * T * kPanel,
                           draft.decay.data() + h, draft.beta.data() + h, Hv, rows, T, Dk, panels,
                           prefix.layers[i].state.data() + h * panels * Dk * kPanel, nullptr);
        if (h == 0) std::copy_n(draft.convInput.data() + rows * C, prefix.layers[i].tail.size(), prefix.layers[i].tail.data());
    });
    prefix.length += rows;
    std::copy_n(m_draft.hidden.data() + (rows - 1) * m_config.hiddenSize, m_config.hiddenSize, prefix.lastHidden.data());
    prefix.hasLastHidden = true;
}

// ---------------------------------------------------------------------------------------------------- attention

void CpuModel::attention(const AttentionWeights& w, LayerPrefix& prefix, std::int64_t prefixLength) {
    product(w.q, m_work.normed, m_work.queryGate, Epilogue::Store);
    product(w.k, m_work.normed, m_work.key, Epilogue::Store);
    product(w.v, m_work.normed, m_work.value, Epilogue::Store);
    runProducts();
    storeKeysAndValues(w, prefix, prefixLength);
    // The rows of a task are (token, query head) pairs that read the same key/value head, token by token.
    const std::int64_t Dh = m_config.headDim;
    const std::int64_t heads = m_config.numKeyValueHeads;
    const std::int64_t group = m_config.numAttentionHeads / heads;
    const std::int64_t pairs = m_rows * group;
    const std::int64_t tiles = kernels::divideUp(pairs, kernels::kAttentionRows);
    const std::int64_t width = kernels::roundUp(Dh, kPanel);
    m_pool.run(heads * tiles, [&](std::int64_t task, int worker) {
        const std::int64_t head = task / tiles;
        const std::int64_t first = task % tiles * kernels::kAttentionRows;
        const auto count = static_cast<std::size_t>(std::min(kernels::kAttentionRows, pairs - first));
        std::array<const float*, kernels::kAttentionRows> query{};
        std::array<std::int64_t, kernels::kAttentionRows> visible{};
        for (std::size_t r = 0; r < count; ++r) {
            const std::int64_t pair = first + static_cast<std::int64_t>(r);
            query[r] = m_work.queryGate.row(pair / group) + (head * group + pair % group) * 2 * Dh;
            visible[r] = prefixLength + (m_noisy ? m_rows : pair / group + 1);
        }
        float* out = m_work.scratch.row(worker);
        kernels::attend(prefix.keyValue, head, {query.data(), count}, {visible.data(), count},
                        out + kernels::kAttentionRows * width, out);
        for (std::size_t r = 0; r < count; ++r) {
            const std::int64_t pair = first + static_cast<std::int64_t>(r);
            kernels::sigmoidGate(out + static_cast<std::int64_t>(r) * width, query[r] + Dh, Dh,
                                 m_work.mixed.row(pair / group) + (head * group + pair % group) * Dh);
        }
    });
    product(w.out, m_work.mixed, m_work.hidden, Epilogue::Add);
    runProducts();
}

/// Norms and turns queries and keys, and writes keys and values past the prefix.
void CpuModel::storeKeysAndValues(const AttentionWeights& w, LayerPrefix& prefix, std::int64_t prefixLength) {
    const std::int64_t Dh = m_config.headDim;
    const std::int64_t R = m_config.rotaryDim();
    const auto epsilon = static_cast<float>(m_config.rmsNormEps);
    const float scale = 1.0F / std::sqrt(static_cast<float>(Dh));
    forRows([&](std::int64_t t, int) {
        const float* cosines = m_work.cosines.data() + t * (R / 2);
        const float* sines = m_work.sines.data() + t * (R / 2);
        for (std::int64_t h = 0; h < m_config.numAttentionHeads; ++h) {
            float* q = m_work.queryGate.row(t) + h * 2 * Dh;
            kernels::rmsNorm(q, w.qNorm.data(), Dh, epsilon, q);
            kernels::rotate(q, R, cosines, sines);
            kernels::scaleRow(q, Dh, scale);
        }
        for (std::int64_t h = 0; h < m_config.numKeyValueHeads; ++h) {
            float* k = m_work.key.row(t) + h * Dh;
            kernels::rmsNorm(k, w.kNorm.data(), Dh, epsilon, k);
            kernels::rotate(k, R, cosines, sines);
        }
    });
    // Positions whose keys share cache lines go to one thread.
    const std::int64_t firstLine = prefixLength / kernels::KeyValueCache::kPositionsPerLine;
    const std::int64_t lines = kernels::divideUp(prefixLength + m_rows, kernels::KeyValueCache::kPositionsPerLine) - firstLine;
    m_pool.run(m_config.numKeyValueHeads * lines, [&](std::int64_t task, int) {
        const std::int64_t h = task / lines;
        const std::int64_t line = (firstLine + task % lines) * kernels::KeyValueCache::kPositionsPerLine;
        const std::int64_t end = std::min(line + kernels::KeyValueCache::kPositionsPerLine, prefixLength + m_rows);
        for (std::int64_t position = std::max(line, prefixLength); position < end; ++position) {
            const std::int64_t t = position - prefixLength;
            prefix.keyValue.store(h, position, m_work.key.row(t) + h * Dh, m_work.value.row(t) + h * Dh);
        }
    });
}

// ---------------------------------------------------------------------------------------------------- mixture of experts

void CpuModel::mixture(const LayerWeights& w, std::optional<float> coresetTopP, LayerStats& stats) {
    route(w);
    const bool restricted = coresetTopP && *coresetTopP < 1.0F;
    if (restricted) {
        stats.freeExperts = countChosenExperts();
        restrictToCoreset(*coresetTopP, stats);
    }
    stats.distinctExperts = groupByExpert();
    if (!restricted) stats.freeExperts = stats.distinctExperts;
    const MixtureWeights& m = w.mixture;
    stats.expertBytes = m.gateUp.weightBytesPerItem() + m.down.weightBytesPerItem();
    m_readBytes += m.router.weightBytesPerItem() + m.sharedGate.bytes() +
                   static_cast<std::uint64_t>(stats.distinctExperts) * stats.expertBytes;
    const auto forExperts = [&](const kernels::PackedMatrix& weights, bool down) {
        for (std::int64_t e = 0; e < m_config.numExperts; ++e) {
            const std::int64_t first = m_work.firstPair[e];
            const std::int64_t count = m_work.firstPair[e + 1] - first;
            if (count == 0) continue;
            if (down) {
                m_jobs.push_back(
                    {&weights, e, count, m_work.expertHidden.rows(first), m_work.expertOut.rows(first), Epilogue::Store, 0});
            } else {
                m_jobs.push_back({&weights, e, count, m_work.pairInput.data() + first, m_work.expertHidden.rows(first),
                                  Epilogue::SiluPair, 0});
            }
        }
    };
    // The shared expert has the largest tasks: taken first, they leave small ones to even out the threads at the end.
    product(m.sharedGateUp, m_work.normed, m_work.sharedHidden, Epilogue::SiluPair);
    forExperts(m.gateUp, false);
    runProducts();
    product(m.sharedDown, m_work.sharedHidden, m_work.sharedOut, Epilogue::Store);
    forExperts(m.down, true);
    runProducts();
    addMixture();
}

/// Norm, router, softmax and the free choice of experts, a few rows a task.
void CpuModel::route(const LayerWeights& w) {
    const std::int64_t D = m_config.hiddenSize;
    const std::int64_t E = m_config.numExperts;
    const std::int64_t k = m_config.numExpertsPerTok;
    const auto epsilon = static_cast<float>(m_config.rmsNormEps);
    const kernels::PackedMatrix& router = w.mixture.router;
    m_pool.run(kernels::divideUp(m_rows, kRoutedRows), [&](std::int64_t task, int) {
        const std::int64_t first = task * kRoutedRows;
        const std::int64_t count = std::min(kRoutedRows, m_rows - first);
        for (std::int64_t t = first; t < first + count; ++t) {
            kernels::rmsNorm(m_work.hidden.row(t), w.postMixerNorm.data(), D, epsilon, m_work.normed.row(t));
            m_work.sharedGate[t] = kernels::sigmoidOf(kernels::dot(m_work.normed.row(t), w.mixture.sharedGate.data(), D));
        }
        std::array<float*, kRoutedRows> y{};
        for (std::int64_t p = 0; p < router.panels(); ++p) {
            for (std::int64_t r = 0; r < count; ++r) y[static_cast<std::size_t>(r)] = m_work.router.row(first + r) + p * kPanel;
            kernels::panelProduct(router, 0, p, m_work.normed.rows(first), y.data(), count, Epilogue::Store);
        }
        for (std::int64_t t = first; t < first + count; ++t) {
            const std::span<float> probabilities(m_work.router.row(t), static_cast<std::size_t>(E));
            const std::span<float> weights =
                m_work.expertWeights.span().subspan(static_cast<std::size_t>(t * k), static_cast<std::size_t>(k));
            const auto masses = m_work.expertMasses.span().subspan(static_cast<std::size_t>(t * k), static_cast<std::size_t>(k));
            kernels::softmax(probabilities);
            kernels::topExperts(probabilities, {},
                                m_work.experts.span().subspan(static_cast<std::size_t>(t * k), static_cast<std::size_t>(k)),
                                weights);
            std::copy(weights.begin(), weights.end(), masses.begin());
            kernels::renormalise(weights);
            if (m_config.compatibility.coresetMassRenormalised) std::copy(weights.begin(), weights.end(), masses.begin());
        }
    });
}

/// How many experts the rows have chosen among them.
std::int32_t CpuModel::countChosenExperts() {
    const auto seen = m_work.kept.span();
    std::fill(seen.begin(), seen.end(), std::uint8_t{0});
    std::int32_t distinct = 0;
    for (std::int64_t i = 0; i < m_rows * m_config.numExpertsPerTok; ++i) {
        std::uint8_t& one = seen[static_cast<std::size_t>(m_work.experts[i])];
        if (one == 0) ++distinct;
        one = 1;
    }
    return distinct;
}

/// Section 5: each row chooses again among the experts that the block keeps.
void CpuModel::restrictToCoreset(float topP, LayerStats& stats) {
    const std::int64_t E = m_config.numExperts;
    const auto k = static_cast<std::size_t>(m_config.numExpertsPerTok);
    const std::size_t choices = static_cast<std::size_t>(m_rows) * k;
    const kernels::Coreset coreset =
        kernels::chooseCoreset(m_work.experts.span().first(choices), m_work.expertMasses.span().first(choices),
                               m_config.numExpertsPerTok, topP, m_work.kept.span(), m_work.ranking.span(), m_work.mass.span());
    stats.coresetSize = coreset.size;
    stats.coresetShare = coreset.share;
    forRows([&](std::int64_t t, int) {
        const std::size_t at = static_cast<std::size_t>(t) * k;
        const std::span<float> weights = m_work.expertWeights.span().subspan(at, k);
        kernels::topExperts({m_work.router.row(t), static_cast<std::size_t>(E)}, m_work.kept.span(),
                            m_work.experts.span().subspan(at, k), weights);
        kernels::renormalise(weights);
    });
}

/// Sorts the (row, expert) pairs by expert, then row. Returns how many experts have any.
std::int32_t CpuModel::groupByExpert() {
    const std::int64_t E = m_config.numExperts;
    const std::int64_t k = m_config.numExpertsPerTok;
    std::int64_t* first = m_work.firstPair.data();
    std::fill_n(first, E + 1, 0);
    for (std::int64_t i = 0; i < m_rows * k; ++i) ++first[m_work.experts[i] + 1];
    std::int32_t distinct = 0;
    for (std::int64_t e = 0; e < E; ++e) {
        if (first[e + 1] > 0) ++distinct;
        first[e + 1] += first[e];
    }
    // Filling moves each expert's start to its end, which is the next one's start; the last loop moves them back.
    for (std::int64_t t = 0; t < m_rows; ++t) {
        for (std::int64_t slot = 0; slot < k; ++slot) {
            const std::int64_t pair = first[m_work.experts[t * k + slot]]++;
            m_work.pairRow[pair] = static_cast<std::int32_t>(t);
            m_work.pairWeight[pair] = m_work.expertWeights[t * k + slot];
            m_work.pairInput[static_cast<std::size_t>(pair)] = m_work.normed.row(t);
            m_work.rowPairs[t * k + slot] = static_cast<std::int32_t>(pair);
        }
        std::sort(m_work.rowPairs.data() + t * k, m_work.rowPairs.data() + (t + 1) * k);
    }
    for (std::int64_t e = E; e > 0; --e) first[e] = first[e - 1];
    first[0] = 0;
    return distinct;
}

/// hidden += Σ weight · expert output (by ascending expert) + gate · shared expert.
void CpuModel::addMixture() {
    const std::int64_t D = m_config.hiddenSize;
    const std::int64_t k = m_config.numExpertsPerTok;
    forRows([&](std::int64_t t, int) {
        float* sum = m_work.sharedOut.row(t);
        kernels::scaleRow(sum, D, m_work.sharedGate[t]);
        for (std::int64_t slot = 0; slot < k; ++slot) {
            const std::int64_t pair = m_work.rowPairs[t * k + slot];
            kernels::addScaled(m_work.expertOut.row(pair), D, m_work.pairWeight[pair], sum);
        }
        kernels::addScaled(sum, D, 1.0F, m_work.hidden.row(t));
    });
}

// ---------------------------------------------------------------------------------------------------- logits

void CpuModel::computeLogits(const PassRequest& request, const CpuPrefix& prefix) {
    const std::int64_t rows = m_logitRows;
    if (rows == 0) return;
    const std::int64_t D = m_config.hiddenSize;
    const auto epsilon = static_cast<float>(m_config.rmsNormEps);
    const bool shifted = m_noisy && m_config.compatibility.noisyRowsPredictNext;
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* source = m_work.hidden.row(m_rows - rows + r);
        // Rows that predict the next token: the row before gives this row's logits; before the first stands the last clean one.
        if (shifted && r > 0) source = m_work.hidden.row(r - 1);
        if (shifted && r == 0 && prefix.hasLastHidden) source = prefix.lastHidden.data();
        kernels::rmsNorm(source, m_weights.finalNorm.data(), D, epsilon, m_final.row(r));
    }
    m_readBytes += m_weights.head.weightBytesPerItem();
    m_jobs.push_back({&m_weights.head, 0, rows, m_final.rows(), m_logits.rows(), Epilogue::Store, 0});
    runProducts();
    if (request.capture != nullptr) copyRows(m_logits, m_config.vocabSize, request.capture->logits);
}

void CpuModel::captureLayer(PassCapture& capture, std::size_t layer, bool coreset) const {
    copyRows(m_work.hidden, m_config.hiddenSize, capture.layers[layer]);
    std::copy_n(m_work.experts.data(), capture.experts[layer].size(), capture.experts[layer].begin());
    for (std::int64_t e = 0; coreset && e < m_config.numExperts; ++e)
        if (m_work.kept[e] != 0) capture.coreset[layer].push_back(static_cast<std::int32_t>(e));
}

}  // namespace trefoil
