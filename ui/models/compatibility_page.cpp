#include "ui/models/compatibility_page.h"

#include "ui/chat/pill_button.h"
#include "ui/models/fact_form.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {

CompatibilityPage::CompatibilityPage(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("compatibilityPage"));
    m_scroll = new QScrollArea(this);
    m_scroll->setObjectName(QStringLiteral("compatibilityScroll"));
    m_scroll->setAccessibleName(tr("Compatibility switches"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_reset = new PillButton(tr("Reset"), PillButton::Look::Plain, this);
    m_reset->setObjectName(QStringLiteral("compatibilityReset"));
    m_reset->setAutoDefault(false);
    m_reset->setToolTip(
        tr("Back to what config.json says, and the defaults. Loads the model anew if it runs with choices of yours."));
    connect(m_reset, &QPushButton::clicked, this, &CompatibilityPage::reset);
    m_load = new PillButton(tr("Load with these"), PillButton::Look::Primary, this);
    m_load->setObjectName(QStringLiteral("compatibilityLoad"));
    m_load->setAutoDefault(false);
    connect(m_load, &QPushButton::clicked, this, [this] { emit loadRequested(choices()); });
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(m_reset);
    buttons->addWidget(m_load);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4, 12, 4, 4);
    column->setSpacing(10);
    column->addWidget(m_scroll, 1);
    column->addLayout(buttons);
    setModel({});
}

void CompatibilityPage::setModel(const ModelSummary& model) {
    m_loaded = !model.folder.isEmpty();
    m_rows.clear();
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 8, 0);
    column->setSpacing(8);
    column->addWidget(subtleLabel(
        tr("The vendor has not published these points. Trefoil takes the side that fits what is known, marked as "
           "inferred; should answers of a new checkpoint look wrong, one of them may be the cause. What you load a model with is "
           "remembered for its folder, until you reset it."),
        palette()));
    for (const CompatibilityValue& value : m_loaded ? model.compatibility : compatibilityValues())
        column->addWidget(makeRow(value));
    column->addStretch(1);
    m_scroll->setWidget(page);
    showState();
}

QWidget* CompatibilityPage::makeRow(const CompatibilityValue& value) {
    auto* widget = new QWidget;
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 6, 0, 2);
    column->setSpacing(4);
    addHeading(column, value.title);
    column->addWidget(subtleLabel(value.explanation, palette()));
    Row row{value, new QComboBox(widget), subtleLabel({}, palette())};
    row.box->setObjectName(QStringLiteral("compatibility_") + value.name);
    row.box->setAccessibleName(value.title);
    row.box->setToolTip(tr("In config.json and on the command line: %1").arg(value.name));
    for (qsizetype i = 0; i < value.choices.size(); ++i)
        row.box->addItem(i == 0 ? tr("%1 (default)").arg(value.choices[i]) : value.choices[i], value.choices[i]);
    row.box->setCurrentIndex(static_cast<int>(value.choices.indexOf(value.value)));
    row.box->setFocusPolicy(Qt::StrongFocus);
    row.origin->setObjectName(QStringLiteral("compatibilityOrigin_") + value.name);
    connect(row.box, &QComboBox::currentIndexChanged, this, &CompatibilityPage::showState);
    auto* line = new QHBoxLayout;
    line->addWidget(row.box);
    line->addSpacing(10);
    line->addWidget(row.origin, 1);
    column->addLayout(line);
    m_rows.append(row);
    return widget;
}

/// What the person set: earlier, or just now.
CompatibilityChoices CompatibilityPage::choices() const {
    CompatibilityChoices out;
    for (const Row& row : m_rows) {
        const QString chosen = row.box->currentData().toString();
        if (chosen != row.value.value || row.value.origin == CompatibilityOrigin::User) out.insert(row.value.name, chosen);
    }
    return out;
}

bool CompatibilityPage::changed() const {
    return std::any_of(m_rows.begin(), m_rows.end(),
                       [](const Row& row) { return row.box->currentData().toString() != row.value.value; });
}

void CompatibilityPage::showState() {
    bool own = false;
    for (const Row& row : m_rows) {
        own = own || row.value.origin == CompatibilityOrigin::User;
        row.box->setEnabled(m_loaded);
        if (row.box->currentData().toString() != row.value.value)
            row.origin->setText(tr("set by you, not loaded yet; the model runs with %1").arg(row.value.value));
        else if (row.value.origin == CompatibilityOrigin::User)
            row.origin->setText(tr("set by you, remembered for this folder"));
        else if (row.value.origin == CompatibilityOrigin::Config)
            row.origin->setText(tr("from config.json"));
        else
            row.origin->setText(tr("default, inferred"));
    }
    m_load->setEnabled(m_loaded && changed());
    m_reset->setEnabled(m_loaded && (own || changed()));
}

void CompatibilityPage::reset() {
    const bool own =
        std::any_of(m_rows.begin(), m_rows.end(), [](const Row& row) { return row.value.origin == CompatibilityOrigin::User; });
    for (const Row& row : m_rows) row.box->setCurrentIndex(row.box->findData(row.value.value));
    if (own) emit loadRequested({});
}

}  // namespace trefoil
