// StopFilter: cuts a growing text before the first of some strings, wherever the pieces are cut.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trefoil::serve {

class StopFilter {
public:
    /// Empty strings are left out.
    explicit StopFilter(std::vector<std::string> stops);

    /// What may be shown of all text so far and was not given yet; what could be the beginning of a stop string waits. Pieces and
    /// stop strings are whole characters, so no result cuts one.
    [[nodiscard]] std::string push(std::string_view piece);
    /// What waited, when nothing follows; empty after a stop.
    [[nodiscard]] std::string finish();
    /// A stop string was found; further pieces give nothing.
    [[nodiscard]] bool stopped() const { return m_stopped; }

private:
    std::vector<std::string> m_stops;
    std::string m_waiting;
    bool m_stopped = false;
};

}  // namespace trefoil::serve
