#include "ui/desktop/keys_page.h"

#include "ui/desktop/shortcut_table.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace trefoil {
namespace {

constexpr int kIdRole = Qt::UserRole;

QString keysOf(const ShortcutEntry& entry) {
    return entry.action == nullptr ? QString() : QKeySequence::listToString(entry.action->shortcuts(), QKeySequence::NativeText);
}

}  // namespace

KeysPage::KeysPage(ShortcutTable* table, QWidget* parent)
    : QWidget(parent),
      m_table(table),
      m_list(new QTreeWidget(this)),
      m_edit(new QKeySequenceEdit(this)),
      m_problem(new QLabel(this)),
      m_takeOver(new QPushButton(tr("Take them from there"), this)),
      m_none(new QPushButton(tr("No keys"), this)),
      m_reset(new QPushButton(tr("Usual keys"), this)) {
    setObjectName(QStringLiteral("keysPage"));
    m_list->setObjectName(QStringLiteral("keysList"));
    m_list->setAccessibleName(tr("Actions and their keys"));
    m_list->setColumnCount(3);
    m_list->setHeaderLabels({tr("Menu"), tr("Action"), tr("Keys")});
    m_list->setRootIsDecorated(false);
    m_list->setAlternatingRowColors(true);
    m_edit->setObjectName(QStringLiteral("keysEdit"));
    m_edit->setAccessibleName(tr("New keys for the chosen action"));
    m_problem->setObjectName(QStringLiteral("keysProblem"));
    m_problem->setWordWrap(true);
    m_takeOver->setObjectName(QStringLiteral("keysTakeOver"));
    m_none->setObjectName(QStringLiteral("keysNone"));
    m_reset->setObjectName(QStringLiteral("keysReset"));
    auto* all = new QPushButton(tr("Usual keys for all"), this);
    all->setObjectName(QStringLiteral("keysResetAll"));

    auto* row = new QHBoxLayout;
    auto* label = new QLabel(tr("&New keys:"), this);
    label->setBuddy(m_edit);
    row->addWidget(label);
    row->addWidget(m_edit, 1);
    row->addWidget(m_none);
    row->addWidget(m_reset);
    row->addWidget(all);
    auto* second = new QHBoxLayout;
    second->addWidget(m_problem, 1);
    second->addWidget(m_takeOver);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_list, 1);
    layout->addLayout(row);
    layout->addLayout(second);

    connect(m_list, &QTreeWidget::currentItemChanged, this, &KeysPage::showCurrent);
    connect(m_edit, &QKeySequenceEdit::editingFinished, this, &KeysPage::take);
    connect(m_takeOver, &QPushButton::clicked, this, &KeysPage::takeOver);
    connect(m_none, &QPushButton::clicked, this, [this] { m_table->rebind(currentId(), {}); });
    connect(m_reset, &QPushButton::clicked, this, [this] { m_table->reset(currentId()); });
    connect(all, &QPushButton::clicked, m_table, &ShortcutTable::resetAll);
    connect(m_table, &ShortcutTable::changed, this, &KeysPage::fill);
    fill();
}

QString KeysPage::currentId() const {
    const QTreeWidgetItem* item = m_list->currentItem();
    return item == nullptr ? QString() : item->data(0, kIdRole).toString();
}

void KeysPage::fill() {
    const QString current = currentId();
    m_filling = true;
    m_list->clear();
    for (const ShortcutEntry& entry : m_table->entries()) {
        auto* item = new QTreeWidgetItem(m_list, {entry.menu, entry.text, keysOf(entry)});
        item->setData(0, kIdRole, entry.id);
        if (!m_table->isUsual(entry)) {
            QFont changed = font();
            changed.setItalic(true);
            item->setFont(2, changed);
            item->setToolTip(2, tr("Usually: %1").arg(QKeySequence::listToString(entry.usual, QKeySequence::NativeText)));
        }
        if (entry.id == current || m_list->currentItem() == nullptr) m_list->setCurrentItem(item);
    }
    for (int column = 0; column < 3; ++column) m_list->resizeColumnToContents(column);
    m_filling = false;
    showCurrent();
}

void KeysPage::showCurrent() {
    if (m_filling) return;
    const ShortcutEntry* entry = m_table->find(currentId());
    m_problem->clear();
    m_takeOver->hide();
    m_edit->setEnabled(entry != nullptr);
    m_edit->setKeySequence(entry != nullptr && entry->action != nullptr ? entry->action->shortcut() : QKeySequence());
    m_reset->setEnabled(entry != nullptr && !m_table->isUsual(*entry));
    m_none->setEnabled(entry != nullptr && !keysOf(*entry).isEmpty());
}

void KeysPage::take() {
    const ShortcutEntry* entry = m_table->find(currentId());
    const QKeySequence keys = m_edit->keySequence();
    if (entry == nullptr || keys.isEmpty() || entry->action->shortcuts().contains(keys)) return;
    if (const ShortcutEntry* other = m_table->conflict(entry->id, keys); other != nullptr) {
        m_problem->setText(
            tr("%1 belongs to “%2” in the menu %3.").arg(keys.toString(QKeySequence::NativeText), other->text, other->menu));
        m_takeOver->show();
        return;
    }
    m_table->rebind(entry->id, keys);
}

void KeysPage::takeOver() {
    const QString id = currentId();
    const QKeySequence keys = m_edit->keySequence();
    while (const ShortcutEntry* other = m_table->conflict(id, keys)) {
        const QString otherId = other->id;
        m_table->rebind(otherId, {});
    }
    m_table->rebind(id, keys);
}

}  // namespace trefoil
