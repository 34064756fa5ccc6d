#include "ui/servers/servers_dialog.h"

#include "ui/servers/server_form.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace trefoil {

ServersDialog::ServersDialog(ServerList* servers, QWidget* parent)
    : QDialog(parent),
      m_servers(servers),
      m_list(new QListWidget(this)),
      m_form(new ServerForm(servers->keys(), this)),
      m_add(new QPushButton(tr("Add a &server"), this)),
      m_remove(new QPushButton(tr("&Remove"), this)),
      m_use(new QPushButton(tr("&Use for this conversation"), this)) {
    setObjectName(QStringLiteral("serversDialog"));
    setWindowTitle(tr("Servers"));
    m_list->setObjectName(QStringLiteral("serverList"));
    m_list->setAccessibleName(tr("Servers"));
    m_list->setMinimumWidth(fontMetrics().averageCharWidth() * 22);
    m_add->setObjectName(QStringLiteral("serverAdd"));
    m_remove->setObjectName(QStringLiteral("serverRemove"));
    m_use->setObjectName(QStringLiteral("serverUse"));
    for (QPushButton* button : findChildren<QPushButton*>()) button->setAutoDefault(false);
    auto* intro =
        new QLabel(tr("Models that run on another machine, or in another program. Nothing is sent to a server before you "
                      "choose it for a conversation; only that conversation's text goes there."),
                   this);
    intro->setWordWrap(true);
    auto* left = new QVBoxLayout;
    left->addWidget(m_list, 1);
    left->addWidget(m_add);
    left->addWidget(m_remove);
    auto* middle = new QHBoxLayout;
    middle->addLayout(left);
    middle->addWidget(m_form, 1);
    auto* buttons = new QDialogButtonBox(this);
    buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);  // Qt's own text needs its translations installed
    buttons->addButton(m_use, QDialogButtonBox::ActionRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(intro);
    column->addLayout(middle, 1);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 115, fontMetrics().height() * 38);

    connect(m_list, &QListWidget::currentRowChanged, this, &ServersDialog::showCurrent);
    connect(m_add, &QPushButton::clicked, this, &ServersDialog::addNew);
    connect(m_remove, &QPushButton::clicked, this, &ServersDialog::removeCurrent);
    connect(m_use, &QPushButton::clicked, this, [this] {
        emit useRequested(currentId());
        accept();
    });
    connect(m_form, &ServerForm::saved, this, [this](const ServerEntry& entry) {
        m_servers->put(entry);
        // It may have waited for its key meanwhile: the list's choice is what the form shows now.
        refresh(m_form->entry().profile.id);
    });
    refresh({});
    if (m_list->count() == 0) addNew();
}

QString ServersDialog::currentId() const {
    const QListWidgetItem* item = m_list->currentItem();
    return item != nullptr ? item->data(Qt::UserRole).toString() : QString();
}

/// The list as it stands; the form keeps what it shows where the same server stays chosen.
void ServersDialog::refresh(const QString& chosen) {
    {
        const QSignalBlocker quiet(m_list);
        m_list->clear();
        for (const ServerEntry& entry : m_servers->servers()) {
            auto* item = new QListWidgetItem(entry.profile.title(), m_list);
            item->setData(Qt::UserRole, entry.profile.id);
            item->setToolTip(entry.profile.address.toString());
            if (entry.profile.id == chosen) m_list->setCurrentItem(item);
        }
        if (chosen.isEmpty() && m_list->count() > 0) m_list->setCurrentRow(0);
    }
    if (chosen.isEmpty()) showCurrent();
    allowButtons(!currentId().isEmpty());
}

void ServersDialog::showCurrent() {
    const ServedEngine* engine = m_servers->engine(currentId());
    allowButtons(engine != nullptr);
    if (engine != nullptr) m_form->setEntry(engine->entry());
}

void ServersDialog::allowButtons(bool allowed) {
    m_remove->setEnabled(allowed);
    m_use->setEnabled(allowed);
}

void ServersDialog::addNew() {
    {
        const QSignalBlocker quiet(m_list);
        m_list->setCurrentRow(-1);
    }
    ServerEntry entry;
    entry.profile.id = newProfileId();
    m_form->setEntry(entry);
    allowButtons(false);
    m_form->findChild<QWidget*>(QStringLiteral("serverName"))->setFocus();
}

void ServersDialog::removeCurrent() {
    const ServedEngine* engine = m_servers->engine(currentId());
    if (engine == nullptr) return;
    const QString id = engine->entry().profile.id;
    QMessageBox box(QMessageBox::Question, tr("Remove the server"),
                    tr("Remove “%1” and its key? Its conversations stay; each asks who is to answer it from then on.")
                        .arg(engine->entry().profile.title()),
                    QMessageBox::NoButton, this);
    box.setTextFormat(Qt::PlainText);
    const QPushButton* remove = box.addButton(tr("Remove"), QMessageBox::DestructiveRole);
    box.setDefaultButton(box.addButton(tr("Keep"), QMessageBox::RejectRole));
    box.exec();
    if (box.clickedButton() != remove) return;
    m_servers->remove(id);
    refresh({});
    if (m_list->count() == 0) addNew();
}

}  // namespace trefoil
