#include "ui/settings/number_edits.h"

#include <QEvent>
#include <QLocale>
#include <QRegularExpression>
#include <QValidator>

#include <cmath>
#include <optional>

namespace trefoil {
namespace {

constexpr int kDecimals = 30;      // enough for QDoubleSpinBox's rounding to give every double of the ranges back unchanged
constexpr double kStepGrid = 1e9;  // sums of arrow steps are rounded to it: no binary dust as in 0.1 + 0.2

class SeedValidator : public QValidator {
public:
    using QValidator::QValidator;
    State validate(QString& text, int& /*position*/) const override {
        text = text.trimmed();  // what comes from the clipboard often has blanks around it
        if (text.isEmpty()) return Intermediate;
        return parse(text, locale()).has_value() ? Acceptable : Invalid;
    }
    static std::optional<quint64> parse(const QString& text, const QLocale& locale) {
        const QString ascii = asciiNumber(text, locale);
        for (const QChar c : ascii)
            if (c < QLatin1Char('0') || c > QLatin1Char('9')) return std::nullopt;
        bool ok = false;
        const quint64 value = ascii.toULongLong(&ok);
        return ok ? std::optional<quint64>(value) : std::nullopt;
    }
};

}  // namespace

QString asciiNumber(const QString& text, const QLocale& locale) {
    QString out;
    out.reserve(text.size());
    for (const QChar c : text) {
        // Arabic locales put direction marks around signs.
        if (c == QChar(0x200E) || c == QChar(0x200F) || c == QChar(0x061C)) continue;
        if (c.isDigit()) {
            out += QChar(u'0' + c.digitValue());
        } else if (locale.decimalPoint() == c || c == QChar(0x066B)) {
            out += QLatin1Char('.');
        } else if (c == QChar(0x2212) || locale.negativeSign().endsWith(c)) {
            out += QLatin1Char('-');
        } else {
            out += c;
        }
    }
    return out;
}

NumberSpinBox::NumberSpinBox(Kind kind, QWidget* parent) : QDoubleSpinBox(parent), m_kind(kind) {
    setDecimals(kind == Kind::Real ? kDecimals : 0);
    setCorrectionMode(CorrectToPreviousValue);
}

QString NumberSpinBox::textFromValue(double value) const {
    QLocale plain = locale();
    plain.setNumberOptions(QLocale::OmitGroupSeparator);
    if (m_kind == Kind::Integer) return plain.toString(static_cast<qlonglong>(std::llround(value)));
    return plain.toString(value, 'f', QLocale::FloatingPointShortest);
}

double NumberSpinBox::valueFromText(const QString& text) const {
    bool ok = false;
    const double value = QLocale::c().toDouble(asciiNumber(text.trimmed(), locale()), &ok);
    return ok ? value : this->value();
}

QValidator::State NumberSpinBox::validate(QString& text, int& /*position*/) const {
    static const QRegularExpression integer(QStringLiteral("^-?[0-9]*$"));
    static const QRegularExpression real(QStringLiteral("^-?[0-9]*\\.?[0-9]*([eE]-?[0-9]{0,3})?$"));
    const QString ascii = asciiNumber(text.trimmed(), locale());
    if (!(m_kind == Kind::Integer ? integer : real).match(ascii).hasMatch()) return QValidator::Invalid;
    if (ascii.startsWith(QLatin1Char('-')) && minimum() >= 0.0) return QValidator::Invalid;
    bool ok = false;
    const double value = QLocale::c().toDouble(ascii, &ok);
    if (!ok)
        return std::isinf(value) ? QValidator::Invalid : QValidator::Intermediate;  // "", "-", "." and "1e" may become numbers
    // More digits only lead away from zero: a number beyond the range cannot become one inside.
    if (value > maximum() && value > 0.0) return QValidator::Invalid;
    if (value < minimum() && value < 0.0) return QValidator::Invalid;
    return value >= minimum() && value <= maximum() ? QValidator::Acceptable : QValidator::Intermediate;
}

void NumberSpinBox::fixup(QString& /*text*/) const {
    // QDoubleSpinBox would take group separators out here and turn a German 0.7 into 07.
}

void NumberSpinBox::stepBy(int steps) {
    interpretText();
    const double sum = value() + steps * singleStep();
    const double next = m_kind == Kind::Integer ? sum : std::round(sum * kStepGrid) / kStepGrid;
    setValue(qBound(minimum(), next, maximum()));
    selectAll();
}

SeedEdit::SeedEdit(QWidget* parent) : QLineEdit(parent) {
    setValidator(new SeedValidator(this));
    setInputMethodHints(Qt::ImhDigitsOnly);
    showValue();
    connect(this, &QLineEdit::textEdited, this, &SeedEdit::onTextEdited);
}

void SeedEdit::setValue(quint64 value) {
    if (value == m_value && !text().isEmpty()) return;  // leaves a text that is being typed alone
    m_value = value;
    showValue();
}

void SeedEdit::focusOutEvent(QFocusEvent* event) {
    showValue();
    QLineEdit::focusOutEvent(event);
}

void SeedEdit::onTextEdited(const QString& text) {
    const std::optional<quint64> value = SeedValidator::parse(text, locale());
    if (!value || *value == m_value) return;
    m_value = *value;
    emit valueChanged(m_value);
}

void SeedEdit::showValue() {
    QLocale plain = locale();
    plain.setNumberOptions(QLocale::OmitGroupSeparator);
    setText(plain.toString(m_value));
    setCursorPosition(0);
}

void WheelGuard::watch(QWidget* widget) {
    widget->setFocusPolicy(Qt::StrongFocus);
    widget->installEventFilter(this);
}

bool WheelGuard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Wheel) return QObject::eventFilter(watched, event);
    const auto* widget = qobject_cast<QWidget*>(watched);
    if (widget == nullptr || widget->hasFocus()) return QObject::eventFilter(watched, event);
    event->ignore();  // an ignored wheel event goes on to the parent
    return true;
}

}  // namespace trefoil
