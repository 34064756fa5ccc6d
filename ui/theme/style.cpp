#include "ui/theme/style.h"

#include "ui/theme/theme.h"

#include <QProxyStyle>
#include <QStyleOption>

#include <memory>

namespace trefoil::theme {

namespace {

/// A button with a text that opens its menu at once; nullptr for anything else. Qt draws the menu's arrow into the button's
/// corner and leaves no room for it.
const QStyleOptionToolButton* textButtonWithArrow(const QStyleOption* option) {
    const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
    if (button == nullptr || button->text.isEmpty()) return nullptr;
    if (button->toolButtonStyle == Qt::ToolButtonIconOnly && !button->icon.isNull()) return nullptr;
    const bool atOnce = (button->features & QStyleOptionToolButton::HasMenu) != 0 &&
                        (button->features & QStyleOptionToolButton::MenuButtonPopup) == 0;
    return atOnce ? button : nullptr;
}

/// Fusion draws outlines darker than the window, which in a dark theme is next to nothing. It reads the window's colour for that
/// alone in these elements, so they are given one that is darkened to the wanted outline.
class OutlinedStyle final : public QProxyStyle {
public:
    OutlinedStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const override {
        if (hint == SH_Widget_Animation_Duration && reducedMotion()) return 0;
        return QProxyStyle::styleHint(hint, option, widget, data);
    }

    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                           const QWidget* widget) const override {
        QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
        if (type == CT_ToolButton && textButtonWithArrow(option) != nullptr)
            size.rwidth() += pixelMetric(PM_MenuButtonIndicator, option, widget);
        return size;
    }

    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
        const QStyleOptionToolButton* button = textButtonWithArrow(option);
        if (element != CE_ToolButtonLabel || button == nullptr) return QProxyStyle::drawControl(element, option, painter, widget);
        QStyleOptionToolButton label = *button;
        label.rect.setWidth(label.rect.width() - pixelMetric(PM_MenuButtonIndicator, option, widget));
        label.rect = visualRect(button->direction, button->rect, label.rect);
        QProxyStyle::drawControl(element, &label, painter, widget);
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
