#include "ui/settings/generation_dock.h"

#include "ui/settings/control_row.h"
#include "ui/settings/control_texts.h"
#include "ui/settings/number_edits.h"
#include "ui/settings/preset_bar.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {
namespace {

constexpr int kMargin = 10;

/// Groups in the order in which they are shown.
const QList<ControlGroup>& groupOrder() {
    static const QList<ControlGroup> order{ControlGroup::Decoding,  ControlGroup::Length, ControlGroup::Sampling,
                                           ControlGroup::Penalties, ControlGroup::Ending, ControlGroup::Experts,
                                           ControlGroup::Other};
    return order;
}

}  // namespace

GenerationDock::GenerationDock(QWidget* parent) : QWidget(parent), m_wheel(new WheelGuard(this)) {
    setObjectName(QStringLiteral("generationDock"));
    setAccessibleName(tr("Generation controls"));
    setMinimumWidth(260);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);

    m_presets = new PresetBar(this);
    auto* top = new QVBoxLayout;
    top->setContentsMargins(kMargin, kMargin, kMargin, 6);
    top->addWidget(m_presets);
    outer->addLayout(top);
    connect(m_presets, &PresetBar::chosen, this, &GenerationDock::presetChosen);
    connect(m_presets, &PresetBar::saveRequested, this, &GenerationDock::presetSaveRequested);
    connect(m_presets, &PresetBar::removeRequested, this, &GenerationDock::presetRemoveRequested);

    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("generationScroll"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    m_content = new QWidget(scroll);
    m_column = new QVBoxLayout(m_content);
    m_column->setContentsMargins(kMargin, 0, kMargin, kMargin);
    m_column->setSpacing(4);
    scroll->setWidget(m_content);
    outer->addWidget(scroll, 1);

    m_resetAll = new QPushButton(tr("Reset all to defaults"), this);
    m_resetAll->setObjectName(QStringLiteral("resetAll"));
    m_resetAll->setToolTip(tr("Sets every control back to the model's default"));
    m_resetAll->setAutoDefault(false);
    auto* bottom = new QVBoxLayout;
    bottom->setContentsMargins(kMargin, 6, kMargin, kMargin);
    bottom->addWidget(m_resetAll);
    outer->addLayout(bottom);
    connect(m_resetAll, &QPushButton::clicked, this, &GenerationDock::resetAll);
    refreshReset();
}

void GenerationDock::setDescriptions(const QList<ControlDescription>& descriptions) {
    m_rows.clear();
    m_titles.clear();
    while (QLayoutItem* item = m_column->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    // The contract's order within a group, but the mode first: it decides which of the others count.
    QList<ControlDescription> ordered = descriptions;
    std::stable_partition(ordered.begin(), ordered.end(),
                          [](const ControlDescription& control) { return control.kind == ControlKind::Choice; });
    for (const ControlGroup group : groupOrder()) {
        bool titled = false;
        for (const ControlDescription& control : ordered) {
            if (controlText(control.name).group != group) continue;
            if (!titled) {
                auto* title = new QLabel(groupTitle(group), m_content);
                title->setContentsMargins(0, m_titles.isEmpty() ? 0 : 10, 0, 2);
                m_column->addWidget(title);
                m_titles += title;
                titled = true;
            }
            auto* row = new ControlRow(control, m_wheel, m_content);
            connect(row, &ControlRow::changed, this, &GenerationDock::onRowChanged);
            m_column->addWidget(row);
            m_rows += row;
        }
    }
    m_column->addStretch(1);
    setContext(m_context);
    refreshColors();
    refreshReasons();
    refreshReset();
}

void GenerationDock::setDefaults(const ControlValues& defaults) {
    for (ControlRow* row : std::as_const(m_rows)) row->setStandard(defaults.value(row->name()));
    refreshReset();
}

void GenerationDock::setValues(const ControlValues& values) {
    for (ControlRow* row : std::as_const(m_rows)) row->setValue(values.value(row->name()));
    refreshReasons();
    refreshReset();
}

ControlValues GenerationDock::values() const {
    ControlValues out;
    for (const ControlRow* row : m_rows) out.insert(row->name(), row->value());
    return out;
}

void GenerationDock::setThinkEndAvailable(bool available) {
    m_thinkEndAvailable = available;
    refreshReasons();
}

void GenerationDock::setContext(qint64 tokens) {
    m_context = tokens;
    if (tokens <= 0) return;
    for (ControlRow* row : std::as_const(m_rows)) {
        if (row->name() == QLatin1String("max_new_tokens")) row->setUpperLimit(static_cast<double>(tokens));
    }
    refreshReset();
}

void GenerationDock::setRefused(const QHash<QString, QString>& reasons) {
    m_refused = reasons;
    refreshReasons();
}

void GenerationDock::setPresets(const QStringList& names) { m_presets->setPresets(names); }

void GenerationDock::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_resetAll != nullptr) refreshColors();
}

void GenerationDock::onRowChanged() {
    refreshReasons();
    refreshReset();
    emit valuesChanged(values());
}

void GenerationDock::resetAll() {
    for (ControlRow* row : std::as_const(m_rows)) row->setValue(row->standard());
    onRowChanged();
}

void GenerationDock::refreshReasons() {
    const ControlValues now = values();
    QString above;
    for (ControlRow* row : std::as_const(m_rows)) {
        const QString refused = m_refused.value(row->name());
        const QString reason = refused.isEmpty() ? inertReason(row->name(), now, m_thinkEndAvailable) : refused;
        row->setReason(reason, reason != above);
        above = reason;
    }
}

void GenerationDock::refreshReset() {
    bool changed = false;
    for (const ControlRow* row : std::as_const(m_rows)) changed = changed || row->isChanged();
    m_resetAll->setEnabled(changed);
}

void GenerationDock::refreshColors() {
    const QString color = theme::tone(theme::Tone::Accent, palette()).name();
    for (QLabel* title : std::as_const(m_titles)) {
        QFont font = title->font();
        font.setBold(true);
        title->setFont(font);
        title->setStyleSheet(QStringLiteral("color: %1").arg(color));
    }
}

}  // namespace trefoil
