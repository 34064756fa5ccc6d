#include "ui/chat/transcript_view.h"

#include "ui/chat/layout_queue.h"
#include "ui/chat/link_dialog.h"
#include "ui/chat/message_widget.h"
#include "ui/chat/text_column.h"
#include "ui/chat/thinking_pane.h"
#include "ui/chat/welcome_panel.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QEvent>
#include <QHash>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {
namespace {

constexpr int kTextWidth = 760;
constexpr int kCardMargin = 14;  ///< of the text within a message
constexpr int kLeastMargin = 12;
constexpr int kBuiltAtOnce = 6;    ///< messages whose widgets are built before the first paint
constexpr qsizetype kWindow = 50;  ///< messages that have widgets before "Show earlier"
constexpr int kAtEnd = 4;          ///< pixels from the end that still count as the end

}  // namespace

class TranscriptView::Private {
public:
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

TranscriptView::Private::Private(TranscriptView* view)
    : q(view),
      area(new QScrollArea(view)),
      content(new QWidget),
      layout(new QVBoxLayout(content)),
      earlier(new QPushButton(content)),
      later(new QPushButton(content)),
      welcome(new WelcomePanel(content)),
      activity(new QLabel(content)),
      jump(new QPushButton(view)) {
    area->setObjectName(QStringLiteral("transcriptArea"));
    area->setAccessibleName(TranscriptView::tr("Transcript"));
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setBackgroundRole(QPalette::Base);
    area->viewport()->setBackgroundRole(QPalette::Base);
    content->setBackgroundRole(QPalette::Base);
    content->setObjectName(QStringLiteral("transcriptContent"));
    content->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);

    earlier->setObjectName(QStringLiteral("showEarlierButton"));
    earlier->setFlat(true);
    earlier->hide();
    later->setObjectName(QStringLiteral("showLaterButton"));
    later->setFlat(true);
    later->hide();
    activity->setObjectName(QStringLiteral("activityLabel"));
    activity->setTextFormat(Qt::PlainText);
    activity->setForegroundRole(QPalette::WindowText);
    activity->setContentsMargins(kCardMargin, 0, kCardMargin, 0);
    activity->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    activity->hide();
    layout->setSpacing(18);
    layout->addWidget(earlier, 0, Qt::AlignHCenter);
    layout->addWidget(later, 0, Qt::AlignHCenter);
    layout->addWidget(welcome, 1);
    layout->addWidget(activity);
    layout->addStretch(0);
    area->setWidget(content);

    jump->setObjectName(QStringLiteral("jumpToEndButton"));
    jump->setText(TranscriptView::tr("Jump to the end"));
    jump->setAccessibleName(jump->text());
    jump->setCursor(Qt::PointingHandCursor);
    jump->hide();

    auto* outer = new QVBoxLayout(view);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(area);
    buildTimer.setInterval(0);
    buildTimer.setSingleShot(true);
}

TranscriptView::TranscriptView(QWidget* parent) : QWidget(parent), d(std::make_unique<Private>(this)) {
    setObjectName(QStringLiteral("transcriptView"));
    connect(d->area->verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) { d->onScrolled(value); });
    connect(d->area->verticalScrollBar(), &QScrollBar::rangeChanged, this,
            [this](int, int maximum) { d->onRangeChanged(maximum); });
    connect(d->jump, &QPushButton::clicked, this, &TranscriptView::jumpToEnd);
    connect(d->welcome, &WelcomePanel::exampleChosen, this, &TranscriptView::exampleChosen);
    connect(d->earlier, &QPushButton::clicked, this, [this] {
        d->firstWanted = std::max<qsizetype>(0, d->firstBuilt - kWindow);
        d->buildTimer.start();
    });
    connect(d->later, &QPushButton::clicked, this, [this] {
        d->endWanted = std::min(d->messages.size(), d->endBuilt + kWindow);
        d->buildTimer.start();
    });
    connect(&d->buildTimer, &QTimer::timeout, this, [this] { d->buildMore(); });
    connect(&d->queue, &LayoutQueue::finished, this, [this] {
        d->scrollToGoal();
        if (!d->buildTimer.isActive()) d->goal = {};
    });
    d->area->viewport()->installEventFilter(this);
    d->updateActivityLook();
    d->refresh();
}

TranscriptView::~TranscriptView() {
    // The columns tell the queue nothing any more while they are taken down.
    d->clearWidgets();
    for (const QPointer<MessageWidget>& widget : std::as_const(d->retired)) delete widget.data();  // they use the layout queue
}

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

void TranscriptView::Private::updateMargins() const {
    // As if the scroll bar were always there: the text is not laid out anew when it comes.
    const int available = q->width() - area->verticalScrollBar()->sizeHint().width();
    const int side = std::max(kLeastMargin, (available - kTextWidth - 2 * kCardMargin) / 2);
    layout->setContentsMargins(side, 20, side + std::max(0, area->viewport()->width() - available), 24);
}

void TranscriptView::Private::updateActivityLook() const {
    QPalette subtle = q->palette();
    subtle.setColor(QPalette::WindowText, theme::tone(theme::Tone::Subtle, q->palette()));
    activity->setPalette(subtle);
    jump->setIcon(theme::icon(QStringLiteral("down"), q->palette()));
}

void TranscriptView::Private::openLink(const QString& target) {
    auto* dialog = new LinkDialog(target, q);
    QObject::connect(dialog, &LinkDialog::openChosen, q, [this](const QUrl& url) {
        QDesktopServices::openUrl(url);
        emit q->linkRequested(url);
    });
    dialog->open();
}

/// Scrolls while a drag selects beyond the view's edges.
void TranscriptView::Private::dragTo(const QPoint& global) const {
    const int y = area->viewport()->mapFromGlobal(global).y();
    QScrollBar* bar = area->verticalScrollBar();
    if (y < 0) bar->setValue(bar->value() + std::max(y, -60));
    if (y > area->viewport()->height()) bar->setValue(bar->value() + std::min(y - area->viewport()->height(), 60));
}

void TranscriptView::setMessages(const QList<TranscriptMessage>& messages) {
    d->clearWidgets();
    d->messages = messages;
    d->goal = {};
    d->following = true;
    d->anchor.clear();
    d->showEnd();
    jumpToEnd();
    emit messagesChanged();
}

void TranscriptView::appendMessage(const TranscriptMessage& message) {
    const bool endOnShow = d->endBuilt == d->messages.size();
    d->messages.append(message);
    if (endOnShow) {
        MessageWidget* widget = d->build(message);
        d->insertAtEnd(widget);
        d->endBuilt = d->endWanted = d->messages.size();
        d->refresh();
        widget->show();
        d->activate();
    } else {
        jumpToEnd();
    }
    emit messagesChanged();
}

void TranscriptView::updateMessage(const TranscriptMessage& message) {
    const qsizetype index = d->indexOf(message.id);
    if (index < 0 || d->messages[index] == message) return;
    d->messages[index] = message;
    if (MessageWidget* widget = d->widgets.value(message.id)) {
        widget->setMessage(message);
        d->activate();
    }
    emit messagesChanged();
}

void TranscriptView::removeMessage(const QString& id) {
    const qsizetype index = d->indexOf(id);
    if (index < 0) return;
    d->messages.removeAt(index);
    d->retire(d->widgets.take(id));
    if (index < d->firstBuilt) --d->firstBuilt;
    if (index < d->firstWanted) --d->firstWanted;
    if (index < d->endBuilt) --d->endBuilt;
    if (index < d->endWanted) --d->endWanted;
    d->refresh();
    d->activate();
    emit messagesChanged();
}

void TranscriptView::setOpenBlock(const QString& id, const QStringList& cellTexts, const QList<bool>& masked) {
    if (MessageWidget* widget = d->widgets.value(id)) {
        widget->setOpenBlock(cellTexts, masked);
        d->activate();
    }
}

void TranscriptView::clearOpenBlock(const QString& id) { setOpenBlock(id, {}, {}); }

void TranscriptView::setActivity(const QString& text) {
    d->activity->setText(text);
    d->activity->setVisible(!text.isEmpty());
}

void TranscriptView::clear() { setMessages({}); }

void TranscriptView::setWelcome(const QString& title, const QString& subtitle, const QStringList& examples) {
    d->welcome->setWelcome(title, subtitle, examples);
}

QString TranscriptView::plainTextOf(const QString& id) const {
    const qsizetype index = d->indexOf(id);
    return index < 0 ? QString() : d->messages[index].content;
}

QList<TranscriptMessage> TranscriptView::messages() const { return d->messages; }

MessageWidget* TranscriptView::messageWidget(const QString& id) const { return d->widgets.value(id); }

bool TranscriptView::isAtEnd() const { return d->following; }

void TranscriptView::jumpToEnd() {
    d->goal = {};
    d->following = true;
    d->anchor.clear();
    if (d->endBuilt < d->messages.size()) d->showEnd();
    d->settle();
    d->area->verticalScrollBar()->setValue(d->area->verticalScrollBar()->maximum());
    d->placeJumpButton();
}

void TranscriptView::showMessage(const QString& id) {
    const qsizetype index = d->indexOf(id);
    if (index < 0) return;
    d->ensureBuilt(index);
    d->goal = {id, false, 0};
    d->goalIsMark = false;
    d->goalIsToken = false;
    d->scrollToGoal();
}

void TranscriptView::setMarks(const MarkFinder& find) {
    d->marks = find;
    for (const MessageWidget* widget : std::as_const(d->widgets)) d->applyMarks(widget);
}

void TranscriptView::showMark(const Mark& mark) {
    const qsizetype index = d->indexOf(mark.id);
    if (index < 0) return;
    // The one that was current is a mark like any other now.
    for (const MessageWidget* widget : std::as_const(d->widgets))
        for (TextColumn* column : widget->columns()) column->setCurrentMark(-1);
    d->ensureBuilt(index);
    const MessageWidget* widget = d->widgets.value(mark.id);
    if (mark.thinking && widget->thinkingPane() != nullptr) widget->thinkingPane()->setExpanded(true);
    d->goal = mark;
    d->goalIsMark = true;
    d->goalIsToken = false;
    d->scrollToGoal();
}

void TranscriptView::setHeatWanted(bool wanted) {
    d->heatWanted = wanted;
    for (MessageWidget* widget : std::as_const(d->widgets)) widget->setHeatWanted(wanted);
}

void TranscriptView::setHeat(const QString& id, const MessageHeat& heat) {
    if (MessageWidget* widget = d->widgets.value(id)) widget->setHeat(heat);
}

void TranscriptView::showToken(const QString& id, const MessageHeat& heat, bool thinking, int token) {
    const qsizetype index = d->indexOf(id);
    if (index < 0) return;
    d->ensureBuilt(index);
    MessageWidget* widget = d->widgets.value(id);
    widget->setHeat(heat);
    for (const MessageWidget* other : std::as_const(d->widgets))
        for (TextColumn* column : other->columns()) column->clearSelection();
    if (thinking && widget->thinkingPane() != nullptr) widget->thinkingPane()->setExpanded(true);
    d->goal = {id, thinking, token};
    d->goalIsMark = false;
    d->goalIsToken = true;
    d->scrollToGoal();
}

void TranscriptView::reveal(const QString& id) {
    MessageWidget* widget = d->widgets.value(id);
    if (widget == nullptr) return;
    d->activate();
    d->area->ensureWidgetVisible(widget);
    widget->focusVersions();
}

void TranscriptView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    d->updateMargins();
    d->placeJumpButton();
}

bool TranscriptView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == d->area->viewport() && event->type() == QEvent::Resize) d->updateMargins();
    return QWidget::eventFilter(watched, event);
}

}  // namespace trefoil
