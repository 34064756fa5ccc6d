#include "engine/runtime/cpu_prefix.h"

#include <algorithm>
#include <cstddef>

namespace trefoil {
namespace {

std::int64_t stateElements(const ModelConfig& config) {
    return config.linearNumValueHeads * kernels::valuePanels(config.linearValueHeadDim) * config.linearKeyHeadDim *
           kernels::kPanel;
}

std::int64_t tailElements(const ModelConfig& config) { return (config.linearConvKernelDim - 1) * config.convChannels(); }

std::int64_t layersOf(const ModelConfig& config, LayerKind kind) {
    return std::count(config.layers.begin(), config.layers.end(), kind);
}

}  // namespace

CpuPrefix::CpuPrefix(const ModelConfig& config) : layers(config.layers.size()), lastHidden(config.hiddenSize) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (config.layers[i] == LayerKind::GatedDeltaNet) {
            layers[i].state = kernels::AlignedArray<float>(stateElements(config));
            layers[i].tail = kernels::AlignedArray<float>(tailElements(config));
        } else {
            layers[i].keyValue = kernels::KeyValueCache(config.numKeyValueHeads, config.headDim, 0);
        }
    }
}

void CpuPrefix::reserve(std::int64_t rows) {
    for (LayerPrefix& layer : layers)
        if (layer.keyValue.headDim() > 0) layer.keyValue.reserve(length + rows, length);
}

void CpuPrefix::clear() {
    length = 0;
    hasLastHidden = false;
    for (LayerPrefix& layer : layers) {
        std::fill(layer.state.span().begin(), layer.state.span().end(), 0.0F);
        std::fill(layer.tail.span().begin(), layer.tail.span().end(), 0.0F);
    }
}

CpuPrefix CpuPrefix::copy() const {
    CpuPrefix out;
    out.length = length;
    out.hasLastHidden = hasLastHidden;
    out.lastHidden = lastHidden.clone();
    out.layers.resize(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        out.layers[i].state = layers[i].state.clone();
        out.layers[i].tail = layers[i].tail.clone();
        if (layers[i].keyValue.headDim() > 0) out.layers[i].keyValue = layers[i].keyValue.copy(length);
    }
    return out;
}

std::uint64_t CpuPrefix::keyValueBytes() const {
    std::uint64_t sum = 0;
    for (const LayerPrefix& layer : layers) sum += layer.keyValue.bytes();
    return sum;
}

std::uint64_t CpuPrefix::stateBytes() const {
    std::uint64_t sum = lastHidden.bytes();
    for (const LayerPrefix& layer : layers) sum += layer.state.bytes() + layer.tail.bytes();
    return sum;
}

std::uint64_t CpuPrefix::plannedKeyValueBytes(const ModelConfig& config, std::int64_t positions) {
    return static_cast<std::uint64_t>(layersOf(config, LayerKind::FullAttention)) *
           kernels::KeyValueCache::plannedBytes(config.numKeyValueHeads, config.headDim, positions);
}

std::uint64_t CpuPrefix::plannedStateBytes(const ModelConfig& config) {
    const std::int64_t perLayer = stateElements(config) + tailElements(config);
    return static_cast<std::uint64_t>(layersOf(config, LayerKind::GatedDeltaNet) * perLayer + config.hiddenSize) * sizeof(float);
}

}  // namespace trefoil
