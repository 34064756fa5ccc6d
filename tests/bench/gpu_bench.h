// Times of the GPU engine at a model's full size, against the memory bandwidth measured in the same run.
#pragma once

#include <cstdint>
#include <string>

namespace trefoil {

struct GpuBenchOptions {
    int device = 0;
    std::string config;           ///< a config.json; empty: Clover-35B-A3B
    std::string model;            ///< a checkpoint folder; empty: synthetic weights that never touch a disk
    std::int64_t layers = 0;      ///< only the first so many layers; 0: all
    std::int64_t longPrefix = 0;  ///< also measure behind a prefix of this many tokens
    bool prompts = true;
    int repeats = 20;
};

/// Prints a table. Returns 0, 1 for an error, 77 without a device.
int runGpuBench(const GpuBenchOptions& options);

}  // namespace trefoil
