#include "ui/chat/undo_bar.h"

#include "ui/chat/pill_button.h"
#include "ui/theme/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include <algorithm>

namespace trefoil {

UndoBar::UndoBar(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("undoBar"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->setSpacing(8);
    m_text = new QLabel(this);
    m_text->setObjectName(QStringLiteral("undoText"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    row->addWidget(m_text, 1);
    m_undo = new PillButton(tr("Undo"), PillButton::Look::Plain, this);
    m_undo->setObjectName(QStringLiteral("undoButton"));
    m_undo->setIconName(QStringLiteral("undo"));
    connect(m_undo, &QPushButton::clicked, this, &UndoBar::undo);
    row->addWidget(m_undo);
    m_dismiss = new PillButton(QStringLiteral("×"), PillButton::Look::Quiet, this);
    m_dismiss->setObjectName(QStringLiteral("undoDismiss"));
    m_dismiss->setAccessibleName(tr("Dismiss"));
    m_dismiss->setToolTip(tr("Dismiss"));
    connect(m_dismiss, &QPushButton::clicked, this, &UndoBar::expireNow);
    row->addWidget(m_dismiss);
    m_undo->installEventFilter(this);
    m_dismiss->installEventFilter(this);
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &UndoBar::expireNow);
    hide();
}

void UndoBar::offer(const QString& key, const QString& text) {
    expireNow();
    m_key = key;
    m_offering = true;
    m_text->setText(text);
    setAccessibleName(text);
    m_timer.stop();
    m_remainingMs = m_timeoutMs;
    show();
    updateClock();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

QString UndoBar::text() const { return m_text->text(); }

void UndoBar::expireNow() {
    if (!m_offering) return;
    m_offering = false;
    m_timer.stop();
    hide();
    emit expired(m_key);
}

void UndoBar::undo() {
    if (!m_offering) return;
    m_offering = false;
    m_timer.stop();
    hide();
    emit undoRequested(m_key);
}

void UndoBar::updateClock() {
    if (!m_offering) return;
    const bool held = underMouse() || m_undo->hasFocus() || m_dismiss->hasFocus();
    if (held && m_timer.isActive()) {
        m_remainingMs = std::max(m_timer.remainingTime(), 0);
        m_timer.stop();
    } else if (!held && !m_timer.isActive()) {
        m_timer.start(m_remainingMs);
    }
}

void UndoBar::enterEvent(QEnterEvent* event) {
    QFrame::enterEvent(event);
    updateClock();
}

void UndoBar::leaveEvent(QEvent* event) {
    QFrame::leaveEvent(event);
    updateClock();
}

bool UndoBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        QMetaObject::invokeMethod(
            this, [this] { updateClock(); }, Qt::QueuedConnection);
    return QFrame::eventFilter(watched, event);
}

void UndoBar::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme::tone(theme::Tone::Border, palette()));
    painter.setBrush(theme::tone(theme::Tone::Raised, palette()));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

}  // namespace trefoil
