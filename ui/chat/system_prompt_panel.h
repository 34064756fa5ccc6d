// SystemPromptPanel: the collapsible editor of a conversation's system prompt.
#pragma once

#include <QFrame>
#include <QString>
#include <QTimer>

namespace trefoil {

class CompositionGuard;
class ElidedLabel;
class GrowingEditor;
class PillButton;

/// Folded, it is one line with the beginning of the prompt. Changes are reported when typing pauses, and at the latest before
/// another conversation's prompt is shown; each report names the conversation that it belongs to.
class SystemPromptPanel : public QFrame {
    Q_OBJECT
public:
    explicit SystemPromptPanel(QWidget* parent = nullptr);

    /// Reports what is pending, then shows the prompt of `conversationId`. Setting what is already there changes nothing.
    void setPrompt(const QString& conversationId, const QString& text);
    [[nodiscard]] QString text() const;
    /// Reports what is pending now.
    void flush();
    void setExpanded(bool expanded);
    [[nodiscard]] bool isExpanded() const;

signals:
    void textEdited(const QString& conversationId, const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void updateHeader();

    PillButton* m_toggle;
    ElidedLabel* m_preview;
    QFrame* m_card;
    GrowingEditor* m_editor;
    QString m_conversation;
    QTimer m_debounce;
};

}  // namespace trefoil
