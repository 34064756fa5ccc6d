// The tensor half of verifyGolden. Private to engine/verify.
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/executor.h"
#include "engine/verify/golden.h"

#include <filesystem>
#include <functional>

namespace trefoil {

/// Runs the passes that golden.safetensors names and compares every tensor; calls `add` for each, in the order of computing.
Status compareGoldenTensors(Executor& executor, const std::filesystem::path& file, const std::function<void(VerifyRow)>& add);

}  // namespace trefoil
