#include "ui/servers/engine_menu.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QToolButton>
#include <QWidget>

namespace trefoil {
namespace {

/// What the button has room for; the tooltip has all of it.
EngineIdentity shortened(EngineIdentity engine) {
    constexpr qsizetype kTitle = 28;
    constexpr qsizetype kPlace = 48;
    if (engine.title.size() > kTitle) engine.title = engine.title.left(kTitle - 1) + QChar(0x2026);
    // The end of a host's name says whose it is.
    if (engine.place.size() > kPlace) engine.place = QChar(0x2026) + engine.place.right(kPlace - 1);
    return engine;
}

/// An ampersand in a server's name is no mnemonic.
QString plain(QString text) { return text.replace(QLatin1Char('&'), QStringLiteral("&&")); }

}  // namespace

EngineMenu::EngineMenu(ChatController* chat, QWidget* parent)
    : QObject(parent),
      m_chat(chat),
      m_menu(new QMenu(tr("Answered b&y"), parent)),
      m_choices(new QActionGroup(this)),
      m_button(new QToolButton(parent)) {
    m_menu->setObjectName(QStringLiteral("engineMenu"));
    m_menu->setToolTipsVisible(true);
    // Not the menu's own: it outlives the engines' entries, and may be given a key.
    m_serversAction = new QAction(tr("&Servers…"), this);
    m_serversAction->setObjectName(QStringLiteral("actionServers"));
    connect(m_serversAction, &QAction::triggered, this, &EngineMenu::serversRequested);
    m_button->setObjectName(QStringLiteral("statusEngine"));
    m_button->setAutoRaise(true);
    m_button->setPopupMode(QToolButton::InstantPopup);
    m_button->setFocusPolicy(Qt::TabFocus);
    m_button->setMenu(m_menu);
    connect(chat, &ChatController::enginesChanged, this, &EngineMenu::refresh);
    connect(chat, &ChatController::engineChanged, this, &EngineMenu::refresh);
    connect(chat, &ChatController::runningChanged, this, &EngineMenu::refresh);
    // Another conversation with the same engine may be answered just now, or may name another server that is gone.
    connect(chat, &ChatController::conversationShown, this, &EngineMenu::refresh);
    connect(m_choices, &QActionGroup::triggered, chat,
            [chat](const QAction* action) { chat->chooseEngine(action->data().toString()); });
    refresh();
}

QString EngineMenu::shown(const EngineIdentity& engine) {
    if (engine.place.isEmpty()) return engine.title;
    return engine.title == engine.place ? engine.place : tr("%1 (%2)", "server, host").arg(engine.title, engine.place);
}

void EngineMenu::refresh() {
    const EngineIdentity now = m_chat->engine();
    m_menu->clear();
    const bool answering = m_chat->isRunning() && m_chat->runningConversation() == m_chat->conversation().id;
    for (const EngineIdentity& engine : m_chat->engines()) {
        QAction* action = m_menu->addAction(plain(shown(engine)));
        action->setData(engine.id);
        action->setCheckable(true);
        action->setChecked(engine.id == now.id);
        action->setEnabled(!answering);
        action->setToolTip(answering                ? tr("The conversation is being answered; stop it to choose another one.")
                           : engine.place.isEmpty() ? tr("The text of this conversation stays in this program.")
                                                    : tr("The text of this conversation is sent to %1.").arg(engine.place));
        m_choices->addAction(action);
    }
    m_menu->addSeparator();
    m_menu->addAction(m_serversAction);

    const QString name = m_chat->engineMissing() ? tr("Server is gone") : shown(now);
    m_button->setText(
        plain(now.place.isEmpty() ? name : tr("→ %1", "where the conversation's text goes").arg(shown(shortened(now)))));
    const QString where = m_chat->engineMissing() ? m_chat->notReady()
                          : now.place.isEmpty()   ? tr("This conversation is answered on this computer; its text stays here.")
                                                  : tr("The text of this conversation is sent to %1.").arg(name);
    m_button->setToolTip(where);
    m_button->setAccessibleName(tr("Answered by: %1").arg(name));
    m_button->setAccessibleDescription(where);
}

}  // namespace trefoil
