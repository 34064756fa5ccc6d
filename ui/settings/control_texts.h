// What a person reads about each control: label, group, unit, step and tooltip. Ranges and defaults come with the
// ControlDescription, so that nothing here can contradict the engine.
#pragma once

#include "app/core/generation_types.h"

#include <QString>

namespace trefoil {

enum class ControlGroup : quint8 { Decoding, Length, Sampling, Penalties, Ending, Experts, Other };

struct ControlText {
    ControlGroup group = ControlGroup::Other;
    QString label;
    QString unit;       ///< "tokens"; empty for plain numbers
    QString does;       ///< what the control does
    QString doesNot;    ///< what a person may expect of it in vain
    double step = 1.0;  ///< of the spin box's arrows
};

/// Of a control that this table does not know: its name as the label, group Other.
[[nodiscard]] ControlText controlText(const QString& name);
[[nodiscard]] QString groupTitle(ControlGroup group);
/// "low_confidence" -> "Low confidence"; a value that this table does not know comes back unchanged.
[[nodiscard]] QString choiceText(const QString& value);
/// A control's value as it is shown in `locale`: numbers without group separators, in as few digits as read back exactly.
[[nodiscard]] QString valueText(const ControlDescription& control, const QVariant& value, const QLocale& locale);
/// "0 to 1" in `locale`; empty for controls without a range.
[[nodiscard]] QString rangeText(const ControlDescription& control, const QLocale& locale);
/// The tooltip as rich text: what it does, what it does not do, range and unit, default.
[[nodiscard]] QString controlToolTip(const ControlDescription& control, const QVariant& standard, const QLocale& locale);

/// Why a control has no effect at present, in one line; empty when it has. `thinkEndAvailable`: the model has a `</think>` token.
[[nodiscard]] QString inertReason(const QString& name, const ControlValues& values, bool thinkEndAvailable);

}  // namespace trefoil
