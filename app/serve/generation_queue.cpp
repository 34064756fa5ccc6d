#include "app/serve/generation_queue.h"

#include "app/serve/pass_events.h"
#include "app/serve/stop_filter.h"

#include <nlohmann/json.hpp>

#include <exception>
#include <utility>

namespace trefoil::serve {
namespace {

/// What a reader may leave untaken before its request is ended: far more than any answer; passes of a long one can reach it.
constexpr std::size_t kMostUntaken = std::size_t{64} << 20U;

double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Job::News Job::wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(m_mutex);
    m_news.wait_for(lock, patience, [this] { return !m_events.empty() || m_end.has_value(); });
    News news;
    news.events = std::exchange(m_events, {});
    m_bytes = 0;
    news.end = m_end;
    return news;
}

void Job::cancel() { m_cancel.request(); }

void Job::add(JobEvent event) {
    const std::lock_guard lock(m_mutex);
    if (m_overflowed) return;
    m_bytes += event.text.size() + event.tokens.size() * sizeof(TokenId) + sizeof(JobEvent);
    if (m_bytes > kMostUntaken) {
        m_overflowed = true;
        m_cancel.request();
        return;
    }
    m_events.push_back(std::move(event));
    m_news.notify_one();
}

void Job::finish(JobEnd end) {
    const std::lock_guard lock(m_mutex);
    if (m_overflowed)
        end.error =
            ApiError{503, "server_error", "the client read too slowly: too much of the answer waited for it", "slow_reader"};
    if (end.error) end.kind = JobEnd::Kind::Failed;
    m_end = std::move(end);
    m_news.notify_one();
}

GenerationQueue::GenerationQueue(ServeBackend& backend, std::size_t bound)
    : m_backend(backend), m_bound(bound), m_thread([this] { run(); }) {}

GenerationQueue::~GenerationQueue() {
    stop();
    m_thread.join();
}

std::shared_ptr<Job> GenerationQueue::submit(ChatRequest request) {
    const std::lock_guard lock(m_mutex);
    dropCancelled();
    // The first of the queue starts at once when nothing runs, and does not count.
    const std::size_t room = m_bound + (m_running == nullptr ? 1 : 0);
    if (m_stopping || m_waiting.size() >= room) return nullptr;
    auto job = std::make_shared<Job>(std::move(request));
    job->m_submitted = std::chrono::steady_clock::now();
    m_waiting.push_back(job);
    m_work.notify_one();
    return job;
}

void GenerationQueue::stop() {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
    if (m_running) m_running->cancel();
    for (const auto& job : m_waiting) job->cancel();
    m_work.notify_one();
}

bool GenerationQueue::stopping() const {
    const std::lock_guard lock(m_mutex);
    return m_stopping;
}

std::size_t GenerationQueue::waiting() const {
    const std::lock_guard lock(m_mutex);
    dropCancelled();
    return m_waiting.size();
}

bool GenerationQueue::running() const {
    const std::lock_guard lock(m_mutex);
    return m_running != nullptr;
}

GenerationQueue::Counters GenerationQueue::counters() const {
    const std::lock_guard lock(m_mutex);
    return m_counters;
}

void GenerationQueue::dropCancelled() const {
    std::erase_if(m_waiting, [](const std::shared_ptr<Job>& job) {
        if (!job->m_cancel.requested()) return false;
        job->finish({JobEnd::Kind::Cancelled, {}, "cancelled"});
        return true;
    });
}

void GenerationQueue::run() {
    for (;;) {
        std::shared_ptr<Job> job;
        {
            std::unique_lock lock(m_mutex);
            m_running.reset();
            m_work.wait(lock, [this] { return m_stopping || !m_waiting.empty(); });
            dropCancelled();
            if (m_waiting.empty()) {
                if (m_stopping) return;
                continue;
            }
            job = std::move(m_waiting.front());
            m_waiting.pop_front();
            m_running = job;
            m_counters.waitingSeconds += secondsSince(job->m_submitted);
            ++m_counters.started;
        }
        // Nothing that goes wrong with one request may end the others.
        try {
            generate(*job);
        } catch (const std::bad_alloc&) {
            job->finish({JobEnd::Kind::Failed, {}, "failed", toApiError(makeError(ErrorKind::OutOfMemory, "out of memory"))});
        } catch (const std::exception& error) {
            job->finish({JobEnd::Kind::Failed,
                         {},
                         "failed",
                         toApiError(makeError(ErrorKind::Internal, std::string("unexpected: ") + error.what()))});
        }
    }
}

void GenerationQueue::generate(Job& job) {
    using Kind = JobEvent::Kind;
    const ChatRequest& request = job.request();
    StopFilter filter(request.stop);
    std::vector<TokenId> tokens;  // that no event has carried yet
    const auto give = [&](Kind kind, std::string text) {
        if (!text.empty()) job.add({kind, std::move(text), std::exchange(tokens, {})});
    };
    ServeCallbacks callbacks;
    callbacks.onThinking = [&](std::string_view piece) { give(Kind::Thinking, std::string(piece)); };
    callbacks.onText = [&](std::string_view piece) {
        give(Kind::Text, filter.push(piece));
        if (filter.stopped()) job.m_cancel.request();
    };
    if (request.passes) {
        callbacks.onPass = [&](const ServedPass& pass) {
            // Before the next pass: tokens that gave no text.
            if (!tokens.empty()) job.add({Kind::Text, {}, std::exchange(tokens, {})});
            job.add({Kind::Pass, passJson(pass).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)});
        };
        callbacks.onTokens = [&](std::span<const TokenId> ids) {
            if (!filter.stopped()) tokens.insert(tokens.end(), ids.begin(), ids.end());
        };
    }

    job.add({Kind::Started});
    const auto start = std::chrono::steady_clock::now();
    auto outcome = m_backend.generate(request.request, callbacks, job.m_cancel);
    const double seconds = secondsSince(start);
    if (!outcome.ok()) {
        count({}, seconds);
        job.finish({JobEnd::Kind::Failed, {}, "failed", toApiError(outcome.error())});
        return;
    }
    give(Kind::Text, filter.finish());
    if (!tokens.empty()) job.add({Kind::Text, {}, std::exchange(tokens, {})});
    count(outcome->usage, seconds);
    JobEnd end{JobEnd::Kind::Stop, outcome->usage, std::string(stopReasonName(outcome->reason))};
    if (filter.stopped())
        end.stopReason = "stop";
    else if (outcome->reason == StopReason::Length)
        end.kind = JobEnd::Kind::Length;
    else if (outcome->reason != StopReason::End)
        end.kind = JobEnd::Kind::Cancelled;
    job.finish(std::move(end));
}

void GenerationQueue::count(const ServeUsage& usage, double generatingSeconds) {
    const std::lock_guard lock(m_mutex);
    m_counters.promptTokens += usage.promptTokens;
    m_counters.reusedTokens += usage.reusedTokens;
    m_counters.completionTokens += usage.completionTokens;
    m_counters.passes += usage.passes;
    m_counters.generatingSeconds += generatingSeconds;
}

}  // namespace trefoil::serve
