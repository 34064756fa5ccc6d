// MainWindow's composer: drafts, and further versions of questions that are being written. Apart from main_window.cpp for its
// length.
#include "ui/chat/composer.h"
#include "ui/main_window/main_window.h"

#include <algorithm>

namespace trefoil {

void MainWindow::startEdit(const QString& messageId) {
    const QList<MessageRecord>& messages = m_chat->messages();
    const auto message =
        std::find_if(messages.cbegin(), messages.cend(), [&](const MessageRecord& m) { return m.id == messageId; });
    if (message == messages.cend() || m_chat->isRunning()) return;
    saveDraft();
    // What was begun for this question stands where it was left.
    const bool begun = m_chat->conversation().edited == messageId;
    if (!begun) m_chat->setEdit(messageId, message->content);
    showEdit();
    m_composer->focusEditor();
}

/// The version of a question that was begun, while that question or another version of it is on show; else the draft.
void MainWindow::showEdit() {
    const ConversationRecord& conversation = m_chat->conversation();
    const QList<MessageRecord>& messages = m_chat->messages();
    const bool wasEditing = !m_edited.isEmpty();
    m_edited.clear();
    if (!conversation.edited.isEmpty()) {
        const auto question = std::find_if(messages.cbegin(), messages.cend(), [&](const MessageRecord& m) {
            return m.id == conversation.edited || m_chat->versionsOf(m).contains(conversation.edited);
        });
        if (question != messages.cend()) m_edited = question->id;
    }
    if (m_edited.isEmpty()) {
        if (!wasEditing) return;
        m_composer->setProblem({});
        m_composer->setText(conversation.draft);
    } else {
        m_composer->setText(conversation.edit);
        m_composer->setProblem(tr("You are editing an earlier message. Sending it writes a new version; this one stays."),
                               {{QStringLiteral("cancelEdit"), tr("Leave it as it is")}});
    }
    countPromptSoon();
}

/// What was in the composer before comes back.
void MainWindow::endEdit() {
    if (m_edited.isEmpty()) return;
    m_chat->setEdit({}, {});
    showEdit();
}

/// Before its question leaves the branch on show. Nothing where it was sent.
void MainWindow::keepEdit() {
    if (!m_edited.isEmpty() && !m_chat->conversation().edited.isEmpty()) saveDraft();
}

void MainWindow::sendComposer(const QString& text) {
    if (m_edited.isEmpty()) return m_chat->send(text);
    m_chat->sendEdited(m_edited, text);
}

void MainWindow::saveDraft() {
    m_draftTimer.stop();
    if (m_edited.isEmpty())
        m_chat->setDraft(m_composer->text());
    else
        m_chat->setEdit(m_edited, m_composer->text());
}

}  // namespace trefoil
