// A whole Trefoil in a temporary folder: history, settings, engine and window, with the real demo model.
#pragma once

#include "app/core/chat_controller.h"
#include "app/core/compare_run.h"
#include "app/core/engine_worker.h"
#include "app/core/form_maker.h"
#include "app/core/presets.h"
#include "app/core/settings.h"
#include "app/core/store_worker.h"
#include "app/local_api/local_api.h"
#include "app/served/server_list.h"
#include "ui/main_window/main_window.h"

#include <QString>

#include <memory>

namespace trefoil::testing {

[[nodiscard]] QString demoModelFolder();

class WindowFixture {
public:
    /// Starts with the history and settings of `folder`; does not wait for anything.
    explicit WindowFixture(const QString& folder);
    ~WindowFixture();
    WindowFixture(const WindowFixture&) = delete;
    WindowFixture& operator=(const WindowFixture&) = delete;

    /// Waits until the demo model is loaded and the history is open.
    [[nodiscard]] bool ready();
    /// As the program does it when another language is chosen.
    void replaceWindow();
    /// Types into the composer key by key and presses Return.
    void ask(const QString& question);
    /// Waits until the last question (of ask, or any while the conversation was empty) is answered.
    [[nodiscard]] bool waitForAnswer(int timeoutMs = 60000);
    /// The last message of the open conversation.
    [[nodiscard]] MessageRecord lastMessage() const;
    template <class W>
    [[nodiscard]] W* find(const char* objectName) const {
        return window->findChild<W*>(QString::fromLatin1(objectName));
    }
    /// Saves a picture into $TREFOIL_SCREENSHOT_DIR, if set.
    void screenshot(const QString& name) const;

    std::unique_ptr<EngineWorker> engine;
    std::unique_ptr<StoreWorker> store;
    std::unique_ptr<Settings> settings;
    std::unique_ptr<PresetStore> presets;
    std::unique_ptr<ChatController> chat;
    std::unique_ptr<CompareRun> compare;
    std::unique_ptr<FormMaker> maker;
    std::unique_ptr<ServerList> servers;
    std::unique_ptr<LocalApi> localApi;
    std::unique_ptr<MainWindow> window;

private:
    void makeWindow();

    bool m_opened = false;
    qsizetype m_before = 0;  ///< messages when the last question was asked
};

}  // namespace trefoil::testing
