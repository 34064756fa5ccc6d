#include "app/core/engine_worker.h"

#include "app/core/engine_conversions.h"
#include "app/core/measured_cards.h"
#include "app/core/prompt_fitting.h"
#include "engine/tokenizer/response_text.h"

#include <QElapsedTimer>
#include <QFile>
#include <QMutex>
#include <QSemaphore>
#include <QThread>
#include <QThreadPool>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

namespace trefoil {
namespace {

/// Single tokens (autoregressive mode) reach the window at most this often, in milliseconds.
constexpr qint64 kTextInterval = 33;

using Flag = std::shared_ptr<CancelFlag>;
using Wheel = std::shared_ptr<Steering>;

}  // namespace

/// Lives on the engine thread and owns the engine. Emits EngineWorker's signals from there: every receiver of another thread gets
/// them queued.
class EngineWorker::Runner : public QObject {
public:
    explicit Runner(EngineWorker* worker) : m_worker(worker) {}

    /// Uses a loaded model from now on, unless its request was cancelled meanwhile. On the engine thread.
    void adopt(RequestId id, ReadyModel ready, const Flag& cancel) {
        if (cancel->requested()) return emit m_worker->loadFailed(id, tr("Loading was stopped."), LoadEnd::Cancelled);
        const ModelSummary summary = toModelSummary(ready.model);
        setModel(std::make_shared<const LoadedModel>(ready.model));
        m_engine.adopt(std::move(ready));
        emit m_worker->modelLoaded(id, summary);
    }

    /// Lets the model go, unless the request that needs its memory was cancelled meanwhile. On the engine thread.
    bool unload(RequestId id, const Flag& cancel) {
        if (cancel->requested()) return false;
        m_engine.unload();
        setModel(nullptr);
        emit m_worker->modelUnloaded(id);
        return true;
    }

    void generate(RequestId id, const GenerateRequest& request, const Flag& cancel, const Wheel& steering);
    /// On the engine thread.
    void setPrefixBudget(quint64 bytes) { m_engine.prefixCache().setBudget(bytes); }

    /// On the engine thread.
    void run(const std::function<void(Engine&)>& work) { work(m_engine); }

    /// The model in use; null while there is none. From any thread, like the next two.
    std::shared_ptr<const LoadedModel> model() const {
        const QMutexLocker lock(&m_mutex);
        return m_model;
    }
    std::shared_ptr<const TextModel> text() const {
        const auto model = this->model();
        return model ? model->text : nullptr;
    }
    ModelFootprint footprint() const {
        const auto model = this->model();
        return model ? footprintOf(*model) : ModelFootprint();
    }

private:
    class Observer;

    void setModel(std::shared_ptr<const LoadedModel> model) {
        const QMutexLocker lock(&m_mutex);
        m_model = std::move(model);
    }
    void refuse(RequestId id, const Error& error) {
        GenerationOutcome outcome;
        outcome.reason = EndReason::Refused;
        outcome.error = toQString(error.text());
        emit m_worker->generationFinished(id, outcome);
    }

    EngineWorker* m_worker;
    Engine m_engine;
    mutable QMutex m_mutex;
    std::shared_ptr<const LoadedModel> m_model;
};

/// Turns the decoder's events into signals.
class EngineWorker::Runner::Observer : public DecodeObserver {
public:
    Observer(EngineWorker* worker, RequestId id, const TextModel& text, const GenerationRequest& request)
        : m_worker(worker),
          m_id(id),
          m_model(text),
          m_text(*text.format, request.thinkingOpen),
          m_firstBlock(request.begunBlocks) {
        m_stats.promptTokens = static_cast<qint64>(request.promptIds.size());
        m_text.push(request.begun);
        m_tokens = QList<qint32>(request.begun.begin(), request.begun.end());
        m_clock.start();
    }

    void onPrefill(std::int64_t done, std::int64_t total) override {
        if (!m_decodeClock.isValid()) m_stats.reusedTokens = done;  // the first report comes before anything is read
        emit m_worker->prefillProgress(m_id, done, total);
        m_stats.prefillMs = milliseconds(m_clock);
        m_decodeClock.start();
    }
    void onPass(const PassRecord& pass) override {
        if (pass.kind != PassKind::Token && pass.kind != PassKind::Edit) ++m_stats.passes;
        m_stats.passMs += pass.stats.milliseconds;
        for (const LayerStats& layer : pass.stats.layers) {
            m_stats.usedExperts += layer.distinctExperts;
            m_stats.missedExperts += layer.missedExperts;
            m_stats.hostBytes += layer.missedExperts * static_cast<qint64>(layer.expertBytes);
            m_stats.stallMs += layer.stallMilliseconds;
        }
        m_stats.blocks = pass.kind == PassKind::Token ? 0 : pass.block + 1 - m_firstBlock;
        m_single = pass.kind == PassKind::Token;
        endPause();
        emit m_worker->passDone(m_id, toPassView(pass, m_model.tokenizer.get(), m_model.maskId));
    }
    void onTokens(std::span<const TokenId> tokens) override {
        const bool wasThinking = !m_text.thinkingClosed();
        m_text.push(tokens);
        for (const TokenId t : tokens) m_tokens.append(t);
        if (wasThinking && m_text.hasThinking()) m_stats.thinkingMs = milliseconds(m_decodeClock);
        if (m_single && m_lastUpdate.isValid() && m_lastUpdate.elapsed() < kTextInterval) return;
        m_lastUpdate.start();
        emit m_worker->responseUpdated(m_id, update());
    }

    void onPaused(const PauseState& state) override {
        if (!m_pauseClock.isValid()) m_pauseClock.start();
        emit m_worker->pausedAt(m_id, toPauseView(state));
    }
    void onResumed() override { emit m_worker->resumed(m_id); }

    GenerationOutcome finish(const DecodeResult& result) {
        m_text.finish();
        m_stats.prefillMs = result.prefillMilliseconds;
        GenerationOutcome outcome;
        outcome.response = update();
        outcome.response.stats.decodeMs = result.decodeMilliseconds;
        outcome.response.stats.passMs = result.passMilliseconds;
        outcome.response.stats.blocks = result.blocks;
        outcome.response.stats.reusedTokens = result.reusedTokens;
        outcome.reason = toEndReason(result.stopReason);
        if (result.error) {
            outcome.error = toQString(result.error->text());
            outcome.outOfMemory = result.error->kind == ErrorKind::OutOfMemory;
            outcome.deviceLost = result.error->kind == ErrorKind::DeviceLost;
        }
        return outcome;
    }

private:
    static double milliseconds(const QElapsedTimer& clock) { return static_cast<double>(clock.nsecsElapsed()) / 1e6; }

    /// A pause is over with the next record, at the latest when the response ends.
    void endPause() {
        if (m_pauseClock.isValid()) m_pausedMs += milliseconds(m_pauseClock);
        m_pauseClock.invalidate();
    }

    ResponseUpdate update() {
        endPause();
        m_stats.responseTokens = m_tokens.size();
        m_stats.thinkingTokens = m_text.thinkingTokens();
        if (m_decodeClock.isValid()) m_stats.decodeMs = milliseconds(m_decodeClock) - m_pausedMs;
        return {toQString(m_text.thinking()),
                toQString(m_text.answer()),
                m_text.hasThinking(),
                m_text.thinkingClosed(),
                m_tokens,
                m_stats};
    }

    EngineWorker* m_worker;
    RequestId m_id;
    const TextModel& m_model;
    ResponseText m_text;
    qint64 m_firstBlock;
    QList<qint32> m_tokens;
    GenerationStats m_stats;
    QElapsedTimer m_clock;
    QElapsedTimer m_decodeClock;
    QElapsedTimer m_lastUpdate;
    QElapsedTimer m_pauseClock;
    double m_pausedMs = 0.0;
    bool m_single = false;
};

void EngineWorker::Runner::generate(RequestId id, const GenerateRequest& request, const Flag& cancel, const Wheel& steering) {
    const auto text = this->text();
    if (!text || !text->format)
        return refuse(id, makeError(ErrorKind::NotFound, "no model is loaded", "open one with File, Open model"));
    GenerationRequest engineRequest;
    engineRequest.config = m_engine.model()->defaults;
    if (const Status s = applyControlValues(engineRequest.config, request.controls); !s.ok()) return refuse(id, s.error());
    auto prompt = text->format->render(toChatMessages(request.messages), engineRequest.config.enableThinking);
    if (!prompt.ok()) return refuse(id, prompt.error());
    engineRequest.promptIds = std::move(prompt->ids);
    engineRequest.thinkingOpen = prompt->thinkingOpen;
    engineRequest.boundaries = std::move(prompt->boundaries);
    engineRequest.begun.assign(request.begun.begin(), request.begun.end());
    engineRequest.begunBlocks = request.begunBlocks;
    engineRequest.steering = steering.get();

    Observer observer(m_worker, id, *text, engineRequest);
    auto result =
        guarded<Result<DecodeResult>>([&] { return Result<DecodeResult>(m_engine.generate(engineRequest, observer, *cancel)); });
    DecodeResult finished;
    if (result.ok()) {
        finished = std::move(*result);
    } else {
        finished.stopReason = StopReason::Failed;
        finished.error = result.error();
    }
    emit m_worker->generationFinished(id, observer.finish(finished));
}

struct EngineWorker::Private {
    QThread thread;
    Runner* runner = nullptr;  // lives on `thread`, deleted by it
    QThreadPool textPool;
    QThreadPool loadPool;     // one load at a time, beside the engine
    QThreadPool examinePool;  // headers only; never waits for a load
    QHash<RequestId, Flag> flags;
    QHash<RequestId, Wheel> generations;  ///< queued or running
    RequestId lastId = 0;
    std::optional<ModelSummary> inUse;  ///< of the window's thread: what modelLoaded said
    std::atomic<RequestId> newestPreview{0};
    std::atomic<RequestId> newestExamination{0};
    std::atomic<quint64> memoryLimit{0};
    MeasuredCards cards;

    LoadOptions loadOptions(const ModelLoadRequest& request) const {
        LoadOptions options;
        options.device.device = request.device.toStdString();
        options.device.threads = request.threads;
        options.device.context = request.context;
        options.device.memoryLimit = memoryLimit;
        options.device.inUse = runner->footprint();
        options.device.gpuMemory = static_cast<std::uint64_t>(std::max(0, request.gpuMemory)) << 30;
        options.compatibility = toOverrides(request.switches);
        options.cardRates = cards.rates();
        return options;
    }
    /// Has the model in use let go on the engine thread, behind the answer that is being written, and waits for that.
    bool unloadAndWait(RequestId id, const Flag& cancel) const {
        struct Turn {
            QSemaphore over;
            bool unloaded = false;
        };
        constexpr int kLookMs = 20;
        const auto turn = std::make_shared<Turn>();
        QMetaObject::invokeMethod(
            runner,
            [=, runner = runner] {
                turn->unloaded = runner->unload(id, cancel);
                turn->over.release();
            },
            Qt::QueuedConnection);
        while (!turn->over.tryAcquire(1, kLookMs))
            if (cancel->requested()) return false;
        return turn->unloaded;
    }
    void load(EngineWorker* worker, RequestId id, const ModelLoadRequest& request, const Flag& cancel) const;
    /// Has the engine thread use a model from now on.
    void handOver(RequestId id, const std::shared_ptr<ReadyModel>& model, const Flag& cancel) const {
        QMetaObject::invokeMethod(
            runner, [=, runner = runner] { runner->adopt(id, std::move(*model), cancel); }, Qt::QueuedConnection);
    }
};

/// On the loading thread.
void EngineWorker::Private::load(EngineWorker* worker, RequestId id, const ModelLoadRequest& request, const Flag& cancel) const {
    if (cancel->requested()) return emit worker->loadFailed(id, tr("Loading was stopped."), LoadEnd::Cancelled);
    bool keeps = false;
    LoadOptions options = loadOptions(request);
    options.release = [&] {
        keeps = !request.mayUnload;
        return !keeps && unloadAndWait(id, cancel);
    };
    const auto progress = [worker, id](std::uint64_t done, std::uint64_t total) { emit worker->loadProgress(id, done, total); };
    auto model = guarded<Result<ReadyModel>>(
        [&] { return loadModel(QFile::encodeName(request.folder).toStdString(), options, progress, *cancel); });
    if (!model.ok()) {
        const bool cancelled = cancel->requested() || model.error().kind == ErrorKind::Cancelled;
        return emit worker->loadFailed(id, toQString(model.error().text()),
                                       cancelled ? LoadEnd::Cancelled : (keeps ? LoadEnd::NeedsUnloading : LoadEnd::Failed));
    }
    handOver(id, std::make_shared<ReadyModel>(*std::move(model)), cancel);
}

EngineWorker::EngineWorker(QObject* parent) : ChatEngine(parent), d(std::make_unique<Private>()) {
    qRegisterMetaType<RequestId>("trefoil::RequestId");
    qRegisterMetaType<ModelSummary>();
    qRegisterMetaType<PassView>();
    qRegisterMetaType<PauseView>();
    qRegisterMetaType<ResponseUpdate>();
    qRegisterMetaType<GenerationOutcome>();
    qRegisterMetaType<PromptView>();
    qRegisterMetaType<ModelExaminationView>();
    qRegisterMetaType<LoadEnd>();
    d->runner = new Runner(this);
    d->runner->moveToThread(&d->thread);
    d->thread.setObjectName(QStringLiteral("engine"));
    connect(&d->thread, &QThread::finished, d->runner, &QObject::deleteLater);
    connect(this, &EngineWorker::modelLoaded, this, [this](RequestId id, const ModelSummary& model) {
        forget(id);
        d->inUse = model;
        emit changed();
    });
    connect(this, &EngineWorker::modelUnloaded, this, [this] {
        d->inUse.reset();
        emit changed();
    });
    connect(this, &EngineWorker::loadFailed, this, &EngineWorker::forget);
    connect(this, &EngineWorker::generationFinished, this, &EngineWorker::forget);
    for (QThreadPool* pool : {&d->textPool, &d->loadPool, &d->examinePool}) pool->setMaxThreadCount(1);
    d->thread.start();
}

EngineWorker::~EngineWorker() {
    for (const Flag& flag : std::as_const(d->flags)) flag->request();
    for (const Wheel& steering : std::as_const(d->generations)) steering->wake();
    d->newestPreview = 0;
    d->newestExamination = 0;
    for (QThreadPool* pool : {&d->textPool, &d->loadPool, &d->examinePool}) pool->waitForDone();
    d->thread.quit();
    d->thread.wait();
}

void EngineWorker::forget(RequestId id) {
    d->flags.remove(id);
    d->generations.remove(id);
}

RequestId EngineWorker::loadModelAsync(const ModelLoadRequest& request) {
    const RequestId id = ++d->lastId;
    const Flag flag = std::make_shared<CancelFlag>();
    d->flags.insert(id, flag);
    d->loadPool.start([this, id, request, flag] { d->load(this, id, request, flag); });
    return id;
}

RequestId EngineWorker::adoptModelAsync(std::unique_ptr<ReadyModel> model) {
    const RequestId id = ++d->lastId;
    const Flag flag = std::make_shared<CancelFlag>();
    d->flags.insert(id, flag);
    d->handOver(id, std::move(model), flag);
    return id;
}

RequestId EngineWorker::examineModelAsync(const ModelLoadRequest& request) {
    const RequestId id = ++d->lastId;
    d->newestExamination = id;
    d->examinePool.start([this, id, request] {
        if (d->newestExamination != id) return;  // a newer one waits
        const auto examined = guarded<Result<ModelExamination>>(
            [&] { return examineModel(QFile::encodeName(request.folder).toStdString(), d->loadOptions(request)); });
        emit modelExamined(id, toExaminationView(request.folder, examined));
    });
    return id;
}

void EngineWorker::measureCardsAsync() {
    // The engine rests meanwhile, so that nothing else reads the cards' memory.
    runInTurn([this](Engine&) { emit cardsMeasured(d->cards.measure()); });
}

void EngineWorker::setMemoryLimit(quint64 bytes) { d->memoryLimit = bytes; }

void EngineWorker::setPrefixBudget(quint64 bytes) {
    QMetaObject::invokeMethod(
        d->runner, [runner = d->runner, bytes] { runner->setPrefixBudget(bytes); }, Qt::QueuedConnection);
}

EngineIdentity EngineWorker::identity() const { return {{}, tr("This computer"), {}}; }

EngineCapabilities EngineWorker::capabilities() const { return {}; }

std::optional<ModelSummary> EngineWorker::model() const { return d->inUse; }

QString EngineWorker::notReady() const {
    return d->inUse ? QString() : tr("No model is loaded. Open one with File, Open model.");
}

RequestId EngineWorker::generateAsync(const GenerateRequest& request) {
    const RequestId id = ++d->lastId;
    const Flag flag = std::make_shared<CancelFlag>();
    d->flags.insert(id, flag);
    const Wheel steering = std::make_shared<Steering>();
    d->generations.insert(id, steering);
    QMetaObject::invokeMethod(
        d->runner, [=, runner = d->runner] { runner->generate(id, request, flag, steering); }, Qt::QueuedConnection);
    return id;
}

void EngineWorker::steer(RequestId id, const ControlValues& values) {
    if (const Wheel steering = d->generations.value(id)) steering->change(toControlChange(values));
}

void EngineWorker::pause(RequestId id) {
    if (const Wheel steering = d->generations.value(id)) steering->pause();
}

void EngineWorker::resume(RequestId id) {
    if (const Wheel steering = d->generations.value(id)) steering->resume();
}

void EngineWorker::step(RequestId id) {
    if (const Wheel steering = d->generations.value(id)) steering->step();
}

void EngineWorker::editRows(RequestId id, qint32 block, const QList<RowChange>& changes) {
    const Wheel steering = d->generations.value(id);
    const auto text = d->runner->text();
    if (!steering || !text) return;
    std::vector<RowEdit> edits;
    for (const RowChange& change : changes)
        edits.push_back({block, change.row, change.token < 0 ? text->maskId : static_cast<TokenId>(change.token)});
    steering->edit(edits);
}

QList<TokenChoice> EngineWorker::tokensOf(const QString& text) const {
    const auto model = d->runner->text();
    QList<TokenChoice> out;
    if (!model || !model->tokenizer) return out;
    for (const TokenId id : model->tokenizer->encode(text.toStdString()))
        out.append({id, 0.0F, toQString(model->tokenizer->displayText(id))});
    return out;
}

RequestId EngineWorker::previewPromptAsync(const QList<PromptMessage>& messages, bool thinking) {
    const RequestId id = ++d->lastId;
    d->newestPreview = id;
    d->textPool.start([this, id, messages, thinking] {
        if (d->newestPreview != id) return;  // a newer one waits
        const auto text = d->runner->text();
        PromptView view;
        if (text && text->format)
            view = toPromptView(guarded<Result<Prompt>>([&] { return text->format->render(toChatMessages(messages), thinking); }),
                                text->context);
        else
            view.problem = tr("No model is loaded.");
        emit promptPreviewed(id, view);
    });
    return id;
}

RequestId EngineWorker::fitPromptAsync(const QList<PromptMessage>& messages, const ControlValues& controls) {
    const RequestId id = ++d->lastId;
    d->textPool.start([this, id, messages, controls] {
        const auto text = d->runner->text();
        if (!text || !text->format) return emit promptFitted(id, messages, -1);
        const bool thinking = controls.value(QStringLiteral("enable_thinking"), true).toBool();
        const FittedPrompt fitted = withoutOldest(messages, [&](const QList<PromptMessage>& kept) {
            const auto prompt = guarded<Result<Prompt>>([&] { return text->format->render(toChatMessages(kept), thinking); });
            return prompt.ok() && positionsNeeded(static_cast<qint64>(prompt->ids.size()), controls) <= text->context;
        });
        if (!fitted.fits) return emit promptFitted(id, messages, -1);
        emit promptFitted(id, fitted.messages, fitted.dropped);
    });
    return id;
}

void EngineWorker::cancel(RequestId id) {
    if (const Flag flag = d->flags.value(id)) flag->request();
    if (const Wheel steering = d->generations.value(id)) steering->wake();
}

bool EngineWorker::generating() const { return !d->generations.isEmpty(); }

std::shared_ptr<const LoadedModel> EngineWorker::loadedModel() const { return d->runner->model(); }

void EngineWorker::runInTurn(std::function<void(Engine&)> work) {
    QMetaObject::invokeMethod(
        d->runner, [runner = d->runner, work = std::move(work)] { runner->run(work); }, Qt::QueuedConnection);
}

QList<DeviceSummary> EngineWorker::devices() {
    QList<DeviceSummary> out;
    for (const DeviceInfo& device : listDevices()) out.append(toDeviceSummary(device));
    return out;
}

}  // namespace trefoil
