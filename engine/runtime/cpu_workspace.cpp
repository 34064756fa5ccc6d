#include "engine/runtime/cpu_workspace.h"

#include "kernels/cpu/attention.h"
#include "kernels/cpu/gated_delta_net.h"
#include "kernels/cpu/packed_matrix.h"

#include <algorithm>

namespace trefoil {
namespace {

/// One cache line more than whole panels: rows a power of two apart would share the same few cache sets.
constexpr std::int64_t kRowPadding = 16;

struct Allocate {
    static void rows(RowBuffer& buffer, std::int64_t count, std::int64_t width) { buffer = RowBuffer(count, width); }
    template <class T>
    static void array(kernels::AlignedArray<T>& a, std::int64_t size) {
        a = kernels::AlignedArray<T>(size);
    }
};

struct Plan {
    std::uint64_t bytes = 0;
    void rows(const RowBuffer& /*buffer*/, std::int64_t count, std::int64_t width) {
        bytes += RowBuffer::plannedBytes(count, width);
    }
    template <class T>
    void array(const kernels::AlignedArray<T>& /*a*/, std::int64_t size) {
        bytes += static_cast<std::uint64_t>(size) * sizeof(T);
    }
};

struct Count {
    std::uint64_t bytes = 0;
    void rows(const RowBuffer& buffer, std::int64_t /*count*/, std::int64_t /*width*/) { bytes += buffer.bytes(); }
    template <class T>
    void array(const kernels::AlignedArray<T>& a, std::int64_t /*size*/) {
        bytes += a.bytes();
    }
};

/// The largest need of one task: a convolved row, a tile of attention, a tile of the noisy mixer.
std::int64_t scratchFloats(const ModelConfig& c, std::int64_t rows) {
    const std::int64_t attention =
        kernels::attentionScratch() + kernels::kAttentionRows * kernels::roundUp(c.headDim, kernels::kPanel);
    const std::int64_t mixer = kernels::blockMixScratch(rows, c.linearKeyHeadDim, kernels::valuePanels(c.linearValueHeadDim));
    return std::max({c.convChannels(), attention, mixer});
}

}  // namespace

std::int64_t RowBuffer::strideFor(std::int64_t width) { return kernels::roundUp(width, kernels::kPanel) + kRowPadding; }

template <class Self, class Visitor>
void CpuWorkspace::forEachBuffer(Self& self, const ModelConfig& c, std::int64_t T, int workers, Visitor& visit) {
    const std::int64_t D = c.hiddenSize;
    const std::int64_t k = c.numExpertsPerTok;
    const std::int64_t E = c.numExperts;
    const std::int64_t Hk = c.linearNumKeyHeads;
    const std::int64_t Hv = c.linearNumValueHeads;
    const std::int64_t Dk = c.linearKeyHeadDim;
    const std::int64_t panels = kernels::valuePanels(c.linearValueHeadDim);
    visit.rows(self.hidden, T, D);
    visit.rows(self.normed, T, D);
    visit.rows(self.mixed, T, std::max(c.valueDim(), c.numAttentionHeads * c.headDim));
    visit.rows(self.convInput, T + 2 * (c.linearConvKernelDim - 1), c.convChannels());
    visit.rows(self.gate, T, c.valueDim());
    visit.rows(self.betaLogits, T, Hv);
    visit.rows(self.stepLogits, T, Hv);
    visit.rows(self.decay, T, Hv);
    visit.rows(self.beta, T, Hv);
    visit.rows(self.queryGate, T, c.numAttentionHeads * 2 * c.headDim);
    visit.rows(self.key, T, c.numKeyValueHeads * c.headDim);
    visit.rows(self.value, T, c.numKeyValueHeads * c.headDim);
    visit.rows(self.router, T, E);
    visit.rows(self.sharedHidden, T, c.sharedExpertIntermediateSize);
    visit.rows(self.sharedOut, T, D);
    visit.rows(self.expertHidden, T * k, c.moeIntermediateSize);
    visit.rows(self.expertOut, T * k, D);
    visit.rows(self.scratch, workers, scratchFloats(c, T));
    visit.array(self.q, Hk * T * Dk);
    visit.array(self.k, Hk * T * Dk);
    visit.array(self.v, Hv * panels * T * kernels::kPanel);
    visit.array(self.o, Hv * T * panels * kernels::kPanel);
    visit.array(self.state, Hv * panels * Dk * kernels::kPanel);
    visit.array(self.cosines, T * (c.rotaryDim() / 2));
    visit.array(self.sines, T * (c.rotaryDim() / 2));
    visit.array(self.experts, T * k);
    visit.array(self.expertWeights, T * k);
    visit.array(self.expertMasses, T * k);
    visit.array(self.sharedGate, T);
    visit.array(self.pairRow, T * k);
    visit.array(self.rowPairs, T * k);
    visit.array(self.pairWeight, T * k);
    visit.array(self.firstPair, E + 1);
    visit.array(self.kept, E);
    visit.array(self.ranking, E);
    visit.array(self.mass, E);
}

CpuWorkspace::CpuWorkspace(const ModelConfig& config, std::int64_t rowCount, int workers) : rows(rowCount) {
    Allocate allocate;
    forEachBuffer(*this, config, rowCount, workers, allocate);
    pairInput.resize(static_cast<std::size_t>(rowCount * config.numExpertsPerTok));
}

std::uint64_t CpuWorkspace::bytes() const {
    Count count;
    forEachBuffer(*this, ModelConfig(), 0, 0, count);
    return count.bytes + pairInput.size() * sizeof(float*);
}

std::uint64_t CpuWorkspace::plannedBytes(const ModelConfig& config, std::int64_t rowCount, int workers) {
    Plan plan;
    const CpuWorkspace none;
    forEachBuffer(none, config, rowCount, workers, plan);
    return plan.bytes + static_cast<std::uint64_t>(rowCount * config.numExpertsPerTok) * sizeof(float*);
}

}  // namespace trefoil
