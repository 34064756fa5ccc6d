// ThreadPool: runs numbered tasks on a few threads and waits for all of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace trefoil::kernels {

/// `threads` - 1 helpers and the calling thread take tasks 0, 1, 2, … until none is left. Which thread gets which task is left to
/// chance, so every task must write only what no other task of the same run reads or writes; sums belong inside one task. Then
/// the results do not depend on the number of threads. Helpers spin for a moment between runs, then sleep.
class ThreadPool {
public:
    /// At least one thread; 1 starts none. Fewer are used when the system refuses to start more.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int threads() const { return static_cast<int>(m_helpers.size()) + 1; }

    /// Calls task(i, worker) for every i in [0, tasks); worker in [0, threads()) tells concurrent calls apart, for scratch
    /// memory. Returns when all are done. `task` must not throw and must not call run. One caller at a time.
    template <class Task>
    void run(std::int64_t tasks, Task&& task) {
        using Plain = std::remove_reference_t<Task>;
        runErased(
            tasks, [](void* context, std::int64_t index, int worker) { (*static_cast<Plain*>(context))(index, worker); },
            const_cast<void*>(static_cast<const void*>(&task)));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    }

private:
    using Call = void (*)(void* context, std::int64_t index, int worker);

    void runErased(std::int64_t tasks, Call call, void* context);
    void help(int worker);
    void work(int worker);

    /// A worker's part of a run. On a cache line of its own: only thieves touch another's.
    struct alignas(64) Part {
        std::atomic<std::int64_t> left{0};  ///< tasks that nobody took yet; negative when somebody looked in vain
        std::int64_t end = 0;               ///< one past the part's last task
    };

    const bool m_spins;  ///< threads wait busily; false when there are more of them than cores
    std::vector<std::thread> m_helpers;
    Call m_call = nullptr;
    void* m_context = nullptr;
    std::vector<Part> m_parts;
    alignas(64) std::atomic<std::int64_t> m_done{0};
    alignas(64) std::atomic<std::uint64_t> m_generation{0};
    std::atomic<int> m_sleeping{0};
    std::atomic<bool> m_stop{false};
    std::mutex m_mutex;
    std::condition_variable m_wake;
};

}  // namespace trefoil::kernels
