#include "ui/chat/thinking_pane.h"

#include "ui/chat/text_column.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QLocale>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace trefoil {

ThinkingPane::ThinkingPane(LayoutQueue& queue, QWidget* parent)
    : QWidget(parent), m_header(new QToolButton(this)), m_column(new TextColumn(queue, this)) {
    setObjectName(QStringLiteral("thinkingPane"));
    m_header->setObjectName(QStringLiteral("thinkingHeader"));
    m_header->setAutoRaise(true);
    m_header->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_header->setToolTip(tr("Show or hide what the model thought before it answered"));
    m_header->setFocusPolicy(Qt::TabFocus);
    m_column->setObjectName(QStringLiteral("thinkingText"));
    m_column->setAccessibleName(tr("Thinking"));
    m_column->setSubtle(true);
    m_column->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(5, 3, 12, 3);
    layout->setSpacing(4);
    layout->addWidget(m_header, 0, Qt::AlignLeft);
    auto* inset = new QVBoxLayout;
    inset->setContentsMargins(9, 0, 0, 0);
    inset->addWidget(m_column);
    layout->addLayout(inset);
    connect(m_header, &QToolButton::clicked, this, [this] { setExpanded(!m_expanded); });
    updateIcon();
}

void ThinkingPane::setThinking(const QString& text, qint64 tokens, double milliseconds, bool open, bool cut) {
    QStringList parts{tr("Thinking")};
    if (tokens > 0) parts.append(tokens == 1 ? tr("1 token") : tr("%1 tokens").arg(QLocale().toString(tokens)));
    if (milliseconds > 0.0) parts.append(tr("%1 s").arg(QLocale().toString(milliseconds / 1000.0, 'f', 1)));
    if (cut) parts.append(tr("cut while thinking"));
    const QString title = parts.join(QStringLiteral(" · "));
    m_header->setText(title);
    m_header->setAccessibleName(title);
    if (!m_chosen) show(open || cut);
    m_column->setPlainText(text);
}

void ThinkingPane::setExpanded(bool expanded) {
    m_chosen = true;
    show(expanded);
}

bool ThinkingPane::isExpanded() const { return m_expanded; }

void ThinkingPane::show(bool expanded) {
    m_expanded = expanded;
    m_header->setAccessibleDescription(expanded ? tr("Open") : tr("Closed"));
    m_column->setVisible(expanded);
    layout()->setContentsMargins(5, 3, 12, expanded ? 10 : 3);
    updateIcon();
}

void ThinkingPane::updateIcon() {
    m_header->setIcon(theme::icon(m_expanded ? QStringLiteral("down") : QStringLiteral("right"), palette()));
}

void ThinkingPane::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme::tone(theme::Tone::Border, palette()), 1.0));
    painter.setBrush(theme::blend(palette().color(QPalette::Base), theme::tone(theme::Tone::Raised, palette()), 0.6));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
}

void ThinkingPane::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) updateIcon();
}

}  // namespace trefoil
