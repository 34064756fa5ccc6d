#include "ui/theme/theme.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace trefoil::theme {
namespace {

struct TonePair {
    Tone tone;
    QRgb light;
    QRgb dark;
};

// Light tones are meant for white to #f7f8f6, dark ones for #181b19 to #232724. Text tones keep 4.5:1 on the base colour.
constexpr std::array<TonePair, 20> kTones = {{
    {Tone::Accent, 0xff1f7a43, 0xff6fcf97},         {Tone::Subtle, 0xff5a645d, 0xff9fa9a2},
    {Tone::Outline, 0xff87908a, 0xff6f7872},        {Tone::Border, 0xffd5dad6, 0xff3a403c},
    {Tone::Raised, 0xfff0f4f0, 0xff262b28},         {Tone::Warning, 0xff8a5a00, 0xffe6b450},
    {Tone::Error, 0xffb3261e, 0xffff8a80},          {Tone::Masked, 0xffe6e9e7, 0xff2a2f2c},
    {Tone::CandidateLow, 0xff87908a, 0xff747d77},   {Tone::CandidateHigh, 0xff27302a, 0xffdde4df},
    {Tone::ResolvedNow, 0xffa9e3bd, 0xff2b6b45},    {Tone::ResolvedEarlier, 0xffe3f3e8, 0xff22352a},
    {Tone::Forced, 0xfffbe3b0, 0xff5a4415},         {Tone::Dropped, 0xfff3f4f3, 0xff202321},
    {Tone::CodeBackground, 0xfff4f6f4, 0xff202421}, {Tone::CodeKeyword, 0xff7a3e9d, 0xffc9a0e8},
    {Tone::CodeString, 0xff1d6f42, 0xff8fd6a4},     {Tone::CodeComment, 0xff667068, 0xff95a099},
    {Tone::CodeNumber, 0xff9a4a00, 0xfff0b27a},     {Tone::CodeType, 0xff1f5f99, 0xff8cc4f0},
}};

// Blue against orange, and lightness besides: told apart with protanopia, deuteranopia and tritanopia.
constexpr std::array<TonePair, 3> kSafeTones = {{
    {Tone::ResolvedNow, 0xff9cc9f5, 0xff1f5f9c},
    {Tone::ResolvedEarlier, 0xffe2eefb, 0xff1c2d40},
    {Tone::Forced, 0xffffcf8a, 0xff7a4a0c},
}};

bool g_safeColours = false;
bool g_reducedMotion = false;

template <class Pairs>
std::optional<QColor> toneIn(const Pairs& pairs, Tone tone, bool dark) {
    const auto* const found =
        std::find_if(pairs.begin(), pairs.end(), [tone](const TonePair& pair) { return pair.tone == tone; });
    if (found == pairs.end()) return std::nullopt;
    return QColor::fromRgb(dark ? found->dark : found->light);
}

/// Paints an SVG of the resources in one colour: the drawing's alpha is kept, its colours are replaced. An invalid colour
/// leaves them as they are.
class TintedSvgEngine final : public QIconEngine {
public:
    TintedSvgEngine(QString path, QColor normal, QColor disabled)
        : m_path(std::move(path)), m_normal(std::move(normal)), m_disabled(std::move(disabled)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const qreal ratio = painter->device() != nullptr ? painter->device()->devicePixelRatioF() : 1.0;
        QPixmap pixmap = scaledPixmap(rect.size() * ratio, mode, state, ratio);
        pixmap.setDevicePixelRatio(ratio);
        painter->drawPixmap(rect.topLeft(), pixmap);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return scaledPixmap(size, mode, state, 1.0);
    }

    /// `size` in device pixels.
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State /*state*/, qreal /*scale*/) override {
        QImage image(size, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        QSvgRenderer renderer(m_path);
        if (size.isEmpty() || !renderer.isValid()) {
            return QPixmap::fromImage(image);
        }
        QPainter painter(&image);
        painter.setRenderHint(QPainter::Antialiasing);
        const int side = std::min(size.width(), size.height());
        renderer.render(&painter, QRectF((size.width() - side) / 2.0, (size.height() - side) / 2.0, side, side));
        const QColor colour = mode == QIcon::Disabled ? m_disabled : m_normal;
        if (colour.isValid()) {
            painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
            painter.fillRect(image.rect(), colour);
        }
        painter.end();
        return QPixmap::fromImage(image);
    }

    QIconEngine* clone() const override { return std::make_unique<TintedSvgEngine>(*this).release(); }
    QString key() const override { return QStringLiteral("trefoil-svg"); }
    bool isNull() override { return false; }

private:
    QString m_path;
    QColor m_normal;
    QColor m_disabled;
};

void setText(QPalette& palette, const QColor& text, const QColor& disabled) {
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
        palette.setColor(role, text);
        palette.setColor(QPalette::Disabled, role, disabled);
    }
}

/// The shades that styles derive bevels and frames from.
void setShades(QPalette& palette, const QColor& button, bool dark) {
    palette.setColor(QPalette::Light, dark ? button.lighter(150) : QColor(Qt::white));
    palette.setColor(QPalette::Midlight, dark ? button.lighter(125) : button.lighter(104));
    palette.setColor(QPalette::Mid, dark ? button.darker(120) : button.darker(125));
    palette.setColor(QPalette::Dark, button.darker(150));
    palette.setColor(QPalette::Shadow, dark ? QColor(0, 0, 0) : button.darker(250));
}

}  // namespace

void setSafeColours(bool safe) { g_safeColours = safe; }
bool safeColours() { return g_safeColours; }
void setReducedMotion(bool reduced) { g_reducedMotion = reduced; }
bool reducedMotion() { return g_reducedMotion; }

bool isDark(const QPalette& palette) {
    return palette.color(QPalette::Window).lightnessF() < palette.color(QPalette::WindowText).lightnessF();
}

QColor tone(Tone tone, const QPalette& palette) {
    const bool dark = isDark(palette);
    if (g_safeColours)
        if (const auto safe = toneIn(kSafeTones, tone, dark)) return *safe;
    return toneIn(kTones, tone, dark).value_or(palette.color(QPalette::Text));
}

QColor blend(const QColor& a, const QColor& b, double t) {
    const auto mix = [t = std::clamp(t, 0.0, 1.0)](float from, float to) {
        return static_cast<float>(static_cast<double>(from) * (1.0 - t) + static_cast<double>(to) * t);
    };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()),
                            mix(a.alphaF(), b.alphaF()));
}

QIcon icon(const QString& name, const QPalette& palette) {
    const QString path = QStringLiteral(":/trefoil/icons/%1.svg").arg(name);
    if (!QFile::exists(path)) {
        return {};
    }
    // The program's own sign stands for it in task bars and keeps its green.
    if (name == QLatin1String("trefoil")) return QIcon(std::make_unique<TintedSvgEngine>(path, QColor(), QColor()).release());
    return QIcon(std::make_unique<TintedSvgEngine>(path, palette.color(QPalette::Active, QPalette::ButtonText),
                                                   palette.color(QPalette::Disabled, QPalette::ButtonText))
                     .release());
}

QPalette darkPalette() {
    QPalette palette;
    const QColor button(0x2c, 0x31, 0x2e);
    setText(palette, QColor(0xe6, 0xea, 0xe7), QColor(0x7a, 0x83, 0x7d));
    setShades(palette, button, true);
    palette.setColor(QPalette::Window, QColor(0x1f, 0x23, 0x20));
    palette.setColor(QPalette::Base, QColor(0x18, 0x1b, 0x19));
    palette.setColor(QPalette::AlternateBase, QColor(0x20, 0x24, 0x21));
    palette.setColor(QPalette::ToolTipBase, QColor(0x2c, 0x31, 0x2e));
    palette.setColor(QPalette::Button, button);
    palette.setColor(QPalette::BrightText, QColor(0xff, 0x8a, 0x80));
    palette.setColor(QPalette::Highlight, QColor(0x2f, 0x6f, 0x4a));
    palette.setColor(QPalette::HighlightedText, QColor(0xff, 0xff, 0xff));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor(0x3a, 0x40, 0x3c));
    palette.setColor(QPalette::Link, QColor(0x6f, 0xcf, 0x97));
    palette.setColor(QPalette::LinkVisited, QColor(0xb3, 0xa6, 0xe0));
    palette.setColor(QPalette::PlaceholderText, QColor(0x95, 0x9f, 0x98));
    return palette;
}

QPalette lightPalette() {
    QPalette palette;
    const QColor button(0xec, 0xef, 0xed);
    setText(palette, QColor(0x1c, 0x22, 0x1e), QColor(0x8d, 0x95, 0x90));
    setShades(palette, button, false);
    palette.setColor(QPalette::Window, QColor(0xf5, 0xf7, 0xf5));
    palette.setColor(QPalette::Base, QColor(0xff, 0xff, 0xff));
    palette.setColor(QPalette::AlternateBase, QColor(0xf5, 0xf7, 0xf5));
    palette.setColor(QPalette::ToolTipBase, QColor(0xff, 0xff, 0xff));
    palette.setColor(QPalette::Button, button);
    palette.setColor(QPalette::BrightText, QColor(0xb3, 0x26, 0x1e));
    palette.setColor(QPalette::Highlight, QColor(0x1f, 0x7a, 0x43));
    palette.setColor(QPalette::HighlightedText, QColor(0xff, 0xff, 0xff));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor(0xc4, 0xca, 0xc6));
    palette.setColor(QPalette::Link, QColor(0x1f, 0x7a, 0x43));
    palette.setColor(QPalette::LinkVisited, QColor(0x5b, 0x4a, 0x9a));
    palette.setColor(QPalette::PlaceholderText, QColor(0x66, 0x70, 0x68));
    return palette;
}

}  // namespace trefoil::theme
