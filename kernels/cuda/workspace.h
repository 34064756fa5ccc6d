// Workspace: every buffer of a loaded model besides its weights, carved from three blocks that are allocated once: K and V,
// states, scratch.
#pragma once

#include "engine/checkpoint/model_config.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/gdn.h"
#include "kernels/cuda/head.h"
#include "kernels/cuda/model_weights.h"
#include "kernels/cuda/moe.h"
#include "kernels/cuda/tile_gemm.h"
#include "kernels/cuda/unpack.h"

#include <cstdint>
#include <vector>

namespace trefoil::cuda {

/// Sizes that the workspace depends on.
struct WorkspaceShape {
    std::int64_t positions = 0;  ///< rows of K and V: the context and a pass behind it
    std::int64_t chunk = 0;      ///< rows of the largest pass
    bool floats = false;         ///< activations are float32
    bool chunkedDelta = false;   ///< prompts go through deltaChunk and need its space
    bool head = true;            ///< the LM head and the controls run here
    int sms = 1;
    std::int64_t unpackedMatrix = 0;  ///< elements of the largest packed matrix
    int expertSlice = 0;              ///< packed experts that are unpacked at a time; 0: none are packed
};

/// Where unpacked experts lie in Workspace::unpacked.
struct UnpackedExperts {
    std::int64_t down = 0;  ///< elements from the start; gate and up come first
    std::int64_t sharedGateUp = 0;
    std::int64_t sharedDown = 0;
    std::int64_t all = 0;
    UnpackedExperts(const ModelShape& shape, int slice);
};

struct Workspace {
    // Scratch
    PassParams* params = nullptr;
    std::int32_t* ids = nullptr;    ///< [chunk]
    float* x = nullptr;             ///< [chunk, D], with one row before it
    void* h = nullptr;              ///< [chunk, D]
    void* projected = nullptr;      ///< input projection: partial sums or rows
    GdnRows rows;                   ///< of the layer at work
    float* o = nullptr;             ///< [chunk, values]
    void* deltaSpace = nullptr;     ///< of deltaChunk
    void* mixed = nullptr;          ///< [chunk, values or Hq·Dh]
    float* partial = nullptr;       ///< output projection and experts: partial sums [splits, chunk, D]
    float* routerLogits = nullptr;  ///< partial sums [splits, chunk, E + 1]
    Routing routing;
    ActiveExperts active;
    ExpertGroups groups;
    void* act = nullptr;
    Bf16* expertOut = nullptr;
    void* unpacked = nullptr;  ///< packed weights as plain ones: a matrix, or a slice of the experts
    ExpertSlice slice;
    void* q = nullptr;  ///< [chunk, Hq, Dh]
    AttentionParts parts;
    // Only of a part that holds the head
    void* headRows = nullptr;  ///< [kMaxOutputRows, D]
    float* logits = nullptr;   ///< [kMaxOutputRows, V]
    HeadRecord* records = nullptr;
    std::uint8_t* flags = nullptr;
    std::int32_t* counts = nullptr;
    // Again of every part
    float* frequencies = nullptr;
    void* blasWorkspace = nullptr;
    std::vector<GdnRows> kept;  ///< per GDN layer: a verify pass's rows, until keep() replays them
    // States
    std::vector<float*> states;   ///< per GDN layer [Hv, Dk, Dv]
    std::vector<float*> tails;    ///< per GDN layer [K - 1, C]
    float* lastHidden = nullptr;  ///< [D], the residual stream of the prefix's last row (used by one switch of section 9)
    // K and V
    std::vector<void*> keys;  ///< per attention layer [positions, Hkv, Dh]
    std::vector<void*> values;

    void carveScratch(Carver& carver, const ModelShape& shape, const WorkspaceShape& size);
    void carveStates(Carver& carver, const ModelShape& shape);
    void carveKeyValue(Carver& carver, const ModelShape& shape, const WorkspaceShape& size);
};

}  // namespace trefoil::cuda
