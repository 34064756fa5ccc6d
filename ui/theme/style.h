// The program's widget style: Fusion, with outlines that can be seen in the dark.
#pragma once

class QStyle;

namespace trefoil::theme {

/// Owned by the caller; QApplication::setStyle takes it.
[[nodiscard]] QStyle* makeStyle();

}  // namespace trefoil::theme
