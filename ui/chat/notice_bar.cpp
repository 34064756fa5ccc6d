#include "ui/chat/notice_bar.h"

#include "ui/chat/pill_button.h"
#include "ui/theme/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include <algorithm>

namespace trefoil {

namespace {

constexpr int kMargins = 20;         // left and right together
constexpr int kSpacing = 10;         // between sign, body and the dismiss button
constexpr int kReadableWidth = 260;  // of a text that has buttons beside it

QColor kindColour(NoticeKind kind, const QPalette& palette) {
    switch (kind) {
        case NoticeKind::Warning:
            return theme::tone(theme::Tone::Warning, palette);
        case NoticeKind::Error:
            return theme::tone(theme::Tone::Error, palette);
        case NoticeKind::Info:
            break;
    }
    return theme::tone(theme::Tone::Accent, palette);
}

/// A round sign with a letter: colour alone must not carry the meaning.
QPixmap sign(NoticeKind kind, const QPalette& palette, qreal ratio) {
    constexpr int kSize = 18;
    QPixmap pixmap(QSize(kSize, kSize) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor colour = kindColour(kind, palette);
    painter.setPen(QPen(colour, 1.5));
    painter.drawEllipse(QRectF(1.5, 1.5, kSize - 3, kSize - 3));
    QFont font = painter.font();
    font.setPixelSize(12);
    font.setBold(true);
    painter.setFont(font);
    painter.drawText(QRectF(0, 0, kSize, kSize), Qt::AlignCenter,
                     kind == NoticeKind::Info ? QStringLiteral("i") : QStringLiteral("!"));
    return pixmap;
}

}  // namespace

NoticeBar::NoticeBar(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("noticeBar"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, kMargins - 12, 6);
    row->setSpacing(kSpacing);
    m_sign = new QLabel(this);
    m_sign->setFixedSize(18, 18);
    row->addWidget(m_sign, 0, Qt::AlignVCenter);
    m_text = new QLabel(this);
    m_text->setObjectName(QStringLiteral("noticeText"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setMinimumHeight(28);
    m_actions = new QHBoxLayout;
    m_actions->setSpacing(6);
    m_body = new QBoxLayout(QBoxLayout::LeftToRight);
    m_body->setSpacing(6);
    m_body->addWidget(m_text, 1);
    m_body->addLayout(m_actions);
    row->addLayout(m_body, 1);
    m_dismiss = new PillButton(QStringLiteral("×"), PillButton::Look::Quiet, this);
    m_dismiss->setObjectName(QStringLiteral("noticeDismiss"));
    m_dismiss->setAccessibleName(tr("Dismiss this notice"));
    m_dismiss->setToolTip(tr("Dismiss"));
    connect(m_dismiss, &QPushButton::clicked, this, [this] {
        const QString id = m_shown.id;
        clear(id);
        emit dismissed(id);
    });
    row->addWidget(m_dismiss);
    hide();
}

void NoticeBar::show(const Notice& notice) {
    const auto same = std::find_if(m_notices.begin(), m_notices.end(), [&](const Notice& n) { return n.id == notice.id; });
    if (same != m_notices.end())
        *same = notice;
    else
        m_notices.append(notice);
    refresh();
}

void NoticeBar::clear(const QString& id) {
    m_notices.removeIf([&](const Notice& n) { return n.id == id; });
    refresh();
}

void NoticeBar::clearAll() {
    m_notices.clear();
    refresh();
}

Notice NoticeBar::current() const { return m_shown; }

void NoticeBar::refresh() {
    const Notice* top = nullptr;
    for (const Notice& notice : m_notices)
        if (top == nullptr || notice.kind >= top->kind) top = &notice;
    if (top == nullptr) {
        m_shown = {};
        hide();
        return;
    }
    const bool isNew = *top != m_shown || isHidden();
    if (!isNew) return;
    const bool actionsChanged = top->actions != m_shown.actions || top->id != m_shown.id;
    m_shown = *top;
    m_text->setText(m_shown.text);
    m_sign->setPixmap(sign(m_shown.kind, palette(), devicePixelRatioF()));
    m_dismiss->setVisible(m_shown.dismissible);
    if (actionsChanged) rebuildActions();
    arrange();
    setAccessibleName(m_shown.text);
    setVisible(true);
    update();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void NoticeBar::rebuildActions() {
    while (QLayoutItem* item = m_actions->takeAt(0)) {
        if (QWidget* button = item->widget()) {
            // The click that led here may still be on the stack.
            button->hide();
            button->setObjectName({});
            button->deleteLater();
        }
        delete item;
    }
    for (const NoticeAction& action : m_shown.actions) {
        auto* button = new PillButton(action.label, PillButton::Look::Plain, this);
        button->setObjectName(QStringLiteral("noticeAction_") + action.id);
        const QString notice = m_shown.id;
        const QString id = action.id;
        connect(button, &QPushButton::clicked, this, [this, notice, id] { emit actionTriggered(notice, id); });
        m_actions->addWidget(button);
        button->show();
    }
}

QSize NoticeBar::minimumSizeHint() const {
    // Narrow as with the actions below the text; its height follows from the width.
    const int beside = m_sign->width() + (m_dismiss->isHidden() ? 0 : m_dismiss->sizeHint().width()) + kMargins + 2 * kSpacing;
    return {beside + std::max(m_actions->sizeHint().width(), 120), QFrame::minimumSizeHint().height()};
}

void NoticeBar::arrange() {
    const int words = fontMetrics().horizontalAdvance(m_shown.text);
    const int buttons = m_actions->sizeHint().width();
    const int room = width() - (minimumSizeHint().width() - std::max(buttons, 120)) - kSpacing;
    // Beside the text while that leaves it a readable measure, else below it.
    const bool beside = buttons == 0 || room - buttons >= std::min(words, kReadableWidth);
    m_body->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_actions->setAlignment(beside ? Qt::Alignment() : Qt::AlignLeading);
}

void NoticeBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    arrange();
}

void NoticeBar::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor colour = kindColour(m_shown.kind, palette());
    const QColor window = palette().color(QPalette::Window);
    painter.setPen(theme::blend(window, colour, 0.45));
    painter.setBrush(theme::blend(window, colour, 0.1));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

void NoticeBar::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_shown.id.isEmpty())
        m_sign->setPixmap(sign(m_shown.kind, palette(), devicePixelRatioF()));
}

}  // namespace trefoil
