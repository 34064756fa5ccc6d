// MainWindow's menus and what they start. Apart from main_window.cpp for its length.
#include "app/core/engine_worker.h"
#include "app/core/form_maker.h"
#include "ui/blocks/block_dock.h"
#include "ui/blocks/steer_bar.h"
#include "ui/chat/composer.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/transcript_view.h"
#include "ui/compare/compare_menu.h"
#include "ui/desktop/desktop_look.h"
#include "ui/heat/heat_menu.h"
#include "ui/main_window/main_window.h"
#include "ui/models/compatibility_page.h"
#include "ui/models/form_making.h"
#include "ui/models/model_dialog.h"
#include "ui/models/open_model_page.h"
#include "ui/models/prompt_view_dialog.h"
#include "ui/models/status_bar.h"
#include "ui/servers/engine_menu.h"
#include "ui/theme/theme.h"
#include "ui/traces/trace_menu.h"
#include "ui/transfer/transfer_menu.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>

namespace trefoil {
QAction* MainWindow::addAction(QMenu* menu, const QString& text, const QKeySequence& keys, const QString& name) {
    QAction* action = menu->addAction(text);
    action->setObjectName(name);
    action->setShortcut(keys);
    return action;
}

void MainWindow::buildMenus() {
    buildFileMenu();
    buildChatMenu();
    buildViewMenu();
    buildHelpMenu();
}

void MainWindow::buildFileMenu() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    connect(addAction(file, tr("&New chat"), QKeySequence::New, QStringLiteral("actionNewChat")), &QAction::triggered, this,
            &MainWindow::startNewConversation);
    connect(addAction(file, tr("&Open model…"), QKeySequence::Open, QStringLiteral("actionOpenModel")), &QAction::triggered, this,
            &MainWindow::chooseModel);
    QMenu* recent = file->addMenu(tr("&Recent models"));
    recent->setObjectName(QStringLiteral("menuRecentModels"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecentMenu(recent); });
    connect(addAction(file, tr("Open the &demo model"), {}, QStringLiteral("actionDemoModel")), &QAction::triggered, this,
            [this] { openModel(m_services.demoModelFolder); });
    connect(addAction(file, tr("About the &model…"), Qt::CTRL | Qt::Key_I, QStringLiteral("actionModelDialog")),
            &QAction::triggered, this, &MainWindow::showModelDialog);
    file->addSeparator();
    m_transfer = new TransferMenu({m_chat, m_services.store, m_notices, this}, file, this);
    new TraceMenu(m_blocks, file, this, [this](const QString& text) { m_status->setActivity(text); });
    connect(addAction(file, tr("Se&ttings…"), Qt::CTRL | Qt::Key_Comma, QStringLiteral("actionPreferences")), &QAction::triggered,
            this, [this] { showPreferences(PreferencesPage::Appearance); });
    file->addSeparator();
    connect(addAction(file, tr("&Quit"), QKeySequence::Quit, QStringLiteral("actionQuit")), &QAction::triggered, this,
            &QWidget::close);
}

void MainWindow::buildChatMenu() {
    QMenu* chat = menuBar()->addMenu(tr("&Chat"));
    m_stopAction = addAction(chat, tr("&Stop"), Qt::CTRL | Qt::Key_Period, QStringLiteral("actionStop"));
    connect(m_stopAction, &QAction::triggered, m_chat, &ChatController::stop);
    m_pauseAction = addAction(chat, tr("Pa&use or go on"), Qt::Key_F7, QStringLiteral("actionPause"));
    connect(m_pauseAction, &QAction::triggered, m_blocks->steering(), &SteerBar::pauseOrGoOn);
    m_stepAction = addAction(chat, tr("Ma&ke one pass"), Qt::Key_F8, QStringLiteral("actionStep"));
    connect(m_stepAction, &QAction::triggered, m_chat, &ChatController::step);
    m_regenerateAction = addAction(chat, tr("&Regenerate the answer"), Qt::CTRL | Qt::Key_R, QStringLiteral("actionRegenerate"));
    connect(m_regenerateAction, &QAction::triggered, this, [this] {
        if (!m_chat->messages().isEmpty()) m_chat->regenerate(m_chat->messages().constLast().id);
    });
    m_continueAction =
        addAction(chat, tr("C&ontinue the answer"), Qt::CTRL | Qt::SHIFT | Qt::Key_R, QStringLiteral("actionContinue"));
    connect(m_continueAction, &QAction::triggered, this, [this] {
        if (!m_chat->messages().isEmpty()) m_chat->continueAnswer(m_chat->messages().constLast().id);
    });
    m_editAction = addAction(chat, tr("&Edit the last question"), Qt::CTRL | Qt::Key_Up, QStringLiteral("actionEditQuestion"));
    connect(m_editAction, &QAction::triggered, this, [this] {
        const QList<MessageRecord>& messages = m_chat->messages();
        for (auto it = messages.crbegin(); it != messages.crend(); ++it)
            if (it->role == QLatin1String("user")) return startEdit(it->id);
    });
    chat->addSeparator();
    connect(addAction(chat, tr("&Copy the last answer"), Qt::CTRL | Qt::SHIFT | Qt::Key_C, QStringLiteral("actionCopyAnswer")),
            &QAction::triggered, this, [this] {
                const QList<MessageRecord>& messages = m_chat->messages();
                for (auto it = messages.crbegin(); it != messages.crend(); ++it)
                    if (it->role == QLatin1String("assistant")) return QApplication::clipboard()->setText(it->content);
            });
    chat->addMenu(m_engines->menu());
    m_compare = new CompareMenu({m_chat, m_services.presets, m_services.compare, this}, chat, this);
    connect(addAction(chat, tr("The &prompt as it is sent…"), Qt::CTRL | Qt::Key_P, QStringLiteral("actionPromptView")),
            &QAction::triggered, this, &MainWindow::showPromptView);
    chat->addSeparator();
    connect(addAction(chat, tr("&Find in the conversation"), QKeySequence::Find, QStringLiteral("actionFind")),
            &QAction::triggered, m_find, &FindBar::open);
    connect(addAction(chat, tr("Find ne&xt"), QKeySequence(Qt::Key_F3), QStringLiteral("actionFindNext")), &QAction::triggered,
            this, [this] { m_find->step(true); });
    connect(addAction(chat, tr("Find pre&vious"), QKeySequence(Qt::SHIFT | Qt::Key_F3), QStringLiteral("actionFindPrevious")),
            &QAction::triggered, this, [this] { m_find->step(false); });
    connect(addAction(chat, tr("Search &all conversations"), Qt::CTRL | Qt::SHIFT | Qt::Key_F, QStringLiteral("actionSearch")),
            &QAction::triggered, this, [this] { m_list->focusSearch(); });
    chat->addSeparator();
    connect(addAction(chat, tr("Re&name the conversation"), {}, QStringLiteral("actionRename")), &QAction::triggered, this,
            [this] { m_list->startRename(m_chat->conversation().id); });
    connect(addAction(chat, tr("&Delete the conversation"), {}, QStringLiteral("actionDelete")), &QAction::triggered, this,
            [this] {
                if (!m_list->current().isEmpty()) m_chat->deleteConversation(m_list->current());
            });
}

void MainWindow::buildViewMenu() {
    QMenu* view = menuBar()->addMenu(tr("&View"));
    QAction* conversations = addAction(view, tr("&Conversations"), Qt::CTRL | Qt::Key_B, QStringLiteral("actionShowList"));
    conversations->setCheckable(true);
    conversations->setChecked(true);
    connect(conversations, &QAction::toggled, m_list, &QWidget::setVisible);
    const auto addDock = [view](QDockWidget* dock, const QString& name, const QKeySequence& keys) {
        dock->toggleViewAction()->setObjectName(name);
        dock->toggleViewAction()->setShortcut(keys);
        view->addAction(dock->toggleViewAction());
    };
    addDock(m_blockDockWidget, QStringLiteral("actionShowBlocks"), Qt::CTRL | Qt::SHIFT | Qt::Key_B);
    addDock(m_generationDockWidget, QStringLiteral("actionShowGeneration"), Qt::CTRL | Qt::SHIFT | Qt::Key_G);
    QAction* experts = m_expertDockWidget->toggleViewAction();
    experts->setObjectName(QStringLiteral("actionExperts"));
    experts->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_X);
    view->addAction(experts);
    // It is a tab: asked for, it is to be seen.
    connect(experts, &QAction::triggered, m_expertDockWidget, [this](bool shown) {
        if (shown) m_expertDockWidget->raise();
    });
    m_transfer->addStatistics(view);
    new HeatMenu({m_chat, m_services.settings, m_transcript, m_blocks, [this] { return m_tracedMessage; },
                  [this](const QString& text) { m_status->setActivity(text); }},
                 view, this);
    view->addSeparator();

    QMenu* themes = view->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    const QList<QPair<ThemeChoice, QString>> choices{
        {ThemeChoice::System, tr("Like the &desktop")}, {ThemeChoice::Light, tr("&Light")}, {ThemeChoice::Dark, tr("D&ark")}};
    for (const auto& choice : choices) {
        QAction* action = themes->addAction(choice.second);
        action->setObjectName(QStringLiteral("actionTheme%1").arg(static_cast<int>(choice.first)));
        action->setCheckable(true);
        action->setChecked(choice.first == m_services.settings->theme());
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, theme = choice.first] { m_services.settings->setTheme(theme); });
        connect(m_services.settings, &Settings::themeChanged, action,
                [action, theme = choice.first](ThemeChoice now) { action->setChecked(now == theme); });
    }
    connect(addAction(view, tr("Lar&ger text"), QKeySequence::ZoomIn, QStringLiteral("actionLarger")), &QAction::triggered, this,
            [this] { m_look->zoom(1); });
    connect(addAction(view, tr("S&maller text"), QKeySequence::ZoomOut, QStringLiteral("actionSmaller")), &QAction::triggered,
            this, [this] { m_look->zoom(-1); });
    connect(addAction(view, tr("N&ormal text"), Qt::CTRL | Qt::Key_0, QStringLiteral("actionNormalText")), &QAction::triggered,
            this, [this] { m_look->zoom(0); });
}

void MainWindow::buildHelpMenu() {
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    connect(addAction(help, tr("&Keyboard shortcuts"), QKeySequence::HelpContents, QStringLiteral("actionShortcuts")),
            &QAction::triggered, this, &MainWindow::showShortcuts);
    connect(addAction(help, tr("&About Trefoil"), {}, QStringLiteral("actionAbout")), &QAction::triggered, this,
            &MainWindow::showAbout);
}

void MainWindow::openModel(const QString& folder) {
    ModelLoadRequest request;
    request.folder = folder;
    request.device = m_services.device;
    request.threads = m_services.threads;
    request.gpuMemory = m_services.settings->gpuMemory();
    request.switches = rememberedSwitches(folder);
    m_chat->loadModel(request);
}

CompatibilityChoices MainWindow::rememberedSwitches(const QString& folder) const {
    const CompatibilityChoices stored = m_services.settings->compatibility(QDir(folder).absolutePath());
    CompatibilityChoices known;
    for (const CompatibilityValue& value : compatibilityValues())
        if (value.choices.contains(stored.value(value.name))) known.insert(value.name, stored.value(value.name));
    return known;
}

/// What a model was loaded with is what it will be loaded with.
void MainWindow::rememberSwitches(const ModelSummary& model) {
    CompatibilityChoices chosen;
    for (const CompatibilityValue& value : model.compatibility)
        if (value.origin == CompatibilityOrigin::User) chosen.insert(value.name, value.value);
    m_services.settings->setCompatibility(QDir(model.folder).absolutePath(), chosen);
}

void MainWindow::openStartModel(const QString& named) {
    const auto there = [](const QString& folder) { return !folder.isEmpty() && QFileInfo(folder).isDir(); };
    const QString standard = m_services.settings->defaultModel();
    const QString last = m_services.settings->lastModelFolder();
    if (!named.isEmpty()) return openModel(named);
    if (there(standard)) return openModel(standard);
    openModel(there(last) ? last : m_services.demoModelFolder);
    if (!standard.isEmpty())
        showNotice(QStringLiteral("defaultModel"),
                   tr("The model to load at every start is not there any more: %1. Choose another one with File, Recent models, "
                      "Manage.")
                       .arg(QDir::toNativeSeparators(standard)),
                   false);
}

void MainWindow::chooseModel() {
    const QString last = m_services.settings->lastModelFolder();
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Choose a model folder"), last.isEmpty() ? QDir::homePath() : last);
    if (!folder.isEmpty()) showOpenPage(folder);
}

/// Made anew each time it is opened: folders come and go.
void MainWindow::fillRecentMenu(QMenu* menu) {
    menu->clear();
    for (const QString& folder : m_services.settings->recentModels()) {
        const QString name = QDir(folder).dirName();
        const bool missing = !QFileInfo(folder).isDir();
        QString text = missing ? tr("%1 (the folder is missing)").arg(name) : name;
        QAction* action = menu->addAction(text.replace(QLatin1Char('&'), QLatin1String("&&")));
        action->setToolTip(QDir::toNativeSeparators(folder));
        action->setData(folder);
        connect(action, &QAction::triggered, this, [this, folder, missing] {
            if (missing) return showOpenPage(folder);
            openModel(folder);
        });
    }
    menu->setToolTipsVisible(true);
    if (menu->isEmpty()) menu->addAction(tr("No other model was loaded yet"))->setEnabled(false);
    menu->addSeparator();
    connect(addAction(menu, tr("&Manage…"), {}, QStringLiteral("actionManageModels")), &QAction::triggered, this,
            [this] { showOpenPage({}); });
}

void MainWindow::showPromptView() {
    if (m_promptView == nullptr) m_promptView = new PromptViewDialog(this);
    m_promptView->setPrompt(m_lastPrompt);
    m_promptView->show();
    m_promptView->raise();
    m_chat->countPrompt(m_composer->text(), m_edited);
}

void MainWindow::buildModelDialog() {
    if (m_modelDialog != nullptr) return;
    m_modelDialog = new ModelDialog(this);
    connect(m_modelDialog, &ModelDialog::openModelRequested, this, &MainWindow::chooseModel);
    OpenModelPage* page = m_modelDialog->openPage();
    const auto withSwitches = [this](ModelLoadRequest request) {
        if (request.switches.isEmpty()) request.switches = rememberedSwitches(request.folder);
        return request;
    };
    connect(page, &OpenModelPage::examineRequested, this,
            [this, withSwitches](const ModelLoadRequest& request) { m_chat->examineModel(withSwitches(request)); });
    connect(page, &OpenModelPage::loadRequested, this, [this, withSwitches](const ModelLoadRequest& request) {
        m_chat->loadModel(withSwitches(request));
        m_modelDialog->accept();
    });
    connect(page, &OpenModelPage::removeRequested, this, [this](const QString& folder) {
        Settings* settings = m_services.settings;
        settings->removeRecentModel(folder);
        if (settings->defaultModel() == folder) settings->setDefaultModel({});
    });
    connect(page, &OpenModelPage::defaultModelChosen, m_services.settings, &Settings::setDefaultModel);
    connect(m_modelDialog->compatibilityPage(), &CompatibilityPage::loadRequested, this,
            [this](const CompatibilityChoices& choices) {
                ModelLoadRequest request = m_chat->loadedRequest();
                request.switches = choices;
                request.mayUnload = false;
                request.gpuMemory = m_services.settings->gpuMemory();
                m_chat->loadModel(request);
            });
    connectCards(page);
    connect(m_services.settings, &Settings::recentModelsChanged, page, [this] { showRecentModels(); });
    connect(m_services.settings, &Settings::defaultModelChanged, page, [this] { showRecentModels(); });
}

/// What the Model dialog says of the cards, and the making of another form for them.
void MainWindow::connectCards(OpenModelPage* page) {
    page->setGpuMemory(m_services.settings->gpuMemory());
    connect(page, &OpenModelPage::gpuMemoryChosen, m_services.settings, &Settings::setGpuMemory);
    connect(page, &OpenModelPage::measureRequested, this, [this, page] {
        page->setMeasuring(true);
        m_chat->measureCards();
    });
    connect(m_chat, &ChatController::cardsMeasured, page, [page](int cards) {
        page->setMeasuring(false, cards);
        page->refresh();
    });
    FormMaking* making = page->making();
    FormMaker* maker = m_services.maker;
    connect(making, &FormMaking::openRequested, this, [this](const QString& folder) { showOpenPage(folder); });
    if (maker == nullptr) return;
    if (maker->isRunning()) making->begin(maker->folder());
    connect(making, &FormMaking::startRequested, maker,
            [page, making, maker](const QString& model, ModelForm form, const QString& folder) {
                if (!maker->start(model, form, folder)) return;
                making->begin(folder);
                page->refresh();
            });
    connect(making, &FormMaking::stopRequested, maker, &FormMaker::stop);
    connect(maker, &FormMaker::progress, making, &FormMaking::setProgress);
    connect(maker, &FormMaker::finished, page, [page, making](const MadeForm& made) {
        making->setFinished(made);
        page->refresh();
    });
}

void MainWindow::showRecentModels() {
    QList<RecentModel> models;
    for (const QString& folder : m_services.settings->recentModels()) models.append({folder, !QFileInfo(folder).isDir()});
    OpenModelPage* page = m_modelDialog->openPage();
    page->setRecentModels(models);
    page->setDefaultModel(m_services.settings->defaultModel());
}

void MainWindow::showModelDialog() {
    buildModelDialog();
    const ModelSummary loaded = m_chat->loadedModel().value_or(ModelSummary());
    m_modelDialog->setModel(loaded, EngineWorker::devices());
    m_modelDialog->openPage()->setModelInUse(loaded.name);
    m_modelDialog->openPage()->setDevice(m_services.device, m_services.threads);
    showRecentModels();
    m_modelDialog->showPage(ModelDialog::Page::InUse);
    m_modelDialog->show();
    m_modelDialog->raise();
}

void MainWindow::showOpenPage(const QString& folder, const CompatibilityChoices& switches) {
    showModelDialog();
    m_modelDialog->showPage(ModelDialog::Page::Load);
    m_modelDialog->openPage()->examine(folder.isEmpty() ? folder : QDir(folder).absolutePath(), switches);
}

void MainWindow::showAbout() {
    QMessageBox::about(
        this, tr("About Trefoil"),
        tr("<h3>Trefoil %1</h3><p>Chat with block-diffusion language models on your own machine, and watch them decode.</p>"
           "<p>Everything stays here, but for conversations that you give to a server: their text is sent there.</p><p>Apache "
           "License 2.0. Uses Qt %2, SentencePiece, SQLite, "
           "md4c, zstd, libwebp, nlohmann/json, spdlog and CLI11; see NOTICE.</p>")
            .arg(QApplication::applicationVersion(), QString::fromLatin1(qVersion())));
}

}  // namespace trefoil
