// CompareMenu: the Chat menu's entry for comparing answers; connects the dialog with the controller.
#pragma once

#include "app/core/compare_run.h"
#include "app/core/presets.h"
#include "ui/compare/compare_dialog.h"

#include <QByteArray>

#include <QObject>

class QMenu;
class QWidget;

namespace trefoil {

/// Not owned; all outlive the menu.
struct CompareServices {
    ChatController* chat = nullptr;
    PresetStore* presets = nullptr;
    CompareRun* run = nullptr;
    QWidget* window = nullptr;
};

/// The dialog as it stands, for the window that takes this one's place.
struct CompareState {
    bool open = false;
    QByteArray geometry;
    CompareChoices choices;
};

class CompareMenu : public QObject {
    Q_OBJECT
public:
    /// Adds its action to `chat`.
    CompareMenu(const CompareServices& services, QMenu* chat, QObject* parent = nullptr);

    /// The versions of the open conversation's last answer.
    void show();

    [[nodiscard]] CompareState state() const;
    void restore(const CompareState& state);

private:
    static QString writingText();
    void build();
    void refresh();

    CompareServices m_services;
    CompareDialog* m_dialog = nullptr;  ///< made when it is first opened
};

}  // namespace trefoil
