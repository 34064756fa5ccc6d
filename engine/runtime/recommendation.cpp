#include "engine/runtime/recommendation.h"

#include "engine/checkpoint/quantise.h"
#include "engine/runtime/card_estimate.h"
#include "engine/runtime/cuda_plugin.h"
#include "engine/runtime/main_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace trefoil {
namespace {

/// A form and the catalogue that it would have.
struct FormChoice {
    WeightForm form = WeightForm::Stored;
    bool asIs = false;
    bool canMake = false;
    std::vector<TensorInfo> tensors;
    std::uint64_t fileBytes = 0;
};

QuantiseOptions optionsOf(WeightForm form) {
    QuantiseOptions options;
    options.format = form == WeightForm::Fp8 ? QuantisedFormat::Fp8Blocks : QuantisedFormat::Int4Groups;
    options.groupSize = form == WeightForm::Int4By128 ? 128 : 32;
    return options;
}

/// What the folder holds: the form of the first quantised tensor, since `quantize` and the vendors use one throughout.
WeightForm storedForm(std::span<const TensorInfo> tensors) {
    const auto found = std::find_if(tensors.begin(), tensors.end(), [](const TensorInfo& t) { return t.quantised.has_value(); });
    if (found == tensors.end()) return WeightForm::BFloat16;  // F16 and F32 become BF16 on the card
    if (found->quantised->format == QuantisedFormat::Fp8Blocks) return WeightForm::Fp8;
    if (found->quantised->hasZeroPoints) return WeightForm::Stored;
    return found->quantised->groupSize == 32    ? WeightForm::Int4By32
           : found->quantised->groupSize == 128 ? WeightForm::Int4By128
                                                : WeightForm::Stored;
}

std::uint64_t fileBytesOf(std::span<const TensorInfo> tensors) {
    std::uint64_t bytes = 0;
    for (const TensorInfo& tensor : tensors) {
        if (!tensor.quantised) {
            bytes += tensor.bytes();
            continue;
        }
        const QuantisedForm& form = *tensor.quantised;
        const std::int64_t rows = tensor.elements / std::max<std::int64_t>(1, form.columns);
        const std::int64_t scaleRows = form.format == QuantisedFormat::Fp8Blocks ? piecesFor(rows, kScaleBlock) : rows;
        bytes += static_cast<std::uint64_t>(rows * form.rowBytes()) +
                 static_cast<std::uint64_t>(scaleRows * form.groups()) * dtypeSize(form.scaleType);
    }
    return bytes;
}

std::vector<FormChoice> formChoices(const ModelToPlace& model) {
    const WeightForm stored = storedForm(model.tensors);
    std::vector<FormChoice> out{{stored, true, false, {model.tensors.begin(), model.tensors.end()}, model.fileBytes}};
    for (const WeightForm form : {WeightForm::Fp8, WeightForm::Int4By32, WeightForm::Int4By128}) {
        const QuantiseOptions options = optionsOf(form);
        if (form == stored || !formDividesRows(model.tensors, options)) continue;
        std::vector<TensorInfo> tensors = catalogueAfterQuantising(model.tensors, options);
        const std::uint64_t bytes = fileBytesOf(tensors);
        // quantiseCheckpoint refuses what is quantised already.
        out.push_back({form, false, stored == WeightForm::BFloat16, std::move(tensors), bytes});
    }
    return out;
}

std::string whyNot(const MemoryPlan& plan, std::uint64_t available) {
    return "needs " + gigabytes(plan.total()) + " of the card even with every expert in main memory (other weights " +
           gigabytes(plan.dense()) + ", keys and values " + gigabytes(plan.keyValue) + ", states and workspace " +
           gigabytes(plan.states + plan.workspace) + "), and a model may take " + gigabytes(available);
}

/// Where a plan made with less than `available` (the model in use is there still) has room for more experts.
void addFreedExperts(MemoryPlan& plan, const ModelConfig& config, std::uint64_t available) {
    const std::uint64_t each = plan.host / static_cast<std::uint64_t>(config.numExperts);
    if (each > 0 && plan.total() <= available) {
        const std::uint64_t held = plan.experts / each;
        const std::uint64_t more =
            std::min((available - plan.total()) / each, static_cast<std::uint64_t>(config.numExperts) - held);
        plan.experts += more * each;
        plan.weights += more * each;
    }
    plan.available = available;
}

void place(FormOnCard& row, const ModelConfig& config, std::uint64_t mainMemory) {
    const MemoryPlan& plan = row.memory;
    if (plan.total() > plan.available) {
        row.problem = whyNot(plan, plan.available);
        return;
    }
    row.placement = plan.host == 0 ? Placement::AllOnCard : Placement::ExpertsInMainMemory;
    row.expertsOnCard = config.numExperts;
    if (plan.host == 0) return;
    const auto each = static_cast<double>(plan.host) / static_cast<double>(config.numExperts);
    row.expertsOnCard = std::llround(static_cast<double>(plan.experts) / each);
    if (mainMemory == 0 || plan.host <= mainMemory) return;
    row.placement = Placement::DoesNotFit;
    row.problem = "the card holds " + std::to_string(row.expertsOnCard) + " of " + std::to_string(config.numExperts) +
                  " experts of each layer; all of them take " + gigabytes(plan.host) + " of main memory, and " +
                  gigabytes(mainMemory) + " are free";
}

void estimateSpeed(FormOnCard& row, const ModelConfig& config, std::span<const TensorInfo> tensors, const Card& card,
                   const EstimateConstants& k) {
    const CardWeights weights = cardWeights(config, tensors, row.memory.host > 0);
    const auto layers = static_cast<double>(config.numLayers());
    const auto attention = static_cast<double>(std::count(config.layers.begin(), config.layers.end(), LayerKind::FullAttention));
    const double expertBytes = expertsPerPass(config, k) * layers * static_cast<double>(weights.expert);
    const double prefix = static_cast<double>(std::min(k.prefix, config.maxPositionEmbeddings));
    row.passBytes = static_cast<double>(weights.dense) + expertBytes +
                    attention * 4.0 * static_cast<double>(config.numKeyValueHeads * config.headDim) * prefix;
    row.missedBytes = expertBytes * (1.0 - static_cast<double>(row.expertsOnCard) / static_cast<double>(config.numExperts));
    const double onCard = row.passBytes / card.read.bytesPerSecond * 1000.0 + k.latency;
    row.milliseconds = std::max(onCard, row.missedBytes / card.bus.bytesPerSecond * 1000.0 * k.busFactor);
    const auto block = static_cast<double>(config.blockSize);
    row.tokensPerSecond = block / ((block / k.tokensPerPass + 1.0) * row.milliseconds) * 1000.0;
}

/// Forms are in order of exactness.
int recommendedOf(std::span<const FormOnCard> forms) {
    int fastest = -1;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        if (forms[i].placement == Placement::AllOnCard) return static_cast<int>(i);
        if (forms[i].placement == Placement::DoesNotFit) continue;
        if (fastest < 0 || forms[i].milliseconds * 1.1 < forms[static_cast<std::size_t>(fastest)].milliseconds)
            fastest = static_cast<int>(i);
    }
    return fastest;
}

/// Bytes that the model in use holds on a card.
std::uint64_t givenBack(const ModelFootprint& held, int device) {
    const auto gpus = parseGpus(held.deviceId);
    if (!gpus) return 0;
    if (gpus->size() == 1) return gpus->front() == device ? held.bytes : 0;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < gpus->size() && i < held.partBytes.size(); ++i)
        if ((*gpus)[i] == device) bytes += held.partBytes[i];
    return bytes;
}

}  // namespace

std::string_view formName(WeightForm form) {
    switch (form) {
        case WeightForm::BFloat16:
            return "bf16";
        case WeightForm::Fp8:
            return "fp8";
        case WeightForm::Int4By32:
            return "int4-32";
        case WeightForm::Int4By128:
            return "int4-128";
        case WeightForm::Stored:
            break;
    }
    return "stored";
}

double expertsPerPass(const ModelConfig& config, const EstimateConstants& k) {
    const auto experts = static_cast<double>(config.numExperts);
    const auto perToken = static_cast<double>(config.numExpertsPerTok);
    const double named = experts * (1.0 - std::pow(1.0 - perToken / experts, k.independentRows));
    return std::clamp(named * k.coresetShare, perToken, experts);
}

CardRecommendation recommendFor(const ModelToPlace& model, const Card& card, std::uint64_t mainMemory, std::int64_t context,
                                const EstimateConstants& constants, const CardPlanner& planner) {
    const ModelConfig& config = *model.config;
    CardRecommendation out;
    out.card = card;
    out.exactMemory = static_cast<bool>(planner);
    for (const FormChoice& choice : formChoices(model)) {
        FormOnCard row;
        row.form = choice.form;
        row.asIs = choice.asIs;
        row.canMake = choice.canMake;
        row.fileBytes = choice.fileBytes;
        if (planner) {
            auto plan = planner(choice.tensors);
            if (!plan.ok()) {
                row.problem = plan.error().message;
                out.forms.push_back(std::move(row));
                continue;
            }
            row.memory = *plan;
            addFreedExperts(row.memory, config, card.available);
        } else {
            row.memory = estimateCardMemory(config, choice.tensors, card.available, context);
        }
        place(row, config, mainMemory);
        const std::uint64_t fullWorkspace =
            estimateCardMemory(config, choice.tensors, std::numeric_limits<std::uint64_t>::max(), context).workspace;
        row.needsLimit = row.placement != Placement::DoesNotFit &&
                         (row.memory.host > 0 || row.memory.total() - row.memory.workspace + fullWorkspace > card.available);
        if (row.placement != Placement::DoesNotFit) estimateSpeed(row, config, choice.tensors, card, constants);
        out.forms.push_back(std::move(row));
    }
    // A stored form of unknown exactness, such as one with zero points, stands first and counts as it stands.
    std::stable_sort(out.forms.begin(), out.forms.end(), [](const auto& a, const auto& b) { return a.form < b.form; });
    out.recommended = recommendedOf(out.forms);
    return out;
}

std::vector<CardRates> measureCards() {
    std::vector<CardRates> out;
    for (const CudaDevice& device : listCudaDevices()) {
        if (device.index < 0 || !device.usable) continue;
        const CudaBandwidth measured = measureCudaBandwidth(device.index);
        out.push_back({gpusId({&device.index, 1}), measured.deviceRead, measured.pinnedCopy});
    }
    return out;
}

std::vector<Card> cardsOfThisMachine(const DeviceOptions& options, std::span<const CardRates> rates) {
    std::vector<Card> cards;
    for (const CudaDevice& device : listCudaDevices()) {
        if (device.index < 0 || !device.usable) continue;
        Card card;
        card.id = gpusId({&device.index, 1});
        card.name = device.name;
        card.memoryTotal = device.memoryTotal;
        card.available = device.memoryFree + givenBack(options.inUse, device.index);
        if (options.gpuMemory > 0)
            card.available = std::min(card.available, options.gpuMemory - std::min(options.gpuMemory, kCardContextBytes));
        if (device.peakRead > 0.0) card.read = {device.peakRead * kReachedShare, false};
        for (const CardRates& measured : rates) {
            if (measured.id != card.id) continue;
            if (measured.read > 0.0) card.read = {measured.read, true};
            if (measured.bus > 0.0) card.bus = {measured.bus, true};
        }
        cards.push_back(std::move(card));
    }
    return cards;
}

std::vector<CardRecommendation> recommend(const Checkpoint& checkpoint, std::span<const Card> cards, std::int64_t context,
                                          const EstimateConstants& constants) {
    const ModelToPlace model{&checkpoint.config(), checkpoint.tensors(), checkpoint.summary().weightBytes};
    const std::uint64_t mainMemory = readMainMemory().free;
    std::vector<CardRecommendation> out;
    for (const Card& card : cards) {
        CardPlanner planner;
        if (const auto gpus = parseGpus(card.id); gpus && gpus->size() == 1)
            planner = [&, gpu = gpus->front()](std::span<const TensorInfo> tensors) -> Result<MemoryPlan> {
                WeightSource source;
                source.config = model.config;
                source.tensors = tensors;
                const CudaShare share{gpu, 0};
                // The limit lets experts stay in main memory where the card lacks room.
                auto parts = planCudaMemory(source, {&share, 1}, {context, card.available + kCardContextBytes});
                if (!parts.ok()) return parts.error();
                return parts->front().memory;
            };
        out.push_back(recommendFor(model, card, mainMemory, context, constants, planner));
    }
    return out;
}

}  // namespace trefoil
