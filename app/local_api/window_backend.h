// WindowBackend: the local API's requests over the engine of the window, in turn with the window's own. Private to app/local_api.
#pragma once

#include "app/serve/serve_backend.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace trefoil {

class Engine;
class EngineWorker;
struct LoadedModel;

/// A request waits for the answer that the window is having written, and the window for the one that runs here. What a request
/// was read for holds: another model that came meanwhile ends it with NotFound.
class WindowBackend : public serve::ServeBackend {
public:
    /// `worker` outlives this object.
    explicit WindowBackend(EngineWorker& worker) : m_worker(worker) {}

    /// Under its folder's name.
    [[nodiscard]] std::optional<serve::ServedModel> model() const override;
    [[nodiscard]] Result<std::int64_t> check(const serve::ServeRequest& request) const override;
    /// Waits for its turn, looking at `cancel` meanwhile, then for the engine.
    [[nodiscard]] Result<serve::ServeOutcome> generate(const serve::ServeRequest& request, const serve::ServeCallbacks& callbacks,
                                                       const CancelFlag& cancel) override;
    /// The engine works for a request. From any thread.
    [[nodiscard]] bool answering() const { return m_answering; }

private:
    class Turn;
    struct Loaded {
        std::shared_ptr<const LoadedModel> model;  ///< null: none, or none with a tokenizer
        serve::ServedModel served;
    };
    [[nodiscard]] Loaded now() const;
    [[nodiscard]] Result<serve::ServeOutcome> answer(Engine& engine, const serve::ServeRequest& request,
                                                     const serve::ServeCallbacks& callbacks, const CancelFlag& cancel);

    EngineWorker& m_worker;
    std::atomic<bool> m_answering{false};
    mutable std::mutex m_mutex;
    mutable Loaded m_known;
    mutable std::uint64_t m_loads = 0;
};

}  // namespace trefoil
