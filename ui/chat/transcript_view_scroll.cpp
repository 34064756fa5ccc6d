// TranscriptView's place: what is in view, and what stays there while sizes change.
#include "ui/chat/text_column.h"
#include "ui/chat/thinking_pane.h"
#include "ui/chat/transcript_view_private.h"

#include <QCoreApplication>
#include <QEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {
namespace {

constexpr int kAtEnd = 4;  ///< pixels from the end that still count as the end

}  // namespace

void TranscriptView::Private::scrollToGoal() {
    MessageWidget* widget = goal.id.isEmpty() ? nullptr : widgets.value(goal.id);
    if (widget == nullptr) return;
    following = false;
    settle();
    if (!goalIsMark && !goalIsToken) {
        area->verticalScrollBar()->setValue(widget->y() - layout->spacing());
    } else {
        TextColumn* column =
            goal.thinking && widget->thinkingPane() != nullptr ? widget->thinkingPane()->column() : widget->body();
        const QRect place = goalIsToken ? column->selectToken(goal.index) : column->setCurrentMark(goal.index);
        settle();
        const QPoint middle = column->mapTo(content, place.center());
        area->ensureVisible(middle.x(), middle.y(), 0, std::min(area->viewport()->height() / 3, 120));
    }
    onScrolled(area->verticalScrollBar()->value());
}

/// Sizes are settled now, not with the next turn of the event loop: nothing is ever painted half laid out.
void TranscriptView::Private::activate() const {
    if (q->isVisible()) layout->activate();
}

/// The same for the scroll bar's range, which the area sets when its layout is asked for anew.
void TranscriptView::Private::settle() const {
    if (!q->isVisible()) return;
    layout->activate();
    QEvent request(QEvent::LayoutRequest);
    QCoreApplication::sendEvent(area, &request);
}

void TranscriptView::Private::onScrolled(int value) {
    if (restoring) return;
    const QScrollBar* bar = area->verticalScrollBar();
    following = value >= bar->maximum() - kAtEnd && endBuilt == messages.size();
    anchor.clear();
    if (!following) {
        for (int i = 0; i < layout->count(); ++i) {
            QWidget* widget = layout->itemAt(i)->widget();
            if (widget == nullptr || !widget->isVisible() || widget->geometry().bottom() < value) continue;
            anchor = widget;
            anchorOffset = value - widget->y();
            break;
        }
    }
    placeJumpButton();
}

void TranscriptView::Private::onRangeChanged(int maximum) {
    restoring = true;
    if (following) {
        area->verticalScrollBar()->setValue(maximum);
    } else if (anchor != nullptr) {
        area->verticalScrollBar()->setValue(anchor->y() + anchorOffset);
    }
    restoring = false;
    placeJumpButton();
}

void TranscriptView::Private::placeJumpButton() const {
    const bool wanted = !following && area->verticalScrollBar()->maximum() > 0;
    jump->setVisible(wanted);
    if (!wanted) return;
    const QSize size = jump->sizeHint() + QSize(16, 4);
    jump->setGeometry((q->width() - size.width()) / 2, q->height() - size.height() - 12, size.width(), size.height());
    jump->raise();
}

/// Scrolls while a drag selects beyond the view's edges.
void TranscriptView::Private::dragTo(const QPoint& global) const {
    const int y = area->viewport()->mapFromGlobal(global).y();
    QScrollBar* bar = area->verticalScrollBar();
    if (y < 0) bar->setValue(bar->value() + std::max(y, -60));
    if (y > area->viewport()->height()) bar->setValue(bar->value() + std::min(y - area->viewport()->height(), 60));
}

}  // namespace trefoil
