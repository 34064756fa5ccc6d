// One control of the Generation dock: label, editor, mark and reset.
#pragma once

#include "app/core/generation_types.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QToolButton;

namespace trefoil {

class NumberSpinBox;
class SeedEdit;
class WheelGuard;

/// Object names: the editor "control_NAME", the reset button "reset_NAME", the mark "changed_NAME", the reason "reason_NAME",
/// with the control's contract name.
class ControlRow : public QWidget {
    Q_OBJECT
public:
    /// `guard` is not owned and outlives the row.
    ControlRow(const ControlDescription& control, WheelGuard* guard, QWidget* parent = nullptr);

    [[nodiscard]] const QString& name() const { return m_control.name; }
    /// Typed as ControlValues says.
    [[nodiscard]] QVariant value() const;
    /// Does not emit. A value of another type or out of range becomes the default.
    void setValue(const QVariant& value);
    [[nodiscard]] QVariant standard() const { return m_standard; }
    /// What reset goes back to and "changed" is measured by. An unusable value becomes the description's own default.
    void setStandard(const QVariant& value);
    /// Narrows the range's upper end, never beyond the description's. A value or default above it is lowered to it.
    void setUpperLimit(double maximum);
    [[nodiscard]] bool isChanged() const { return value() != m_standard; }
    /// An empty reason enables the editor. `showReason` false: the row above shows the same one already.
    void setReason(const QString& reason, bool showReason);

signals:
    /// After each change by the person, the reset button included.
    void changed();

protected:
    void changeEvent(QEvent* event) override;

private:
    void makeEditor(WheelGuard* guard);
    [[nodiscard]] QVariant usable(const QVariant& value, const QVariant& fallback) const;
    void refreshTexts();
    void refreshMark();
    void onEdited();

    ControlDescription m_control;
    QVariant m_standard;
    QVariant m_wantedStandard;  // as given to setStandard, before the upper limit
    bool m_showReason = false;
    QWidget* m_editor = nullptr;  // one of the following, by the control's kind
    NumberSpinBox* m_number = nullptr;
    SeedEdit* m_seed = nullptr;
    QCheckBox* m_check = nullptr;
    QComboBox* m_combo = nullptr;
    QLabel* m_mark = nullptr;
    QLabel* m_label = nullptr;  // null for a check box, which has its own
    QLabel* m_reason = nullptr;
    QToolButton* m_reset = nullptr;
};

}  // namespace trefoil
