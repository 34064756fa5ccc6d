// Names of GPUs, and what an automatic choice tries; on a machine without any.
#include "engine/runtime/gpu_choice.h"
#include "engine/runtime/devices.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace trefoil {
namespace {

using Gpus = std::vector<int>;

CudaDevice gpu(int index, std::uint64_t free, bool usable = true) {
    CudaDevice device;
    device.index = index;
    device.name = "Card";
    device.usable = usable;
    device.memoryFree = free;
    return device;
}

PartPlan part(int device, std::int64_t first, std::int64_t layers, std::uint64_t weights, std::uint64_t available) {
    PartPlan plan{device, first, layers, {}};
    plan.memory.weights = weights;
    plan.memory.available = available;
    return plan;
}

TEST(GpuChoice, NamesAreRead) {
    EXPECT_EQ(parseGpus("cuda:0"), Gpus{0});
    EXPECT_EQ(parseGpus("cuda:0,cuda:1"), (Gpus{0, 1}));
    EXPECT_EQ(parseGpus("cuda:3,cuda:3,cuda:12"), (Gpus{3, 3, 12}));
    for (const char* text : {"", "cpu", "cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:0,", ",cuda:0", "cuda:0,1", "cuda:0, cuda:1",
                             "cuda:0,cpu", "cuda:0,,cuda:1", "cuda:99999999999", "CUDA:0"})
        EXPECT_EQ(parseGpus(text), std::nullopt) << text;
    EXPECT_EQ(gpusId(Gpus{0}), "cuda:0");
    EXPECT_EQ(gpusId(Gpus{3, 3, 12}), "cuda:3,cuda:3,cuda:12");
}

TEST(GpuChoice, OneGpuIsTriedBeforeSeveral) {
    using Candidates = std::vector<Gpus>;
    EXPECT_EQ(gpuCandidates({}), Candidates{});
    EXPECT_EQ(gpuCandidates(std::vector<CudaDevice>{CudaDevice{}}), Candidates{});  // no CUDA at all
    EXPECT_EQ(gpuCandidates(std::vector{gpu(0, 10)}), Candidates{{0}});
    // The card with least memory joins last: with a part of the layers it could keep the others from fitting.
    EXPECT_EQ(gpuCandidates(std::vector{gpu(0, 4), gpu(1, 20), gpu(2, 99, false), gpu(3, 30)}),
              (Candidates{{0}, {1}, {3}, {1, 3}, {0, 1, 3}}));
}

TEST(GpuChoice, TheWorstPartDecides) {
    const std::vector<PartPlan> parts{part(0, 0, 20, 100, 120), part(1, 20, 20, 100, 90)};
    EXPECT_EQ(partsFit(parts, {}), MemoryFit::DoesNotFit);
    EXPECT_EQ(partsFit(parts, std::vector<std::uint64_t>{0, 10}), MemoryFit::FitsAlone);
    EXPECT_EQ(partsFit(parts, std::vector<std::uint64_t>{50, 9}), MemoryFit::DoesNotFit);
    EXPECT_EQ(partsFit(std::span(parts).first(1), {}), MemoryFit::Fits);
}

TEST(GpuChoice, ARefusalNamesEveryGpu) {
    const std::vector<PartPlan> parts{part(0, 0, 24, 40'000'000'000, 24'000'000'000),
                                      part(1, 24, 16, 30'000'000'001, 25'000'000'000)};
    EXPECT_EQ(partsText(parts),
              "cuda:0: layers 0 to 23 need 40.0 GB, 24.0 GB are free; cuda:1: layers 24 to 39 need 30.1 GB, "
              "25.0 GB are free");
}

TEST(GpuChoice, UnknownNamesAreRefusedWithWhatWorks) {
    const auto checkpoint = Checkpoint::open(std::filesystem::path(TREFOIL_SOURCE_DIR) / "resources/demo-model");
    ASSERT_TRUE(checkpoint.ok());
    for (const char* text : {"gpu", "cuda:", "cuda:0,cpu"}) {
        DeviceOptions options;
        options.device = text;
        const auto choice = chooseDevice(*checkpoint, options);
        ASSERT_FALSE(choice.ok()) << text;
        EXPECT_EQ(choice.error().kind, ErrorKind::InvalidArgument) << text;
        EXPECT_NE(choice.error().text().find("cuda:0,cuda:1"), std::string::npos) << choice.error().text();
    }
}

TEST(GpuChoice, GpusThatAreNotThereAreRefused) {
    const auto checkpoint = Checkpoint::open(std::filesystem::path(TREFOIL_SOURCE_DIR) / "resources/demo-model");
    ASSERT_TRUE(checkpoint.ok());
    DeviceOptions options;
    options.device = "cuda:98,cuda:99";
    const auto choice = chooseDevice(*checkpoint, options);
    ASSERT_FALSE(choice.ok());
    EXPECT_EQ(choice.error().kind, ErrorKind::DeviceUnavailable);
    // The plan of the machine has no line for them either.
    for (const DevicePlan& plan : planDevices(*checkpoint, options)) EXPECT_NE(plan.device.id, "cuda:98,cuda:99");
}

TEST(GpuChoice, ALimitOfTheGpusMemoryLeavesTheCpuAlone) {
    const auto checkpoint = Checkpoint::open(std::filesystem::path(TREFOIL_SOURCE_DIR) / "resources/demo-model");
    ASSERT_TRUE(checkpoint.ok());
    DeviceOptions options;
    options.gpuMemory = std::uint64_t{8} << 30;
    options.device = "cuda:98";
    EXPECT_EQ(chooseDevice(*checkpoint, options).error().kind, ErrorKind::DeviceUnavailable);
    options.device = "cpu";
    const auto choice = chooseDevice(*checkpoint, options);
    ASSERT_TRUE(choice.ok());
    options.gpuMemory = 0;
    EXPECT_EQ(choice->plan.total(), chooseDevice(*checkpoint, options)->plan.total());
}

}  // namespace
}  // namespace trefoil
