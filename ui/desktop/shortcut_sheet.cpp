#include "ui/desktop/shortcut_sheet.h"

#include "ui/desktop/shortcut_table.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace trefoil {

ShortcutSheet::ShortcutSheet(const ShortcutTable* table, QWidget* parent) : QDialog(parent), m_list(new QTreeWidget(this)) {
    setObjectName(QStringLiteral("shortcutSheet"));
    setWindowTitle(tr("Keyboard shortcuts"));
    m_list->setObjectName(QStringLiteral("shortcutList"));
    m_list->setAccessibleName(tr("Keyboard shortcuts"));
    m_list->setColumnCount(2);
    m_list->setHeaderLabels({tr("Action"), tr("Keys")});
    m_list->setRootIsDecorated(false);
    m_list->setAlternatingRowColors(true);
    m_list->header()->setStretchLastSection(true);
    auto* buttons = new QDialogButtonBox(this);
    buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);  // Qt's own text needs its translations installed
    QPushButton* change = buttons->addButton(tr("Change keys…"), QDialogButtonBox::ActionRole);
    change->setObjectName(QStringLiteral("changeKeysButton"));
    connect(change, &QPushButton::clicked, this, [this] {
        accept();
        emit changeRequested();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_list);
    layout->addWidget(buttons);
    fill(*table);
    resize(fontMetrics().averageCharWidth() * 76, fontMetrics().height() * 34);
}

void ShortcutSheet::fill(const ShortcutTable& table) {
    QTreeWidgetItem* group = nullptr;
    const auto begin = [&](const QString& title) {
        if (group != nullptr && group->text(0) == title) return;
        group = new QTreeWidgetItem(m_list, {title});
        QFont bold = font();
        bold.setBold(true);
        group->setFont(0, bold);
        group->setFirstColumnSpanned(true);
    };
    for (const ShortcutEntry& entry : table.entries()) {
        if (entry.action == nullptr) continue;
        begin(entry.menu);
        const QString keys = QKeySequence::listToString(entry.action->shortcuts(), QKeySequence::NativeText);
        new QTreeWidgetItem(group, {entry.text, keys.isEmpty() ? tr("none") : keys});
    }
    // What is no action of the menus: keys of single widgets, which cannot be changed.
    begin(tr("While you type a question"));
    const auto key = [](const QKeySequence& keys) { return keys.toString(QKeySequence::NativeText); };
    new QTreeWidgetItem(group, {tr("Send"), key(Qt::Key_Return)});
    new QTreeWidgetItem(group, {tr("Start a new line"), key(Qt::SHIFT | Qt::Key_Return)});
    new QTreeWidgetItem(group, {tr("Stop the answer"), key(Qt::Key_Escape)});
    m_list->expandAll();
    m_list->resizeColumnToContents(0);
}

}  // namespace trefoil
