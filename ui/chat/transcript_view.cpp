#include "ui/chat/transcript_view.h"

#include "ui/chat/link_dialog.h"
#include "ui/chat/message_widget.h"
#include "ui/chat/text_column.h"
#include "ui/chat/thinking_pane.h"
#include "ui/chat/transcript_view_private.h"
#include "ui/chat/welcome_panel.h"
#include "ui/theme/theme.h"

#include <QDesktopServices>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {
namespace {

constexpr int kTextWidth = 760;
constexpr int kCardMargin = 14;  ///< of the text within a message
constexpr int kLeastMargin = 12;

}  // namespace

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
        d->firstWanted = std::max<qsizetype>(0, d->firstBuilt - Private::kWindow);
        d->buildTimer.start();
    });
    connect(d->later, &QPushButton::clicked, this, [this] {
        d->endWanted = std::min(d->messages.size(), d->endBuilt + Private::kWindow);
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
