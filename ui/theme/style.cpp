#include "ui/theme/style.h"

#include "ui/theme/theme.h"

#include <QProxyStyle>
#include <QStyleOption>

#include <memory>

namespace trefoil::theme {

namespace {

/// Fusion draws outlines darker than the window, which in a dark theme is next to nothing. It reads the window's colour for that
/// alone in these elements, so they are given one that is darkened to the wanted outline.
class OutlinedStyle final : public QProxyStyle {
public:
    OutlinedStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const override {
        if (hint == SH_Widget_Animation_Duration && reducedMotion()) return 0;
        return QProxyStyle::styleHint(hint, option, widget, data);
    }

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override {
        const bool indicator = element == PE_IndicatorCheckBox || element == PE_IndicatorRadioButton;
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option); indicator && button != nullptr) {
            QStyleOptionButton outlined = *button;
            outline(outlined.palette);
            return QProxyStyle::drawPrimitive(element, &outlined, painter, widget);
        }
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override {
        if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option); control == CC_SpinBox && spin != nullptr) {
            QStyleOptionSpinBox outlined = *spin;
            outline(outlined.palette);
            return QProxyStyle::drawComplexControl(control, &outlined, painter, widget);
        }
        QProxyStyle::drawComplexControl(control, option, painter, widget);
    }

private:
    static void outline(QPalette& palette) {
        constexpr int kFusionDarkens = 140;  // per cent
        if (isDark(palette)) palette.setColor(QPalette::Window, tone(Tone::Outline, palette).lighter(kFusionDarkens));
    }
};

}  // namespace

QStyle* makeStyle() { return std::make_unique<OutlinedStyle>().release(); }

}  // namespace trefoil::theme
