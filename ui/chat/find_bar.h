// FindBar: looks for a text in the conversation on show. Return and F3 go on, with Shift back; Escape closes it.
#pragma once

#include <QFrame>

class QLabel;
class QLineEdit;
class QToolButton;

namespace trefoil {

class CompositionGuard;
class TranscriptFind;
class TranscriptView;

class FindBar : public QFrame {
    Q_OBJECT
public:
    /// `view` is not owned and outlives the bar.
    explicit FindBar(TranscriptView* view, QWidget* parent = nullptr);

    /// Shows the bar with the keyboard's focus; what it looked for last is selected.
    void open();
    void close();
    /// The next or the previous place; opens the bar when it is closed.
    void step(bool forward);

signals:
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void search();
    void showCount();

    TranscriptFind* m_find;
    QLineEdit* m_field;
    CompositionGuard* m_guard;
    QLabel* m_count;
    QToolButton* m_previous;
    QToolButton* m_next;
    QToolButton* m_case;
    QToolButton* m_close;
};

}  // namespace trefoil
