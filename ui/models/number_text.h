// Words for numbers as the window shows them, in the person's locale.
#pragma once

#include <QString>

namespace trefoil {

/// "1,234".
[[nodiscard]] QString countText(qint64 count);
/// "34.66 G", "14.1 M", "512": parameters and the like.
[[nodiscard]] QString largeCountText(qint64 count);
/// "69.3 GB", "812 kB", "17 bytes"; decimal units.
[[nodiscard]] QString bytesText(quint64 bytes);
/// "12.3 of 69.3 GB": both in the unit of `total`.
[[nodiscard]] QString bytesOfText(quint64 done, quint64 total);
/// "27 s", "3 min 20 s", "1 h 5 min"; rounded up to whole seconds.
[[nodiscard]] QString durationText(double milliseconds);
/// "12.3" with the given number of decimals.
[[nodiscard]] QString realText(double value, int decimals);

}  // namespace trefoil
