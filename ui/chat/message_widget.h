// One message of the transcript: a question on a card, or an answer with its thinking, its actions and how it went.
#pragma once

#include "ui/chat/text_heat.h"
#include "ui/chat/transcript_view.h"

#include <QList>
#include <QMenu>
#include <QString>
#include <QStringList>
#include <QWidget>

class QBoxLayout;
class QHBoxLayout;
class QLabel;

namespace trefoil {

class ElidedLabel;
class LayoutQueue;
class QuietButton;
class TextColumn;
class ThinkingPane;

class MessageWidget : public QWidget {
    Q_OBJECT
public:
    MessageWidget(const TranscriptMessage& message, LayoutQueue& queue, QWidget* parent = nullptr);

    void setMessage(const TranscriptMessage& message);
    void setOpenBlock(const QStringList& cells, const QList<bool>& masked);
    /// The last answer can be regenerated, and its actions are always in sight.
    void setLast(bool last);

    /// Asks for colours when it is seen (heatWanted), and drops those that it has.
    void setHeatWanted(bool wanted);
    /// Lost with the next change of the text.
    void setHeat(const MessageHeat& heat);

    [[nodiscard]] const TranscriptMessage& message() const { return m_message; }
    [[nodiscard]] TextColumn* body() const { return m_body; }
    /// nullptr: a question.
    [[nodiscard]] ThinkingPane* thinkingPane() const { return m_thinking; }
    [[nodiscard]] QString statusText() const;
    [[nodiscard]] QList<TextColumn*> columns() const;
    /// How many pieces of text were laid out here so far.
    [[nodiscard]] int layoutCount() const;
    /// Puts the source text on the clipboard.
    void copyMessage();
    /// Moves the focus to the buttons that lead to other versions, if there are any.
    void focusVersions();

signals:
    void copied(const QString& text);
    void regenerateRequested();
    void regenerateFromRequested(int block);
    void continueRequested();
    void editRequested();
    void versionRequested(const QString& versionId);
    void traceRequested();
    void heatWanted();
    /// The menu of an answer that has a trace: the place to add what can be done with it.
    void menuAboutToShow(QMenu* menu);
    void linkActivated(const QString& target);
    /// The person began to select in this column.
    void selectionStarted(trefoil::TextColumn* column);
    void dragged(const QPoint& global);

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void connectColumn(TextColumn* column);
    void updateFooter();
    /// ‹ 2/3 ›
    void addVersionButtons(QBoxLayout* row);
    void updateVersions();
    void showVersion(qsizetype step);
    void addChangeActions(QMenu* menu);
    [[nodiscard]] QList<QuietButton*> buttons() const;
    void updateColours();
    void showBlock();
    [[nodiscard]] bool isQuestion() const { return m_message.role == u"user"; }
    [[nodiscard]] bool thinks() const { return m_message.hasThinking && !m_message.thinkingClosed; }

    TranscriptMessage m_message;
    ThinkingPane* m_thinking = nullptr;
    TextColumn* m_body;
    TextColumn* m_error = nullptr;
    ElidedLabel* m_status = nullptr;
    QuietButton* m_copy;
    QuietButton* m_regenerate = nullptr;
    QuietButton* m_trace = nullptr;
    QuietButton* m_continue = nullptr;
    QuietButton* m_edit = nullptr;
    QuietButton* m_previous = nullptr;
    QuietButton* m_next = nullptr;
    QLabel* m_version = nullptr;
    QStringList m_cells;
    QList<bool> m_masked;
    bool m_last = false;
    bool m_heatWanted = false;
    bool m_heatAsked = false;
};

}  // namespace trefoil
