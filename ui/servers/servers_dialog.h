// ServersDialog: the served models that the person set up; added, changed, tested and removed here.
#pragma once

#include "app/served/server_list.h"

#include <QDialog>

class QLabel;
class QListWidget;
class QPushButton;

namespace trefoil {

class ServerForm;

class ServersDialog : public QDialog {
    Q_OBJECT
public:
    /// `servers` is not owned and outlives the dialog.
    explicit ServersDialog(ServerList* servers, QWidget* parent = nullptr);
    [[nodiscard]] ServerForm* form() const { return m_form; }

signals:
    /// The open conversation is to be answered by this server.
    void useRequested(const QString& id);

private:
    void refresh(const QString& chosen);
    void showCurrent();
    /// What is done with the chosen server; without one, nothing.
    void allowButtons(bool allowed);
    void addNew();
    void removeCurrent();
    [[nodiscard]] QString currentId() const;

    ServerList* m_servers;
    QListWidget* m_list;
    ServerForm* m_form;
    QPushButton* m_add;
    QPushButton* m_remove;
    QPushButton* m_use;
};

}  // namespace trefoil
