#include "app/core/engine_conversions.h"

namespace trefoil {

namespace {

ModelForm toModelForm(WeightForm form) {
    switch (form) {
        case WeightForm::BFloat16:
            return ModelForm::BFloat16;
        case WeightForm::Fp8:
            return ModelForm::Fp8;
        case WeightForm::Int4By32:
            return ModelForm::Int4By32;
        case WeightForm::Int4By128:
            return ModelForm::Int4By128;
        case WeightForm::Stored:
            break;
    }
    return ModelForm::Stored;
}

FormPlacement toPlacement(Placement placement) {
    switch (placement) {
        case Placement::AllOnCard:
            return FormPlacement::AllOnCard;
        case Placement::ExpertsInMainMemory:
            return FormPlacement::ExpertsInMainMemory;
        case Placement::DoesNotFit:
            break;
    }
    return FormPlacement::DoesNotFit;
}

FormAdvice toFormAdvice(const FormOnCard& form) {
    FormAdvice out;
    out.form = toModelForm(form.form);
    out.asIs = form.asIs;
    out.canMake = form.canMake;
    out.fileBytes = form.fileBytes;
    out.placement = toPlacement(form.placement);
    out.expertsOnCard = static_cast<qint32>(form.expertsOnCard);
    out.needsLimit = form.needsLimit;
    out.cardBytes = form.memory.total();
    out.mainMemoryBytes = form.memory.host;
    out.problem = toQString(form.problem);
    out.passMs = form.milliseconds;
    out.tokensPerSecond = form.tokensPerSecond;
    return out;
}

}  // namespace

Recommendation toRecommendation(const ModelExamination& examined) {
    const EstimateConstants constants;
    Recommendation out;
    out.experts = static_cast<qint32>(examined.config.numExperts);
    out.expertsPerPass = expertsPerPass(examined.config, constants);
    out.tokensPerPass = constants.tokensPerPass;
    out.latencyMs = constants.latency;
    for (const CardRecommendation& one : examined.cards) {
        CardAdvice card;
        card.id = toQString(one.card.id);
        card.name = toQString(one.card.name);
        card.memoryTotal = one.card.memoryTotal;
        card.available = one.card.available;
        card.readPerSecond = one.card.read.bytesPerSecond;
        card.busPerSecond = one.card.bus.bytesPerSecond;
        card.readMeasured = one.card.read.measured;
        card.busMeasured = one.card.bus.measured;
        for (const FormOnCard& form : one.forms) card.forms.append(toFormAdvice(form));
        card.recommended = one.recommended;
        out.cards.append(card);
    }
    return out;
}

}  // namespace trefoil
