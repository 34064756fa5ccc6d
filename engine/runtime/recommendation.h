// Which form of a model suits a GPU: what fits, how many experts the card would hold, and what speed to expect. Every speed is an
// estimate: bytes of a pass over a bandwidth, plus what passes were measured to take beside their bytes.
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/model_config.h"
#include "engine/runtime/devices.h"
#include "engine/runtime/executor.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

/// How the weights of a model may be stored. Stored: what the folder has and `quantize` does not make.
enum class WeightForm : std::uint8_t { Stored, BFloat16, Fp8, Int4By32, Int4By128 };
/// "bf16", "fp8", "int4-32", "int4-128"; "stored".
[[nodiscard]] std::string_view formName(WeightForm form);

/// Bytes a second, measured on this machine or assumed.
struct Rate {
    double bytesPerSecond = 0.0;
    bool measured = false;
};
/// Assumed where nothing was measured and nobody said better: what cards of 24 GB with GDDR6X are sold with, and a bus of 16
/// lanes of the fourth generation. A card in this machine is assumed to read kReachedShare of what its clock and width allow, as
/// the H200 does (docs/benchmarks.md).
inline constexpr Rate kAssumedRead{900e9, false};
inline constexpr Rate kAssumedBus{25e9, false};
inline constexpr double kReachedShare = 0.92;

/// A card that a model may run on, in this machine or not.
struct Card {
    std::string id;    ///< "cuda:0"; empty: it was described, and is not in this machine
    std::string name;  ///< for people
    std::uint64_t memoryTotal = 0;
    /// What a model may take: free, or given back by the model in use, within the person's limit; without what CUDA takes.
    std::uint64_t available = 0;
    Rate read = kAssumedRead;
    Rate bus = kAssumedBus;
};

/// What was measured of a card of this machine.
struct CardRates {
    std::string id;     ///< Card::id
    double read = 0.0;  ///< bytes a second; 0: could not be measured
    double bus = 0.0;
};

/// Constants of the estimate; docs/benchmarks.md has what they come from.
struct EstimateConstants {
    /// Milliseconds of a pass beside its bytes: 1.9 to 2.3 on an H200 (forced 8, 40, 64 and 128 experts). Assumed of other cards.
    double latency = 2.0;
    /// Copies from main memory against the bus's own rate.
    double busFactor = 1.3;
    /// A half-masked block names as many experts as this many rows that choose at random (102 of Clover's 256; counted: 101), ...
    double independentRows = 16.0;
    /// ... and with the coreset at 0.9, the default, this share of them (counted: 66 of 101).
    double coresetShare = 0.65;
    std::int64_t prefix = 1024;  ///< tokens before the block
    /// An assumption: it depends on text and threshold, see "tokens/pass" in the status bar.
    double tokensPerPass = 4.0;
};

enum class Placement : std::uint8_t { AllOnCard, ExpertsInMainMemory, DoesNotFit };

/// One form on one card.
struct FormOnCard {
    WeightForm form = WeightForm::Stored;
    bool asIs = false;            ///< this is what the folder holds
    bool canMake = false;         ///< quantiseCheckpoint makes it of this folder
    std::uint64_t fileBytes = 0;  ///< on the disk; of what is to be made an estimate
    Placement placement = Placement::DoesNotFit;
    std::int64_t expertsOnCard = 0;  ///< of each layer
    /// It fits only where DeviceOptions::gpuMemory is set: experts then may stay in main memory, and prompt chunks be smaller.
    bool needsLimit = false;
    MemoryPlan memory;             ///< available: Card::available
    std::string problem;           ///< why it does not fit, with the numbers
    double passBytes = 0.0;        ///< that a pass over a block reads, wherever they lie
    double missedBytes = 0.0;      ///< of them from main memory, when every expert is named alike: trained routers miss fewer
    double milliseconds = 0.0;     ///< of a pass over a block; 0: does not fit
    double tokensPerSecond = 0.0;  ///< at EstimateConstants::tokensPerPass, a commit for each block counted as a pass
};

struct CardRecommendation {
    Card card;
    bool exactMemory = false;  ///< planned by the GPU plugin itself; otherwise by estimateCardMemory
    std::vector<FormOnCard> forms;
    int recommended = -1;  ///< index into forms; -1: none fits
};

/// What is to run, from headers alone. Not owned.
struct ModelToPlace {
    const ModelConfig* config = nullptr;
    std::span<const TensorInfo> tensors;
    std::uint64_t fileBytes = 0;  ///< of the folder
};

/// The plan for a catalogue on one card: all experts there where they fit, otherwise some, the rest in MemoryPlan::host.
using CardPlanner = std::function<Result<MemoryPlan>(std::span<const TensorInfo> tensors)>;

/// A row for each form that the widths permit: the stored one, then FP8 and 4 bits in groups of 32 and 128. Recommended is the
/// most exact form all of whose experts fit, and where none does the fastest, unless a more exact one is within a tenth of it.
/// `mainMemory`: free bytes, 0 where unknown. Without `planner`: estimateCardMemory.
[[nodiscard]] CardRecommendation recommendFor(const ModelToPlace& model, const Card& card, std::uint64_t mainMemory,
                                              std::int64_t context, const EstimateConstants& constants = {},
                                              const CardPlanner& planner = {});

/// Distinct experts that a pass over a block names in one layer, on average.
[[nodiscard]] double expertsPerPass(const ModelConfig& config, const EstimateConstants& constants);

/// Measures every usable card of this machine: about a second each, 4 GB of the card and 1 GB of main memory.
[[nodiscard]] std::vector<CardRates> measureCards();
/// The usable cards of this machine, with what the model in use (options.inUse) would give back, within options.gpuMemory; what
/// `rates` do not say is assumed.
[[nodiscard]] std::vector<Card> cardsOfThisMachine(const DeviceOptions& options, std::span<const CardRates> rates);

/// recommendFor each of `cards`; those of this machine are planned by the GPU plugin.
[[nodiscard]] std::vector<CardRecommendation> recommend(const Checkpoint& checkpoint, std::span<const Card> cards,
                                                        std::int64_t context, const EstimateConstants& constants = {});

}  // namespace trefoil
