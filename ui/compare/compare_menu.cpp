#include "ui/compare/compare_menu.h"

#include "ui/compare/compare_dialog.h"

#include <QAction>
#include <QMenu>

#include <algorithm>

namespace trefoil {

CompareMenu::CompareMenu(const CompareServices& services, QMenu* chat, QObject* parent)
    : QObject(parent), m_services(services), m_run(services.chat) {
    QAction* action = chat->addAction(tr("Co&mpare answers…"));
    action->setObjectName(QStringLiteral("actionCompare"));
    action->setShortcut(Qt::CTRL | Qt::Key_D);
    connect(action, &QAction::triggered, this, &CompareMenu::show);
}

void CompareMenu::show() {
    if (m_dialog == nullptr) build();
    QHash<QString, ControlValues> presets;
    for (const QString& name : m_services.presets->names()) presets.insert(name, m_services.presets->controls(name));
    if (!m_run.isRunning()) m_dialog->setSettings(m_services.chat->controls(), presets);
    m_dialog->setNote({});
    refresh();
    m_dialog->show();
    m_dialog->raise();
}

void CompareMenu::build() {
    m_dialog = new CompareDialog(m_services.window);
    connect(m_dialog, &CompareDialog::runRequested, this, [this](const ControlValues& left, const ControlValues& right) {
        if (m_run.start(left, right)) {
            m_dialog->setNote(tr("The first answer is being written, then the second one; both stay as versions of the answer."));
        } else {
            m_dialog->setNote(tr("A model must be loaded, and the conversation must end with a complete answer."));
        }
        m_dialog->setRunning(m_run.isRunning());
    });
    connect(m_dialog, &CompareDialog::stopRequested, &m_run, &CompareRun::stop);
    connect(&m_run, &CompareRun::finished, this, [this](const QString& left, const QString& right) {
        m_dialog->setRunning(false);
        m_dialog->setNote(right.isEmpty() ? tr("The second answer was not written.") : QString());
        refresh();
        m_dialog->showPair(left, right);
    });
    const auto refreshIfShown = [this] {
        if (m_dialog->isVisible() && !m_run.isRunning()) refresh();
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
