// MainWindow's manners on the desktop: look, keys, settings dialog, notifications, announcements. Apart from main_window.cpp for
// its length.
#include "ui/chat/conversation_list.h"
#include "ui/chat/system_prompt_panel.h"
#include "ui/chat/undo_bar.h"
#include "ui/desktop/announcer.h"
#include "ui/desktop/desktop_look.h"
#include "ui/desktop/notifier.h"
#include "ui/desktop/preferences_dialog.h"
#include "ui/desktop/shortcut_sheet.h"
#include "ui/desktop/shortcut_table.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/window_state.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QMenuBar>
#include <QWindow>

#include <algorithm>

namespace trefoil {

/// After the menus: their actions are what keys are given to.
void MainWindow::buildDesktop() {
    m_look = new DesktopLook(m_services.settings, this);
    connect(m_look, &DesktopLook::changed, this, [this] { setWindowIcon(theme::icon(QStringLiteral("trefoil"), palette())); });
    setWindowIcon(theme::icon(QStringLiteral("trefoil"), palette()));
    m_shortcuts = new ShortcutTable(menuBar(), m_services.settings, this);
    m_notifier = new Notifier(this);
    connect(m_notifier, &Notifier::activated, this, [this] { bringToFront({}); });
    m_announcer = new Announcer(this);
    connect(m_chat, &ChatController::answerBegan, this, [this] {
        m_notifier->answerBegan();
        m_announcedText = 0;
        m_passesOfBlock = 0;
    });
    connect(m_chat, &ChatController::passArrived, this, [this](const PassView& pass) {
        m_passesOfBlock = pass.step + 1;
        m_blockOfPass = pass.block;
        m_singleTokens = pass.type == PassType::Token;
    });
    connect(m_chat, &ChatController::messageChanged, this, &MainWindow::announceBlock);
    connect(m_chat, &ChatController::answerEnded, this, &MainWindow::notifyAnswer);
    connect(qApp, &QGuiApplication::commitDataRequest, this, &MainWindow::keepForLogOut, Qt::DirectConnection);
}

/// Each block once, when its text has joined the answer. The thinking is not read out.
void MainWindow::announceBlock(const MessageRecord& message) {
    if (message.role != QLatin1String("assistant") || message.conversationId != m_chat->conversation().id) return;
    if (message.id != m_announcedMessage) {
        m_announcedMessage = message.id;
        m_announcedText = 0;
    }
    const qsizetype length = message.content.size();
    // Single tokens and pieces are read out by the sentence, about: not each by itself.
    constexpr qsizetype kRun = 120;
    if (m_singleTokens && message.inProgress && length - m_announcedText < kRun) return;
    if (length > m_announcedText && m_passesOfBlock > 0)
        m_announcer->say(blockSummary(m_blockOfPass + 1, m_passesOfBlock, message.content.mid(m_announcedText)));
    m_announcedText = std::max(m_announcedText, length);
}

void MainWindow::notifyAnswer(const MessageRecord& answer) {
    const bool seen = QGuiApplication::applicationState() == Qt::ApplicationActive && isVisible() && !isMinimized();
    if (seen || !m_services.settings->notifyWhenDone() || m_closing) return;
    constexpr qsizetype kShown = 160;
    QString text = answer.content.simplified();
    if (text.size() > kShown) text = text.left(kShown) + QChar(0x2026);
    m_notifier->answerEnded(tr("The answer is written"), text);
}

void MainWindow::showShortcuts() {
    auto* sheet = new ShortcutSheet(m_shortcuts, this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    connect(sheet, &ShortcutSheet::changeRequested, this, [this] { showPreferences(PreferencesPage::Keys); });
    sheet->open();
}

void MainWindow::showPreferences(PreferencesPage page) {
    auto* dialog = new PreferencesDialog(m_services.settings, m_shortcuts, m_services.localApi, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->showPage(page == PreferencesPage::Keys       ? PreferencesDialog::Page::Keys
                     : page == PreferencesPage::LocalApi ? PreferencesDialog::Page::LocalApi
                                                         : PreferencesDialog::Page::Appearance);
    dialog->open();
}

void MainWindow::bringToFront(const QString& activationToken) {
    // Wayland lets a window come to the front only with a token of the program that the person just used; Qt reads it from here.
    if (!activationToken.isEmpty()) qputenv("XDG_ACTIVATION_TOKEN", activationToken.toUtf8());
    if (isMinimized()) setWindowState(windowState() & ~Qt::WindowMinimized);
    show();
    raise();
    activateWindow();
    if (windowHandle() != nullptr) windowHandle()->requestActivate();
}

/// The desktop's session is about to end, or only asks for everything to be stored: what is written goes on, and ends when the
/// window is closed. Asks only where something cannot be stored and the session manager lets programs ask.
void MainWindow::keepForLogOut(QSessionManager& manager) {
    m_systemPrompt->flush();
    saveDraft();
    m_chat->keepDraft();
    m_services.settings->setWindowGeometry(saveGeometry());
    m_services.settings->setWindowState(saveState());
    (void)m_services.settings->flush();
    constexpr int kWaitMs = 1000;
    if (m_services.store->flush(kWaitMs).allStored || !manager.allowsInteraction()) return;
    if (!confirmUnsaved(false)) manager.cancel();
    manager.release();
}

bool MainWindow::mayGo() const {
    // A dialog or menu with an event loop of its own goes on in this window afterwards; the settings' dialog has none.
    const QWidget* const modal = QApplication::activeModalWidget();
    const bool asking = modal != nullptr && qobject_cast<const PreferencesDialog*>(modal) == nullptr;
    return !m_closing && !asking && QApplication::activePopupWidget() == nullptr && !m_transfer->isBusy();
}

/// Before this window is replaced by another one for the same services: what only the screen holds is kept.
WindowState MainWindow::keepState() {
    m_systemPrompt->flush();
    saveDraft();
    m_services.settings->setWindowGeometry(saveGeometry());
    m_services.settings->setWindowState(saveState());
    WindowState state;
    state.notices = m_notices->all();
    state.undoKey = m_undo->key();
    state.undoText = m_undo->text();
    state.search = m_list->searchText();
    state.compare = m_compare->state();
    state.imported = m_transfer->importOffer();
    state.retryMessage = m_retryMessage;
    state.retrySeconds = m_retrySeconds;
    state.retryAfterMs = m_retryTimer.isActive() ? m_retryTimer.remainingTime() : -1;
    if (const auto* dialog = findChild<PreferencesDialog*>(); dialog != nullptr && dialog->isVisible()) {
        state.preferences = true;
        state.preferencesGeometry = dialog->saveGeometry();
    }
    return state;
}

void MainWindow::resume(const OpenReport& report, const WindowState& state) {
    if (!report.path.isEmpty() || report.temporary) showStoreReport(report);
    m_chat->publishAll();
    if (const auto loaded = m_chat->loadedModel()) showModel(*loaded);
    showEngine();
    m_retryMessage = state.retryMessage;
    m_retrySeconds = state.retrySeconds;
    if (state.retryAfterMs >= 0) m_retryTimer.start(state.retryAfterMs);
    m_transfer->setImportOffer(state.imported);
    m_list->setSearchText(state.search);
    if (!state.undoKey.isEmpty()) m_undo->offer(state.undoKey, state.undoText);
    // Those whose causes were looked at just now are there already, in the new language.
    QStringList known;
    for (const Notice& notice : m_notices->all()) known.append(notice.id);
    for (const Notice& notice : state.notices)
        if (!known.contains(notice.id)) m_notices->show(notice);
    show();
    m_compare->restore(state.compare);
    if (!state.preferences) return;
    showPreferences(PreferencesPage::Appearance);
    findChild<PreferencesDialog*>()->restoreGeometry(state.preferencesGeometry);
}

}  // namespace trefoil
