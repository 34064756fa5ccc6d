// EngineMenu: chooses what answers the open conversation, from the status bar and from the Chat menu, and says where its text
// goes.
#pragma once

#include "app/core/chat_controller.h"

#include <QObject>
#include <QString>

class QAction;
class QActionGroup;
class QMenu;
class QToolButton;
class QWidget;

namespace trefoil {

class EngineMenu : public QObject {
    Q_OBJECT
public:
    /// `chat` is not owned and outlives this object; `parent` shows the menu.
    EngineMenu(ChatController* chat, QWidget* parent);

    /// All engines, the one in use checked, and the way to the servers.
    [[nodiscard]] QMenu* menu() const { return m_menu; }
    /// For the status bar: who answers and where the text goes. Opens the menu. Owned by `parent`.
    [[nodiscard]] QToolButton* button() const { return m_button; }
    /// "Trefoil on this computer", "lab (gpu.example:30000)".
    [[nodiscard]] static QString shown(const EngineIdentity& engine);

public slots:
    void refresh();

signals:
    void serversRequested();

private:
    ChatController* m_chat;
    QMenu* m_menu;
    QActionGroup* m_choices;  ///< the engines' entries; refresh() makes them anew
    QToolButton* m_button;
    QAction* m_serversAction = nullptr;
};

}  // namespace trefoil
