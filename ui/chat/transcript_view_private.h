// TranscriptView's inside: what its own sources share, and nobody else includes.
#pragma once

#include "ui/chat/layout_queue.h"
#include "ui/chat/message_widget.h"
#include "ui/chat/transcript_view.h"

#include <QHash>
#include <QPointer>
#include <QTimer>

class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace trefoil {

class WelcomePanel;

/// Members of TranscriptView's three sources: public here.
class TranscriptView::Private {
public:
    static constexpr qsizetype kWindow = 50;  ///< messages that have widgets before "Show earlier"

    explicit Private(TranscriptView* view);

    [[nodiscard]] qsizetype indexOf(const QString& id) const;
    MessageWidget* build(const TranscriptMessage& message);
    void buildMore();
    void insertAtEnd(MessageWidget* widget) const;
    void showWindow(qsizetype first, qsizetype end, qsizetype firstNow, qsizetype endNow);
    void showEnd();
    void ensureBuilt(qsizetype index);
    void applyMarks(const MessageWidget* widget) const;
    void scrollToGoal();
    void clearWidgets();
    void retire(MessageWidget* widget);
    void refresh();
    void activate() const;
    void settle() const;
    void onScrolled(int value);
    void onRangeChanged(int maximum);
    void placeJumpButton() const;
    void updateMargins() const;
    void updateActivityLook() const;
    void openLink(const QString& target);
    void dragTo(const QPoint& global) const;

    TranscriptView* q;
    LayoutQueue queue;
    QScrollArea* area;
    QWidget* content;
    QVBoxLayout* layout;
    QPushButton* earlier;
    QPushButton* later;
    WelcomePanel* welcome;
    QLabel* activity;
    QPushButton* jump;
    QTimer buildTimer;
    QList<TranscriptMessage> messages;
    QHash<QString, MessageWidget*> widgets;
    QList<QPointer<MessageWidget>> retired;  ///< off the screen, and gone with the next turn of the event loop
    qsizetype firstBuilt = 0;                ///< messages from here …
    qsizetype endBuilt = 0;                  ///< … to before here have widgets
    qsizetype firstWanted = 0;               ///< … and will have, soon
    qsizetype endWanted = 0;
    MarkFinder marks;
    Mark goal;  ///< stays in view until all is laid out; an empty id: none
    bool goalIsMark = false;
    bool goalIsToken = false;  ///< goal.index is one of the response
    bool heatWanted = false;
    QPointer<QWidget> anchor;  ///< what stands at the top of the view while the reader is not at the end
    int anchorOffset = 0;
    bool following = true;
    bool restoring = false;
};

}  // namespace trefoil
