// MainWindow's engines: what answers the open conversation, what it can do, and where the text goes. Apart from main_window.cpp
// for its length.
#include "app/served/server_list.h"
#include "ui/blocks/block_dock.h"
#include "ui/blocks/steer_bar.h"
#include "ui/chat/composer.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/transcript_view.h"
#include "ui/desktop/local_api_button.h"
#include "ui/experts/expert_view.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/message_conversion.h"
#include "ui/main_window/notice_ids.h"
#include "ui/models/status_bar.h"
#include "ui/servers/engine_menu.h"
#include "ui/servers/servers_dialog.h"
#include "ui/settings/generation_dock.h"

#include <QAction>
#include <QMenu>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace trefoil {

/// Before the menus: one of them is the engines'.
void MainWindow::buildEngines() {
    m_engines = new EngineMenu(m_chat, this);
    if (m_services.localApi != nullptr) {
        auto* serves = new LocalApiButton(m_services.localApi, this);
        m_status->addPart(serves);
        connect(serves, &QToolButton::clicked, this, [this] { showPreferences(PreferencesPage::LocalApi); });
    }
    m_status->addPart(m_engines->button());
    m_retryTimer.setSingleShot(true);
    connect(&m_retryTimer, &QTimer::timeout, this, [this] {
        m_status->setActivity({});
        const QString id = std::exchange(m_retryMessage, QString());
        const QList<MessageRecord>& messages = m_chat->messages();
        // The person went on otherwise meanwhile.
        if (messages.isEmpty() || messages.constLast().id != id || m_chat->isRunning()) return;
        if (m_chat->canContinue(id)) return m_chat->continueAnswer(id);
        m_chat->regenerate(id);
    });
}

void MainWindow::connectEngines() {
    connect(m_chat, &ChatController::engineChanged, this, &MainWindow::showEngine);
    connect(m_chat, &ChatController::noted, this, [this](const QString& text) {
        m_notices->show({kAnswerNotice, NoticeKind::Info, text, {}, true});
    });
    connect(m_chat, &ChatController::waitAsked, this, &MainWindow::offerRetry);
    connect(m_chat, &ChatController::answerBegan, this, [this] {
        m_notices->clear(kWaitNotice);
        if (m_retryTimer.isActive()) m_status->setActivity({});
        m_retryTimer.stop();
        m_retryMessage.clear();
    });
    connect(m_engines, &EngineMenu::serversRequested, this, &MainWindow::showServers);
}

void MainWindow::showEngine() {
    if (const auto& model = m_chat->model()) {
        m_status->setModel(*model);
        m_generation->setDefaults(model->defaults);
        m_generation->setThinkEndAvailable(model->thinks);
        m_generation->setContext(model->context);
        m_composer->setThinkingAvailable(model->thinks, tr("This model has no think phase."));
    } else {
        m_status->clearModel();
    }
    showCapabilities();
    if (m_chat->engineMissing())
        m_notices->show(
            {kEngineNotice,
             NoticeKind::Warning,
             m_chat->notReady(),
             {{QStringLiteral("embedded"), tr("Answer on this computer")}, {QStringLiteral("servers"), tr("Servers…")}},
             false});
    else
        m_notices->clear(kEngineNotice);
    // Whether its last answer can be continued depends on the engine.
    if (!m_chat->messages().isEmpty()) m_transcript->updateMessage(transcriptMessage(m_chat->messages().constLast()));
    showWelcome();
    showRunning();
    countPromptSoon();
}

void MainWindow::showCapabilities() {
    const EngineCapabilities able = m_chat->capabilities();
    m_blocks->steering()->setUnavailable(able.whyNoInterventions);
    m_blocks->setRegenerateUnavailable(
        able.continuing == Continuing::ByIds
            ? QString()
            : tr("A served model cannot keep the blocks before this one; write the whole answer again instead."));
    m_experts->setUnavailable(able.whyNoLayerFigures);
    m_composer->setContextEstimated(able.whyEstimated);
}

void MainWindow::showRefusedControls() {
    const EngineCapabilities able = m_chat->capabilities();
    QHash<QString, QString> refused = able.refusedControls;
    const bool answering = m_chat->isRunning() && m_chat->runningConversation() == m_chat->conversation().id;
    if (answering && !able.liveSteering)
        for (const QString& control : liveControls())
            if (!refused.contains(control)) refused.insert(control, able.whyNoLiveSteering);
    m_generation->setRefused(refused);
}

void MainWindow::showServers() {
    if (m_services.servers == nullptr) return;
    auto* dialog = new ServersDialog(m_services.servers, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ServersDialog::useRequested, m_chat, &ChatController::chooseEngine);
    dialog->open();
}

void MainWindow::offerRetry(const MessageRecord& answer, qint64 seconds) {
    if (answer.conversationId != m_chat->conversation().id) return;
    m_retryMessage = answer.id;
    m_retrySeconds = seconds;
    const QString text = seconds > 0
                             ? tr("The server has no room now and asks to wait %n second(s).", nullptr, static_cast<int>(seconds))
                             : tr("The server has no room now.");
    m_notices->show({kWaitNotice,
                     NoticeKind::Warning,
                     text,
                     {{QStringLiteral("retry"), seconds > 0 ? tr("Ask once more after the wait") : tr("Ask once more")}},
                     true});
}

void MainWindow::retryAfterWait() {
    constexpr qint64 kLongestWait = 24LL * 3600;
    m_notices->clear(kWaitNotice);
    if (m_retryMessage.isEmpty()) return;
    const qint64 seconds = std::min(m_retrySeconds, kLongestWait);
    if (seconds > 0) m_status->setActivity(tr("Waiting %n second(s) for the server", nullptr, static_cast<int>(seconds)));
    m_retryTimer.start(static_cast<int>(seconds * 1000));
}

}  // namespace trefoil
