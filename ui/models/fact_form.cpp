#include "ui/models/fact_form.h"

#include "ui/chat/growing_editor.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <memory>

namespace trefoil {

namespace {

constexpr int kLabelWidth = 170;

/// Quieter than the text around it, also after the theme has changed.
class SubtleLabel final : public QLabel {
public:
    SubtleLabel(const QString& text, const QPalette& surroundings) : QLabel(text) {
        setTextFormat(Qt::PlainText);
        setWordWrap(true);
        apply(surroundings);
    }

protected:
    void changeEvent(QEvent* event) override {
        QLabel::changeEvent(event);
        if (event->type() == QEvent::PaletteChange && !m_applying) apply(palette());
    }

private:
    void apply(QPalette colours) {
        m_applying = true;
        colours.setColor(QPalette::WindowText, theme::tone(theme::Tone::Subtle, colours));
        QPalette own;
        own.setColor(QPalette::WindowText, colours.color(QPalette::WindowText));
        setPalette(own);
        m_applying = false;
    }

    bool m_applying = false;
};

}  // namespace

QWidget* factField(const QString& text, const QString& accessibleName) {
    constexpr int kMostLines = 40;
    auto* field = new GrowingEditor(1, kMostLines);
    field->document()->setDocumentMargin(0);
    field->setReadOnly(true);
    field->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    field->setFocusPolicy(Qt::ClickFocus);
    field->setContextMenuPolicy(Qt::DefaultContextMenu);
    field->viewport()->setAutoFillBackground(false);
    field->setText(text);
    field->setAccessibleName(accessibleName);
    return field;
}

QLabel* subtleLabel(const QString& text, const QPalette& palette) {
    return std::make_unique<SubtleLabel>(text, palette).release();
}

void addHeading(QVBoxLayout* column, const QString& text) {
    auto* heading = new QLabel(text);
    heading->setTextFormat(Qt::PlainText);
    QFont font = heading->font();
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * 1.1);
    heading->setFont(font);
    if (column->count() > 0) column->addSpacing(14);
    column->addWidget(heading);
}

QFormLayout* addForm(QVBoxLayout* column) {
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(18);
    form->setVerticalSpacing(5);
    form->setLabelAlignment(Qt::AlignLeading | Qt::AlignTop);
    form->setFormAlignment(Qt::AlignLeading | Qt::AlignTop);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setRowWrapPolicy(QFormLayout::DontWrapRows);
    column->addLayout(form);
    return form;
}

void addRow(QFormLayout* form, const QString& label, const QString& value, const QPalette& palette) {
    if (value.isEmpty()) return;
    auto* quiet = subtleLabel(label, palette);
    quiet->setFixedWidth(kLabelWidth);
    quiet->setAlignment(Qt::AlignTop | Qt::AlignLeading);
    form->addRow(quiet, factField(value, label));
}

void addCoresetNote(QVBoxLayout* column, const QPalette& palette) {
    column->addWidget(subtleLabel(
        QCoreApplication::translate("FactForm", "The coreset makes a pass read fewer experts; all of them stay in memory."),
        palette));
}

}  // namespace trefoil
