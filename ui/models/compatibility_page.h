// CompatibilityPage: the points of model-contract.md, section 9, each a switch that the model can be loaded anew with.
#pragma once

#include "app/core/generation_types.h"

#include <QList>
#include <QWidget>

class QComboBox;
class QLabel;
class QScrollArea;

namespace trefoil {

class PillButton;

/// Shows what the loaded model runs with, where each value comes from, and offers the other one. Nothing changes before "Load
/// with these" or "Reset" is pressed.
class CompatibilityPage : public QWidget {
    Q_OBJECT
public:
    explicit CompatibilityPage(QWidget* parent = nullptr);

    /// A summary without a folder: no model is loaded, the switches cannot be used.
    void setModel(const ModelSummary& model);

signals:
    /// Load the model in use anew with these and nothing else that the person set.
    void loadRequested(const trefoil::CompatibilityChoices& choices);

private:
    struct Row {
        CompatibilityValue value;
        QComboBox* box = nullptr;
        QLabel* origin = nullptr;
    };
    QWidget* makeRow(const CompatibilityValue& value);
    [[nodiscard]] CompatibilityChoices choices() const;
    [[nodiscard]] bool changed() const;
    void showState();
    void reset();

    bool m_loaded = false;
    QList<Row> m_rows;
    QScrollArea* m_scroll;
    PillButton* m_load;
    PillButton* m_reset;
};

}  // namespace trefoil
