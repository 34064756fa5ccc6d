// Composer: where a question is written and sent, and a running answer stopped.
#pragma once

#include "ui/chat/notice_bar.h"

#include <QElapsedTimer>
#include <QString>
#include <QTimer>
#include <QWidget>

class QFrame;
class QKeyEvent;

namespace trefoil {

class CompositionGuard;
class ContextMeter;
class ElidedLabel;
class GrowingEditor;
class PillButton;

/// Enter, Ctrl+Enter and the keypad's Enter send; Shift+Enter breaks the line; Escape stops a running answer. Keys of an input
/// method's composition do none of this (see CompositionGuard), and nothing here disturbs a composition but setText with another
/// text. The text stays in the editor when it is sent: the owner empties it with setText once the question is stored.
class Composer : public QWidget {
    Q_OBJECT
public:
    explicit Composer(QWidget* parent = nullptr);

    /// What was typed, every character of it; without preedit text.
    [[nodiscard]] QString text() const;
    /// Does nothing when the editor already holds `text`, so that a composition goes on.
    void setText(const QString& text);
    void focusEditor();
    [[nodiscard]] bool composing() const;

    /// An answer is being written: the send button stops it.
    void setBusy(bool busy);
    [[nodiscard]] bool busy() const { return m_busy; }
    /// Whether a question can be sent at all; `reason` is the button's tooltip otherwise ("No model is loaded.").
    void setSendAvailable(bool available, const QString& reason = {});

    void setThinking(bool thinking);
    [[nodiscard]] bool thinking() const;
    /// `reason`: the toggle's tooltip when it is not available.
    void setThinkingAvailable(bool available, const QString& reason = {});

    /// See ContextMeter::setUsage.
    void setContextUsage(qint64 promptTokens, qint64 maxNewTokens, qint64 context);
    /// See ContextMeter::setEstimated.
    void setContextEstimated(const QString& why);

    /// A message above the editor; empty text takes it away. Up to two `actions`, answered by problemAction.
    void setProblem(const QString& text, const QList<NoticeAction>& actions = {});
    [[nodiscard]] QString problem() const;

signals:
    void sendRequested(const QString& text);
    void stopRequested();
    /// Escape while nothing is being written.
    void editCancelled();
    /// The person changed the text.
    void textEdited(const QString& text);
    /// The person changed the toggle.
    void thinkingToggled(bool thinking);
    void problemAction(const QString& id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildCard();
    bool filterKeyPress(const QKeyEvent& event);
    void trySend();
    void showHint(const QString& text);
    void updateButton();

    NoticeBar* m_problem = nullptr;
    QFrame* m_card = nullptr;
    GrowingEditor* m_editor = nullptr;
    CompositionGuard* m_guard = nullptr;
    PillButton* m_thinking = nullptr;
    ElidedLabel* m_hint = nullptr;
    ContextMeter* m_meter = nullptr;
    PillButton* m_send = nullptr;
    QTimer m_hintTimer;
    bool m_busy = false;
    bool m_sendAvailable = true;
    bool m_swallowDoubleClick = false;
    QString m_unavailableReason;
};

}  // namespace trefoil
