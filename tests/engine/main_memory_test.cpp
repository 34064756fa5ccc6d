// What a process may use of the machine's memory, with made-up proc and sys folders.
#include "engine/runtime/main_memory.h"

#include "engine/runtime/devices.h"
#include "tests/support/checkpoint_maker.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trefoil {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMega = 1'000'000;
constexpr std::uint64_t kMachine = 64'000'000 * std::uint64_t{1024};
constexpr std::uint64_t kFree = 48'000'000 * std::uint64_t{1024};

class MainMemoryTest : public ::testing::Test {
protected:
    MainMemoryTest() {
        write("proc/meminfo", "MemTotal:       64000000 kB\nMemFree:  1 kB\nMemAvailable:   48000000 kB\nHuge: 3\n");
    }

    void write(const std::string& name, const std::string& text) {
        fs::create_directories((m_root / name).parent_path());
        test::writeFile(m_root / name, text);
    }
    /// A group of version 2.
    void group(const std::string& path, const std::string& limit, std::uint64_t usage, std::uint64_t cached = 0) {
        write("sys/fs/cgroup/" + path + "memory.max", limit + "\n");
        write("sys/fs/cgroup/" + path + "memory.current", std::to_string(usage) + "\n");
        write("sys/fs/cgroup/" + path + "memory.stat", "anon 7\nfile 99999999999\ninactive_file " + std::to_string(cached / 2) +
                                                           "\nactive_file " + std::to_string(cached - cached / 2) + "\n");
    }
    [[nodiscard]] MainMemory read() const { return readMainMemory(m_root.path()); }
    void expect(std::uint64_t total, std::uint64_t free, bool limited) const {
        const MainMemory memory = read();
        EXPECT_EQ(memory.total, total);
        EXPECT_EQ(memory.free, free);
        EXPECT_EQ(memory.limited, limited);
    }

private:
    test::ScratchFolder m_root;
};

TEST_F(MainMemoryTest, IsTheMachinesWithoutGroups) {
    expect(kMachine, kFree, false);
    write("proc/self/cgroup", "0::/user.slice/session\n");
    expect(kMachine, kFree, false);
    group("user.slice/session/", "max", 5 * kMega);
    expect(kMachine, kFree, false);
}

TEST_F(MainMemoryTest, HonoursTheGroupsOfVersion2) {
    write("proc/self/cgroup", "0::/jobs/mine\n");
    group("jobs/mine/", "4000000000", 1500 * kMega, 1000 * kMega);
    expect(4000 * kMega, 3500 * kMega, true);  // cached files make way
    // The group above allows less.
    group("jobs/", "3000000000", 2900 * kMega, 400 * kMega);
    expect(3000 * kMega, 500 * kMega, true);
    // One that is full: nothing is left, which is not the same as unknown.
    group("jobs/", "3000000000", 3000 * kMega);
    expect(3000 * kMega, 1, true);
    // Larger than the machine: no limit.
    group("jobs/", "max", 0);
    group("jobs/mine/", "999999999999999", 5);
    expect(kMachine, kFree, false);
    // The machine itself has less left than the group allows.
    group("jobs/mine/", "60000000000", 0);
    expect(60000 * kMega, kFree, true);
}

TEST_F(MainMemoryTest, HonoursWhatAContainerSees) {
    // A control group namespace of its own: the mount is the container's group.
    write("proc/self/cgroup", "0::/\n");
    group("", "2000000000", 200 * kMega);
    expect(2000 * kMega, 1800 * kMega, true);
    // The host's path, which is not mounted here, and one that leads outside.
    write("proc/self/cgroup", "0::/docker/0123456789\n");
    expect(2000 * kMega, 1800 * kMega, true);
    write("proc/self/cgroup", "0::/../../elsewhere\n");
    expect(2000 * kMega, 1800 * kMega, true);
}

TEST_F(MainMemoryTest, HonoursTheGroupsOfVersion1) {
    write("proc/self/cgroup", "11:cpu,cpuacct:/jobs\n7:hugetlb,memory:/jobs/mine\n0::/init\n");
    const std::string folder = "sys/fs/cgroup/memory/jobs/mine/";
    write(folder + "memory.limit_in_bytes", "1000000000\n");
    write(folder + "memory.usage_in_bytes", "700000000\n");
    write(folder + "memory.stat", "inactive_file 1\ntotal_inactive_file 100000000\ntotal_active_file 200000000\n");
    expect(1000 * kMega, 600 * kMega, true);
    write(folder + "memory.limit_in_bytes", "9223372036854771712\n");
    expect(kMachine, kFree, false);
}

TEST_F(MainMemoryTest, WhatCannotBeReadSetsNoLimit) {
    write("proc/self/cgroup", "nonsense\n0::/a\n:memory\n3:memory:/b\n");
    write("sys/fs/cgroup/a/memory.max", "12apples");
    expect(kMachine, kFree, false);
    write("sys/fs/cgroup/a/memory.max", "-5");
    write("sys/fs/cgroup/memory/b/memory.limit_in_bytes", "");
    expect(kMachine, kFree, false);
    write("proc/meminfo", "");
    expect(0, 0, false);
    group("a/", "100", 40);
    expect(100, 60, true);  // known from the group alone
}

TEST(MainMemory, IsWhatTheListOfDevicesShows) {
    const MainMemory memory = readMainMemory();
    const std::vector<DeviceInfo> devices = listDevices();
    ASSERT_FALSE(devices.empty());
    EXPECT_EQ(devices[0].memoryTotal, memory.total);
    EXPECT_GT(devices[0].memoryFree, 0U);
    EXPECT_LE(devices[0].memoryFree, devices[0].memoryTotal);
}

}  // namespace
}  // namespace trefoil
