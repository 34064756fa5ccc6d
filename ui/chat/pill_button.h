// PillButton: the rounded push button of the chat views, painted from the palette.
#pragma once

#include <QPushButton>

namespace trefoil {

/// A push button in one of three looks. Checkable buttons of the Plain look fill with the accent while checked. Keyboard focus
/// shows as a ring. Follows palette changes; an icon name (see theme::icon) is drawn in the text's colour.
class PillButton : public QPushButton {
    Q_OBJECT
public:
    enum class Look { Primary, Plain, Quiet };

    explicit PillButton(const QString& text, Look look = Look::Plain, QWidget* parent = nullptr);

    void setLook(Look look);
    void setIconName(const QString& name);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Colours {
        QColor fill;
        QColor border;
        QColor text;
    };
    [[nodiscard]] Colours colours() const;

    Look m_look;
    QString m_iconName;
};

}  // namespace trefoil
