// How fuzz targets state a promise.
#pragma once

#include "engine/base/result.h"

namespace trefoil::fuzz {

/// Ends the process where libFuzzer, the sanitizers and ctest all notice.
void require(bool holds, const char* what);
/// An error's message is one line of UTF-8.
void requireMessage(const Error& error);

}  // namespace trefoil::fuzz
