// Values that cross between the engine thread, the window and the store. Qt types only; no engine header (see
// docs/architecture.md).
#pragma once

#include "app/core/recommendation_types.h"

#include <QHash>
#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVariant>

#include <cstdint>

namespace trefoil {

/// Identifies one asynchronous request to EngineWorker. 0 is never used. Answers with another id than the awaited one are stale.
using RequestId = quint64;

/// A candidate token of a row with its probability (0 to 1).
struct TokenChoice {
    qint32 token = -1;
    float probability = 0.0F;
    QString text;  ///< as shown: plain text, a control piece's name, "<0xE6>" for a lone byte
    bool operator==(const TokenChoice&) const = default;
};

/// One row of a pass: what the model would put there.
struct RowView {
    TokenChoice choice;      ///< the candidate and its confidence
    QList<TokenChoice> top;  ///< up to five likeliest, descending
    bool operator==(const RowView&) const = default;
};

/// Edit is no pass of the model: a person changed rows of the block while it was paused.
enum class PassType : quint8 { Denoise, Draft, Verify, Token, Edit };

/// What a pass cost in one layer.
struct LayerView {
    qint32 distinctExperts = 0;
    qint32 coresetSize = 0;     ///< 0: off
    float coresetShare = 0.0F;  ///< of the router's mass
    qint32 freeExperts = -1;    ///< that the rows would have chosen without a coreset; -1: not known
    quint64 expertBytes = 0;    ///< of one expert's weights; 0: not known
    bool operator==(const LayerView&) const = default;
};

/// Auto: which mode writes the next block (or as many single tokens), and why.
struct ModeChoiceView {
    enum class Reason : quint8 { Trial, Fastest, Retrial };
    QString mode;  ///< value of `decoding`; empty: nothing was chosen with this pass
    Reason reason = Reason::Trial;
    double lowConfidenceRate = 0.0;  ///< measured tokens per second; 0: not measured yet
    double selfSpeculativeRate = 0.0;
    double autoregressiveRate = 0.0;
    bool operator==(const ModeChoiceView&) const = default;
};

/// The controls of a conversation: contract name -> value (qlonglong, qulonglong for `seed`, double, bool or QString for
/// `decoding`).
using ControlValues = QHash<QString, QVariant>;

/// One pass over a block, as displayed, replayed and stored.
struct PassView {
    PassType type = PassType::Denoise;
    qint32 block = 0;          ///< from 0
    qint32 step = 0;           ///< pass number within the block, from 0; of a Token: its place in the block
    qint64 firstPosition = 0;  ///< response position of row 0 (negative while prompt rows lead the block)
    qint32 promptRows = 0;     ///< rows at the start that hold the prompt's tail
    QList<qint32> tokens;      ///< the block after this pass; the mask id where unresolved (of a Token: the one token)
    QStringList texts;         ///< display text of each of `tokens`
    QList<RowView> rows;       ///< empty for a Verify; of a Token: its one row
    QList<qint32> resolved;    ///< rows resolved by this pass
    qint32 accepted = 0;       ///< of a Verify
    qint32 droppedFrom = -1;   ///< rows from here on fall away after the end or the length cut; -1: none
    double milliseconds = 0.0;
    double meanDistinctExperts = 0.0;  ///< per layer
    double meanCoresetSize = 0.0;      ///< per layer; 0 when the coreset is off
    ControlValues changed;             ///< controls that the person changed meanwhile: in force from this pass on
    ModeChoiceView choice;
    quint64 weightBytes = 0;  ///< weights read by this pass; 0: not known
    QList<LayerView> layers;
    bool operator==(const PassView&) const = default;
};

/// Where a paused response stands.
struct PauseView {
    qint32 block = 0;       ///< PassView::block
    qint32 step = -1;       ///< of the last pass over it; -1: none yet
    bool editable = false;  ///< rows of the block can be changed
    bool complete = false;  ///< nothing in it is masked any more
    bool operator==(const PauseView&) const = default;
};

/// A row changed by hand while the response is paused. `token` -1: the row is masked again.
struct RowChange {
    qint32 row = 0;
    qint32 token = -1;
};

/// All passes of one response plus what is needed to draw them.
struct TraceView {
    qint32 maskId = -1;
    qint32 blockSize = 32;
    double threshold = 0.95;
    QList<PassView> passes;
    bool operator==(const TraceView&) const = default;
};

enum class ControlKind : quint8 { Integer, Unsigned64, Real, Boolean, Choice };

/// A control's type and range (inclusive), by its contract name; from the engine's table.
struct ControlDescription {
    QString name;
    ControlKind kind = ControlKind::Real;
    double minimum = 0.0;
    double maximum = 0.0;
    QStringList choices;
    QVariant standard;  ///< the engine's default, before the model's generation_config.json
};

/// All controls in the contract's order.
QList<ControlDescription> controlDescriptions();
/// Those that an engine with EngineCapabilities::liveSteering takes while it writes; the others hold from the next answer on.
QStringList liveControls();
/// nullptr-like: empty string when valid, otherwise the message that names the range.
QString controlProblem(const QString& name, const QVariant& value);

/// Positions that a prompt of this length and its answer take: the answer is rounded up to whole blocks (the contract, section
/// 6).
qint64 positionsNeeded(qint64 promptTokens, const ControlValues& controls);

/// One message of a conversation as the engine needs it.
struct PromptMessage {
    QString role;  ///< "system", "user", "assistant"
    QString content;
    bool operator==(const PromptMessage&) const = default;
};

/// A stretch of the prompt as it will be sent.
struct PromptPieceView {
    QString text;
    QList<qint32> ids;
    bool control = false;
};

struct PromptView {
    QList<PromptPieceView> pieces;
    qint64 tokens = 0;
    qint64 context = 0;  ///< the model's context; 0: not known
    bool exact = true;   ///< `tokens` was counted; otherwise it is an estimate
    QString problem;     ///< not empty when the prompt cannot be made (one line that says what to do)
};

struct GenerateRequest {
    QList<PromptMessage> messages;
    ControlValues controls;      ///< includes enable_thinking
    QList<qint32> begun = {};    ///< response tokens that are there already; they count in max_new_tokens
    qint32 begunBlocks = 0;      ///< the number of the first new block
    QString begunThinking = {};  ///< the same for an engine that goes on by text: the thinking so far …
    QString begunText = {};      ///< … and the answer so far; where it is empty the thinking is not over
};

/// How a response ended. The text is saved and shown whatever the reason. `Interrupted`: the process ended before the response
/// did.
enum class EndReason : quint8 { None, End, Length, Cancelled, Refused, Failed, Interrupted };

struct GenerationStats {
    qint64 promptTokens = 0;
    qint64 reusedTokens = 0;    ///< of the prompt, and of what was begun, taken from an earlier one instead of prefilled
    qint64 responseTokens = 0;  ///< all of them
    qint64 keptTokens = 0;      ///< of the response, taken over from another version: they cost nothing here
    qint64 thinkingTokens = 0;
    qint64 passes = 0;
    qint64 blocks = 0;
    double prefillMs = 0.0;
    double decodeMs = 0.0;      ///< wall time after the prefill
    double passMs = 0.0;        ///< of it inside passes
    double thinkingMs = 0.0;    ///< wall time until thinking closed
    double firstBlockMs = 0.0;  ///< wall time with the prefill until the first text was there; 0: not known
    // Where experts lie in main memory; not stored. Experts are counted layer by layer.
    qint64 usedExperts = 0;
    qint64 missedExperts = 0;  ///< of them those that were not on the GPU
    qint64 hostBytes = 0;      ///< of their weights
    double stallMs = 0.0;      ///< in which passes waited for these
    /// What the passes and times are for.
    [[nodiscard]] qint64 writtenTokens() const { return responseTokens - keptTokens; }
    bool operator==(const GenerationStats&) const = default;
};

/// The response so far, after a block (or an accepted head, or a coalesced run of single tokens) joined it.
struct ResponseUpdate {
    QString thinking;          ///< trimmed at both ends
    QString answer;            ///< trimmed at both ends
    bool hasThinking = false;  ///< the prompt left a think phase open
    bool thinkingClosed = true;
    QList<qint32> tokens;  ///< all response ids so far
    GenerationStats stats;
};

struct GenerationOutcome {
    ResponseUpdate response;
    EndReason reason = EndReason::None;
    QString error;  ///< one line with what to do, for Refused and Failed
    bool outOfMemory = false;
    bool deviceLost = false;
    qint64 retryAfterSeconds = -1;  ///< the engine has no room now and asks to wait so long; -1: it does not
    QString note;                   ///< a sentence for the person that is no error; empty: nothing to say
};

/// A device that this program knows of; unusable ones say why.
struct DeviceSummary {
    QString id;
    QString name;
    bool usable = false;
    QString reason;
    quint64 memoryTotal = 0;
    quint64 memoryFree = 0;
};

/// Where a compatibility switch's value comes from; the later one wins.
enum class CompatibilityOrigin : quint8 { Default, Config, User };

/// One of the contract's open points (section 9), as the Model dialog's page "Compatibility" shows it.
struct CompatibilityValue {
    QString name;         ///< as in config.json and on the command line
    QString title;        ///< a few words
    QString explanation;  ///< what each choice means
    QStringList choices;  ///< two, the default first
    QString value;        ///< one of `choices`
    CompatibilityOrigin origin = CompatibilityOrigin::Default;
    bool operator==(const CompatibilityValue&) const = default;
};

/// Switches that the user set: name -> choice.
using CompatibilityChoices = QHash<QString, QString>;

/// All switches at their defaults, in the contract's order.
QList<CompatibilityValue> compatibilityValues();

/// A model to be examined or loaded.
struct ModelLoadRequest {
    QString folder;
    QString device = QStringLiteral("auto");  ///< "auto", "cpu", "cuda", "cuda:N", "cuda:0,cuda:1"
    int threads = 0;                          ///< CPU threads; 0: all cores
    qint64 context = 0;                       ///< tokens to make room for; 0: as many as the model allows
    int gpuMemory = 0;                        ///< GiB of each GPU to take at most, see Settings::gpuMemory; 0: automatic
    CompatibilityChoices switches;            ///< that the person set; an unknown one makes the load fail with a message
    bool mayUnload = false;                   ///< the model in use may be let go first where both do not fit
};

/// Whether a model fits a device's free memory.
enum class DeviceFit : quint8 {
    Fits,
    FitsAlone,  ///< only when the model in use is let go first
    DoesNotFit,
};

/// What a model would take on a device.
struct DevicePlanView {
    DeviceSummary device;
    bool planned = false;  ///< the numbers below are known
    quint64 weightBytes = 0;
    quint64 expertBytes = 0;    ///< of the weights those of the routed experts; a pass reads some, all stay in memory
    quint64 keyValueBytes = 0;  ///< for the whole planned context
    quint64 stateBytes = 0;
    quint64 workspaceBytes = 0;
    quint64 availableBytes = 0;  ///< free now
    DeviceFit fit = DeviceFit::DoesNotFit;
    QString problem;  ///< why the model cannot run there; empty when it can
    [[nodiscard]] quint64 totalBytes() const { return weightBytes + keyValueBytes + stateBytes + workspaceBytes; }
};

/// What is known of a folder before it is loaded, from headers alone.
struct ModelExaminationView {
    QString folder;
    QString name;     ///< the folder's name
    QString problem;  ///< why this is no complete model; then only folder and name are filled
    QString layout;
    QString format;  ///< how weights are stored: "BF16", "FP8 in blocks of …"
    QString tokenizer;
    qint32 files = 0;  ///< weight files
    qint64 parameters = 0;
    quint64 weightBytes = 0;    ///< of the files
    qint64 modelContext = 0;    ///< what the model allows
    qint64 plannedContext = 0;  ///< what the plans below are for
    QStringList warnings;       ///< why its answers would probably be wrong
    QStringList notes;
    QList<QPair<QString, QString>> dimensions;
    QList<DevicePlanView> devices;
    QString chosenDevice;  ///< DeviceSummary::id; empty: none, deviceProblem says why
    QString deviceProblem;
    Recommendation recommendation;

    /// The plan of the chosen device; nullptr when there is none.
    [[nodiscard]] const DevicePlanView* chosenPlan() const {
        for (const DevicePlanView& plan : devices)
            if (plan.device.id == chosenDevice) return &plan;
        return nullptr;
    }
};

/// Why a load came to nothing.
enum class LoadEnd : quint8 {
    Failed,
    Cancelled,
    NeedsUnloading,  ///< the model fits, but not beside the one in use, which was to be kept
};

/// What the Model dialog, the status bar and the docks show of a loaded model.
struct ModelSummary {
    QString folder;
    QString name;  ///< the folder's name
    QString device;
    QString deviceId;  ///< DeviceSummary::id of the device in use; of several GPUs their ids, with commas
    QString tokenizer;
    QString layout;
    QString format;  ///< how weights are stored in the files; weightBytes says what they take in memory
    qint64 parameters = 0;
    quint64 weightBytes = 0;
    quint64 expertBytes = 0;  ///< of the weights those of the routed experts; a pass reads some, all stay in memory
    quint64 keyValueBytes = 0;
    quint64 stateBytes = 0;
    quint64 workspaceBytes = 0;
    qint64 context = 0;
    qint32 maskId = -1;
    QList<qint32> eosIds;
    qint32 thinkEndId = -1;  ///< -1: no think phase, or its token is not known
    bool thinks = false;     ///< can think before it answers
    double loadMs = 0.0;
    ControlValues defaults;                     ///< all controls
    QList<CompatibilityValue> compatibility;    ///< all switches as they stand
    QStringList warnings;                       ///< why answers are probably wrong, a line each
    QStringList notes;                          ///< assumed values, ignored tensors, stray files
    QList<QPair<QString, QString>> dimensions;  ///< label and value, for the Model dialog
};

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::PassView)
Q_DECLARE_METATYPE(trefoil::TraceView)
Q_DECLARE_METATYPE(trefoil::PauseView)
Q_DECLARE_METATYPE(trefoil::ResponseUpdate)
Q_DECLARE_METATYPE(trefoil::GenerationOutcome)
Q_DECLARE_METATYPE(trefoil::ModelSummary)
Q_DECLARE_METATYPE(trefoil::ModelExaminationView)
Q_DECLARE_METATYPE(trefoil::LoadEnd)
Q_DECLARE_METATYPE(trefoil::PromptView)
Q_DECLARE_METATYPE(trefoil::GenerateRequest)
