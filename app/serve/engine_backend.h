// EngineBackend: a ServeBackend over an Engine that nobody else uses.
#pragma once

#include "app/serve/serve_backend.h"
#include "engine/session.h"

#include <memory>
#include <string>

namespace trefoil::serve {

class EngineBackend : public ServeBackend {
public:
    /// `engine` has a model with a tokenizer, keeps it, and outlives this object. `name` is what clients call the model.
    EngineBackend(Engine& engine, std::string name);

    [[nodiscard]] std::optional<ServedModel> model() const override;
    [[nodiscard]] Result<std::int64_t> check(const ServeRequest& request) const override;
    [[nodiscard]] Result<ServeOutcome> generate(const ServeRequest& request, const ServeCallbacks& callbacks,
                                                const CancelFlag& cancel) override;

private:
    Engine& m_engine;
    ServedModel m_model;
};

/// What is served of a loaded model with a tokenizer, under this name. `created` is now.
[[nodiscard]] ServedModel toServedModel(const LoadedModel& model, std::string name);

/// Runs a request over the engine's model, on the calling thread (ServeBackend::generate). NotFound without a model.
[[nodiscard]] Result<ServeOutcome> generateOn(Engine& engine, const ServeRequest& request, const ServeCallbacks& callbacks,
                                              const CancelFlag& cancel);

/// The request as the engine takes it: prompt and what the answer begins with as ids, the length fitted to the context where
/// nobody asked for one. InvalidArgument (roles, UTF-8) or DoesNotFit, with the numbers. For backends over `model`, from any
/// thread.
[[nodiscard]] Result<GenerationRequest> toGenerationRequest(const ServeRequest& request, const TextModel& text,
                                                            const ModelConfig& model);

}  // namespace trefoil::serve
