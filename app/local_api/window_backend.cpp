#include "app/local_api/window_backend.h"

#include "app/core/engine_worker.h"
#include "app/serve/engine_backend.h"
#include "engine/session.h"

#include <QDir>
#include <QFileInfo>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <new>
#include <string>
#include <utility>

namespace trefoil {
namespace {

using namespace std::chrono_literals;

/// How soon it is seen that a waiting request was given up.
constexpr auto kGlance = 20ms;

Error exchanged() {
    return makeError(ErrorKind::NotFound, "the model that the request was for is not loaded any more",
                     "see /v1/models for the one that is, and ask again");
}

/// As the window calls it.
std::string folderName(const LoadedModel& model) {
    return QFileInfo(QDir(QString::fromStdString(model.summary.folder)).absolutePath()).fileName().toStdString();
}

}  // namespace

/// One request's turn on the engine's thread. Shared with that thread, which may come to it after the request was given up.
class WindowBackend::Turn {
public:
    /// On the engine's thread: false when the request was given up, and whatever it referred to is gone.
    [[nodiscard]] bool take() {
        const std::lock_guard lock(m_mutex);
        m_taken = !m_givenUp;
        return m_taken;
    }
    void finish(Result<serve::ServeOutcome> outcome) {
        const std::lock_guard lock(m_mutex);
        m_outcome.emplace(std::move(outcome));
        m_over.notify_one();
    }
    [[nodiscard]] Result<serve::ServeOutcome> wait(const CancelFlag& cancel) {
        std::unique_lock lock(m_mutex);
        while (!m_outcome) {
            m_over.wait_for(lock, kGlance);
            if (m_taken || m_outcome || !cancel.requested()) continue;
            m_givenUp = true;
            serve::ServeOutcome out;
            out.reason = StopReason::Cancelled;
            return out;
        }
        return *std::move(m_outcome);
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_over;
    bool m_taken = false;
    bool m_givenUp = false;
    std::optional<Result<serve::ServeOutcome>> m_outcome;
};

WindowBackend::Loaded WindowBackend::now() const {
    const std::lock_guard lock(m_mutex);
    auto model = m_worker.loadedModel();
    if (!model || !model->text || !model->text->format) {
        m_known.model.reset();
        return {};
    }
    if (model != m_known.model) {
        m_known.served = serve::toServedModel(*model, folderName(*model));
        m_known.served.load = ++m_loads;
        m_known.model = std::move(model);
    }
    return m_known;
}

std::optional<serve::ServedModel> WindowBackend::model() const {
    Loaded loaded = now();
    if (!loaded.model) return std::nullopt;
    return std::move(loaded.served);
}

Result<std::int64_t> WindowBackend::check(const serve::ServeRequest& request) const {
    const Loaded loaded = now();
    if (!loaded.model || loaded.served.load != request.load) return exchanged();
    auto ready = serve::toGenerationRequest(request, *loaded.model->text, loaded.model->config);
    if (!ready.ok()) return ready.error();
    return static_cast<std::int64_t>(ready->promptIds.size() + ready->begun.size());
}

Result<serve::ServeOutcome> WindowBackend::generate(const serve::ServeRequest& request, const serve::ServeCallbacks& callbacks,
                                                    const CancelFlag& cancel) {
    const auto turn = std::make_shared<Turn>();
    m_worker.runInTurn([this, turn, &request, &callbacks, &cancel](Engine& engine) {
        if (turn->take()) turn->finish(answer(engine, request, callbacks, cancel));
    });
    return turn->wait(cancel);
}

Result<serve::ServeOutcome> WindowBackend::answer(Engine& engine, const serve::ServeRequest& request,
                                                  const serve::ServeCallbacks& callbacks, const CancelFlag& cancel) {
    const Loaded loaded = now();
    if (!loaded.model || loaded.served.load != request.load) return exchanged();
    m_answering = true;
    const auto rest = [this](const void* /*any*/) { m_answering = false; };
    const std::unique_ptr<const void, decltype(rest)> guard(this, rest);
    try {
        return serve::generateOn(engine, request, callbacks, cancel);
    } catch (const std::bad_alloc&) {
        return makeError(ErrorKind::OutOfMemory, "out of memory");
    } catch (const std::exception& error) {
        return makeError(ErrorKind::Internal, std::string("unexpected: ") + error.what());
    }
}

}  // namespace trefoil
