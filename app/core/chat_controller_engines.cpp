// ChatController's engines: which ones there are, and which one answers the open conversation. Apart from chat_controller.cpp for
// its length.
#include "app/core/chat_controller.h"

#include <algorithm>

namespace trefoil {

void ChatController::addEngine(ChatEngine* engine) {
    m_engines.append(engine);
    connectEngine(engine);
    emit enginesChanged();
    // A conversation may have been waiting for it.
    if (engine->identity().id == m_conversation.engine) switchEngine();
}

void ChatController::removeEngine(ChatEngine* engine) {
    if (engine == m_embedded || !m_engines.contains(engine)) return;
    if (m_running && m_running->engine == engine) {
        const RequestId request = m_running->request;
        endAnswer(EndReason::Cancelled, {});
        engine->cancel(request);
    }
    engine->disconnect(this);
    m_engines.removeAll(engine);
    emit enginesChanged();
    if (engine == m_engine) switchEngine();
}

QList<EngineIdentity> ChatController::engines() const {
    QList<EngineIdentity> out;
    for (const ChatEngine* engine : m_engines) out.append(engine->identity());
    return out;
}

EngineIdentity ChatController::engine() const {
    return m_engine != nullptr ? m_engine->identity() : EngineIdentity{m_conversation.engine, {}, {}};
}

EngineCapabilities ChatController::capabilities() const {
    return m_engine != nullptr ? m_engine->capabilities() : EngineCapabilities();
}

QString ChatController::notReady() const {
    if (m_engine != nullptr) return m_engine->notReady();
    return tr("The server that answered this conversation is not set up any more. Choose what answers it from now on.");
}

ChatEngine* ChatController::engineNamed(const QString& id) const {
    const auto named = std::find_if(m_engines.cbegin(), m_engines.cend(),
                                    [&id](const ChatEngine* engine) { return engine->identity().id == id; });
    return named != m_engines.cend() ? *named : nullptr;
}

void ChatController::takeEngine() {
    const ChatEngine* const before = m_engine;
    m_engine = engineNamed(m_conversation.engine);
    m_model = m_engine != nullptr ? m_engine->model() : std::nullopt;
    m_countRequest = 0;
    if (m_engine != before) emit engineChanged();
}

void ChatController::switchEngine() {
    m_pending.reset();
    m_beginning.reset();
    takeEngine();
    emit controlsChanged(controls());
}

void ChatController::chooseEngine(const QString& id) {
    if (engineNamed(id) == nullptr || id == m_conversation.engine || runningConversation() == m_conversation.id) return;
    m_conversation.engine = id;
    if (m_stored) m_store->setEngine(m_conversation.id, id);
    switchEngine();
}

void ChatController::onEngineChanged(const ChatEngine* engine) {
    if (engine != m_embedded) emit enginesChanged();
    if (engine != m_engine) return;
    m_model = m_engine->model();
    emit engineChanged();
}

}  // namespace trefoil
