#include "kernels/cuda/workspace.h"

#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/delta_chunk.h"
#include "kernels/cuda/expert_gemm.h"
#include "kernels/cuda/skinny_gemm.h"

#include <algorithm>

namespace trefoil::cuda {
namespace {

GdnRows carveRows(Carver& carver, const GdnShape& s, std::int64_t t, bool inputs) {
    GdnRows rows;
    rows.q = carver.take<float>(t * s.keys());
    rows.k = carver.take<float>(t * s.keys());
    rows.v = carver.take<float>(t * s.values());
    rows.decay = carver.take<float>(t * s.valueHeads);
    rows.beta = carver.take<float>(t * s.valueHeads);
    if (inputs) rows.inputs = carver.take<float>(t * s.channels());
    return rows;
}

/// Elements, so that what follows begins at a multiple of 256 bytes.
std::int64_t aligned(std::int64_t elements) { return (elements + 127) / 128 * 128; }

}  // namespace

UnpackedExperts::UnpackedExperts(const ModelShape& m, int slice) {
    const std::int64_t each = static_cast<std::int64_t>(m.width) * m.hidden;
    const std::int64_t shared = static_cast<std::int64_t>(m.sharedWidth) * m.hidden;
    down = aligned(2 * slice * each);
    sharedGateUp = down + aligned(slice * each);
    sharedDown = sharedGateUp + aligned(2 * shared);
    all = sharedDown + aligned(shared);
}

void Workspace::carveScratch(Carver& carver, const ModelShape& m, const WorkspaceShape& size) {
    const std::int64_t t = size.chunk;
    const std::int64_t element = size.floats ? 4 : 2;
    const auto bytes = [&](std::int64_t count) { return carver.takeBytes(static_cast<std::size_t>(count)); };
    const std::int64_t small = std::min<std::int64_t>(t, kSmallRows);
    // What a product of `columns` outputs over `depth` inputs may need: partial sums of a small pass, or rows of a large one.
    const auto product = [&](std::int64_t columns, std::int64_t depth, std::int64_t largeElement) {
        const std::int64_t splits = skinnySplits(columns, depth, size.sms);
        return bytes(std::max(splits * small * columns * 4, t * columns * largeElement));
    };
    params = carver.take<PassParams>(1);
    ids = carver.take<std::int32_t>(t);
    x = carver.take<float>((t + 1) * m.hidden);
    if (x != nullptr) x += m.hidden;
    h = bytes(t * m.hidden * element);
    // Odd sizes run on plain kernels, which write float32 rows.
    const std::int64_t rowElement = size.floats || m.hidden % 8 != 0 ? 4 : 2;
    const std::int64_t gdnColumns = m.gdnLayers > 0 ? m.gdn.projected() : 0;
    const std::int64_t attentionColumns = m.attentionLayers > 0 ? m.attention.projected() : 0;
    projected = product(std::max(gdnColumns, attentionColumns), m.hidden, rowElement);
    rows = carveRows(carver, m.gdn, t, false);
    o = carver.take<float>(t * m.gdn.values());
    if (size.chunkedDelta) deltaSpace = carver.takeBytes(deltaChunkBytes(m.gdn, t, DeltaChunkPlan{}.batch));
    const std::int64_t queries = static_cast<std::int64_t>(m.attention.queryHeads) * m.attention.headDim;
    mixed = bytes(t * std::max<std::int64_t>(m.gdn.values(), queries) * element);
    const std::int64_t outSplits =
        std::max({skinnySplits(m.hidden, m.gdn.values(), size.sms), skinnySplits(m.hidden, queries, size.sms),
                  expertDownSplits(m.hidden, size.sms) + (size.expertSlice > 0 ? 1 : 0)});
    partial = carver.take<float>(std::max(outSplits * small * m.hidden, t * m.hidden));
    routerLogits = static_cast<float*>(product(m.routerRows(), m.hidden, 4));
    routing.probabilities = carver.take<float>(t * m.experts);
    routing.experts = carver.take<std::int32_t>(t * m.perToken);
    routing.weights = carver.take<float>(t * (m.perToken + 1));
    routing.coreset = carver.take<std::int32_t>(m.experts + 1);
    routing.ticket = carver.take<unsigned>(1);
    active.count = carver.take<std::int32_t>(1);
    active.expert = carver.take<std::int32_t>(m.experts + 1);
    active.rowMask = carver.take<std::uint64_t>(m.experts + 1);
    active.weight = carver.take<float>(static_cast<std::int64_t>(m.experts + 1) * kSmallRows);
    const std::int64_t positions = t * (m.perToken + 1);
    groups.rowOf = carver.take<std::int32_t>(positions);
    groups.positionOf = carver.take<std::int32_t>(positions);
    groups.tiles = carver.take<GroupTile>(maxGroupTiles(positions, m.experts));
    groups.tileCount = carver.take<std::int32_t>(1);
    const std::int64_t maxWidth = std::max(m.width, m.sharedWidth);
    const bool plain = size.floats || m.hidden % 8 != 0 || m.width % 8 != 0 || m.sharedWidth % 8 != 0;
    act = bytes(std::max(positions * maxWidth * (plain ? 4 : 2), (m.experts + 1) * small * maxWidth * 2));
    expertOut = carver.take<Bf16>(plain ? 0 : positions * m.hidden);
    unpacked =
        bytes(std::max(size.unpackedMatrix, size.expertSlice > 0 ? UnpackedExperts(m, size.expertSlice).all : 0) * element);
    if (size.expertSlice > 0) {
        slice.tiles = carver.take<GroupTile>(maxGroupTiles(positions, m.experts));
        slice.tileCount = carver.take<std::int32_t>(1);
        slice.used = carver.take<std::uint8_t>(m.experts);
    }
    q = bytes(t * queries * element);
    const std::int64_t jobs = t * m.attention.queryHeads;
    const std::int64_t splitJobs = std::max<std::int64_t>(
        jobs, std::int64_t{kSmallRows} * m.attention.queryHeads * flashSplits(m.attention, kSmallRows, size.sms));
    // One row of a small pass may be split further than 64 rows are, over as many blocks as the device has.
    const std::int64_t partJobs = std::max<std::int64_t>(splitJobs, 2LL * 128 * size.sms);
    parts.o = carver.take<float>(partJobs * m.attention.headDim);
    parts.maxSum = carver.take<float>(partJobs * 2);
    if (size.head) {
        headRows = bytes(std::int64_t{kMaxOutputRows} * m.hidden * element);
        logits = carver.take<float>(kMaxOutputRows * m.vocab);
        records = carver.take<HeadRecord>(std::int64_t{kSmallRows} * headBlocks(size.sms));
        flags = carver.take<std::uint8_t>(m.vocab);
        counts = carver.take<std::int32_t>(m.vocab);
    }
    frequencies = carver.take<float>(std::max(1, m.attention.rotaryDim / 2));
    blasWorkspace = carver.takeBytes(size.floats ? 0 : CublasLt::kWorkspaceBytes);
    kept.clear();
    for (int i = 0; i < m.gdnLayers; ++i) kept.push_back(carveRows(carver, m.gdn, kMaxOutputRows, true));
}

void Workspace::carveStates(Carver& carver, const ModelShape& m) {
    states.clear();
    tails.clear();
    for (int i = 0; i < m.gdnLayers; ++i) {
        states.push_back(carver.take<float>(static_cast<std::int64_t>(m.gdn.valueHeads) * m.gdn.keyDim * m.gdn.valueDim));
        tails.push_back(carver.take<float>(static_cast<std::int64_t>(m.gdn.taps - 1) * m.gdn.channels()));
    }
    lastHidden = carver.take<float>(m.hidden);
}

void Workspace::carveKeyValue(Carver& carver, const ModelShape& m, const WorkspaceShape& size) {
    keys.clear();
    values.clear();
    const std::int64_t row = static_cast<std::int64_t>(m.attention.keyValueHeads) * m.attention.headDim * (size.floats ? 4 : 2);
    for (int i = 0; i < m.attentionLayers; ++i) {
        keys.push_back(carver.takeBytes(static_cast<std::size_t>(size.positions * row)));
        values.push_back(carver.takeBytes(static_cast<std::size_t>(size.positions * row)));
    }
}

}  // namespace trefoil::cuda
