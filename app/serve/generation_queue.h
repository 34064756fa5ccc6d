// GenerationQueue: requests one after the other, in the order of their coming, up to a bound. One thread generates; whoever asked
// takes the news at its own pace.
#pragma once

#include "app/serve/chat_request.h"
#include "app/serve/serve_backend.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace trefoil::serve {

/// Something that a generation gave.
struct JobEvent {
    enum class Kind : std::uint8_t { Started, Thinking, Text, Pass };
    Kind kind = Kind::Text;
    std::string text = {};             ///< Thinking, Text: the new piece; Pass: the JSON of one pass
    std::vector<TokenId> tokens = {};  ///< of Thinking and Text, with trefoil_passes: what joined the response since the last
};

/// How a job ended.
struct JobEnd {
    enum class Kind : std::uint8_t { Stop, Length, Cancelled, Failed };
    Kind kind = Kind::Stop;
    ServeUsage usage = {};
    std::string stopReason = {};  ///< "end", "length", "stop", "cancelled"
    std::optional<ApiError> error = {};
};

/// A request on its way through the queue. Shared by the queue and whoever asked.
class Job {
public:
    explicit Job(ChatRequest request) : m_request(std::move(request)) {}

    /// Waits for news, at most `patience`: the events since the last call, and the end once all events were taken.
    struct News {
        std::vector<JobEvent> events;
        std::optional<JobEnd> end;
    };
    [[nodiscard]] News wait(std::chrono::milliseconds patience);
    /// From any thread; a running job ends within one pass, a waiting one gives its place at once.
    void cancel();

    [[nodiscard]] const ChatRequest& request() const { return m_request; }

private:
    friend class GenerationQueue;
    void add(JobEvent event);
    void finish(JobEnd end);

    const ChatRequest m_request;
    CancelFlag m_cancel;
    std::mutex m_mutex;
    std::condition_variable m_news;
    std::vector<JobEvent> m_events;
    std::size_t m_bytes = 0;  ///< of m_events
    bool m_overflowed = false;
    std::optional<JobEnd> m_end;
    std::chrono::steady_clock::time_point m_submitted;
};

class GenerationQueue {
public:
    struct Counters {
        std::int64_t promptTokens = 0;
        std::int64_t reusedTokens = 0;
        std::int64_t completionTokens = 0;
        std::int64_t passes = 0;
        double generatingSeconds = 0.0;
        double waitingSeconds = 0.0;
        std::int64_t started = 0;
    };

    /// `backend` outlives the queue. At most `bound` requests wait beside the one that runs.
    GenerationQueue(ServeBackend& backend, std::size_t bound);
    /// Ends what runs and waits (Cancelled) and joins the thread.
    ~GenerationQueue();
    GenerationQueue(const GenerationQueue&) = delete;
    GenerationQueue& operator=(const GenerationQueue&) = delete;

    /// nullptr when the queue is full or stopping.
    [[nodiscard]] std::shared_ptr<Job> submit(ChatRequest request);
    /// Cancels everything; nothing is taken any more.
    void stop();
    [[nodiscard]] bool stopping() const;

    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] bool running() const;
    [[nodiscard]] Counters counters() const;

private:
    void run();
    void generate(Job& job);
    void count(const ServeUsage& usage, double generatingSeconds);
    /// Jobs that were cancelled while they waited leave. Holding the lock.
    void dropCancelled() const;

    ServeBackend& m_backend;
    const std::size_t m_bound;
    mutable std::mutex m_mutex;
    std::condition_variable m_work;
    mutable std::deque<std::shared_ptr<Job>> m_waiting;
    std::shared_ptr<Job> m_running;
    bool m_stopping = false;
    Counters m_counters;
    std::thread m_thread;
};

}  // namespace trefoil::serve
