#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/fma_peak.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep

#include <hwy/highway.h>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace trefoil::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Runs `rounds` rounds of independent chains; returns operations done. `sink` keeps the compiler from leaving them out.
double fusedMultiplyAdds(std::int64_t rounds, float* sink) {
    const hn::ScalableTag<float> d;
    constexpr int kChains = 12;  // more than latency times ports, fewer than registers
    hn::Vec<decltype(d)> sum[kChains];
    const auto factor = hn::Set(d, 0.999F);
    const auto term = hn::Set(d, 0.001F);
    // Chains that start alike would be computed once for all of them.
    for (int c = 0; c < kChains; ++c) sum[c] = hn::Set(d, *sink + static_cast<float>(c));
    for (std::int64_t i = 0; i < rounds; ++i) {
        for (int twice = 0; twice < 2; ++twice)  // the loop's own instructions take a port too
            HWY_UNROLL(12) for (auto& s : sum) s = hn::MulAdd(s, factor, term);
    }
    auto total = hn::Zero(d);
    HWY_UNROLL(12) for (const auto& s : sum) total = hn::Add(total, s);
    *sink += hn::GetLane(hn::SumOfLanes(d, total));
    return 2.0 * 2.0 * kChains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace trefoil::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "tests/bench/fma_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace trefoil::bench {

HWY_EXPORT(fusedMultiplyAdds);

double measureFmaPeak(int tries) {
    constexpr std::int64_t kRounds = 200'000;  // a fraction of a millisecond: short enough to run undisturbed now and then
    using Clock = std::chrono::steady_clock;
    double best = 0;
    float sink = 0;
    for (int i = 0; i < tries; ++i) {
        const auto start = Clock::now();
        const double operations = HWY_DYNAMIC_DISPATCH(fusedMultiplyAdds)(kRounds, &sink);
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        best = std::max(best, operations / seconds);
    }
    if (sink < 0) std::puts("");
    return best;
}

}  // namespace trefoil::bench

#endif  // HWY_ONCE
