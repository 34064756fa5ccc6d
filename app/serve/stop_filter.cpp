#include "app/serve/stop_filter.h"

#include <algorithm>
#include <utility>

namespace trefoil::serve {

StopFilter::StopFilter(std::vector<std::string> stops) : m_stops(std::move(stops)) { std::erase(m_stops, std::string()); }

std::string StopFilter::push(std::string_view piece) {
    if (m_stopped) return {};
    m_waiting += piece;
    std::size_t cut = std::string::npos;
    for (const std::string& stop : m_stops) cut = std::min(cut, m_waiting.find(stop));
    if (cut != std::string::npos) {
        m_stopped = true;
        std::string out = m_waiting.substr(0, cut);
        m_waiting.clear();
        return out;
    }
    std::size_t kept = 0;  // the longest end of the text that begins a stop string
    for (const std::string& stop : m_stops)
        for (std::size_t length = std::min(stop.size() - 1, m_waiting.size()); length > kept; --length)
            if (std::string_view(m_waiting).substr(m_waiting.size() - length) == std::string_view(stop).substr(0, length)) {
                kept = length;
                break;
            }
    std::string out = m_waiting.substr(0, m_waiting.size() - kept);
    m_waiting.erase(0, out.size());
    return out;
}

std::string StopFilter::finish() { return std::exchange(m_waiting, {}); }

}  // namespace trefoil::serve
