#include "kernels/cuda/part_plan.h"

#include "kernels/cuda/delta_chunk.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace trefoil::cuda {
namespace {

/// Rows of the largest prompt chunk. A chunk reads every expert once, so larger ones cost less a token; a request to stop waits
/// for one chunk.
constexpr std::int64_t kPromptChunk = 4096;
/// Where the card's memory is short, chunks shrink to this.
constexpr std::int64_t kLeastChunk = 512;
/// Packed experts that are unpacked at a time for a prompt: 403 MB of Clover's.
constexpr int kExpertSlice = 64;

std::string gigabytes(std::uint64_t bytes) {
    const std::uint64_t tenths = (bytes + 50000000) / 100000000;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

/// Bytes of everything but the weights.
void planBuffers(PartSetup& setup, const ModelShape& shape) {
    Workspace space;
    Carver scratch(nullptr);
    Carver states(nullptr);
    Carver keyValue(nullptr);
    space.carveScratch(scratch, shape, setup.size);
    space.carveStates(states, shape);
    space.carveKeyValue(keyValue, shape, setup.size);
    setup.plan.workspace = scratch.used();
    setup.plan.states = states.used();
    setup.plan.keyValue = keyValue.used();
}

void planWeights(PartSetup& setup, const ModelConfig& config) {
    const ModelWeights weights(config, setup.range, setup.size.floats ? WeightFormat::Float32 : WeightFormat::BFloat16,
                               setup.forms, setup.experts);
    setup.plan.weights = weights.bytes();
    setup.plan.experts = weights.residentExpertBytes();
    setup.plan.host = weights.hostBytes();
    setup.size.unpackedMatrix = weights.largestPacked();
    const bool packed = weights.packsExperts();
    const auto experts = static_cast<int>(config.numExperts);
    // Plain kernels (the debug mode, odd sizes) want all experts at once.
    const bool plain = setup.size.floats || config.hiddenSize % 8 != 0 || config.moeIntermediateSize % 8 != 0 ||
                       config.sharedExpertIntermediateSize % 8 != 0;
    setup.size.expertSlice = !packed ? 0 : plain ? experts : std::min(experts, kExpertSlice);
}

/// How many experts of each layer fit beside everything else: those that a pass does not find are read from main memory.
void placeExperts(PartSetup& setup, const ModelConfig& config, const ModelShape& shape) {
    setup.experts = {true, 0};
    planWeights(setup, config);
    planBuffers(setup, shape);
    const std::uint64_t without = setup.plan.total();
    setup.experts.slots = 1;
    planWeights(setup, config);
    const std::uint64_t each = std::max<std::uint64_t>(1, setup.plan.experts);
    const std::uint64_t left = setup.plan.available > without ? setup.plan.available - without : 0;
    // Rounding of the slots' own tables may want one less.
    for (std::uint64_t slots = std::min<std::uint64_t>(left / each, static_cast<std::uint64_t>(config.numExperts));; --slots) {
        setup.experts.slots = static_cast<int>(slots);
        planWeights(setup, config);
        if (slots == 0 || setup.plan.total() <= setup.plan.available) return;
    }
}

/// mayMove: experts may stay in main memory where the device lacks room.
PartSetup planPart(const ModelConfig& config, const DeviceFacts& device, const LayerRange& range, std::uint64_t available,
                   const PlanOptions& options, bool mayMove) {
    PartSetup setup;
    setup.device = device;
    setup.range = range;
    setup.forms = options.forms;
    setup.plan.available = available;
    const std::int64_t context =
        options.context > 0 ? std::min(options.context, config.maxPositionEmbeddings) : config.maxPositionEmbeddings;
    const ModelShape shape(config, range);
    WorkspaceShape& size = setup.size;
    size.positions = context + kMaxPassRows;
    size.floats = options.floats;
    size.sms = device.sms;
    size.head = range.isLast();
    size.chunkedDelta = !options.floats && shape.gdnLayers > 0 && deltaChunkSupports(shape.gdn, device.sharedBytes);
    planWeights(setup, config);
    for (std::int64_t chunk = kPromptChunk;; chunk /= 2) {
        size.chunk = options.floats ? Executor::kDefaultChunk : std::max<std::int64_t>(kMaxPassRows, std::min(chunk, context));
        planBuffers(setup, shape);
        const bool roomy = options.gpuMemory == 0 || setup.plan.total() <= available || setup.plan.workspace <= available / 16;
        if (roomy || chunk <= kLeastChunk || options.floats) break;
    }
    if (mayMove && options.gpuMemory > 0 && setup.plan.total() > available) placeExperts(setup, config, shape);
    return setup;
}

std::string idOf(const PartSetup& part) { return "cuda:" + std::to_string(part.device.index); }

/// "a", "a and b", "a, b and c".
std::string joined(const std::vector<std::string>& texts) {
    std::string out;
    for (std::size_t i = 0; i < texts.size(); ++i) out += (i == 0 ? "" : i + 1 == texts.size() ? " and " : ", ") + texts[i];
    return out;
}

}  // namespace

bool floatPrecision() { return environmentIs("TREFOIL_CUDA_PRECISION", "float32"); }

Result<std::vector<PartSetup>> planParts(const ModelConfig& config, std::span<const DeviceFacts> devices,
                                         std::span<const std::uint64_t> alsoFree, const PlanOptions& options) {
    std::vector<std::uint64_t> shares;
    std::vector<std::uint64_t> budgets;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const auto parts = static_cast<std::uint64_t>(std::count_if(
            devices.begin(), devices.end(), [&](const DeviceFacts& other) { return other.index == devices[i].index; }));
        const std::uint64_t may = options.gpuMemory > kContextBytes ? options.gpuMemory - kContextBytes : 0;
        shares.push_back((options.gpuMemory == 0 ? devices[i].freeBytes : std::min(devices[i].freeBytes, may)) / parts);
        budgets.push_back(shares.back() + (i < alsoFree.size() ? alsoFree[i] : 0));
    }
    // Devices of one kind need the same for the same layers.
    std::map<std::tuple<int, std::size_t, std::int64_t, std::int64_t>, std::uint64_t> known;
    const auto ranges = splitLayers(config.numLayers(), budgets, [&](std::size_t part, const LayerRange& range) {
        const DeviceFacts& device = devices[part];
        const auto [found, isNew] = known.try_emplace({device.sms, device.sharedBytes, range.first, range.last}, 0);
        if (isNew) found->second = planPart(config, device, range, shares[part], options, false).plan.total();
        return found->second;
    });
    if (!ranges.ok()) return ranges.error();
    std::vector<PartSetup> parts;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        parts.push_back(planPart(config, devices[i], (*ranges)[i], shares[i], options, true));
        parts.back().limited = options.gpuMemory > 0 && options.gpuMemory < devices[i].freeBytes + kContextBytes;
    }
    return parts;
}

std::string unsupportedSizes(const ModelConfig& c, std::size_t sharedBytes) {
    if (c.numExperts > 1024) return "more than 1024 experts";
    if (c.headDim > 512) return "attention heads of more than 512";
    // Odd sizes keep a head's state in shared memory.
    const bool inRegisters =
        c.linearValueHeadDim % 32 == 0 && (c.linearKeyHeadDim == 32 || c.linearKeyHeadDim == 64 || c.linearKeyHeadDim == 128);
    if (const std::int64_t state = c.linearKeyHeadDim * (c.linearValueHeadDim + 2) * 4;
        !inRegisters && state > static_cast<std::int64_t>(sharedBytes))
        return "GDN heads with " + std::to_string(state / 1024) + " KiB of state on a card whose blocks have " +
               std::to_string(sharedBytes / 1024) + " KiB";
    return {};
}

std::string nameOf(std::span<const PartSetup> parts) {
    const bool alike = std::all_of(parts.begin(), parts.end(),
                                   [&](const PartSetup& part) { return part.device.name == parts.front().device.name; });
    std::vector<std::string> texts;
    for (const PartSetup& part : parts) texts.push_back(alike ? idOf(part) : part.device.name + " (" + idOf(part) + ")");
    return alike ? parts.front().device.name + " (" + joined(texts) + ")" : joined(texts);
}

MemoryPlan sumOf(std::span<const PartSetup> parts) {
    MemoryPlan sum;
    for (const PartSetup& part : parts) sum += part.plan;
    return sum;
}

Status checkFits(std::span<const PartSetup> parts) {
    std::vector<std::string> lacking;
    for (const PartSetup& part : parts) {
        const MemoryPlan& plan = part.plan;
        if (plan.total() <= plan.available) continue;
        const std::string layers = parts.size() == 1 ? "the model needs "
                                                     : "layers " + std::to_string(part.range.first) + " to " +
                                                           std::to_string(part.range.last - 1) + " need ";
        lacking.push_back(part.device.name + " (" + idOf(part) + ") " +
                          (part.limited ? "may give " + gigabytes(plan.available) + " beside CUDA itself; "
                                        : "has " + gigabytes(plan.available) + " free; ") +
                          layers + gigabytes(plan.total()) + " (weights " + gigabytes(plan.weights) + ", K and V " +
                          gigabytes(plan.keyValue) + ", states " + gigabytes(plan.states) + ", workspace " +
                          gigabytes(plan.workspace) + ")");
    }
    if (lacking.empty()) return {};
    std::string text = lacking.front();
    for (std::size_t i = 1; i < lacking.size(); ++i) text += "; " + lacking[i];
    return makeError(ErrorKind::DoesNotFit, text,
                     "choose a smaller context, close other programs that use the GPU, or use the CPU");
}

}  // namespace trefoil::cuda
