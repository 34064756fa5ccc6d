// What kernel tests share: reproducible numbers, comparison, and a fixture that runs a test on every instruction set.
#pragma once

#include "kernels/cpu/instruction_set.h"

#include <gtest/gtest.h>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace trefoil::test {

using Floats = std::vector<float>;

/// Normally distributed numbers; the same for the same seed.
inline Floats randomFloats(std::int64_t count, unsigned seed, float scale = 1.0F) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0.0F, scale);
    Floats out(static_cast<std::size_t>(count));
    for (float& v : out) v = normal(generator);
    return out;
}

/// Relative error of a whole tensor, ‖a − b‖ / ‖b‖; infinite where something is no number.
inline double relativeError(const Floats& a, const Floats& b) {
    if (a.size() != b.size()) return INFINITY;
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - b[i];
        difference += d * d;
        norm += static_cast<double>(b[i]) * b[i];
    }
    const double error = norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
    return std::isfinite(error) ? error : INFINITY;
}

inline Floats slice(const Floats& all, std::int64_t first, std::int64_t count) {
    return {all.begin() + first, all.begin() + first + count};
}

/// The test's parameter is an instruction set; the kernels run on it.
class EveryInstructionSet : public testing::TestWithParam<std::int64_t> {
protected:
    void SetUp() override { kernels::useInstructionSet(GetParam()); }
    void TearDown() override { kernels::useInstructionSet(0); }
};

inline std::string instructionSetTestName(const testing::TestParamInfo<std::int64_t>& info) {
    kernels::useInstructionSet(info.param);
    std::string name;
    for (const char c : kernels::instructionSetName())
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
    kernels::useInstructionSet(0);
    return name;
}

}  // namespace trefoil::test
