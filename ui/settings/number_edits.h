// Editors that cannot hold a wrong number: a spin box for integers and reals, and a line for 64-bit seeds.
//
// Both take the digits and the decimal separator of their locale, and ASCII digits and the full stop besides; group separators
// are never shown nor taken, so that no separator can be read as another one. NaN, infinities and values out of range cannot be
// typed.
#pragma once

#include <QDoubleSpinBox>
#include <QLineEdit>

namespace trefoil {

/// `text` in ASCII: locale digits, decimal separator and minus become their ASCII twins, other characters stay.
[[nodiscard]] QString asciiNumber(const QString& text, const QLocale& locale);

class NumberSpinBox : public QDoubleSpinBox {
    Q_OBJECT
public:
    enum class Kind : quint8 { Integer, Real };
    /// Integers are exact up to 2^53; reals keep every bit of the double that they are given.
    explicit NumberSpinBox(Kind kind, QWidget* parent = nullptr);

    [[nodiscard]] QString textFromValue(double value) const override;
    [[nodiscard]] double valueFromText(const QString& text) const override;
    [[nodiscard]] QValidator::State validate(QString& text, int& position) const override;
    void fixup(QString& text) const override;
    void stepBy(int steps) override;

private:
    Kind m_kind;
};

class SeedEdit : public QLineEdit {
    Q_OBJECT
public:
    explicit SeedEdit(QWidget* parent = nullptr);

    [[nodiscard]] quint64 value() const { return m_value; }
    /// Does not emit.
    void setValue(quint64 value);

signals:
    /// After each change by typing.
    void valueChanged(quint64 value);

protected:
    /// An empty field goes back to the last value.
    void focusOutEvent(QFocusEvent* event) override;

private:
    void onTextEdited(const QString& text);
    void showValue();

    quint64 m_value = 0;
};

/// Wheel turns over a widget without focus go to the scroll area instead of changing the widget's value.
class WheelGuard : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Watches `widget` and takes the wheel from its focus policy.
    void watch(QWidget* widget);
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace trefoil
