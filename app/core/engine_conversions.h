// Engine values to Qt values and back. Private to trefoil_core: the only place where both kinds of header meet.
#pragma once

#include "app/core/generation_types.h"
#include "engine/decode/block_decoder.h"
#include "engine/session.h"
#include "engine/tokenizer/chat_format.h"

#include <exception>
#include <new>
#include <string>
#include <vector>

namespace trefoil {

QString toQString(const std::string& utf8);
PassView toPassView(const PassRecord& pass, const Tokenizer* tokenizer, TokenId maskId);
EndReason toEndReason(StopReason reason);
ModelSummary toModelSummary(const LoadedModel& model);
/// `examined` of the folder `folder`.
ModelExaminationView toExaminationView(const QString& folder, const Result<ModelExamination>& examined);
Recommendation toRecommendation(const ModelExamination& examined);
DeviceSummary toDeviceSummary(const DeviceInfo& device);
ControlValues toControlValues(const GenerationConfig& config);
/// Applies values over `config`; the error names the first one that is out of range.
Status applyControlValues(GenerationConfig& config, const ControlValues& values);
PauseView toPauseView(const PauseState& state);
/// What of these values may change during a response; values out of range are left out.
ControlChange toControlChange(const ControlValues& values);
std::vector<ChatMessage> toChatMessages(const QList<PromptMessage>& messages);
CompatibilityOverrides toOverrides(const CompatibilityChoices& choices);
QList<CompatibilityValue> toCompatibilityValues(const std::vector<SwitchState>& states);
PromptView toPromptView(const Result<Prompt>& prompt, qint64 context);

/// Exceptions of the standard library (out of memory above all) become errors here: none may leave a thread.
template <class R, class F>
R guarded(F&& f) {
    try {
        return f();
    } catch (const std::bad_alloc&) {
        return makeError(ErrorKind::OutOfMemory, "out of memory", "close other programs or choose a smaller model");
    } catch (const std::exception& e) {
        return makeError(ErrorKind::Internal, std::string("unexpected: ") + e.what());
    }
}

}  // namespace trefoil
