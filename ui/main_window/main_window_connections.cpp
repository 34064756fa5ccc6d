// MainWindow's connections: controller to widgets, widgets to controller, history and settings to notices. Apart from
// main_window.cpp for its length.
#include "ui/blocks/block_dock.h"
#include "ui/blocks/steer_bar.h"
#include "ui/chat/composer.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/system_prompt_panel.h"
#include "ui/chat/transcript_view.h"
#include "ui/chat/undo_bar.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/message_conversion.h"
#include "ui/main_window/notice_ids.h"
#include "ui/models/load_progress.h"
#include "ui/models/model_dialog.h"
#include "ui/models/open_model_page.h"
#include "ui/models/prompt_view_dialog.h"
#include "ui/models/status_bar.h"
#include "ui/settings/generation_dock.h"

#include <QDockWidget>

#include <algorithm>
#include <utility>

namespace trefoil {

void MainWindow::connectChat() {
    connect(m_chat, &ChatController::listChanged, this, [this](const QList<ConversationSummary>& list, const QString& working) {
        m_list->setItems(toConversationItems(list, working));
        m_list->setCurrent(m_chat->conversation().id);
        showTitle();
    });
    connect(m_chat, &ChatController::conversationShown, this, &MainWindow::showConversation);
    connect(m_chat, &ChatController::conversationDeleted, this, [this](const QString& id, const QString& title) {
        m_undo->offer(id, title.isEmpty() ? tr("Conversation deleted.") : tr("“%1” deleted.").arg(title));
    });
    connect(m_chat, &ChatController::controlsChanged, this, [this](const ControlValues& values) {
        m_generation->setValues(values);
        m_composer->setThinking(values.value(QStringLiteral("enable_thinking"), true).toBool());
        countPromptSoon();
    });
    connect(m_chat, &ChatController::messageAdded, this,
            [this](const MessageRecord& message) { m_transcript->appendMessage(transcriptMessage(message)); });
    connect(m_chat, &ChatController::messageChanged, this, &MainWindow::onMessageChanged);
    connect(m_chat, &ChatController::messageRemoved, this, [this](const QString& id) {
        m_transcript->removeMessage(id);
        if (id != m_edited) return;
        keepEdit();
        showEdit();
    });
    connect(m_chat, &ChatController::runningChanged, this, &MainWindow::showRunning);
    connect(m_chat, &ChatController::activityChanged, this, [this](const QString& text) {
        m_status->setActivity(text);
        const bool here = m_chat->runningConversation() == m_chat->conversation().id;
        m_transcript->setActivity(here ? text : QString());
    });
    connectAnswers();
    connectLoading();
    connectEngines();
}

/// The answer being written, and saved ones that are looked at again.
void MainWindow::connectAnswers() {
    connect(m_chat, &ChatController::answerBegan, this, [this](const TraceView& /*trace*/) {
        m_tracedMessage = m_chat->runningMessage();
        showLiveBlocks();
        m_status->clearStats();
    });
    connect(m_chat, &ChatController::passArrived, this, &MainWindow::onPass);
    connectSteering();
    connect(m_chat, &ChatController::answerEnded, this, [this](const MessageRecord& answer) {
        if (answer.conversationId == m_chat->conversation().id) m_blocks->endLive();
    });
    connect(
        m_chat, &ChatController::answerEnded, this,
        [this] {
            if (m_closing) close();
        },
        Qt::QueuedConnection);
    connect(m_chat, &ChatController::traceReady, this, [this](const QString& id, const TraceView& trace, const QString& problem) {
        if (id != m_tracedMessage) return;
        m_blocks->setTrace(trace);
        if (!problem.isEmpty()) m_status->setActivity(problem);
    });
    connect(m_chat, &ChatController::promptCounted, this, [this](const PromptView& prompt) {
        m_lastPrompt = prompt;
        qint64 answer = positionsNeeded(prompt.tokens, m_chat->controls()) - prompt.tokens;
        // An engine that counts itself keeps the answer inside its context.
        if (!prompt.exact) answer = std::min(answer, std::max<qint64>(0, prompt.context - prompt.tokens));
        m_composer->setContextUsage(prompt.tokens, answer, prompt.context);
        if (m_promptView != nullptr && m_promptView->isVisible()) m_promptView->setPrompt(prompt);
    });
    connect(m_chat, &ChatController::sent, this, [this](const QString& text) {
        m_composer->setProblem({});
        if (m_composer->text() == text) m_composer->setText({});  // an example was sent otherwise: the draft stays
        saveDraft();
        countPromptSoon();
    });
    connect(m_chat, &ChatController::sendRefused, this, &MainWindow::showSendProblem);
    connect(m_chat, &ChatController::storeProblem, this, [this](const QString& text) { showNotice(kStoreNotice, text, true); });
}

/// Pauses, single steps and changes by hand.
void MainWindow::connectSteering() {
    const auto here = [this] { return m_chat->runningConversation() == m_chat->conversation().id; };
    connect(m_chat, &ChatController::pausedAt, this, [this, here](const PauseView& state) {
        if (!here()) return;
        m_blocks->setPaused(state);
        m_status->setActivity(SteerBar::stateText(state));
    });
    connect(m_chat, &ChatController::resumed, this, [this, here] {
        if (!here()) return;
        m_blocks->setResumed();
        m_status->setActivity({});
    });
    const SteerBar* const bar = m_blocks->steering();
    connect(bar, &SteerBar::pauseRequested, m_chat, &ChatController::pause);
    connect(bar, &SteerBar::resumeRequested, m_chat, &ChatController::resume);
    connect(bar, &SteerBar::stepRequested, m_chat, &ChatController::step);
    connect(bar, &SteerBar::changeRequested, m_chat, &ChatController::editRow);
    connect(bar, &SteerBar::textRequested, m_chat, &ChatController::editText);
}

void MainWindow::connectLoading() {
    connect(m_chat, &ChatController::loadStarted, this, [this](const QString& name) {
        m_notices->clear(kModelNotice);
        m_status->loadProgress()->begin(name);
        showLoading();
    });
    connect(m_chat, &ChatController::loadProgress, m_status->loadProgress(), &LoadProgress::setProgress);
    connect(m_chat, &ChatController::modelReady, this, &MainWindow::showModel);
    connect(m_chat, &ChatController::modelGone, this, [this] {
        m_notices->clear(kModelWarning);
        if (m_modelDialog != nullptr) m_modelDialog->openPage()->setModelInUse({});
    });
    connect(m_chat, &ChatController::loadEnded, this, &MainWindow::onLoadEnded);
    connect(m_chat, &ChatController::modelExamined, this, [this](const ModelExaminationView& model) {
        if (m_modelDialog != nullptr) m_modelDialog->openPage()->setExamination(model);
    });
}

/// A model begins to be loaded, or is not any more: what says so where there is none.
void MainWindow::showLoading() {
    showWelcome();
    showRunning();
}

void MainWindow::onLoadEnded(const ModelLoadRequest& request, const QString& message, LoadEnd end) {
    m_status->loadProgress()->finish();
    showLoading();
    if (end == LoadEnd::NeedsUnloading) return showOpenPage(request.folder, request.switches);
    if (end == LoadEnd::Cancelled && m_chat->loadedModel()) return;
    const auto loaded = m_chat->loadedModel();
    const QString now = loaded ? tr(" %1 stays loaded.").arg(loaded->name) : tr(" No model is loaded now.");
    m_notices->show(
        {kModelNotice,
         end == LoadEnd::Cancelled ? NoticeKind::Warning : NoticeKind::Error,
         (end == LoadEnd::Cancelled ? tr("Loading was stopped.") : tr("The model could not be loaded: %1.").arg(message)) + now,
         {{QStringLiteral("open"), tr("Open another…")}},
         true});
}

void MainWindow::connectWidgets() {
    connect(m_list, &ConversationList::newRequested, this, &MainWindow::startNewConversation);
    connect(m_list, &ConversationList::opened, this, [this](const QString& id) {
        saveDraft();
        m_chat->openConversation(id);
    });
    connect(m_list, &ConversationList::renamed, m_chat, &ChatController::renameConversation);
    connect(m_list, &ConversationList::deleteRequested, m_chat, &ChatController::deleteConversation);
    connect(m_undo, &UndoBar::undoRequested, m_chat, &ChatController::undoDelete);
    connect(m_systemPrompt, &SystemPromptPanel::textEdited, m_chat, &ChatController::setSystemPrompt);
    connect(m_systemPrompt, &SystemPromptPanel::textEdited, this, &MainWindow::countPromptSoon);

    connectBranches();
    connect(m_transcript, &TranscriptView::exampleChosen, m_chat, &ChatController::send);
    connect(m_transcript, &TranscriptView::traceRequested, this, [this](const QString& id) {
        m_blockDockWidget->show();
        m_blockDockWidget->raise();
        if (m_tracedMessage == id && id == m_chat->runningMessage()) return;  // on show already
        m_tracedMessage = id;
        if (id == m_chat->runningMessage()) return showLiveBlocks();
        m_chat->requestTrace(id);
    });

    connectSearch();
    connectComposer();
    connectGeneration();

    connect(m_status, &StatusBar::modelClicked, this, &MainWindow::showModelDialog);
    connect(m_status->loadProgress(), &LoadProgress::cancelRequested, m_chat, &ChatController::cancelLoad);
    connect(m_notices, &NoticeBar::actionTriggered, this, &MainWindow::onNoticeAction);
}

void MainWindow::connectSearch() {
    connect(m_list, &ConversationList::searchRequested, this,
            [this](const QString& text) { m_searchRequest = m_services.store->searchAsync(text); });
    connect(m_services.store, &StoreWorker::searched, this,
            [this](RequestId id, const SearchResult& result, const StoreProblem& problem) {
                if (id != m_searchRequest) return;
                if (!problem.ok()) showNotice(kStoreNotice, problem.text(), false);
                SearchResult shown = result;
                if (!problem.ok()) shown.text = m_list->searchText();  // it is over, with what there is
                m_list->setSearchResult(shown);
            });
    // What has come to the history since may be what is looked for; the store answers after it has written.
    connect(m_chat, &ChatController::sent, m_list, &ConversationList::searchAgain);
    connect(m_chat, &ChatController::answerEnded, m_list, &ConversationList::searchAgain);
    connect(m_services.store, &StoreWorker::imported, m_list, &ConversationList::searchAgain);
    connect(m_list, &ConversationList::hitOpened, this, [this](const QString& id, const QString& messageId) {
        m_jumpTo = messageId;
        m_jumpIn = id;
        if (id == m_chat->conversation().id) return jumpToHit();
        saveDraft();
        m_chat->openConversation(id);
    });
    // The words that led to a message are marked as long as they are searched for.
    connect(m_list, &ConversationList::searchEnded, this, [this] {
        if (!m_find->isVisible()) m_transcript->setMarks({});
    });
    connect(m_find, &FindBar::closed, m_composer, &Composer::focusEditor);
}

void MainWindow::jumpToHit() {
    if (m_jumpTo.isEmpty()) return;
    const QString id = std::exchange(m_jumpTo, QString());
    // Something else was opened meanwhile.
    if (m_jumpIn != m_chat->conversation().id) return;
    const auto& messages = m_chat->messages();
    const bool shown =
        std::any_of(messages.cbegin(), messages.cend(), [&id](const MessageRecord& message) { return message.id == id; });
    if (shown) {
        m_find->close();
        const QStringList terms = parseSearch(m_list->searchText()).terms;
        m_transcript->setMarks([terms](const QString& text) { return findTerms(text, terms); });
        m_transcript->showMark({id, false, 0});
        return;
    }
    // In another version: branchShown comes back here. Nothing happens when it is not in this conversation (any more).
    if (m_jumpedAside == id) return;
    m_jumpedAside = m_jumpTo = id;
    m_chat->showVersion(id);
    m_jumpedAside.clear();
    m_jumpTo.clear();
}

/// Versions of questions and answers.
void MainWindow::connectBranches() {
    connect(m_transcript, &TranscriptView::regenerateRequested, m_chat, &ChatController::regenerate);
    connect(m_transcript, &TranscriptView::regenerateFromRequested, m_chat, &ChatController::regenerateFrom);
    connect(m_transcript, &TranscriptView::continueRequested, m_chat, &ChatController::continueAnswer);
    connect(m_transcript, &TranscriptView::editRequested, this, &MainWindow::startEdit);
    connect(m_transcript, &TranscriptView::versionRequested, m_chat, &ChatController::showVersion);
    connect(m_chat, &ChatController::branchShown, this, &MainWindow::showBranch);
    connect(m_blocks, &BlockDock::regenerateFromRequested, this,
            [this](int block) { m_chat->regenerateFrom(m_tracedMessage, block); });
}

void MainWindow::connectComposer() {
    connect(m_composer, &Composer::sendRequested, this, &MainWindow::sendComposer);
    connect(m_composer, &Composer::editCancelled, this, &MainWindow::endEdit);
    connect(m_composer, &Composer::stopRequested, m_chat, &ChatController::stop);
    connect(m_composer, &Composer::textEdited, this, [this] {
        m_draftTimer.start();
        countPromptSoon();
    });
    connect(m_composer, &Composer::thinkingToggled, this, [this](bool thinking) {
        ControlValues values = m_chat->controls();
        values.insert(QStringLiteral("enable_thinking"), thinking);
        m_chat->setControls(values);
    });
    connect(m_composer, &Composer::problemAction, this, [this](const QString& action) {
        m_composer->setProblem({});
        if (action == QLatin1String("cancelEdit")) endEdit();
        if (action == QLatin1String("shorter")) m_chat->sendWithShorterAnswer(m_refusedText, m_shorterTokens, m_edited);
        if (action == QLatin1String("oldest")) m_chat->sendWithoutOldest(m_refusedText, m_edited);
    });
}

void MainWindow::connectGeneration() {
    connect(m_generation, &GenerationDock::valuesChanged, m_chat, &ChatController::setControls);
    connect(m_generation, &GenerationDock::presetChosen, this, [this](const QString& name) {
        ControlValues values = m_chat->controls();
        const ControlValues preset = m_services.presets->controls(name);
        for (auto it = preset.constBegin(); it != preset.constEnd(); ++it) values.insert(it.key(), it.value());
        m_chat->setControls(values);
    });
    const auto presetDone = [this](const StoreProblem& problem) {
        m_generation->setPresets(m_services.presets->names());
        if (!problem.ok()) showNotice(kSettingsNotice, problem.text(), true);
    };
    connect(m_generation, &GenerationDock::presetSaveRequested, this,
            [this, presetDone](const QString& name) { presetDone(m_services.presets->save(name, m_generation->values())); });
    connect(m_generation, &GenerationDock::presetRemoveRequested, this,
            [this, presetDone](const QString& name) { presetDone(m_services.presets->remove(name)); });
}

void MainWindow::connectStore() {
    connect(m_services.store, &StoreWorker::notSaved, this, [this](const StoreProblem& reason, int /*waiting*/) {
        m_notices->show({kSaveNotice,
                         NoticeKind::Warning,
                         tr("Not saved yet: %1 Nothing is lost while Trefoil stays open; it keeps trying.").arg(reason.text()),
                         {},
                         false});
    });
    connect(m_services.store, &StoreWorker::saved, this, [this] { m_notices->clear(kSaveNotice); });
    connect(m_services.store, &StoreWorker::writeRejected, this, [this](const StoreProblem& problem) {
        showNotice(kStoreNotice, tr("A change could not be kept: %1").arg(problem.text()), true);
    });
    connect(m_services.settings, &Settings::notSaved, this, [this](const StoreProblem& problem) {
        showNotice(kSettingsNotice, tr("Settings are not saved: %1").arg(problem.text()), false);
    });
    connect(m_services.settings, &Settings::saved, this, [this] { m_notices->clear(kSettingsNotice); });
}

}  // namespace trefoil
