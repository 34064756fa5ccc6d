// TranscriptView's widgets: which messages have one, and when it is built and taken away.
#include "ui/chat/text_column.h"
#include "ui/chat/thinking_pane.h"
#include "ui/chat/transcript_view_private.h"
#include "ui/chat/welcome_panel.h"

#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {
namespace {

constexpr int kBuiltAtOnce = 6;  ///< messages whose widgets are built before the first paint

}  // namespace

qsizetype TranscriptView::Private::indexOf(const QString& id) const {
    for (qsizetype i = messages.size() - 1; i >= 0; --i) {
        if (messages[i].id == id) return i;
    }
    return -1;
}

MessageWidget* TranscriptView::Private::build(const TranscriptMessage& message) {
    auto* widget = new MessageWidget(message, queue, content);
    const QString id = message.id;
    QObject::connect(widget, &MessageWidget::copied, q, &TranscriptView::copied);
    QObject::connect(widget, &MessageWidget::regenerateRequested, q, [this, id] { emit q->regenerateRequested(id); });
    QObject::connect(widget, &MessageWidget::regenerateFromRequested, q,
                     [this, id](int block) { emit q->regenerateFromRequested(id, block); });
    QObject::connect(widget, &MessageWidget::continueRequested, q, [this, id] { emit q->continueRequested(id); });
    QObject::connect(widget, &MessageWidget::editRequested, q, [this, id] { emit q->editRequested(id); });
    QObject::connect(widget, &MessageWidget::versionRequested, q, &TranscriptView::versionRequested);
    QObject::connect(widget, &MessageWidget::traceRequested, q, [this, id] { emit q->traceRequested(id); });
    QObject::connect(widget, &MessageWidget::linkActivated, q, [this](const QString& target) { openLink(target); });
    QObject::connect(widget, &MessageWidget::dragged, q, [this](const QPoint& global) { dragTo(global); });
    QObject::connect(widget, &MessageWidget::selectionStarted, q, [this](const TextColumn* column) {
        for (const MessageWidget* other : std::as_const(widgets)) {
            for (TextColumn* candidate : other->columns()) {
                if (candidate != column && candidate->hasSelection()) candidate->clearSelection();
            }
        }
    });
    for (TextColumn* column : widget->columns()) {
        QObject::connect(column, &TextColumn::linkFocused, q, [this, column](const QRect& place) {
            const QPoint middle = column->mapTo(content, place.center());
            area->ensureVisible(middle.x(), middle.y(), 0, place.height());
        });
    }
    QObject::connect(widget, &MessageWidget::heatWanted, q, [this, id] { emit q->heatWanted(id); });
    QObject::connect(widget, &MessageWidget::menuAboutToShow, q,
                     [this, id](QMenu* menu) { emit q->answerMenuAboutToShow(id, menu); });
    if (heatWanted) widget->setHeatWanted(true);
    widgets.insert(id, widget);
    applyMarks(widget);
    return widget;
}

void TranscriptView::Private::insertAtEnd(MessageWidget* widget) const {
    // Before "Show later", the welcome panel, the activity line and the stretch.
    layout->insertWidget(layout->count() - 4, widget);
}

/// Makes widgets for the messages from `firstNow` to before `endNow`, and soon for those from `first` to before `end`.
void TranscriptView::Private::showWindow(qsizetype first, qsizetype end, qsizetype firstNow, qsizetype endNow) {
    clearWidgets();
    firstWanted = first;
    endWanted = end;
    firstBuilt = firstNow;
    endBuilt = endNow;
    for (qsizetype i = firstNow; i < endNow; ++i) {
        MessageWidget* widget = build(messages[i]);
        insertAtEnd(widget);
        widget->show();
    }
    refresh();
    activate();
    if (firstBuilt > firstWanted || endBuilt < endWanted) buildTimer.start();
}

void TranscriptView::Private::showEnd() {
    const qsizetype count = messages.size();
    showWindow(std::max<qsizetype>(0, count - kWindow), count, std::max<qsizetype>(0, count - kBuiltAtOnce), count);
}

/// A message far from those that have widgets gets a window of its own; the way there is not built.
void TranscriptView::Private::ensureBuilt(qsizetype index) {
    if (index >= firstBuilt && index < endBuilt) return;
    following = false;
    anchor.clear();
    const qsizetype count = messages.size();
    showWindow(std::max<qsizetype>(0, index - kWindow / 2), std::min(count, index + kWindow / 2),
               std::max<qsizetype>(0, index - kBuiltAtOnce / 2), std::min(count, index + kBuiltAtOnce));
}

void TranscriptView::Private::applyMarks(const MessageWidget* widget) const {
    widget->body()->setMarks(marks);
    if (widget->thinkingPane() != nullptr) widget->thinkingPane()->column()->setMarks(marks);
}

void TranscriptView::Private::buildMore() {
    if (endBuilt < endWanted) {
        MessageWidget* widget = build(messages[endBuilt]);
        ++endBuilt;
        insertAtEnd(widget);
        widget->show();
        activate();
    }
    if (firstBuilt > firstWanted) {
        --firstBuilt;
        MessageWidget* widget = build(messages[firstBuilt]);
        layout->insertWidget(1, widget);
        QWidget* after = layout->itemAt(2)->widget();
        // Tab goes from top to bottom, whatever the order of building.
        if (after != nullptr && after != welcome && after != later) QWidget::setTabOrder(widget, after);
        widget->show();
        activate();
    }
    if (firstBuilt > firstWanted || endBuilt < endWanted) buildTimer.start();
    refresh();
}

void TranscriptView::Private::clearWidgets() {
    buildTimer.stop();
    for (MessageWidget* widget : std::as_const(widgets)) retire(widget);
    widgets.clear();
}

/// Takes a message off the screen. It goes with the next turn of the event loop: it may be one of its own buttons that asked for
/// this, and that is still handling its click.
void TranscriptView::Private::retire(MessageWidget* widget) {
    if (widget == nullptr) return;
    widget->hide();
    widget->setParent(nullptr);
    widget->disconnect(q);
    widget->deleteLater();
    retired.removeIf([](const QPointer<MessageWidget>& old) { return old.isNull(); });
    retired.append(widget);
}

/// What depends on which messages there are.
void TranscriptView::Private::refresh() {
    welcome->setVisible(messages.isEmpty());
    layout->setStretchFactor(welcome, messages.isEmpty() ? 1 : 0);
    const qsizetype hidden = firstBuilt;
    earlier->setVisible(hidden > 0 && firstBuilt == firstWanted);
    earlier->setText(TranscriptView::tr("Show earlier messages (%1)").arg(hidden));
    const qsizetype behind = messages.size() - endBuilt;
    later->setVisible(behind > 0 && endBuilt == endWanted);
    later->setText(TranscriptView::tr("Show later messages (%1)").arg(behind));
    for (qsizetype i = firstBuilt; i < endBuilt; ++i) {
        if (MessageWidget* widget = widgets.value(messages[i].id)) widget->setLast(i == messages.size() - 1);
    }
}

}  // namespace trefoil
