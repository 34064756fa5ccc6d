#include "ui/chat/context_meter.h"

#include "ui/theme/theme.h"

#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>

#include <algorithm>

namespace trefoil {

namespace {

constexpr int kBarWidth = 96;
constexpr int kBarHeight = 8;
constexpr int kGap = 8;

QString number(qint64 value) { return QLocale().toString(value); }

}  // namespace

ContextMeter::ContextMeter(QWidget* parent) : QProgressBar(parent) {
    setTextVisible(false);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setObjectName(QStringLiteral("contextMeter"));
    setUsage(-1, 0, 0);
}

void ContextMeter::setUsage(qint64 promptTokens, qint64 maxNewTokens, qint64 context) {
    m_prompt = promptTokens;
    m_answer = std::max<qint64>(maxNewTokens, 0);
    m_context = std::max<qint64>(context, 0);
    constexpr qint64 kLargest = 2'000'000'000;
    setRange(0, static_cast<int>(std::clamp<qint64>(m_context, 1, kLargest)));
    setValue(static_cast<int>(std::clamp<qint64>(m_prompt, 0, maximum())));
    setAccessibleName(tr("Context: %1").arg(caption()));
    QString tip;
    if (m_context == 0 && !m_estimated.isEmpty()) {
        tip = tr("Prompt: about %1 tokens\nHow many tokens the model can hold is not known.")
                  .arg(number(std::max<qint64>(0, m_prompt)));
    } else if (m_context == 0) {
        tip = tr("No model is loaded.");
    } else if (m_prompt < 0) {
        tip = tr("The prompt is being counted. The model's context holds %1 tokens.").arg(number(m_context));
    } else {
        tip = tr("Prompt: %1 tokens\nKept for the answer: %2 tokens\nThe model's context: %3 tokens")
                  .arg(number(m_prompt), number(m_answer), number(m_context));
        tip += QLatin1Char('\n');
        tip += excess() > 0
                   ? tr("%1 tokens too many. Choose a shorter answer in the Generation dock, or leave out the oldest turns.")
                         .arg(number(excess()))
                   : tr("Free: %1 tokens").arg(number(-excess()));
    }
    if (!m_estimated.isEmpty()) tip += QLatin1Char('\n') + m_estimated;
    setToolTip(tip);
    updateGeometry();
    update();
}

ContextMeter::State ContextMeter::state() const {
    if (m_context == 0 || m_prompt < 0) return State::Unknown;
    if (excess() > 0) return State::Over;
    return -excess() < m_context / 10 ? State::Near : State::Normal;
}

QString ContextMeter::caption() const {
    if (m_context == 0 && !m_estimated.isEmpty())
        return m_prompt < 0 ? tr("Length not known") : tr("About %1 tokens").arg(number(m_prompt));
    if (m_context == 0) return tr("No model");
    if (m_prompt < 0) return tr("Counting…");
    if (state() == State::Over) return tr("%1 tokens too many: shorten the answer or the conversation").arg(number(excess()));
    return (m_estimated.isEmpty() ? tr("%1 of %2 tokens") : tr("About %1 of %2 tokens")).arg(number(m_prompt), number(m_context));
}

QString ContextMeter::shortCaption() const {
    if (m_context == 0 || m_prompt < 0) return caption();
    if (state() == State::Over) return tr("%1 too many").arg(number(excess()));
    return tr("%1 / %2").arg(number(m_prompt), number(m_context));
}

QSize ContextMeter::sizeHint() const {
    return {kBarWidth + kGap + fontMetrics().horizontalAdvance(caption()) + 2, std::max(fontMetrics().height(), kBarHeight) + 4};
}

QSize ContextMeter::minimumSizeHint() const {
    return {fontMetrics().horizontalAdvance(shortCaption()) + 2, std::max(fontMetrics().height(), kBarHeight) + 4};
}

void ContextMeter::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QPalette& p = palette();
    const State now = state();
    QColor accent = theme::tone(theme::Tone::Accent, p);
    QColor ink = theme::tone(theme::Tone::Subtle, p);
    if (now == State::Near) accent = ink = theme::tone(theme::Tone::Warning, p);
    if (now == State::Over) accent = ink = theme::tone(theme::Tone::Error, p);

    // The words matter more than the bar: they get what they need, the bar what is left.
    QString words = caption();
    int wordsWidth = fontMetrics().horizontalAdvance(words) + 2;
    if (wordsWidth + kGap + kBarWidth / 2 > width()) {
        words = shortCaption();
        wordsWidth = fontMetrics().horizontalAdvance(words) + 2;
    }
    const QRect wordsBox = QStyle::visualRect(layoutDirection(), rect(), QRect(width() - wordsWidth, 0, wordsWidth, height()));
    painter.setPen(ink);
    painter.drawText(wordsBox, Qt::AlignVCenter | Qt::AlignRight, words);

    const int barWidth = std::min(kBarWidth, width() - wordsWidth - kGap);
    if (barWidth < kBarWidth / 4) return;
    const QRect box(width() - wordsWidth - kGap - barWidth, (height() - kBarHeight) / 2, barWidth, kBarHeight);
    const QRectF bar = QRectF(QStyle::visualRect(layoutDirection(), rect(), box)).adjusted(0.5, 0.5, -0.5, -0.5);
    QPainterPath outline;
    outline.addRoundedRect(bar, kBarHeight / 2.0, kBarHeight / 2.0);
    painter.setPen(theme::tone(theme::Tone::Border, p));
    painter.setBrush(p.color(QPalette::Base));
    painter.drawPath(outline);
    if (now == State::Unknown) return;

    const double scale = bar.width() / static_cast<double>(std::max(m_context, m_prompt + m_answer));
    const double promptWidth = static_cast<double>(m_prompt) * scale;
    const double answerWidth = static_cast<double>(m_answer) * scale;
    const bool mirrored = layoutDirection() == Qt::RightToLeft;
    const auto stretch = [&](double from, double length) {
        return mirrored ? QRectF(bar.right() - from - length, bar.top(), length, bar.height())
                        : QRectF(bar.left() + from, bar.top(), length, bar.height());
    };
    painter.setClipPath(outline);
    painter.fillRect(stretch(0, std::max(promptWidth, m_prompt > 0 ? 2.0 : 0.0)), accent);
    const QRectF answer = stretch(promptWidth, answerWidth);
    painter.fillRect(answer, theme::blend(p.color(QPalette::Base), accent, 0.25));
    painter.fillRect(answer, QBrush(theme::blend(p.color(QPalette::Base), accent, 0.6), Qt::BDiagPattern));
    if (now == State::Over) {
        // Where the context ends, inside the bar.
        painter.setPen(QPen(p.color(QPalette::Text), 2));
        const double end = static_cast<double>(m_context) * scale;
        const double x = mirrored ? bar.right() - end : bar.left() + end;
        painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()));
    }
}

}  // namespace trefoil
