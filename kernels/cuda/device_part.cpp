#include "kernels/cuda/device_part.h"

#include "kernels/cuda/calls.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/route_hopper.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace trefoil::cuda {
namespace {

/// Lets `to` read the memory of `from` directly, where the machine can; without it, copies go through main memory.
void enablePeer(int to, int from) {
    int possible = 0;
    if (to == from || cudaDeviceCanAccessPeer(&possible, to, from) != cudaSuccess || possible == 0) {
        cudaGetLastError();
        return;
    }
    if (cudaDeviceEnablePeerAccess(from, 0) != cudaSuccess) cudaGetLastError();  // another model has enabled it already
}

}  // namespace

DevicePart::DevicePart(const ModelConfig& config, PartSetup setup)
    : m_config(config),
      m_setup(std::move(setup)),
      m_shape(config, m_setup.range),
      m_weights(config, m_setup.range, m_setup.size.floats ? WeightFormat::Float32 : WeightFormat::BFloat16, m_setup.forms,
                m_setup.experts) {}

DevicePart::~DevicePart() {
    (void)select();
    m_graphs.clear();
    if (m_received != nullptr) cudaEventDestroy(m_received);
    if (m_stream != nullptr) cudaStreamDestroy(m_stream);
}

// ---- loading

Status DevicePart::load(const LoadRequest& request, const HostBuffers& host, const Progress& progress, const CancelFlag* cancel) {
    Calls ok;
    m_host = host;
    const MemoryPlan& plan = m_setup.plan;
    ok(select()) && ok(m_stateBlock.allocate(plan.states)) && ok(m_keyValueBlock.allocate(plan.keyValue)) &&
        ok(m_scratchBlock.allocate(plan.workspace));
    if (ok.error() != cudaSuccess) return cudaFailure(ok.error(), "allocating the workspace");
    if (Status s = m_weights.upload(request, m_setup.device.index, progress, cancel); !s.ok()) return s;
    carve();
    ok(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking));
    if (ok.error() != cudaSuccess) return cudaFailure(ok.error(), "creating a stream");
    const bool portable = environmentIs("TREFOIL_CUDA_PATH", "portable");
    bool hopper = false;
    if (m_setup.device.major == 9 && !portable) ok(builtForHopper(hopper));
    if (ok.error() != cudaSuccess) return cudaFailure(ok.error(), "running a first kernel");
    m_on = Launcher{m_stream, m_setup.device.major >= 9 && !portable, hopper, m_setup.device.sms, m_setup.device.sharedBytes};
    if (hopper) m_on.clusterBlocks = widestCluster();
    ok(clearMemory()) && ok(fillTables()) && ok(m_weights.clearCaches(m_stream)) && ok(cudaDeviceSynchronize());
    if (ok.error() != cudaSuccess) return cudaFailure(ok.error(), "preparing the model");
    if (!m_setup.size.floats) {
        std::string message;
        m_blas = CublasLt::open(message);
    }
    return {};
}

void DevicePart::carve() {
    Carver scratch(m_scratchBlock.data());
    Carver states(m_stateBlock.data());
    Carver keyValue(m_keyValueBlock.data());
    m_space.carveScratch(scratch, m_shape, m_setup.size);
    m_space.carveStates(states, m_shape);
    m_space.carveKeyValue(keyValue, m_shape, m_setup.size);
}

cudaError_t DevicePart::clearMemory() {
    Calls ok;
    ok(cudaMemset(m_scratchBlock.data(), 0, m_setup.plan.workspace)) &&
        ok(cudaMemset(m_stateBlock.data(), 0, m_setup.plan.states)) &&
        ok(cudaMemset(m_keyValueBlock.data(), 0, m_setup.plan.keyValue));
    return ok.error();
}

/// Tables that never change: what is special about a token, and the rotary frequencies.
cudaError_t DevicePart::fillTables() {
    Calls ok;
    if (m_setup.size.head) {
        std::vector<std::uint8_t> flags(static_cast<std::size_t>(m_shape.vocab), 0);
        for (const TokenId id : m_config.eosTokenIds)
            if (id >= 0 && id < m_shape.vocab) flags[static_cast<std::size_t>(id)] |= kFlagEos;
        if (m_config.maskTokenId >= 0 && m_config.maskTokenId < m_shape.vocab)
            flags[static_cast<std::size_t>(m_config.maskTokenId)] |= kFlagMask;
        ok(cudaMemcpy(m_space.flags, flags.data(), flags.size(), cudaMemcpyHostToDevice));
    }
    const int rotary = m_shape.attention.rotaryDim;
    std::vector<float> frequencies(static_cast<std::size_t>(std::max(1, rotary / 2)), 0.0F);
    for (int j = 0; j < rotary / 2; ++j)
        frequencies[static_cast<std::size_t>(j)] =
            1.0F / std::pow(static_cast<float>(m_config.ropeTheta), static_cast<float>(2 * j) / static_cast<float>(rotary));
    ok(cudaMemcpy(m_space.frequencies, frequencies.data(), frequencies.size() * sizeof(float), cudaMemcpyHostToDevice));
    return ok.error();
}

// ---- from part to part

cudaError_t DevicePart::wait() { return cudaStreamSynchronize(m_stream); }

cudaError_t DevicePart::receive(const DevicePart& from, std::int64_t rows) {
    const int source = from.m_setup.device.index;
    const int own = m_setup.device.index;
    Calls ok;
    if (m_received == nullptr) {
        // An event belongs to the device whose stream records it.
        ok(from.select()) && ok(cudaEventCreateWithFlags(&m_received, cudaEventDisableTiming)) && ok(select());
        if (ok.error() == cudaSuccess) enablePeer(own, source);
    }
    const std::size_t bytes = static_cast<std::size_t>(rows * m_shape.hidden) * sizeof(float);
    ok(from.select()) && ok(cudaEventRecord(m_received, from.m_stream)) && ok(select()) &&
        ok(cudaStreamWaitEvent(m_stream, m_received, 0));
    if (ok.error() != cudaSuccess) return ok.error();
    return source == own ? cudaMemcpyAsync(m_space.x, from.m_space.x, bytes, cudaMemcpyDeviceToDevice, m_stream)
                         : cudaMemcpyPeerAsync(m_space.x, own, from.m_space.x, source, bytes, m_stream);
}

// ---- prefix and counts

cudaError_t DevicePart::clearStates() {
    Calls ok;
    ok(select()) && ok(cudaMemsetAsync(m_stateBlock.data(), 0, m_setup.plan.states, m_stream));
    return ok.error();
}

cudaError_t DevicePart::clearCounts() {
    Calls ok;
    ok(select()) &&
        ok(cudaMemsetAsync(m_space.counts, 0, static_cast<std::size_t>(m_shape.vocab) * sizeof(std::int32_t), m_stream));
    return ok.error();
}

cudaError_t DevicePart::count(std::span<const TokenId> tokens) {
    Calls ok;
    ok(select());
    const auto chunk = static_cast<std::size_t>(m_setup.size.chunk);
    for (std::size_t at = 0; at < tokens.size() && ok.error() == cudaSuccess; at += chunk) {
        const auto piece = tokens.subspan(at, std::min(chunk, tokens.size() - at));
        // Pageable memory: the ids have left it when the call returns.
        ok(cudaMemcpyAsync(m_space.ids, piece.data(), piece.size_bytes(), cudaMemcpyHostToDevice, m_stream)) &&
            ok(addCounts(m_on, m_space.ids, static_cast<int>(piece.size()), m_space.counts));
    }
    return ok.error();
}

cudaError_t DevicePart::keep(std::int64_t rows) {
    Calls ok;
    ok(select());
    for (std::size_t i = 0; i < m_space.kept.size() && ok.error() == cudaSuccess; ++i) {
        const GdnRows& kept = m_space.kept[i];
        const Rows inputs{kept.inputs, m_shape.gdn.channels(), 0, 1, false};
        ok(deltaRule(m_on, m_shape.gdn, kept, rows, m_space.states[i], true, nullptr)) &&
            ok(gdnTail(m_on, m_shape.gdn, inputs, m_space.tails[i], m_space.params, rows));
    }
    if (m_setup.range.isLast() && m_config.compatibility.noisyRowsPredictNext)
        ok(cudaMemcpyAsync(m_space.lastHidden, m_space.x + (rows - 1) * m_shape.hidden,
                           static_cast<std::size_t>(m_shape.hidden) * sizeof(float), cudaMemcpyDeviceToDevice, m_stream));
    return ok.error();
}

// ---- snapshots: the states, then keys and values of each attention layer

std::size_t DevicePart::keyValueBytes(std::int64_t rows) const {
    const std::size_t element = m_setup.size.floats ? sizeof(float) : sizeof(Bf16);
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(m_shape.attention.keyValueHeads) *
           static_cast<std::size_t>(m_shape.attention.headDim) * element;
}

std::size_t DevicePart::prefixBytes(std::int64_t rows) const {
    return m_setup.plan.states + 2 * m_space.keys.size() * keyValueBytes(rows);
}

cudaError_t DevicePart::save(std::int64_t rows, std::byte* to) {
    const std::size_t bytes = keyValueBytes(rows);
    Calls ok;
    ok(select()) && ok(wait()) && ok(cudaMemcpy(to, m_stateBlock.data(), m_setup.plan.states, cudaMemcpyDeviceToHost));
    to += m_setup.plan.states;
    for (std::size_t i = 0; i < m_space.keys.size() && ok.error() == cudaSuccess; ++i) {
        ok(cudaMemcpy(to, m_space.keys[i], bytes, cudaMemcpyDeviceToHost)) &&
            ok(cudaMemcpy(to + bytes, m_space.values[i], bytes, cudaMemcpyDeviceToHost));
        to += 2 * bytes;
    }
    return ok.error();
}

cudaError_t DevicePart::restore(std::int64_t rows, const std::byte* from) {
    const std::size_t bytes = keyValueBytes(rows);
    Calls ok;
    ok(select()) && ok(wait()) && ok(cudaMemcpy(m_stateBlock.data(), from, m_setup.plan.states, cudaMemcpyHostToDevice));
    from += m_setup.plan.states;
    for (std::size_t i = 0; i < m_space.keys.size() && ok.error() == cudaSuccess; ++i) {
        ok(cudaMemcpy(m_space.keys[i], from, bytes, cudaMemcpyHostToDevice)) &&
            ok(cudaMemcpy(m_space.values[i], from + bytes, bytes, cudaMemcpyHostToDevice));
        from += 2 * bytes;
    }
    return ok.error();
}

}  // namespace trefoil::cuda
