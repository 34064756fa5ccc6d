#include "ui/main_window/main_window.h"

#include "app/core/engine_worker.h"
#include "ui/blocks/block_dock.h"
#include "ui/chat/composer.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/system_prompt_panel.h"
#include "ui/chat/transcript_view.h"
#include "ui/chat/undo_bar.h"
#include "ui/experts/expert_view.h"
#include "ui/main_window/message_conversion.h"
#include "ui/main_window/notice_ids.h"
#include "ui/models/load_progress.h"
#include "ui/models/model_dialog.h"
#include "ui/models/open_model_page.h"
#include "ui/models/prompt_view_dialog.h"
#include "ui/models/status_bar.h"
#include "ui/servers/engine_menu.h"
#include "ui/settings/generation_dock.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {
namespace {

constexpr int kFrameMs = 33;        // transcript and status bar; the Block dock has its own, faster frame
constexpr int kCountDelayMs = 150;  // after the last key
constexpr int kDraftDelayMs = 800;
constexpr int kFlushTimeoutMs = 3000;

}  // namespace

MainWindow::MainWindow(const WindowServices& services, QWidget* parent)
    : QMainWindow(parent), m_services(services), m_chat(services.chat) {
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(QStringLiteral("Trefoil"));
    m_status = new StatusBar(this);
    setStatusBar(m_status);
    buildCentre();
    buildDocks();
    buildEngines();
    buildMenus();
    connectChat();
    connectWidgets();
    connectStore();

    m_frame.setInterval(kFrameMs);
    m_frame.setSingleShot(true);
    connect(&m_frame, &QTimer::timeout, this, &MainWindow::showFrame);
    m_closeWait.setSingleShot(true);
    connect(&m_closeWait, &QTimer::timeout, this, &QWidget::close);
    m_countTimer.setInterval(kCountDelayMs);
    m_countTimer.setSingleShot(true);
    connect(&m_countTimer, &QTimer::timeout, this, [this] { m_chat->countPrompt(m_composer->text(), m_edited); });
    m_draftTimer.setInterval(kDraftDelayMs);
    m_draftTimer.setSingleShot(true);
    connect(&m_draftTimer, &QTimer::timeout, this, &MainWindow::saveDraft);

    buildDesktop();
    restoreLayout();
    showEngine();
    m_generation->setPresets(m_services.presets->names());
    showConversation(m_chat->conversation(), m_chat->messages());
    m_composer->focusEditor();
}

MainWindow::~MainWindow() = default;

QStringList MainWindow::demoExamples() {
    return {QStringLiteral("What is 347 + 586?"),
            QStringLiteral("Make a multiplication table for 7."),
            QStringLiteral("What is block diffusion?"),
            QStringLiteral("Write a Python function that reverses a string."),
            QStringLiteral("How do you say water in Japanese?"),
            QStringLiteral("Count from 1 to 40.")};
}

void MainWindow::buildCentre() {
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->setObjectName(QStringLiteral("centre"));
    m_splitter->setChildrenCollapsible(false);
    m_list = new ConversationList(m_splitter);
    m_list->setMinimumWidth(180);

    auto* column = new QWidget(m_splitter);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_notices = new NoticeBar(column);
    m_systemPrompt = new SystemPromptPanel(column);
    m_transcript = new TranscriptView(column);
    m_find = new FindBar(m_transcript, column);
    m_undo = new UndoBar(column);
    m_composer = new Composer(column);
    layout->addWidget(m_notices);
    layout->addWidget(m_systemPrompt);
    layout->addWidget(m_find);
    layout->addWidget(m_transcript, 1);
    layout->addWidget(m_undo);
    layout->addWidget(m_composer);
    column->setMinimumWidth(360);

    m_splitter->addWidget(m_list);
    m_splitter->addWidget(column);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({230, 640});
    setCentralWidget(m_splitter);
}

void MainWindow::buildDocks() {
    m_blocks = new BlockDock(this);
    m_blockDockWidget = new QDockWidget(tr("Block"), this);
    m_blockDockWidget->setObjectName(QStringLiteral("blockDockWidget"));
    m_blockDockWidget->setWidget(m_blocks);
    addDockWidget(Qt::RightDockWidgetArea, m_blockDockWidget);

    m_generation = new GenerationDock(this);
    m_generation->setDescriptions(controlDescriptions());
    m_generationDockWidget = new QDockWidget(tr("Generation"), this);
    m_generationDockWidget->setObjectName(QStringLiteral("generationDockWidget"));
    m_generationDockWidget->setWidget(m_generation);
    addDockWidget(Qt::RightDockWidgetArea, m_generationDockWidget);

    // For a closer look: beside the Generation dock, when it is asked for.
    m_expertDockWidget = new QDockWidget(tr("Experts"), this);
    m_expertDockWidget->setObjectName(QStringLiteral("expertDockWidget"));
    m_experts = new ExpertView(m_blocks, m_expertDockWidget);
    m_expertDockWidget->setWidget(m_experts);
    addDockWidget(Qt::RightDockWidgetArea, m_expertDockWidget);
    tabifyDockWidget(m_generationDockWidget, m_expertDockWidget);
    m_expertDockWidget->hide();
    resizeDocks({m_blockDockWidget, m_generationDockWidget}, {380, 380}, Qt::Horizontal);
    resizeDocks({m_blockDockWidget, m_generationDockWidget}, {480, 320}, Qt::Vertical);
}

// ------------------------------------------------------------------------------------------------------------------ state

void MainWindow::showConversation(const ConversationRecord& conversation, const QList<MessageRecord>& messages) {
    m_frame.stop();
    m_pendingMessage.reset();
    m_pendingPass.reset();
    m_openBlockShown = false;
    showTitle();
    m_list->setCurrent(conversation.id);
    m_systemPrompt->setPrompt(conversation.id, conversation.systemPrompt);
    QList<TranscriptMessage> shown;
    for (const MessageRecord& m : messages) shown.append(transcriptMessage(m));
    m_transcript->setActivity({});
    m_transcript->setMessages(shown);
    if (!m_find->isVisible()) m_transcript->setMarks({});
    jumpToHit();
    m_edited.clear();
    m_composer->setProblem({});
    m_composer->setText(conversation.draft);
    showEdit();
    showBlocksOf(messages);
    showRunning();
    countPromptSoon();
}

TranscriptMessage MainWindow::transcriptMessage(const MessageRecord& message) const {
    return toTranscriptMessage(message, m_chat->runningMessage(), m_chat->versionsOf(message), m_chat->canContinue(message.id));
}

/// Another version was chosen: the same conversation with other messages.
void MainWindow::showBranch(const QList<MessageRecord>& messages, const QString& shownId) {
    QList<TranscriptMessage> shown;
    for (const MessageRecord& m : messages) shown.append(transcriptMessage(m));
    m_transcript->setMessages(shown);
    m_transcript->reveal(shownId);
    jumpToHit();
    keepEdit();
    showEdit();
    showBlocksOf(messages);
    showRunning();
    countPromptSoon();
}

/// The running answer live, or the last answer's blocks.
void MainWindow::showBlocksOf(const QList<MessageRecord>& messages) {
    m_blocks->clear();
    m_status->clearStats();
    m_tracedMessage.clear();
    for (auto it = messages.crbegin(); it != messages.crend(); ++it) {
        if (it->role != QLatin1String("assistant")) continue;
        m_tracedMessage = it->id;
        if (it->id == m_chat->runningMessage()) {
            showLiveBlocks();
        } else {
            m_status->setStats(it->stats);
            m_chat->requestTrace(it->id);
        }
        return;
    }
}

/// The blocks of the answer that is being written, from its beginning.
void MainWindow::showLiveBlocks() {
    const TraceView live = m_chat->liveTrace();
    m_blocks->beginLive(live.maskId, live.blockSize, live.threshold);
    for (const PassView& pass : live.passes) m_blocks->addPass(pass);
    if (const auto paused = m_chat->pauseState()) m_blocks->setPaused(*paused);
}

void MainWindow::showModel(const ModelSummary& model) {
    m_status->loadProgress()->finish();
    const bool demo = QDir(model.folder).canonicalPath() == QDir(m_services.demoModelFolder).canonicalPath();
    const QString folder = QDir(model.folder).absolutePath();
    m_services.settings->setLastModelFolder(demo ? QString() : folder);
    if (!demo) m_services.settings->addRecentModel(folder);
    rememberSwitches(model);
    if (m_modelDialog != nullptr) m_modelDialog->openPage()->setModelInUse(model.name);
    showModelWarnings(model);
    if (m_modelDialog != nullptr && m_modelDialog->isVisible()) m_modelDialog->setModel(model, EngineWorker::devices());
}

/// The model answers, but probably not as it should: to be seen without opening a dialog.
void MainWindow::showModelWarnings(const ModelSummary& model) {
    m_notices->clear(kModelWarning);
    if (model.warnings.isEmpty()) return;
    m_notices->show(
        {kModelWarning,
         NoticeKind::Warning,
         tr("%1 is loaded, but its answers may be wrong: %2.").arg(model.name, model.warnings.join(QLatin1String("; "))),
         {{QStringLiteral("about"), tr("About the model")}},
         true});
}

void MainWindow::showWelcome() {
    const EngineCapabilities able = m_chat->capabilities();
    if (!m_chat->model()) {
        m_transcript->setWelcome(tr("Welcome to Trefoil"),
                                 m_chat->engineMissing() ? m_chat->notReady()
                                 : m_chat->isLoading()   ? tr("The model is being loaded…")
                                                         : tr("Open a model to begin: File, Open model."),
                                 {});
        return;
    }
    const bool demo =
        !able.reachesOut && QDir(m_chat->model()->folder).canonicalPath() == QDir(m_services.demoModelFolder).canonicalPath();
    if (able.reachesOut)
        m_transcript->setWelcome(tr("Ask %1").arg(m_chat->model()->name),
                                 tr("The text of this conversation is sent to %1.").arg(EngineMenu::shown(m_chat->engine())), {});
    else if (demo)
        m_transcript->setWelcome(tr("Ask, and watch the blocks fill"),
                                 tr("This is a tiny demo model: it does small sums, tables and translations. Try one of these."),
                                 demoExamples());
    else
        m_transcript->setWelcome(tr("Ask, and watch the blocks fill"), tr("%1 is ready.").arg(m_chat->model()->name), {});
}

/// What depends on whether an answer is being written, and where.
void MainWindow::showRunning() {
    const QString running = m_chat->runningConversation();
    const bool here = !running.isEmpty() && running == m_chat->conversation().id;
    m_composer->setBusy(here);
    if (!m_chat->model())
        m_composer->setSendAvailable(false, m_chat->engineMissing() || m_chat->capabilities().reachesOut ? m_chat->notReady()
                                            : m_chat->isLoading() ? tr("The model is being loaded.")
                                                                  : tr("No model is loaded."));
    else if (!running.isEmpty() && !here)
        m_composer->setSendAvailable(false, tr("Another conversation is being answered."));
    else
        m_composer->setSendAvailable(true);
    if (m_stopAction != nullptr) m_stopAction->setEnabled(!running.isEmpty());
    const QString unsteered = m_chat->capabilities().whyNoInterventions;
    for (QAction* action : {m_pauseAction, m_stepAction}) {
        if (action == nullptr) continue;
        action->setEnabled(here && unsteered.isEmpty());
        action->setToolTip(unsteered);
    }
    const QList<MessageRecord>& messages = m_chat->messages();
    const bool free = running.isEmpty() && m_chat->model() && !messages.isEmpty();
    if (m_regenerateAction != nullptr) {
        m_regenerateAction->setEnabled(free && messages.constLast().role == QLatin1String("assistant"));
        m_continueAction->setEnabled(free && m_chat->canContinue(messages.constLast().id));
        m_editAction->setEnabled(free);
    }
    showRefusedControls();
}

void MainWindow::showSendProblem(const SendProblem& problem, const QString& text) {
    m_refusedText = text;
    m_shorterTokens = problem.shorterAnswerTokens;
    if (m_composer->text().isEmpty()) m_composer->setText(text);
    QList<NoticeAction> actions;
    if (problem.shorterAnswer)
        actions.append(
            {QStringLiteral("shorter"), tr("Shorter answer (%1 tokens)").arg(locale().toString(problem.shorterAnswerTokens))});
    if (problem.leaveOutOldest) actions.append({QStringLiteral("oldest"), tr("Leave out the oldest turns")});
    m_composer->setProblem(problem.text, actions);
}

// ------------------------------------------------------------------------------------------------------------ live display

void MainWindow::onMessageChanged(const MessageRecord& message) {
    if (message.conversationId != m_chat->conversation().id) return;
    m_pendingMessage = message;
    m_pendingPass.reset();  // the block has joined the text
    if (!message.inProgress) return showFrame();
    if (!m_frame.isActive()) m_frame.start();
}

void MainWindow::onPass(const PassView& pass) {
    if (m_chat->runningConversation() != m_chat->conversation().id) return;
    m_blocks->addPass(pass);
    m_pendingPass = pass;
    if (!m_frame.isActive()) m_frame.start();
}

void MainWindow::showFrame() {
    m_frame.stop();
    if (m_pendingMessage) {
        const MessageRecord message = *std::exchange(m_pendingMessage, std::nullopt);
        if (m_openBlockShown) m_transcript->clearOpenBlock(message.id);
        m_openBlockShown = false;
        m_transcript->updateMessage(transcriptMessage(message));
        m_status->setStats(message.stats);
    }
    if (m_pendingPass) showOpenBlock(*std::exchange(m_pendingPass, std::nullopt));
}

void MainWindow::showOpenBlock(const PassView& pass) {
    if (!m_chat->model() || pass.type == PassType::Verify || pass.type == PassType::Token) return;
    const ModelSummary& model = *m_chat->model();
    if (model.eosIds.isEmpty()) return;  // where the text ends cannot be told by the tokens alone
    QStringList texts;
    QList<bool> masked;
    for (qsizetype row = pass.promptRows; row < pass.tokens.size(); ++row) {
        const qint32 token = pass.tokens.at(row);
        if (model.eosIds.contains(token)) break;
        const bool control = token == model.thinkEndId;
        texts.append(control ? QString() : pass.texts.at(row));
        masked.append(token == model.maskId);
    }
    m_transcript->setOpenBlock(m_chat->runningMessage(), texts, masked);
    m_openBlockShown = true;
}

void MainWindow::startNewConversation() {
    saveDraft();
    m_chat->newConversation();
    m_composer->focusEditor();
}

void MainWindow::showTitle() {
    const QString title = m_chat->conversation().title;
    setWindowTitle(title.isEmpty() ? QStringLiteral("Trefoil") : tr("%1 — Trefoil").arg(title));
}

void MainWindow::countPromptSoon() { m_countTimer.start(); }

// ---------------------------------------------------------------------------------------------------------------- history

void MainWindow::showNotice(const QString& id, const QString& text, bool error) {
    m_notices->show({id, error ? NoticeKind::Error : NoticeKind::Warning, text, {}, true});
}

void MainWindow::showStoreReport(const OpenReport& report) {
    if (report.ok()) {
        m_failedStore.clear();
        m_notices->clear(kStoreNotice);
        if (!report.notice.ok()) showNotice(kStoreNotice, report.notice.text(), false);
        if (report.temporary)
            showNotice(kStoreNotice, tr("This history is temporary: it ends with the program. Nothing is written to the disk."),
                       false);
        return;
    }
    m_failedStore = report.path;
    QList<NoticeAction> actions;
    if (report.canOpenFresh) actions.append({QStringLiteral("fresh"), tr("Go on with a new history")});
    actions.append(report.canOpenFresh ? NoticeAction{QStringLiteral("retry"), tr("Try again")}
                                       : NoticeAction{QStringLiteral("temporary"), tr("Go on without saving")});
    m_notices->show({kStoreNotice, NoticeKind::Error, report.problem.text(), actions, false});
}

void MainWindow::onNoticeAction(const QString& notice, const QString& action) {
    if (notice == kModelNotice && action == QLatin1String("open")) return chooseModel();
    if (notice == kModelWarning) return showModelDialog();
    if (notice == kWaitNotice) return retryAfterWait();
    if (notice == kEngineNotice) {
        if (action == QLatin1String("embedded")) m_chat->chooseEngine({});
        if (action == QLatin1String("servers")) showServers();
        return;
    }
    if (notice != kStoreNotice) return;
    if (action == QLatin1String("fresh")) m_services.store->openFreshAsync(m_failedStore);
    if (action == QLatin1String("retry")) m_services.store->openAsync(m_failedStore);
    if (action == QLatin1String("temporary")) m_services.store->openTemporaryAsync();
}

// ------------------------------------------------------------------------------------------------------------------- look

void MainWindow::restoreLayout() {
    resize(1280, 800);
    if (const QByteArray geometry = m_services.settings->windowGeometry(); !geometry.isEmpty()) restoreGeometry(geometry);
    if (const QByteArray state = m_services.settings->windowState(); !state.isEmpty()) restoreState(state);
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) setWindowIcon(theme::icon(QStringLiteral("trefoil"), palette()));
}

// ---------------------------------------------------------------------------------------------------------------- closing

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_chat->isRunning() && (!m_closing || m_closeWait.isActive())) {
        // The answer is stopped and kept first: within one pass, or after a bounded wait as it stands. Who asks again meanwhile
        // (a second signal, a session manager) does not cut that short.
        event->ignore();
        if (m_closing) return;
        m_closing = true;
        m_closeWait.start(kFlushTimeoutMs);
        m_chat->stop();
        return hide();
    }
    m_closeWait.stop();
    m_systemPrompt->flush();
    saveDraft();
    m_chat->keepDraft();
    m_undo->expireNow();
    m_services.settings->setWindowGeometry(saveGeometry());
    m_services.settings->setWindowState(saveState());
    (void)m_services.settings->flush();
    if (!confirmUnsaved()) {
        m_closing = false;
        show();
        return event->ignore();
    }
    event->accept();
    emit closed();
}

/// True when everything is stored, or the person lets the rest go.
bool MainWindow::confirmUnsaved(bool closing) {
    for (;;) {
        StoreWorker* const store = m_services.store;
        const FlushReport report = closing ? store->flushAndClose(kFlushTimeoutMs) : store->flush(kFlushTimeoutMs);
        if (report.allStored) return true;
        QMessageBox box(QMessageBox::Warning, tr("Not everything is saved"),
                        tr("%n change(s) could not be saved: %1", nullptr, report.waiting).arg(report.problem.text()),
                        QMessageBox::NoButton, this);
        QPushButton* wait = box.addButton(tr("Try again"), QMessageBox::AcceptRole);
        QPushButton* quit = box.addButton(tr("Quit without saving them"), QMessageBox::DestructiveRole);
        box.addButton(tr("Stay"), QMessageBox::RejectRole);
        box.setDefaultButton(wait);
        // The cause has passed while the question stood: nobody needs to answer it.
        connect(store, &StoreWorker::saved, wait, &QPushButton::click);
        box.exec();
        if (box.clickedButton() == quit) return true;
        if (box.clickedButton() != wait) return false;
    }
}

}  // namespace trefoil
