#include "ui/compare/compare_menu.h"

#include <QAction>
#include <QMenu>

#include <algorithm>

namespace trefoil {

CompareMenu::CompareMenu(const CompareServices& services, QMenu* chat, QObject* parent) : QObject(parent), m_services(services) {
    QAction* action = chat->addAction(tr("Co&mpare answers…"));
    action->setObjectName(QStringLiteral("actionCompare"));
    action->setShortcut(Qt::CTRL | Qt::Key_D);
    connect(action, &QAction::triggered, this, &CompareMenu::show);
}

void CompareMenu::show() {
    const bool running = m_services.run->isRunning();
    const bool made = m_dialog == nullptr;
    if (made) build();
    QHash<QString, ControlValues> presets;
    for (const QString& name : m_services.presets->names()) presets.insert(name, m_services.presets->controls(name));
    if (made || !running) m_dialog->setSettings(m_services.chat->controls(), presets);
    m_dialog->setRunning(running);
    m_dialog->setNote(running ? writingText() : QString());
    refresh();
    m_dialog->show();
    m_dialog->raise();
}

QString CompareMenu::writingText() {
    return tr("The first answer is being written, then the second one; both stay as versions of the answer.");
}

CompareState CompareMenu::state() const {
    if (m_dialog == nullptr || !m_dialog->isVisible()) return {};
    return {true, m_dialog->saveGeometry(), m_dialog->choices()};
}

void CompareMenu::restore(const CompareState& state) {
    if (!state.open) return;
    show();
    m_dialog->restoreGeometry(state.geometry);
    m_dialog->setChoices(state.choices);
}

void CompareMenu::build() {
    m_dialog = new CompareDialog(m_services.window);
    connect(m_dialog, &CompareDialog::runRequested, this, [this](const ControlValues& left, const ControlValues& right) {
        if (m_services.run->start(left, right)) {
            m_dialog->setNote(writingText());
        } else {
            m_dialog->setNote(tr("A model must be loaded, and the conversation must end with a complete answer."));
        }
        m_dialog->setRunning(m_services.run->isRunning());
    });
    connect(m_dialog, &CompareDialog::stopRequested, m_services.run, &CompareRun::stop);
    connect(m_services.run, &CompareRun::finished, this, [this](const QString& left, const QString& right) {
        m_dialog->setRunning(false);
        m_dialog->setNote(right.isEmpty() ? tr("The second answer was not written.") : QString());
        refresh();
        m_dialog->showPair(left, right);
    });
    const auto refreshIfShown = [this] {
        if (m_dialog->isVisible() && !m_services.run->isRunning()) refresh();
    };
    connect(m_services.chat, &ChatController::conversationShown, m_dialog, refreshIfShown);
    connect(m_services.chat, &ChatController::branchShown, m_dialog, refreshIfShown);
}

void CompareMenu::refresh() {
    const QList<MessageRecord>& branch = m_services.chat->messages();
    const auto isRole = [](const char* role) { return [role](const MessageRecord& m) { return m.role == QLatin1String(role); }; };
    const auto answer = std::find_if(branch.crbegin(), branch.crend(), isRole("assistant"));
    if (answer == branch.crend()) return m_dialog->setAnswers({}, {});
    const auto question = std::find_if(answer, branch.crend(), isRole("user"));
    QList<MessageRecord> versions;
    const QList<MessageRecord> all = branch + m_services.chat->messagesAside();
    for (const QString& id : m_services.chat->versionsOf(*answer)) {
        const auto version = std::find_if(all.cbegin(), all.cend(), [&id](const MessageRecord& m) { return m.id == id; });
        if (version != all.cend()) versions.append(*version);
    }
    m_dialog->setAnswers(question == branch.crend() ? QString() : question->content, versions);
}

}  // namespace trefoil
