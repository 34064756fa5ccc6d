// ChatController's questions and answers: a question is counted and sent, its answer is written, steered, kept and ended. Apart
// from chat_controller.cpp for its length.
#include "app/core/chat_controller.h"

#include <algorithm>
#include <utility>

namespace trefoil {
namespace {

const QString kThinking = QStringLiteral("enable_thinking");
const QString kMaxNewTokens = QStringLiteral("max_new_tokens");
const QString kBlockSize = QStringLiteral("block_size");
const QString kUser = QStringLiteral("user");
const QString kAssistant = QStringLiteral("assistant");

MessageRecord newMessage(const QString& conversationId, const QString& role, const QString& content) {
    MessageRecord m;
    m.id = newRecordId();
    m.conversationId = conversationId;
    m.role = role;
    m.content = content;
    m.createdUtc = QDateTime::currentDateTimeUtc();
    return m;
}

/// Room for what an answer that was begun may still take: as much as a new one where it was cut by the limit.
qint64 limitFor(const ControlValues& values, qint64 begun, EndReason ended) {
    const qint64 limit = values.value(kMaxNewTokens).toLongLong();
    return begun > 0 && (ended == EndReason::Length || begun >= limit) ? limit + begun : limit;
}

/// A run's figures with those of what was written before it. `byText`: the run's tokens are those of its own text only.
GenerationStats joined(const GenerationStats& base, const GenerationStats& run, bool byText) {
    GenerationStats sum = run;
    if (byText) {
        sum.responseTokens += base.responseTokens;
        sum.thinkingTokens += base.thinkingTokens;
    }
    sum.keptTokens = base.keptTokens;
    sum.passes += base.passes;
    sum.blocks += base.blocks;
    sum.prefillMs += base.prefillMs;
    sum.decodeMs += base.decodeMs;
    sum.passMs += base.passMs;
    sum.thinkingMs += base.thinkingMs;
    if (base.firstBlockMs > 0) sum.firstBlockMs = base.firstBlockMs;
    return sum;
}

}  // namespace

/// The prompt's messages: system prompt, the turns so far, the question. Answers without text (cut while thinking) are left out.
/// `before`: of the turns, those before this message only.
QList<PromptMessage> ChatController::promptMessages(const QString& question, const QString& before) const {
    QList<PromptMessage> out;
    if (!m_conversation.systemPrompt.trimmed().isEmpty()) out.append({QStringLiteral("system"), m_conversation.systemPrompt});
    for (const MessageRecord& m : m_messages) {
        if (m.id == before) break;
        if (m.role == kUser || !m.content.isEmpty()) out.append({m.role, m.content});
    }
    if (!question.isEmpty()) out.append({kUser, question});
    return out;
}

void ChatController::countPrompt(const QString& draft, const QString& edited) {
    // A question that waits for its own count must not be replaced by a newer one; what follows it counts anew.
    if (!m_model || m_pending) return;
    const QString text = draft.trimmed().isEmpty() ? QString() : draft;
    const QList<PromptMessage> messages = promptMessages(text, edited);
    if (messages.isEmpty() || messages.constLast().role == QLatin1String("system")) {
        m_countRequest = 0;
        PromptView none;
        none.context = m_model->context;
        none.exact = m_engine->capabilities().exactCounting;
        return emit promptCounted(none);
    }
    m_countRequest = m_engine->previewPromptAsync(messages, controls().value(kThinking, true).toBool());
}

void ChatController::send(const QString& text) { sendEdited({}, text); }

void ChatController::sendEdited(const QString& messageId, const QString& text) {
    if (text.trimmed().isEmpty() || m_running || m_pending || m_beginning) return;
    if (!m_model) return emit sendRefused({notReady(), false, 0, false}, text);
    m_pending = PendingSend{0, text, messageId};
    m_pending->request =
        m_engine->previewPromptAsync(promptMessages(text, messageId), controls().value(kThinking, true).toBool());
}

void ChatController::checkFit(const PromptView& prompt) {
    const PendingSend pending = *std::exchange(m_pending, std::nullopt);
    if (!prompt.problem.isEmpty()) return emit sendRefused({prompt.problem, false, 0, false}, pending.text);
    // An estimate refuses nothing: the engine will say what does not fit.
    if (!prompt.exact) return ask(pending, promptMessages(pending.text, pending.edited));
    const ControlValues values = controls();
    const qint64 need = positionsNeeded(prompt.tokens, values);
    if (need <= prompt.context) return ask(pending, promptMessages(pending.text, pending.edited));
    const QLocale locale;
    SendProblem problem;
    const qint64 block = std::max<qint64>(1, values.value(kBlockSize, 32).toLongLong());
    problem.shorterAnswerTokens = (prompt.context - prompt.tokens) / block * block;
    problem.shorterAnswer = problem.shorterAnswerTokens >= block;
    problem.leaveOutOldest =
        std::count_if(m_messages.begin(), m_messages.end(), [](const MessageRecord& m) { return m.role == kUser; }) > 0;
    problem.text =
        tr("The prompt has %1 tokens and the answer may take %2; together, in whole blocks, they need %3 of the %4 that the "
           "model can hold.")
            .arg(locale.toString(prompt.tokens), locale.toString(values.value(kMaxNewTokens).toLongLong()), locale.toString(need),
                 locale.toString(prompt.context));
    emit sendRefused(problem, pending.text);
}

void ChatController::sendWithShorterAnswer(const QString& text, qint64 maxNewTokens, const QString& edited) {
    ControlValues values = controls();
    values.insert(kMaxNewTokens, maxNewTokens);
    setControls(values);
    sendEdited(edited, text);
}

void ChatController::sendWithoutOldest(const QString& text, const QString& edited) {
    if (text.trimmed().isEmpty() || !mayAsk()) return;
    m_pending = PendingSend{0, text, edited};
    m_pending->request = m_engine->fitPromptAsync(promptMessages(text, edited), controls());
}

qsizetype ChatController::indexOf(const QString& messageId) const {
    for (qsizetype i = m_messages.size() - 1; i >= 0; --i)
        if (m_messages.at(i).id == messageId) return i;
    return -1;
}

void ChatController::ask(const PendingSend& pending, const QList<PromptMessage>& messages) {
    const QString& question = pending.text;
    if (m_running) return;
    // It may have been let go for another one while the prompt was counted.
    if (!m_model) return emit sendRefused({notReady(), false, 0, false}, question);
    ensureStored();
    if (!pending.edited.isEmpty()) setEdit({}, {});
    if (const qsizetype edited = indexOf(pending.edited); edited >= 0) putAsideFrom(edited);
    MessageRecord user = newMessage(m_conversation.id, kUser, question);
    if (!m_messages.isEmpty()) user.parentId = m_messages.constLast().id;
    m_store->appendMessage(user);
    m_messages.append(user);
    m_versions.add(user);
    if (m_conversation.draft == question) setDraft({});
    touch(titleFromQuestion(question));
    emit messageAdded(user);
    emit sent(question);
    startAnswer(messages, Beginning());
}

void ChatController::startAnswer(const QList<PromptMessage>& messages, const Beginning& beginning) {
    ControlValues values = beginning.settings.isEmpty() ? controls() : beginning.settings;
    if (!beginning.tokens.isEmpty()) values.insert(kThinking, beginning.thinking);
    Running running;
    running.engine = m_engine;
    running.ownSettings = !beginning.settings.isEmpty();
    running.byText = beginning.byText;
    EndReason ended = EndReason::None;
    if (beginning.resumes) {
        running.answer = m_messages.takeLast();
        ended = std::exchange(running.answer.stopReason, EndReason::None);
        running.answer.error.clear();
    } else {
        running.answer = newMessage(m_conversation.id, kAssistant, {});
        running.answer.model = m_model->name;
        running.answer.hasThinking = values.value(kThinking, true).toBool() && m_model->thinks;
        running.answer.thinkingClosed = !running.answer.hasThinking;
        if (!m_messages.isEmpty()) running.answer.parentId = m_messages.constLast().id;
    }
    running.answer.inProgress = true;
    running.answer.settings = values;
    running.base = beginning.base;
    running.trace.passes = beginning.passes;
    if (beginning.resumes) running.storedPasses = beginning.passes.size();
    running.trace.maskId = m_model->maskId;
    running.trace.blockSize = values.value(kBlockSize, 32).toInt();
    running.trace.threshold = values.value(QStringLiteral("threshold"), 0.95).toDouble();
    if (!beginning.resumes) m_store->beginAnswer(running.answer);
    m_messages.append(running.answer);
    m_versions.add(running.answer);
    values.insert(kMaxNewTokens, limitFor(values, beginning.byText ? 0 : beginning.tokens.size(), ended));
    GenerateRequest request{messages, values, beginning.tokens, beginning.nextBlock()};
    if (beginning.byText) {
        request.begun.clear();
        request.begunThinking = running.answer.thinking;
        request.begunText = running.answer.content;
        running.begun = beginning.tokens;
    }
    running.request = m_engine->generateAsync(request);
    m_running = std::move(running);
    if (beginning.resumes)
        emit messageChanged(m_running->answer);
    else
        emit messageAdded(m_running->answer);
    emit answerBegan(m_running->trace);
    emit runningChanged();
    publishList();
}

void ChatController::stop() {
    if (m_running) m_running->engine->cancel(m_running->request);
}

void ChatController::pause() {
    if (m_running) m_running->engine->pause(m_running->request);
}

void ChatController::resume() {
    if (m_running) m_running->engine->resume(m_running->request);
}

void ChatController::step() {
    if (m_running) m_running->engine->step(m_running->request);
}

void ChatController::editRow(int block, const RowChange& change) {
    if (m_running) m_running->engine->editRows(m_running->request, block, {change});
}

void ChatController::editText(int block, int row, const QString& text) {
    if (!m_running) return;
    QList<RowChange> changes;
    for (const TokenChoice& token : m_running->engine->tokensOf(text)) changes.append({row++, token.token});
    m_running->engine->editRows(m_running->request, block, changes);
}

// ------------------------------------------------------------------------------------------------------------- the answer

void ChatController::onPass(const PassView& pass) {
    m_running->trace.passes.append(pass);
    emit passArrived(pass);
}

/// What the store does not have yet of the running answer.
AnswerUpdate ChatController::takeUpdate() {
    Running& r = *m_running;
    AnswerUpdate update{r.answer.id,
                        r.answer.content,
                        r.answer.thinking,
                        r.answer.hasThinking,
                        r.answer.thinkingClosed,
                        r.answer.responseIds,
                        r.answer.stats,
                        {r.trace.maskId, r.trace.blockSize, r.trace.threshold, r.trace.passes.mid(r.storedPasses)}};
    r.storedPasses = r.trace.passes.size();
    r.storedTokens = r.answer.stats.responseTokens;
    return update;
}

void ChatController::takeResponse(const ResponseUpdate& response) {
    Running& r = *m_running;
    MessageRecord& answer = r.answer;
    answer.content = response.answer;
    answer.thinking = response.thinking;
    answer.hasThinking = response.hasThinking;
    answer.thinkingClosed = response.thinkingClosed;
    answer.responseIds = r.begun + response.tokens;
    answer.stats = joined(r.base, response.stats, r.byText);
    if (answer.stats.firstBlockMs <= 0.0) answer.stats.firstBlockMs = r.firstBlockMs;
}

void ChatController::onResponse(const ResponseUpdate& response) {
    if (m_running->firstBlockMs <= 0.0) m_running->firstBlockMs = response.stats.prefillMs + response.stats.decodeMs;
    takeResponse(response);
    const MessageRecord& answer = m_running->answer;
    // Single tokens are stored a block's worth at a time.
    const bool wholeBlock = m_running->trace.passes.isEmpty() || m_running->trace.passes.constLast().type != PassType::Token;
    if (wholeBlock || answer.stats.responseTokens >= m_running->storedTokens + m_running->trace.blockSize)
        m_store->updateAnswer(takeUpdate());
    if (answer.conversationId == m_conversation.id) mergeRunning(m_messages);
    emit messageChanged(answer);
}

void ChatController::onFinished(const GenerationOutcome& outcome) {
    if (outcome.reason != EndReason::Refused) takeResponse(outcome.response);
    const MessageRecord finished = endAnswer(outcome.reason, outcome.error);
    if (!outcome.note.isEmpty()) emit noted(outcome.note);
    if (outcome.retryAfterSeconds >= 0) emit waitAsked(finished, outcome.retryAfterSeconds);
}

MessageRecord ChatController::endAnswer(EndReason reason, const QString& error) {
    MessageRecord& answer = m_running->answer;
    answer.inProgress = false;
    answer.stopReason = reason;
    answer.error = error;
    m_store->finishAnswer(takeUpdate(), reason, error);
    if (answer.conversationId == m_conversation.id) mergeRunning(m_messages);
    const MessageRecord finished = answer;
    m_running.reset();
    emit activityChanged({});
    emit messageChanged(finished);
    emit answerEnded(finished);
    emit runningChanged();
    publishList();
    return finished;
}

void ChatController::requestTrace(const QString& messageId) {
    m_traceRequests.insert(m_store->loadTraceAsync(messageId), messageId);
}

}  // namespace trefoil
