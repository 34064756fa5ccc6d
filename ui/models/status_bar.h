// StatusBar: model, device and speed at the window's foot.
#pragma once

#include "app/core/generation_types.h"

#include <QStatusBar>

class QLabel;
class QToolButton;

namespace trefoil {

class ElidedLabel;
class LoadProgress;

/// From the left: what goes on (or the progress of a load); at the right: tokens per second, tokens per pass, milliseconds per
/// pass, device, model. The model's name is a button.
class StatusBar : public QStatusBar {
    Q_OBJECT
public:
    explicit StatusBar(QWidget* parent = nullptr);

    void setModel(const ModelSummary& model);
    /// A further part at the right end that never goes away. Becomes the bar's own.
    void addPart(QWidget* part);
    /// Says that no model is loaded.
    void clearModel();
    /// Of the running answer, or the last one.
    void setStats(const GenerationStats& stats);
    void clearStats();
    /// "Reading the prompt: 512 of 2,048 tokens", "Block 3, pass 2"; empty: nothing goes on.
    void setActivity(const QString& text);
    [[nodiscard]] LoadProgress* loadProgress() const { return m_load; }

signals:
    void modelClicked();

private:
    ElidedLabel* m_activity;
    LoadProgress* m_load;
    QLabel* m_reused;
    QLabel* m_tokensPerSecond;
    QLabel* m_tokensPerPass;
    QLabel* m_passTime;
    QLabel* m_device;
    QToolButton* m_model;
};

}  // namespace trefoil
