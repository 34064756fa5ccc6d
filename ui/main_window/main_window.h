// MainWindow: lays out the parts and connects them with the ChatController. Keeps nothing that is not on the screen.
#pragma once

#include "app/core/chat_controller.h"
#include "app/core/presets.h"
#include "app/core/settings.h"
#include "app/core/store_worker.h"

#include <QMainWindow>
#include <QSessionManager>
#include <QString>
#include <QTimer>

#include <optional>

class QAction;
class QDockWidget;
class QMenu;
class QSplitter;

namespace trefoil {

class Announcer;
class BlockDock;
class CompareMenu;
class Composer;
class CompareRun;
class ConversationList;
class DesktopLook;
class EngineMenu;
class ExpertView;
class FindBar;
class FormMaker;
class GenerationDock;
class LocalApi;
class ModelDialog;
class NoticeBar;
class OpenModelPage;
class Notifier;
class PromptViewDialog;
class ServerList;
class ShortcutTable;
class StatusBar;
class SystemPromptPanel;
class TranscriptView;
class TransferMenu;
struct TranscriptMessage;
class UndoBar;
struct WindowState;

/// What the window works with; not owned, outlives it.
struct WindowServices {
    ChatController* chat = nullptr;
    StoreWorker* store = nullptr;
    Settings* settings = nullptr;
    PresetStore* presets = nullptr;
    ServerList* servers = nullptr;  ///< may be none: then there is only the embedded engine
    CompareRun* compare = nullptr;
    FormMaker* maker = nullptr;               ///< may be none: then no other form of a model can be made
    LocalApi* localApi = nullptr;             ///< may be none: then the window serves nobody
    QString demoModelFolder;                  ///< its example questions are shown when this model is loaded
    QString device = QStringLiteral("auto");  ///< where models are loaded
    int threads = 0;                          ///< CPU threads; 0: all cores
};

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const WindowServices& services, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// How opening the history went: shows what must be decided.
    void showStoreReport(const OpenReport& report);
    /// A notice above the transcript.
    void showNotice(const QString& id, const QString& text, bool error);
    /// Loads a model folder in the background. When it does not fit beside the model in use, the Model dialog asks first.
    void openModel(const QString& folder);
    /// The first model of a run: `named` (on the command line) as it is, so that what is wrong with it is told; else the default
    /// model, the last one, the demo model, whichever is there first. Says so when the default model's folder is missing.
    void openStartModel(const QString& named);
    /// Questions that the demo model answers right.
    [[nodiscard]] static QStringList demoExamples();

    /// A second start, or a clicked notification: shown, unfolded and raised. The token is Wayland's, empty elsewhere.
    void bringToFront(const QString& activationToken);
    /// Another window can take this one's place: no file is being read or written for it, no menu or question is open, and it is
    /// not closing.
    [[nodiscard]] bool mayGo() const;
    /// Keeps draft and layout, before another window for the same services takes this one's place; returns the rest.
    [[nodiscard]] WindowState keepState();
    /// The other side of it: shows everything as it stands, at once.
    void resume(const OpenReport& report, const WindowState& state);

signals:
    /// Everything is kept and the program may end. Qt ends it by itself only when the window was on show until now, and it was
    /// hidden already when an answer had to be stopped first.
    void closed();

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void buildCentre();
    void buildDocks();
    void buildMenus();
    void buildFileMenu();
    void buildChatMenu();
    void buildViewMenu();
    void buildHelpMenu();
    QAction* addAction(QMenu* menu, const QString& text, const QKeySequence& keys, const QString& name);
    void connectChat();
    void connectAnswers();
    void connectSteering();
    void connectLoading();
    void buildEngines();
    void connectEngines();
    /// What answers the open conversation, and what it can do.
    void showEngine();
    void showCapabilities();
    /// Which controls the engine does not take, now or at all.
    void showRefusedControls();
    void showServers();
    /// A server had no room: offers to ask once more after the wait.
    void offerRetry(const MessageRecord& answer, qint64 seconds);
    void retryAfterWait();
    void connectComposer();
    void connectGeneration();
    void connectWidgets();
    void connectStore();
    void connectSearch();
    /// Shows the message that a search found, in its conversation, which is on show; another version is chosen where it is in
    /// one.
    void jumpToHit();
    void restoreLayout();

    void showConversation(const ConversationRecord& conversation, const QList<MessageRecord>& messages);
    void showBranch(const QList<MessageRecord>& messages, const QString& shownId);
    [[nodiscard]] TranscriptMessage transcriptMessage(const MessageRecord& message) const;
    void connectBranches();
    /// Takes a question into the composer, to be sent as a further version of it.
    void startEdit(const QString& messageId);
    void showEdit();
    void endEdit();
    void keepEdit();
    void sendComposer(const QString& text);
    void showBlocksOf(const QList<MessageRecord>& messages);
    void showLiveBlocks();
    void showModel(const ModelSummary& model);
    void showModelWarnings(const ModelSummary& model);
    /// Compatibility switches that the person set for this folder, those that this version knows.
    [[nodiscard]] CompatibilityChoices rememberedSwitches(const QString& folder) const;
    void rememberSwitches(const ModelSummary& model);
    void showRunning();
    void showSendProblem(const SendProblem& problem, const QString& text);
    void onMessageChanged(const MessageRecord& message);
    void onPass(const PassView& pass);
    /// Shows what came since the last frame: at most 30 times a second, whatever the engine's pace.
    void showFrame();
    void showOpenBlock(const PassView& pass);
    void showWelcome();
    void showLoading();
    void countPromptSoon();
    void saveDraft();
    void startNewConversation();
    void showTitle();
    void buildDesktop();
    void announceBlock(const MessageRecord& message);
    void notifyAnswer(const MessageRecord& answer);
    void showShortcuts();
    enum class PreferencesPage : quint8 { Appearance, Keys, LocalApi };
    void showPreferences(PreferencesPage page);
    void chooseModel();
    /// The Model dialog's page where a model is examined and loaded; an empty folder: none is chosen yet.
    void showOpenPage(const QString& folder, const CompatibilityChoices& switches = {});
    void buildModelDialog();
    void showRecentModels();
    void connectCards(OpenModelPage* page);
    void fillRecentMenu(QMenu* menu);
    void onLoadEnded(const ModelLoadRequest& request, const QString& message, LoadEnd end);
    void showPromptView();
    void showModelDialog();
    void showAbout();
    void onNoticeAction(const QString& notice, const QString& action);
    [[nodiscard]] bool confirmUnsaved(bool closing = true);
    void keepForLogOut(QSessionManager& manager);

    WindowServices m_services;
    ChatController* m_chat;

    QSplitter* m_splitter = nullptr;
    ConversationList* m_list = nullptr;
    NoticeBar* m_notices = nullptr;
    SystemPromptPanel* m_systemPrompt = nullptr;
    TranscriptView* m_transcript = nullptr;
    FindBar* m_find = nullptr;
    UndoBar* m_undo = nullptr;
    Composer* m_composer = nullptr;
    QDockWidget* m_blockDockWidget = nullptr;
    BlockDock* m_blocks = nullptr;
    QDockWidget* m_generationDockWidget = nullptr;
    QDockWidget* m_expertDockWidget = nullptr;
    ExpertView* m_experts = nullptr;
    EngineMenu* m_engines = nullptr;
    GenerationDock* m_generation = nullptr;
    StatusBar* m_status = nullptr;
    ModelDialog* m_modelDialog = nullptr;
    TransferMenu* m_transfer = nullptr;
    CompareMenu* m_compare = nullptr;
    PromptViewDialog* m_promptView = nullptr;
    DesktopLook* m_look = nullptr;
    ShortcutTable* m_shortcuts = nullptr;
    Notifier* m_notifier = nullptr;
    Announcer* m_announcer = nullptr;
    QAction* m_stopAction = nullptr;
    QAction* m_pauseAction = nullptr;
    QAction* m_stepAction = nullptr;
    QAction* m_regenerateAction = nullptr;
    QAction* m_continueAction = nullptr;
    QAction* m_editAction = nullptr;

    QTimer m_frame;
    QTimer m_countTimer;
    QTimer m_draftTimer;
    QTimer m_retryTimer;
    QString m_retryMessage;  ///< the answer that is asked once more when the timer ends
    qint64 m_retrySeconds = 0;
    std::optional<MessageRecord> m_pendingMessage;
    std::optional<PassView> m_pendingPass;
    bool m_openBlockShown = false;
    QString m_tracedMessage;  ///< whose blocks the Block dock shows or waits for
    PromptView m_lastPrompt;
    QString m_edited;       ///< the question on show of which the composer holds a further version; empty: none
    QString m_refusedText;  ///< the question that did not fit
    qint64 m_shorterTokens = 0;
    QString m_jumpTo;       ///< message that a search found, until its conversation is on show …
    QString m_jumpIn;       ///< … which is this one
    QString m_jumpedAside;  ///< the same while another version is being chosen for it
    RequestId m_searchRequest = 0;
    QString m_failedStore;          ///< path of the history that could not be opened
    QString m_announcedMessage;     ///< the answer whose blocks are announced
    qsizetype m_announcedText = 0;  ///< characters of it that were
    int m_passesOfBlock = 0;        ///< of the block that is being written
    int m_blockOfPass = 0;
    bool m_singleTokens = false;  ///< it grows by tokens or pieces, not by blocks
    bool m_closing = false;       ///< by the person or a signal; an answer that was running ends first
    QTimer m_closeWait;           ///< the bound of that wait
};

}  // namespace trefoil
