// CompareMenu: the Chat menu's entry for comparing answers; connects the dialog with the controller.
#pragma once

#include "app/core/presets.h"
#include "ui/compare/compare_run.h"

#include <QObject>

class QMenu;
class QWidget;

namespace trefoil {

class CompareDialog;

/// Not owned; all outlive the menu.
struct CompareServices {
    ChatController* chat = nullptr;
    PresetStore* presets = nullptr;
    QWidget* window = nullptr;
};

class CompareMenu : public QObject {
    Q_OBJECT
public:
    /// Adds its action to `chat`.
    CompareMenu(const CompareServices& services, QMenu* chat, QObject* parent = nullptr);

    /// The versions of the open conversation's last answer.
    void show();

private:
    void build();
    void refresh();

    CompareServices m_services;
    CompareRun m_run;
    CompareDialog* m_dialog = nullptr;  ///< made when it is first opened
};

}  // namespace trefoil
