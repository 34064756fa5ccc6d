// EngineWorker: runs the engine on a thread of its own. Values in, values out; nothing here blocks the caller.
#pragma once

#include "app/core/generation_types.h"

#include <QObject>
#include <QString>

#include <memory>

namespace trefoil {

struct ReadyModel;  // engine/session.h

class EngineWorker : public QObject {
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
    /// The most main memory that models may take together, in bytes; 0: what is free. For loads and examinations from now on.
    void setMemoryLimit(quint64 bytes);
    /// The most bytes that snapshots of earlier prompts may take together; 0: nothing is reused. From the next generation on.
    void setPrefixBudget(quint64 bytes);
    /// Queues a generation. Answers with passDone…, responseUpdated… and exactly one generationFinished.
    RequestId generateAsync(const GenerateRequest& request);
    /// Changes threshold, coreset and decoding mode of a generation that is queued or running: from its next pass (the mode: its
    /// next block) on. Other values, and unknown ids, are ignored. The passes say what changed (PassView::changed).
    void steer(RequestId id, const ControlValues& values);
    /// Pauses a generation before its next pass (answers with pausedAt), lets it go on, or lets it make one pass and pause again.
    /// Unknown ids are ignored.
    void pause(RequestId id);
    void resume(RequestId id);
    void step(RequestId id);
    /// Changes rows of the block that a generation is paused over; a pass of type Edit and a new pausedAt say that it happened.
    void editRows(RequestId id, qint32 block, const QList<RowChange>& changes);
    /// The loaded model's tokens of a plain text; empty without a model.
    [[nodiscard]] QList<TokenChoice> tokensOf(const QString& text) const;
    /// Renders and counts a prompt on another thread, also while the engine generates. Newer requests replace waiting ones.
    RequestId previewPromptAsync(const QList<PromptMessage>& messages, bool thinking);
    /// Leaves out the oldest turns (never the system prompt or the last message) until prompt and answer fit the context.
    RequestId fitPromptAsync(const QList<PromptMessage>& messages, const ControlValues& controls);
    /// Stops the given request (queued or running) within one pass or prefill chunk. Unknown ids are ignored.
    void cancel(RequestId id);

    /// A generation is queued or running.
    [[nodiscard]] bool generating() const;
    /// Devices of this machine.
    [[nodiscard]] static QList<DeviceSummary> devices();

signals:
    void loadProgress(trefoil::RequestId id, quint64 bytesDone, quint64 bytesTotal);
    void modelLoaded(trefoil::RequestId id, const trefoil::ModelSummary& model);
    /// The model that was in use is gone, to make room for the one of this request.
    void modelUnloaded(trefoil::RequestId id);
    /// The model in use, if any, is still loaded, unless modelUnloaded was given before.
    void loadFailed(trefoil::RequestId id, const QString& message, trefoil::LoadEnd end);
    void modelExamined(trefoil::RequestId id, const trefoil::ModelExaminationView& model);
    void prefillProgress(trefoil::RequestId id, qint64 done, qint64 total);
    /// The generation waits. Comes again after each single step and each edit.
    void pausedAt(trefoil::RequestId id, const trefoil::PauseView& state);
    void resumed(trefoil::RequestId id);
    void passDone(trefoil::RequestId id, const trefoil::PassView& pass);
    void responseUpdated(trefoil::RequestId id, const trefoil::ResponseUpdate& response);
    void generationFinished(trefoil::RequestId id, const trefoil::GenerationOutcome& outcome);
    void promptPreviewed(trefoil::RequestId id, const trefoil::PromptView& prompt);
    /// `dropped`: messages left out; -1 when even the last message alone does not fit.
    void promptFitted(trefoil::RequestId id, const QList<trefoil::PromptMessage>& messages, int dropped);

private:
    class Runner;
    struct Private;
    void forget(RequestId id);
    std::unique_ptr<Private> d;
};

}  // namespace trefoil
