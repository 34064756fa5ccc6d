#include "ui/chat/welcome_panel.h"

#include "ui/theme/theme.h"

#include <QEvent>
#include <QGridLayout>
#include <QIcon>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {
namespace {

constexpr int kCardPadding = 12;
constexpr int kNarrow = 480;  ///< below this width the examples stand in one column

}  // namespace

ExampleButton::ExampleButton(const QString& text, QWidget* parent) : QAbstractButton(parent) {
    setText(text);
    setAccessibleName(text);
    setToolTip(tr("Ask this"));
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

QSize ExampleButton::sizeHint() const {
    const int inner = std::max(120, (width() > 150 ? width() : 300) - 2 * kCardPadding);
    const QRect text = fontMetrics().boundingRect(QRect(0, 0, inner, 1000), Qt::AlignLeft | Qt::TextWordWrap, this->text());
    return {inner / 2, std::max(text.height(), fontMetrics().height()) + 2 * kCardPadding};
}

void ExampleButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor accent = theme::tone(theme::Tone::Accent, palette());
    const bool hot = underMouse() || hasFocus();
    QColor fill = theme::tone(theme::Tone::Raised, palette());
    if (isDown()) fill = theme::blend(fill, accent, 0.18);
    painter.setBrush(fill);
    painter.setPen(QPen(hot ? accent : theme::tone(theme::Tone::Border, palette()), hasFocus() ? 2.0 : 1.0));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 9, 9);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(rect().adjusted(kCardPadding, kCardPadding / 2, -kCardPadding, -kCardPadding / 2),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, text());
}

void ExampleButton::enterEvent(QEnterEvent* event) {
    QAbstractButton::enterEvent(event);
    update();
}

void ExampleButton::leaveEvent(QEvent* event) {
    QAbstractButton::leaveEvent(event);
    update();
}

WelcomePanel::WelcomePanel(QWidget* parent)
    : QWidget(parent),
      m_icon(new QLabel(this)),
      m_title(new QLabel(this)),
      m_subtitle(new QLabel(this)),
      m_grid(new QGridLayout) {
    setObjectName(QStringLiteral("welcomePanel"));
    m_icon->setAlignment(Qt::AlignHCenter);
    m_title->setObjectName(QStringLiteral("welcomeTitle"));
    m_title->setTextFormat(Qt::PlainText);
    m_title->setAlignment(Qt::AlignHCenter);
    m_title->setWordWrap(true);
    m_subtitle->setObjectName(QStringLiteral("welcomeSubtitle"));
    m_subtitle->setTextFormat(Qt::PlainText);
    m_subtitle->setAlignment(Qt::AlignHCenter);
    m_subtitle->setWordWrap(true);
    m_subtitle->setForegroundRole(QPalette::WindowText);
    m_grid->setSpacing(10);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 24, 0, 24);
    layout->setSpacing(8);
    layout->addStretch(2);
    layout->addWidget(m_icon);
    layout->addWidget(m_title);
    layout->addWidget(m_subtitle);
    layout->addSpacing(16);
    layout->addLayout(m_grid);
    layout->addStretch(3);
    updateLook();
}

void WelcomePanel::setWelcome(const QString& title, const QString& subtitle, const QStringList& examples) {
    m_title->setText(title);
    m_subtitle->setText(subtitle);
    qDeleteAll(m_examples);
    m_examples.clear();
    for (const QString& example : examples) {
        auto* button = new ExampleButton(example, this);
        button->setObjectName(QStringLiteral("exampleButton%1").arg(m_examples.size()));
        connect(button, &QAbstractButton::clicked, this, [this, example] { emit exampleChosen(example); });
        m_examples.append(button);
    }
    m_columns = 0;
    arrange();
}

void WelcomePanel::arrange() {
    const int columns = width() < kNarrow ? 1 : 2;
    if (columns == m_columns) return;
    m_columns = columns;
    for (qsizetype i = 0; i < m_examples.size(); ++i) {
        m_grid->removeWidget(m_examples[i]);
        m_grid->addWidget(m_examples[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    }
    m_grid->setColumnStretch(0, 1);
    m_grid->setColumnStretch(1, columns == 2 ? 1 : 0);
}

void WelcomePanel::updateLook() {
    QFont font = this->font();
    font.setPointSizeF(std::max(1.0, font.pointSizeF() * 1.6));
    font.setWeight(QFont::DemiBold);
    m_title->setFont(font);
    QPalette subtle = palette();
    subtle.setColor(QPalette::WindowText, theme::tone(theme::Tone::Subtle, palette()));
    m_subtitle->setPalette(subtle);
    QPalette accent = palette();
    accent.setColor(QPalette::WindowText, theme::tone(theme::Tone::Accent, palette()));
    accent.setColor(QPalette::ButtonText, theme::tone(theme::Tone::Accent, palette()));
    accent.setColor(QPalette::Text, theme::tone(theme::Tone::Accent, palette()));
    m_icon->setPixmap(theme::icon(QStringLiteral("trefoil"), accent).pixmap(QSize(64, 64), devicePixelRatioF()));
}

void WelcomePanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void WelcomePanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) updateLook();
}

}  // namespace trefoil
