// ChatController's versions of questions and answers: what is written anew or written on, and which branch is on show. Apart from
// chat_controller.cpp for its length.
#include "app/core/chat_controller.h"

#include <algorithm>
#include <iterator>

namespace trefoil {
namespace {

const QString kThinking = QStringLiteral("enable_thinking");
const QString kAssistant = QStringLiteral("assistant");

}  // namespace

/// The message at `index` and what follows it leave the branch on show; they stay as earlier versions.
void ChatController::putAsideFrom(qsizetype index) {
    m_store->chooseBranch(m_conversation.id, index > 0 ? m_messages.at(index - 1).id : QString());
    while (m_messages.size() > index) {
        m_aside.append(m_messages.takeLast());
        emit messageRemoved(m_aside.constLast().id);
    }
}

void ChatController::refuse(const QString& text) { emit sendRefused({text, false, 0, false}, {}); }

void ChatController::regenerate(const QString& messageId) { regenerateWith(messageId, {}); }

void ChatController::regenerateWith(const QString& messageId, const ControlValues& settings) {
    const qsizetype index = indexOf(messageId);
    if (!mayAsk() || index < 0 || m_messages.at(index).role != kAssistant) return;
    putAsideFrom(index);
    Beginning beginning;
    beginning.settings = settings;
    startAnswer(promptMessages({}), beginning);
}

bool ChatController::canContinue(const QString& messageId) const {
    if (m_messages.isEmpty() || m_messages.constLast().id != messageId) return false;
    const MessageRecord& m = m_messages.constLast();
    if (m.role != kAssistant || m.inProgress || m.stopReason == EndReason::End || m_engine == nullptr) return false;
    if (m_engine->capabilities().continuing == Continuing::ByIds) return !m.responseIds.isEmpty();
    return !m.content.isEmpty() || !m.thinking.isEmpty();
}

void ChatController::continueAnswer(const QString& messageId) {
    if (!mayAsk() || !canContinue(messageId)) return;
    m_beginning = PendingBeginning{m_store->loadTraceAsync(messageId), messageId, -1};
}

void ChatController::regenerateFrom(const QString& messageId, int block) {
    const qsizetype index = indexOf(messageId);
    if (!mayAsk() || index < 0 || m_messages.at(index).role != kAssistant) return;
    m_beginning = PendingBeginning{m_store->loadTraceAsync(messageId), messageId, block};
}

qint32 ChatController::Beginning::nextBlock() const {
    qint32 next = 0;
    for (const PassView& pass : passes) next = std::max(next, pass.block + 1);
    return next;
}

/// The answer's trace is there: writes on, or anew from a block.
void ChatController::begin(const PendingBeginning& wanted, const TraceView& trace) {
    const qsizetype index = indexOf(wanted.messageId);
    if (!mayAsk() || index < 0) return;
    const MessageRecord answer = m_messages.at(index);
    // Another model's tokens would be other words, and its text would stand under this one's name.
    if (answer.model != m_model->name)
        return refuse(tr("This answer was written by %1; load that model to go on with it.").arg(answer.model));
    Beginning beginning;
    beginning.thinking = answer.settings.value(kThinking, true).toBool();
    const EngineCapabilities able = m_engine->capabilities();
    const Continuing continuing = able.continuing;
    const bool byText = continuing != Continuing::ByIds;
    const bool inside = !able.continuesThinking && (answer.content.isEmpty() || !answer.thinkingClosed);
    if (wanted.block < 0 && (continuing == Continuing::Anew || inside)) {
        emit noted(
            continuing == Continuing::Anew
                ? tr("This engine cannot go on with an answer: it was asked anew. What was there stays as an earlier version.")
                : tr("The answer was cut inside its thinking, and this engine cannot go on from there: it was asked anew. What "
                     "was "
                     "there stays as an earlier version."));
        putAsideFrom(index);
        return startAnswer(promptMessages({}), Beginning());
    }
    if (wanted.block < 0) {
        beginning.resumes = true;
        beginning.byText = byText;
        beginning.tokens = answer.responseIds;
        beginning.passes = trace.passes;
        beginning.base = answer.stats;
        m_store->resumeAnswer(answer.id);
        return startAnswer(promptMessages({}, answer.id), beginning);
    }
    if (byText)
        return refuse(tr("This engine cannot keep a beginning of an answer by its blocks; write the whole answer again."));
    const auto first = std::find_if(trace.passes.cbegin(), trace.passes.cend(),
                                    [&](const PassView& pass) { return pass.block >= wanted.block; });
    if (first == trace.passes.cend())
        return refuse(tr("The record of this answer's blocks is not there; write the whole answer again."));
    const qint64 position = std::max<qint64>(0, first->firstPosition + first->promptRows);
    beginning.tokens = answer.responseIds.first(std::min<qsizetype>(position, answer.responseIds.size()));
    std::copy_if(trace.passes.cbegin(), trace.passes.cend(), std::back_inserter(beginning.passes),
                 [&](const PassView& pass) { return pass.block < wanted.block; });
    beginning.base.keptTokens = beginning.tokens.size();
    putAsideFrom(index);
    startAnswer(promptMessages({}), beginning);
}

void ChatController::showVersion(const QString& versionId) {
    if (m_pending || m_beginning || runningConversation() == m_conversation.id) return;
    const auto isIt = [&versionId](const MessageRecord& message) { return message.id == versionId; };
    if (std::none_of(m_messages.cbegin(), m_messages.cend(), isIt) && std::none_of(m_aside.cbegin(), m_aside.cend(), isIt))
        return;
    const QString leaf = newestLeaf(versionId, m_messages, m_aside);
    chooseBranch(leaf, &m_messages, &m_aside);
    m_store->chooseBranch(m_conversation.id, leaf);
    emit branchShown(m_messages, versionId);
}

}  // namespace trefoil
