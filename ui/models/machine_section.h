// MachineSection: which form of the model on show suits the cards of this machine, and what to expect of each.
#pragma once

#include "app/core/recommendation_types.h"

#include <QWidget>

class QVBoxLayout;

namespace trefoil {

/// "FP8", "4 bits, groups of 32".
[[nodiscard]] QString modelFormText(ModelForm form);

/// Fixed once made: an examination makes another one. Every speed is said to be an estimate.
class MachineSection : public QWidget {
    Q_OBJECT
public:
    /// `whyNoCard`: shown where there is no card. `limited`: the person set a limit for the cards' memory. `canMake`: a form may
    /// be made now.
    MachineSection(const Recommendation& recommendation, const QString& whyNoCard, bool limited, bool canMake,
                   QWidget* parent = nullptr);

signals:
    void measureRequested();
    void makeRequested(trefoil::ModelForm form);

private:
    void addCard(QVBoxLayout* column, const CardAdvice& card);
    void addForm(QVBoxLayout* column, const CardAdvice& card, int index);
    [[nodiscard]] QString formText(const FormAdvice& form) const;

    Recommendation m_recommendation;
    bool m_limited;
    bool m_canMake;
};

}  // namespace trefoil
