#include "engine/checkpoint/shard_writing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace trefoil {

std::string safetensorsHeader(std::string json) {
    json.append((8 - json.size() % 8) % 8, ' ');
    std::string out(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) out[i] = static_cast<char>(json.size() >> (8 * i) & 0xFF);
    return out + json;
}

Result<std::uint64_t> runPieces(const PieceRun& run, const std::function<PieceWork()>& makeWork) {
    const int wanted = std::max(1, run.threads > 0 ? run.threads : static_cast<int>(std::thread::hardware_concurrency()));
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> written{0};
    std::atomic<bool> stop{false};
    std::atomic<int> running{wanted};
    std::mutex mutex;
    std::optional<Error> error;
    const auto fail = [&](Error first) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::move(first);
        stop = true;
    };
    const auto work = [&] {
        try {
            const PieceWork write = makeWork();
            for (std::size_t i = next.fetch_add(1); i < run.pieces && !stop; i = next.fetch_add(1)) {
                auto bytes = write(i);
                if (bytes.ok())
                    written += *bytes;
                else
                    fail(bytes.error());
            }
        } catch (const std::bad_alloc&) {
            fail(makeError(ErrorKind::OutOfMemory, "not enough memory to write the weights", "close other programs"));
        }
        --running;
    };
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(wanted));
    for (int i = 0; i < wanted; ++i) threads.emplace_back(work);
    bool cancelled = false;
    while (running > 0) {
        if (run.cancel != nullptr && run.cancel->requested()) stop = cancelled = true;
        if (run.progress) run.progress(run.before + written, run.total);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    for (std::thread& t : threads) t.join();
    if (error) return *std::move(error);
    if (cancelled) return makeError(ErrorKind::Cancelled, "writing was stopped");
    if (run.progress) run.progress(run.before + written, run.total);
    return written.load();
}

}  // namespace trefoil
