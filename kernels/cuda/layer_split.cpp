#include "kernels/cuda/layer_split.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace trefoil::cuda {
namespace {

class Splitter {
public:
    Splitter(std::int64_t layers, std::span<const std::uint64_t> budgets, const PartBytes& bytes)
        : m_layers(layers), m_budgets(budgets), m_bytes(bytes) {}

    /// Part of device `part`'s budget that the range would take.
    double load(std::size_t part, std::int64_t first, std::int64_t last) {
        const auto key = std::make_tuple(part, first, last);
        auto found = m_known.find(key);
        if (found == m_known.end()) {
            const auto budget = static_cast<double>(std::max<std::uint64_t>(1, m_budgets[part]));
            const std::uint64_t bytes = m_bytes(part, LayerRange{first, last, m_layers});
            found = m_known.emplace(key, static_cast<double>(bytes) / budget).first;
        }
        return found->second;
    }

    /// Each device in turn takes as many layers as stay under `limit`, and leaves one for every later device. Empty when the
    /// layers are not used up.
    std::vector<LayerRange> fill(double limit) {
        std::vector<LayerRange> ranges;
        std::int64_t first = 0;
        for (std::size_t part = 0; part < m_budgets.size(); ++part) {
            const std::int64_t most = m_layers - static_cast<std::int64_t>(m_budgets.size() - part - 1);
            // The last device must take the rest; the others try one layer more each time.
            std::int64_t last = part + 1 == m_budgets.size() ? m_layers : first + 1;
            if (load(part, first, last) > limit) return {};
            while (last < most && load(part, first, last + 1) <= limit) ++last;
            ranges.push_back({first, last, m_layers});
            first = last;
        }
        return ranges;
    }

private:
    std::int64_t m_layers;
    std::span<const std::uint64_t> m_budgets;
    const PartBytes& m_bytes;
    std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, double> m_known;
};

}  // namespace

Result<std::vector<LayerRange>> splitLayers(std::int64_t layers, std::span<const std::uint64_t> budgets, const PartBytes& bytes) {
    const auto parts = static_cast<std::int64_t>(budgets.size());
    if (parts < 1 || parts > layers)
        return makeError(
            ErrorKind::InvalidArgument,
            "the model's " + std::to_string(layers) + " layers cannot be split over " + std::to_string(parts) + " devices",
            "name at most as many devices as there are layers");
    Splitter splitter(layers, budgets, bytes);
    double low = 0.0;
    double high = 1.0;
    std::vector<LayerRange> best = splitter.fill(high);
    while (best.empty()) {
        low = high;
        high *= 2.0;
        best = splitter.fill(high);
    }
    // A step is far less than a layer's share of any device.
    constexpr int kSteps = 40;
    for (int i = 0; i < kSteps; ++i) {
        const double middle = (low + high) / 2.0;
        if (auto ranges = splitter.fill(middle); ranges.empty()) {
            low = middle;
        } else {
            high = middle;
            best = std::move(ranges);
        }
    }
    return best;
}

}  // namespace trefoil::cuda
