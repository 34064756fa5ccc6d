#include "engine/session.h"

#include <chrono>
#include <utility>

namespace trefoil {
namespace {

/// The checkpoint's own mask id, or the tokenizer's (section 1).
Status resolveMaskToken(Checkpoint& checkpoint, const Tokenizer* tokenizer) {
    if (checkpoint.config().maskTokenId >= 0) return {};
    const auto found = tokenizer != nullptr ? findMaskToken(*tokenizer) : std::nullopt;
    if (!found || *found >= checkpoint.config().vocabSize)
        return makeError(ErrorKind::Format,
                         "config.json gives no mask_token_id and the tokenizer has no <|mask|>, [MASK] or <|MASK|>",
                         "add mask_token_id to config.json");
    checkpoint.setMaskTokenId(*found);
    return {};
}

Result<std::shared_ptr<const TextModel>> openText(const Checkpoint& checkpoint, bool required) {
    auto text = std::make_shared<TextModel>();
    auto tokenizer = openTokenizer(checkpoint.folder(), checkpoint.config().vocabSize, &text->notes, &text->warnings);
    if (tokenizer.ok()) {
        text->tokenizer = std::move(*tokenizer);
        auto format = ChatFormat::create(text->tokenizer);
        if (format.ok()) {
            text->format = std::make_shared<const ChatFormat>(std::move(*format));
            const bool thinks = text->tokenizer->controlId("<think>") && text->tokenizer->controlId("</think>");
            text->chatTemplate = checkChatTemplate(checkpoint.folder(), thinks);
            if (!text->chatTemplate.note.empty()) text->warnings.push_back(text->chatTemplate.note);
        } else if (required) {
            return format.error();
        }
    } else if (required || tokenizer.error().kind != ErrorKind::NotFound) {
        return tokenizer.error();
    }
    text->context = checkpoint.config().maxPositionEmbeddings;
    text->eosIds = checkpoint.config().eosTokenIds;
    return std::shared_ptr<const TextModel>(std::move(text));
}

/// The checkpoint's notes, and the switches that are not at their default.
std::vector<std::string> notesOf(const Checkpoint& checkpoint, const std::vector<SwitchState>& switches) {
    std::vector<std::string> notes = checkpoint.summary().notes;
    for (const SwitchState& state : switches)
        if (state.choice != state.which->standard)
            notes.push_back("compatibility: " + std::string(state.which->name) + " is " + state.choice +
                            (state.origin == SwitchOrigin::User ? "" : " (config.json)") + ", the default is " +
                            std::string(state.which->standard));
    return notes;
}

/// Section 9's warning about the norms.
Result<std::vector<std::string>> warningsOf(const Checkpoint& checkpoint) {
    std::vector<std::string> warnings;
    if (!checkpoint.config().compatibility.zeroCentredNorms) return warnings;
    auto warning = normWeightWarning(checkpoint);
    if (!warning.ok()) return warning.error();
    if (!warning->empty()) warnings.push_back(*warning + "; try the compatibility switch norm_weights = plain");
    return warnings;
}

}  // namespace

struct Engine::Impl {
    std::optional<LoadedModel> model;
    std::unique_ptr<Executor> executor;
    PrefixCache cache;
};

namespace {

/// Of all boundaries those worth a snapshot: the end of the first message (a system prompt that other conversations share), the
/// last message before the question (for an edited question) and the start of the answer (for the next turn, or another answer).
std::vector<std::int64_t> snapshotPlaces(const std::vector<std::int64_t>& boundaries) {
    constexpr std::size_t kLast = 3;  // before the question, after it, and where the answer starts
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
        const std::size_t fromEnd = boundaries.size() - i;
        if (i == 0 || fromEnd == 1 || fromEnd == kLast) places.push_back(boundaries[i]);
    }
    return places;
}

}  // namespace

Engine::Engine() : m_impl(std::make_unique<Impl>()) {}
Engine::~Engine() = default;

Result<PreparedModel> prepareModel(const std::filesystem::path& folder, const LoadOptions& options) {
    auto checkpoint = Checkpoint::open(folder);
    if (!checkpoint.ok()) return checkpoint.error();
    Compatibility compatibility = checkpoint->config().compatibility;
    for (const auto& [name, choice] : options.compatibility)
        if (const Status s = setCompatibility(compatibility, name, choice); !s.ok()) return s.error();
    checkpoint->setCompatibility(compatibility);
    const std::int64_t modelContext = checkpoint->config().maxPositionEmbeddings;
    if (options.device.context > 0) checkpoint->limitContext(options.device.context);
    auto text = openText(*checkpoint, options.requireTokenizer);
    if (!text.ok()) return text.error();
    if (const Status s = resolveMaskToken(*checkpoint, (*text)->tokenizer.get()); !s.ok()) return s.error();
    auto withMask = std::make_shared<TextModel>(**text);
    withMask->maskId = checkpoint->config().maskTokenId;

    GenerationConfig defaults;
    defaults.blockSize = checkpoint->config().blockSize;
    if (!checkpoint->generationConfigJson().empty())
        if (const Status s = applyGenerationJson(defaults, checkpoint->generationConfigJson(), "generation_config.json"); !s.ok())
            return s.error();
    // After generation_config.json: a switch was set on purpose, and for this program.
    auto switches = switchStates(checkpoint->config().configSwitches, options.compatibility);
    for (const SwitchState& state : switches)
        if (state.which->member == &Compatibility::alignBlocks && state.origin != SwitchOrigin::Default)
            defaults.alignBlocks = compatibility.alignBlocks;
    auto notes = notesOf(*checkpoint, switches);
    notes.insert(notes.end(), withMask->notes.begin(), withMask->notes.end());
    auto warnings = warningsOf(*checkpoint);
    if (!warnings.ok()) return warnings.error();
    warnings->insert(warnings->end(), withMask->warnings.begin(), withMask->warnings.end());
    return PreparedModel{std::move(*checkpoint), std::move(withMask),  defaults,    std::move(switches),
                         std::move(notes),       *std::move(warnings), modelContext};
}

Result<ModelExamination> examineModel(const std::filesystem::path& folder, const LoadOptions& options) {
    auto prepared = prepareModel(folder, options);
    if (!prepared.ok()) return prepared.error();
    ModelExamination out;
    out.summary = prepared->checkpoint.summary();
    out.summary.notes = prepared->notes;
    out.summary.warnings = prepared->warnings;
    out.switches = prepared->switches;
    out.config = prepared->checkpoint.config();
    out.defaults = prepared->defaults;
    out.text = prepared->text;
    out.modelContext = prepared->modelContext;
    out.devices = planDevices(prepared->checkpoint, options.device);
    const auto choice = chooseDevice(prepared->checkpoint, options.device);
    if (choice.ok())
        out.chosenDevice = choice->id();
    else
        out.problem = choice.error().text();
    out.cards = recommend(prepared->checkpoint, cardsOfThisMachine(options.device, options.cardRates), options.device.context);
    return out;
}

Result<ReadyModel> loadModel(const std::filesystem::path& folder, const LoadOptions& options, const LoadProgress& progress,
                             const CancelFlag& cancel) {
    const auto start = std::chrono::steady_clock::now();
    auto prepared = prepareModel(folder, options);
    if (!prepared.ok()) return prepared.error();
    if (cancel.requested()) return makeError(ErrorKind::Cancelled, "loading was stopped");
    auto choice = chooseDevice(prepared->checkpoint, options.device);
    if (!choice.ok()) return choice.error();
    if (choice->fit == MemoryFit::FitsAlone && options.release && options.release()) {
        DeviceOptions alone = options.device;
        alone.device = choice->id();
        alone.inUse = {};
        choice = chooseDevice(prepared->checkpoint, alone);
        if (!choice.ok()) return choice.error();
    }
    if (cancel.requested()) return makeError(ErrorKind::Cancelled, "loading was stopped");
    auto executor = makeExecutor(prepared->checkpoint, *choice, options.device, progress, &cancel);
    if (!executor.ok()) return executor.error();

    ReadyModel ready;
    LoadedModel& model = ready.model;
    model.summary = prepared->checkpoint.summary();
    model.summary.notes = prepared->notes;
    model.summary.warnings = prepared->warnings;
    model.switches = prepared->switches;
    model.config = prepared->checkpoint.config();
    model.defaults = prepared->defaults;
    if (!choice->note.empty()) model.summary.notes.push_back(choice->note);
    model.device = (*executor)->deviceName();
    model.deviceId = choice->id();
    model.parts = choice->parts;
    model.memory = (*executor)->memory();
    model.text = prepared->text;
    model.loadMilliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    ready.executor = std::move(*executor);
    return ready;
}

ModelFootprint footprintOf(const LoadedModel& model) {
    ModelFootprint held{model.deviceId, model.memory.total()};
    for (const PartPlan& part : model.parts) held.partBytes.push_back(part.memory.total());
    return held;
}

Result<LoadedModel> Engine::load(const std::filesystem::path& folder, const LoadOptions& options, const LoadProgress& progress,
                                 const CancelFlag& cancel) {
    auto ready = loadModel(folder, options, progress, cancel);
    if (!ready.ok()) return ready.error();
    adopt(*std::move(ready));
    return *m_impl->model;
}

void Engine::adopt(ReadyModel ready) {
    m_impl->cache.clear();
    m_impl->executor = std::move(ready.executor);
    m_impl->model = std::move(ready.model);
}

void Engine::unload() {
    m_impl->cache.clear();
    m_impl->executor.reset();
    m_impl->model.reset();
}

const LoadedModel* Engine::model() const { return m_impl->model ? &*m_impl->model : nullptr; }
Executor* Engine::executor() { return m_impl->executor.get(); }
PrefixCache& Engine::prefixCache() { return m_impl->cache; }

DecodeResult Engine::generate(const GenerationRequest& request, DecodeObserver& observer, const CancelFlag& cancel) {
    if (!m_impl->executor) {
        DecodeResult none;
        none.stopReason = StopReason::Refused;
        none.error = makeError(ErrorKind::NotFound, "no model is loaded", "open a model first");
        return none;
    }
    DecodeRequest decodeRequest;
    decodeRequest.prompt = request.promptIds;
    decodeRequest.config = request.config;
    decodeRequest.thinkingOpen = request.thinkingOpen;
    decodeRequest.thinkEndId = request.thinkEndId;
    if (!decodeRequest.thinkEndId && m_impl->model->text->format)
        decodeRequest.thinkEndId = m_impl->model->text->format->thinkEndId();
    decodeRequest.begun = request.begun;
    decodeRequest.begunBlocks = request.begunBlocks;
    decodeRequest.steering = request.steering;
    const std::vector<std::int64_t> places = snapshotPlaces(request.boundaries);
    decodeRequest.cache = &m_impl->cache;
    decodeRequest.snapshotsAt = places;
    return decode(*m_impl->executor, decodeRequest, observer, cancel);
}

}  // namespace trefoil
