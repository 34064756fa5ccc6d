#include "ui/settings/control_row.h"

#include "ui/settings/control_texts.h"
#include "ui/settings/number_edits.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QTextDocumentFragment>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace trefoil {
namespace {

constexpr int kMarkSize = 6;
constexpr int kEditorWidth = 108;
constexpr int kChoiceWidth = 132;
constexpr int kSeedWidth = 168;  // 20 digits in the usual font

QPixmap dot(const QColor& color, qreal ratio) {
    QPixmap pixmap(QSize(kMarkSize, kMarkSize) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawEllipse(QRectF(0, 0, kMarkSize, kMarkSize));
    return pixmap;
}

/// The value in the type that ControlValues has for this kind; invalid when it is none or out of range.
QVariant typed(const ControlDescription& control, const QVariant& value) {
    bool ok = false;
    switch (control.kind) {
        case ControlKind::Integer: {
            const double v = value.toDouble(&ok);
            if (!ok || !(v >= control.minimum && v <= control.maximum) || v != std::floor(v)) return {};
            return static_cast<qlonglong>(v);
        }
        case ControlKind::Unsigned64: {
            const qulonglong v = value.toULongLong(&ok);
            // A negative number would wrap around without a complaint.
            const bool negative = value.typeId() != QMetaType::ULongLong && value.toDouble() < 0.0;
            return ok && !negative ? QVariant(v) : QVariant();
        }
        case ControlKind::Real: {
            const double v = value.toDouble(&ok);
            return ok && v >= control.minimum && v <= control.maximum ? QVariant(v) : QVariant();
        }
        case ControlKind::Boolean:
            return value.canConvert<bool>() && value.isValid() ? QVariant(value.toBool()) : QVariant();
        case ControlKind::Choice:
            return control.choices.contains(value.toString()) ? QVariant(value.toString()) : QVariant();
    }
    return {};
}

/// What a control falls back to when its description brings no usable default.
QVariant smallest(const ControlDescription& control) {
    switch (control.kind) {
        case ControlKind::Boolean:
            return false;
        case ControlKind::Choice:
            return control.choices.value(0);
        case ControlKind::Unsigned64:
            return QVariant(0ULL);
        case ControlKind::Integer:
        case ControlKind::Real:
            break;
    }
    return typed(control, control.minimum);
}

}  // namespace

ControlRow::ControlRow(const ControlDescription& control, WheelGuard* guard, QWidget* parent)
    : QWidget(parent), m_control(control), m_standard(usable(control.standard, smallest(control))) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);

    m_mark = new QLabel(this);
    m_mark->setObjectName(QStringLiteral("changed_") + control.name);
    m_mark->setFixedWidth(kMarkSize);
    grid->addWidget(m_mark, 1, 0);

    m_reason = new QLabel(this);
    m_reason->setObjectName(QStringLiteral("reason_") + control.name);
    m_reason->setWordWrap(true);
    m_reason->setVisible(false);
    grid->addWidget(m_reason, 0, 1, 1, 3);

    makeEditor(guard);
    m_editor->setObjectName(QStringLiteral("control_") + control.name);
    if (m_check != nullptr) {
        grid->addWidget(m_editor, 1, 1, 1, 2);
    } else {
        m_label = new QLabel(this);
        m_label->setWordWrap(true);
        m_label->setTextFormat(Qt::RichText);
        m_label->setBuddy(m_editor);
        // A choice's names are longer in some languages.
        m_editor->setFixedWidth(m_combo != nullptr  ? std::max(kChoiceWidth, m_combo->sizeHint().width())
                                : m_seed != nullptr ? kSeedWidth
                                                    : kEditorWidth);
        grid->addWidget(m_label, 1, 1);
        grid->addWidget(m_editor, 1, 2);
    }

    m_reset = new QToolButton(this);
    m_reset->setObjectName(QStringLiteral("reset_") + control.name);
    m_reset->setAutoRaise(true);
    m_reset->setIconSize(QSize(14, 14));
    QSizePolicy keepRoom = m_reset->sizePolicy();
    keepRoom.setRetainSizeWhenHidden(true);
    m_reset->setSizePolicy(keepRoom);
    grid->addWidget(m_reset, 1, 3);
    connect(m_reset, &QToolButton::clicked, this, [this] {
        setValue(m_standard);
        m_editor->setFocus();
        emit changed();
    });

    setValue(m_standard);
    refreshTexts();
}

void ControlRow::makeEditor(WheelGuard* guard) {
    switch (m_control.kind) {
        case ControlKind::Integer:
        case ControlKind::Real:
            m_number = new NumberSpinBox(
                m_control.kind == ControlKind::Real ? NumberSpinBox::Kind::Real : NumberSpinBox::Kind::Integer, this);
            m_number->setRange(m_control.minimum, m_control.maximum);
            m_number->setSingleStep(controlText(m_control.name).step);
            connect(m_number, &QDoubleSpinBox::valueChanged, this, &ControlRow::onEdited);
            m_editor = m_number;
            break;
        case ControlKind::Unsigned64:
            m_seed = new SeedEdit(this);
            connect(m_seed, &SeedEdit::valueChanged, this, &ControlRow::onEdited);
            m_editor = m_seed;
            break;
        case ControlKind::Boolean:
            m_check = new QCheckBox(this);
            connect(m_check, &QCheckBox::toggled, this, &ControlRow::onEdited);
            m_editor = m_check;
            break;
        case ControlKind::Choice:
            m_combo = new QComboBox(this);
            for (const QString& choice : m_control.choices) m_combo->addItem(choiceText(choice), choice);
            connect(m_combo, &QComboBox::currentIndexChanged, this, &ControlRow::onEdited);
            m_editor = m_combo;
            break;
    }
    guard->watch(m_editor);
}

QVariant ControlRow::value() const {
    switch (m_control.kind) {
        case ControlKind::Integer:
            return static_cast<qlonglong>(std::llround(m_number->value()));
        case ControlKind::Real:
            return m_number->value();
        case ControlKind::Unsigned64:
            return QVariant(static_cast<qulonglong>(m_seed->value()));
        case ControlKind::Boolean:
            return m_check->isChecked();
        case ControlKind::Choice:
            return m_combo->currentData().toString();
    }
    return {};
}

QVariant ControlRow::usable(const QVariant& value, const QVariant& fallback) const {
    const QVariant own = typed(m_control, value);
    return own.isValid() ? own : fallback;
}

void ControlRow::setValue(const QVariant& value) {
    const QSignalBlocker quiet(m_editor);
    const QVariant own = usable(value, m_standard);
    switch (m_control.kind) {
        case ControlKind::Integer:
        case ControlKind::Real:
            // Setting an equal value would rewrite a text that is being typed ("0." to "0").
            if (m_number->value() != own.toDouble()) m_number->setValue(own.toDouble());
            break;
        case ControlKind::Unsigned64:
            m_seed->setValue(own.toULongLong());
            break;
        case ControlKind::Boolean:
            m_check->setChecked(own.toBool());
            break;
        case ControlKind::Choice:
            m_combo->setCurrentIndex(m_combo->findData(own));
            break;
    }
    refreshMark();
}

void ControlRow::setStandard(const QVariant& value) {
    m_wantedStandard = value;
    m_standard = usable(value, usable(m_control.standard, smallest(m_control)));
    if (m_number != nullptr && m_standard.toDouble() > m_number->maximum()) m_standard = typed(m_control, m_number->maximum());
    refreshTexts();
    refreshMark();
}

void ControlRow::setUpperLimit(double maximum) {
    if (m_number == nullptr) return;
    const QSignalBlocker quiet(m_editor);
    m_number->setMaximum(std::max(m_control.minimum, std::min(m_control.maximum, maximum)));
    setStandard(m_wantedStandard);
}

void ControlRow::setReason(const QString& reason, bool showReason) {
    if (reason == m_reason->text() && showReason == m_showReason) return;
    m_showReason = showReason;
    m_editor->setEnabled(reason.isEmpty());
    if (m_label != nullptr) m_label->setEnabled(reason.isEmpty());
    m_reason->setText(reason);
    m_reason->setVisible(showReason && !reason.isEmpty());
    refreshTexts();
}

void ControlRow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    const QEvent::Type type = event->type();
    if (m_reset == nullptr) return;  // while the base class is being made
    if (type == QEvent::PaletteChange || type == QEvent::LocaleChange || type == QEvent::LanguageChange) {
        refreshTexts();
        refreshMark();
    }
}

void ControlRow::refreshTexts() {
    const ControlText text = controlText(m_control.name);
    ControlDescription shown = m_control;
    if (m_number != nullptr) shown.maximum = m_number->maximum();
    QString tip = controlToolTip(shown, m_standard, locale());
    if (!m_reason->text().isEmpty()) tip += QStringLiteral("<p><i>%1</i></p>").arg(m_reason->text().toHtmlEscaped());
    setToolTip(tip);
    m_editor->setToolTip(tip);
    m_editor->setAccessibleName(text.label);
    m_editor->setAccessibleDescription(QTextDocumentFragment::fromHtml(tip).toPlainText());

    const QString subtle = theme::tone(theme::Tone::Subtle, palette()).name();
    m_reason->setStyleSheet(QStringLiteral("color: %1").arg(subtle));
    if (m_check != nullptr) m_check->setText(text.label);
    m_reset->setIcon(theme::icon(QStringLiteral("reset"), palette()));
    const QString toDefault = tr("Reset to %1").arg(valueText(m_control, m_standard, locale()));
    m_reset->setToolTip(toDefault);
    m_reset->setAccessibleName(tr("%1: reset to %2", "label, value").arg(text.label, valueText(m_control, m_standard, locale())));
    if (m_label != nullptr) {
        QString label = text.label.toHtmlEscaped();
        if (!text.unit.isEmpty()) {
            // A disabled label greys all of its text, unless a part has a colour of its own.
            const QString color = m_label->isEnabled() ? QStringLiteral("color:%1;").arg(subtle) : QString();
            label += QStringLiteral(" <span style='%1font-weight:normal'>%2</span>").arg(color, text.unit.toHtmlEscaped());
        }
        m_label->setText(label);
    }
}

void ControlRow::refreshMark() {
    const bool changed = isChanged();
    m_mark->setPixmap(changed ? dot(theme::tone(theme::Tone::Accent, palette()), devicePixelRatioF()) : QPixmap());
    m_mark->setToolTip(changed ? tr("Changed; the default is %1").arg(valueText(m_control, m_standard, locale())) : QString());
    m_reset->setVisible(changed);
    QWidget* labelled = m_label != nullptr ? static_cast<QWidget*>(m_label) : m_check;
    QFont font = labelled->font();
    font.setBold(changed);
    labelled->setFont(font);
}

void ControlRow::onEdited() {
    refreshMark();
    emit changed();
}

}  // namespace trefoil
