#include "ui/settings/preset_bar.h"

#include "ui/theme/theme.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

namespace trefoil {
namespace {

constexpr int kLongestName = 60;

}  // namespace

PresetBar::PresetBar(QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);

    m_combo = new QComboBox(this);
    m_combo->setObjectName(QStringLiteral("presetName"));
    m_combo->setEditable(true);
    m_combo->setInsertPolicy(QComboBox::NoInsert);
    m_combo->setCompleter(nullptr);  // it would finish a new name to an old one, which saving then replaces
    m_combo->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_combo->setMinimumContentsLength(6);
    m_combo->lineEdit()->setMaxLength(kLongestName);
    m_combo->lineEdit()->setPlaceholderText(tr("Preset"));
    m_combo->setAccessibleName(tr("Preset"));
    m_combo->setToolTip(tr("Choose a preset, or type a name and save the present values under it."));
    row->addWidget(m_combo, 1);

    m_save = new QToolButton(this);
    m_save->setObjectName(QStringLiteral("presetSave"));
    m_save->setText(tr("Save"));
    m_save->setFocusPolicy(Qt::StrongFocus);
    row->addWidget(m_save);

    m_remove = new QToolButton(this);
    m_remove->setObjectName(QStringLiteral("presetRemove"));
    m_remove->setAutoRaise(true);
    m_remove->setFocusPolicy(Qt::StrongFocus);
    m_remove->setAccessibleName(tr("Remove preset"));
    row->addWidget(m_remove);

    connect(m_combo, &QComboBox::textActivated, this, [this](const QString& text) {
        refresh();
        emit chosen(text);
    });
    connect(m_combo, &QComboBox::editTextChanged, this, &PresetBar::refresh);
    connect(m_combo->lineEdit(), &QLineEdit::returnPressed, this, [this] {
        // Enter on a known name chooses it, which the combo box does itself.
        if (m_combo->findText(name(), Qt::MatchExactly | Qt::MatchCaseSensitive) < 0) save();
    });
    connect(m_save, &QToolButton::clicked, this, &PresetBar::save);
    connect(m_remove, &QToolButton::clicked, this, [this] { emit removeRequested(name()); });
    refresh();
}

void PresetBar::setPresets(const QStringList& names) {
    const QString kept = name();
    {
        const QSignalBlocker quiet(m_combo);
        m_combo->clear();
        m_combo->addItems(names);
        m_combo->setCurrentIndex(names.indexOf(kept));
        if (!names.contains(kept)) m_combo->setEditText(QString());
    }
    refresh();
}

void PresetBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_remove != nullptr) refresh();
}

QString PresetBar::name() const { return m_combo->currentText().simplified(); }

void PresetBar::refresh() {
    const bool known = m_combo->findText(name(), Qt::MatchExactly | Qt::MatchCaseSensitive) >= 0;
    m_save->setEnabled(!name().isEmpty());
    m_save->setToolTip(known ? tr("Replace the preset “%1” with the present values").arg(name())
                             : tr("Save the present values under this name"));
    m_remove->setEnabled(known);
    m_remove->setToolTip(known ? tr("Remove the preset “%1”").arg(name()) : tr("Choose a preset to remove it"));
    m_remove->setIcon(theme::icon(QStringLiteral("delete"), palette()));
}

void PresetBar::save() {
    if (!name().isEmpty()) emit saveRequested(name());
}

}  // namespace trefoil
