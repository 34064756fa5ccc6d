// The model folders of the source tree that tests read.
#pragma once

#include <filesystem>

namespace trefoil::test {

/// A few thousand random weights with golden values of the oracle.
inline const std::filesystem::path kTiny = std::filesystem::path(TREFOIL_SOURCE_DIR) / "tests/golden/tiny";
/// The trained model that is shipped.
inline const std::filesystem::path kDemo = std::filesystem::path(TREFOIL_SOURCE_DIR) / "resources/demo-model";

}  // namespace trefoil::test
