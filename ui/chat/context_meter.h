// ContextMeter: how much of the model's context the prompt takes, and whether the answer still fits.
#pragma once

#include <QProgressBar>
#include <QString>

namespace trefoil {

/// A small painted bar with its numbers beside it. The prompt's share is filled, the room kept for the answer is hatched. Being a
/// QProgressBar it is announced to assistive tools with its value.
class ContextMeter : public QProgressBar {
    Q_OBJECT
public:
    enum class State {
        Unknown,  ///< no model, or the prompt is being counted
        Normal,
        Near,  ///< it fits, with less than a tenth of the context to spare
        Over,  ///< prompt and answer together exceed the context
    };

    explicit ContextMeter(QWidget* parent = nullptr);

    /// All in tokens. `maxNewTokens` as the request will count it, rounded up to whole blocks. `promptTokens` < 0: being counted.
    /// `context` 0: no model.
    void setUsage(qint64 promptTokens, qint64 maxNewTokens, qint64 context);
    /// Why the prompt's length is only an estimate, in a sentence, for the next setUsage; empty: it is counted. With an estimate
    /// a context of 0 is one that is not known.
    void setEstimated(const QString& why) { m_estimated = why; }
    [[nodiscard]] State state() const;
    /// The words beside the bar.
    [[nodiscard]] QString caption() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QString shortCaption() const;
    [[nodiscard]] qint64 excess() const { return m_prompt + m_answer - m_context; }

    qint64 m_prompt = -1;
    qint64 m_answer = 0;
    qint64 m_context = 0;
    QString m_estimated;
};

}  // namespace trefoil
