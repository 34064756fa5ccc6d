#include "ui/chat/pill_button.h"

#include "ui/theme/theme.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOptionButton>

namespace trefoil {

namespace {

constexpr int kIconSize = 16;
constexpr int kPadding = 12;
constexpr int kGap = 6;
constexpr double kRadius = 6.0;

/// White or black, whichever reads better on `fill`.
QColor textOn(const QColor& fill) {
    const double luminance = 0.299 * fill.redF() + 0.587 * fill.greenF() + 0.114 * fill.blueF();
    return luminance > 0.55 ? QColor(Qt::black) : QColor(Qt::white);
}

}  // namespace

PillButton::PillButton(const QString& text, Look look, QWidget* parent) : QPushButton(text, parent), m_look(look) {
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(text);
}

void PillButton::setLook(Look look) {
    m_look = look;
    update();
}

void PillButton::setIconName(const QString& name) {
    m_iconName = name;
    updateGeometry();
    update();
}

QSize PillButton::sizeHint() const {
    int width = 2 * kPadding;
    if (!text().isEmpty()) width += fontMetrics().horizontalAdvance(text().remove(QLatin1Char('&')));
    if (!m_iconName.isEmpty()) width += kIconSize + (text().isEmpty() ? 0 : kGap);
    const int height = std::max(fontMetrics().height(), kIconSize) + 14;
    if (text().isEmpty()) width = height;
    return {width, height};
}

QSize PillButton::minimumSizeHint() const { return sizeHint(); }

PillButton::Colours PillButton::colours() const {
    const QPalette& p = palette();
    const QColor window = p.color(QPalette::Window);
    const QColor text = p.color(QPalette::WindowText);
    const QColor accent = theme::tone(theme::Tone::Accent, p);
    Colours c{QColor(Qt::transparent), theme::tone(theme::Tone::Border, p), text};
    if (m_look == Look::Primary) {
        c.fill = c.border = accent;
    } else if (m_look == Look::Quiet) {
        c.border = QColor(Qt::transparent);
    } else if (isCheckable() && isChecked()) {
        c.fill = theme::blend(window, accent, 0.22);
        c.border = accent;
    } else {
        c.fill = theme::blend(window, text, 0.04);
    }
    const QColor towards = m_look == Look::Primary ? p.color(QPalette::Base) : text;
    const QColor base = c.fill.alpha() == 0 ? window : c.fill;
    if (isEnabled() && isDown())
        c.fill = theme::blend(base, towards, 0.18);
    else if (isEnabled() && underMouse())
        c.fill = theme::blend(base, towards, 0.09);
    if (m_look == Look::Primary) c.text = textOn(c.fill);
    if (!isEnabled()) {
        c.fill = m_look == Look::Quiet ? QColor(Qt::transparent) : theme::blend(window, text, 0.06);
        c.border = m_look == Look::Quiet ? QColor(Qt::transparent) : theme::blend(window, text, 0.12);
        c.text = theme::blend(window, text, 0.5);
    }
    return c;
}

void PillButton::paintEvent(QPaintEvent* /*event*/) {
    const Colours c = colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF outline = QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5);
    painter.setPen(c.border);
    painter.setBrush(c.fill);
    painter.drawRoundedRect(outline, kRadius, kRadius);
    if (hasFocus()) {
        const QColor ring =
            m_look == Look::Primary ? palette().color(QPalette::WindowText) : theme::tone(theme::Tone::Accent, palette());
        painter.setPen(QPen(ring, 2.0));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kRadius + 0.5, kRadius + 0.5);
    }

    const QString label = text();
    const int textWidth = label.isEmpty() ? 0 : fontMetrics().size(Qt::TextShowMnemonic, label).width();
    const int iconWidth = m_iconName.isEmpty() ? 0 : kIconSize + (label.isEmpty() ? 0 : kGap);
    int x = (width() - textWidth - iconWidth) / 2;
    if (!m_iconName.isEmpty()) {
        QPalette tinted = palette();
        for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
            for (const QPalette::ColorGroup group : {QPalette::Active, QPalette::Inactive, QPalette::Disabled})
                tinted.setColor(group, role, c.text);
        const QRect box =
            QStyle::visualRect(layoutDirection(), rect(), QRect(x, (height() - kIconSize) / 2, kIconSize, kIconSize));
        theme::icon(m_iconName, tinted).paint(&painter, box);
        x += iconWidth;
    }
    if (label.isEmpty()) return;
    painter.setPen(c.text);
    painter.setFont(font());
    const QRect box = QStyle::visualRect(layoutDirection(), rect(), QRect(x, 0, textWidth + 2, height()));
    painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextShowMnemonic, label);
}

}  // namespace trefoil
