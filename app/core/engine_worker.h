// EngineWorker: the embedded engine, on a thread of its own. Values in, values out; nothing here blocks the caller.
#pragma once

#include "app/core/chat_engine.h"
#include "app/core/generation_types.h"

#include <QList>
#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace trefoil {

class Engine;  // engine/session.h
struct LoadedModel;
struct ReadyModel;

class EngineWorker : public ChatEngine {
    Q_OBJECT
public:
    explicit EngineWorker(QObject* parent = nullptr);
    /// Cancels what runs, waits for the thread (at most one pass).
    ~EngineWorker() override;

    /// Queues a load, on a thread of its own: the model in use goes on answering until the new one is ready, unless both do not
    /// fit. Then, with `mayUnload`, it is let go first (modelUnloaded), after the answer that is being written; without, the load
    /// ends with NeedsUnloading. Answers with modelLoaded or loadFailed.
    RequestId loadModelAsync(const ModelLoadRequest& request);
    /// Uses a model that was made ready elsewhere, of any Executor; answers with modelLoaded. How tests bring an Executor of
    /// their own.
    RequestId adoptModelAsync(std::unique_ptr<ReadyModel> model);
    /// Says what a folder holds and needs, from headers alone; answers with modelExamined. Newer requests replace waiting ones.
    RequestId examineModelAsync(const ModelLoadRequest& request);
    /// Measures what this machine's cards read and what the bus to them carries, in turn with what the engine does, and uses it
    /// for examinations from now on; answers with cardsMeasured.
    void measureCardsAsync();
    /// The most main memory that models may take together, in bytes; 0: what is free. For loads and examinations from now on.
    void setMemoryLimit(quint64 bytes);
    /// The most bytes that snapshots of earlier prompts may take together; 0: nothing is reused. From the next generation on.
    void setPrefixBudget(quint64 bytes);
    [[nodiscard]] EngineIdentity identity() const override;
    [[nodiscard]] EngineCapabilities capabilities() const override;
    [[nodiscard]] std::optional<ModelSummary> model() const override;
    [[nodiscard]] QString notReady() const override;
    RequestId generateAsync(const GenerateRequest& request) override;
    /// Takes threshold, coreset and decoding mode: from the next pass (the mode: the next block) on. Other values are ignored.
    /// The passes say what changed (PassView::changed).
    void steer(RequestId id, const ControlValues& values) override;
    void pause(RequestId id) override;
    void resume(RequestId id) override;
    void step(RequestId id) override;
    void editRows(RequestId id, qint32 block, const QList<RowChange>& changes) override;
    [[nodiscard]] QList<TokenChoice> tokensOf(const QString& text) const override;
    /// On another thread, also while the engine generates.
    RequestId previewPromptAsync(const QList<PromptMessage>& messages, bool thinking) override;
    RequestId fitPromptAsync(const QList<PromptMessage>& messages, const ControlValues& controls) override;
    /// A load, too. What is generated stops within one pass or prefill chunk.
    void cancel(RequestId id) override;
    [[nodiscard]] bool generating() const override;
    /// What the engine uses now; null without a model. From any thread.
    [[nodiscard]] std::shared_ptr<const LoadedModel> loadedModel() const;
    /// Has `work` done on the engine's thread, with the engine and nobody else using it, in turn with the window's own requests
    /// and with loads: those that were asked for before come first. From any thread; returns at once. `work` throws nothing, sees
    /// to it that it ends when it is to, and is forgotten undone when this object ends first.
    void runInTurn(std::function<void(Engine&)> work);
    /// Devices of this machine.
    [[nodiscard]] static QList<DeviceSummary> devices();

signals:
    void loadProgress(trefoil::RequestId id, quint64 bytesDone, quint64 bytesTotal);
    void modelLoaded(trefoil::RequestId id, const trefoil::ModelSummary& model);
    /// The model that was in use is gone, to make room for the one of this request.
    void modelUnloaded(trefoil::RequestId id);
    /// The model in use, if any, is still loaded, unless modelUnloaded was given before.
    void loadFailed(trefoil::RequestId id, const QString& message, trefoil::LoadEnd end);
    /// `cards`: how many could be measured.
    void cardsMeasured(int cards);
    void modelExamined(trefoil::RequestId id, const trefoil::ModelExaminationView& model);

private:
    class Runner;
    struct Private;
    void forget(RequestId id);
    std::unique_ptr<Private> d;
};

}  // namespace trefoil
