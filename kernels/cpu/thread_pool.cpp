#include "kernels/cpu/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <system_error>

namespace trefoil::kernels {
namespace {

/// How long a helper spins for the next run. Passes leave gaps of microseconds between runs; decoding leaves longer ones.
constexpr std::chrono::microseconds kSpin{50};
constexpr int kSpinsPerLook = 64;
constexpr int kSpinsBeforeYield = 1024;

/// Spinning helps only while every thread has a core to itself.
bool spinningPays(int threads) {
    const unsigned cores = std::thread::hardware_concurrency();
    return cores == 0 || static_cast<unsigned>(std::max(threads, 0)) <= cores;
}

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads) : m_spins(spinningPays(threads)), m_parts(static_cast<std::size_t>(std::max(threads, 1))) {
    m_helpers.reserve(threads > 1 ? static_cast<std::size_t>(threads - 1) : 0);
    for (int worker = 1; worker < threads; ++worker) {
        try {
            m_helpers.emplace_back([this, worker] { help(worker); });
        } catch (const std::system_error&) {
            break;  // fewer threads only make it slower
        }
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(m_mutex);
        m_stop.store(true);
        m_generation.fetch_add(1);
    }
    m_wake.notify_all();
    for (std::thread& helper : m_helpers) helper.join();
}

void ThreadPool::work(int worker) {
    std::int64_t done = 0;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        Part& part = m_parts[(static_cast<std::size_t>(worker) + i) % m_parts.size()];
        for (;;) {
            if (part.left.load(std::memory_order_relaxed) <= 0) break;
            const std::int64_t left = part.left.fetch_sub(1, std::memory_order_acq_rel);
            if (left <= 0) break;
            // Only now: a run cannot end, and so these cannot change, while a task of it is taken and not reported.
            m_call(m_context, part.end - left, worker);
            ++done;
        }
    }
    if (done > 0) m_done.fetch_add(done, std::memory_order_release);
}

void ThreadPool::runErased(std::int64_t tasks, Call call, void* context) {
    if (tasks <= 1 || m_helpers.empty()) {
        for (std::int64_t index = 0; index < tasks; ++index) call(context, index, 0);
        return;
    }
    m_call = call;
    m_context = context;
    m_done.store(0, std::memory_order_relaxed);
    const auto workers = static_cast<std::int64_t>(m_parts.size());
    // All ends before any count: who finds a task left may already take it, from any part.
    for (std::int64_t w = 0; w < workers; ++w) m_parts[static_cast<std::size_t>(w)].end = tasks * (w + 1) / workers;
    for (std::int64_t w = 0; w < workers; ++w)
        m_parts[static_cast<std::size_t>(w)].left.store(tasks * (w + 1) / workers - tasks * w / workers,
                                                        std::memory_order_release);
    m_generation.fetch_add(1);
    if (m_sleeping.load() > 0) {
        { const std::lock_guard lock(m_mutex); }  // a helper that just decided to sleep is waiting once we get the lock
        m_wake.notify_all();
    }
    work(0);
    // Waits for taken tasks only: a helper that sleeps, or lost its core to another program, holds nothing up.
    for (int spins = 1; m_done.load(std::memory_order_acquire) < tasks; ++spins) {
        pause();
        if (!m_spins || spins % kSpinsBeforeYield == 0) std::this_thread::yield();
    }
}

void ThreadPool::help(int worker) {
    std::uint64_t seen = 0;
    for (;;) {
        const auto until = std::chrono::steady_clock::now() + (m_spins ? kSpin : std::chrono::microseconds{0});
        while (m_generation.load() == seen) {
            for (int i = 0; i < kSpinsPerLook && m_generation.load(std::memory_order_relaxed) == seen; ++i) pause();
            if (m_generation.load() != seen) break;
            if (std::chrono::steady_clock::now() < until) continue;
            std::unique_lock lock(m_mutex);
            m_sleeping.fetch_add(1);
            m_wake.wait(lock, [&] { return m_generation.load() != seen; });
            m_sleeping.fetch_sub(1);
        }
        seen = m_generation.load();
        if (m_stop.load()) return;
        work(worker);
    }
}

}  // namespace trefoil::kernels
