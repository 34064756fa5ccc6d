#include "app/core/chat_engine.h"

namespace trefoil {

void ChatEngine::steer(RequestId /*id*/, const ControlValues& /*values*/) {}
void ChatEngine::pause(RequestId /*id*/) {}
void ChatEngine::resume(RequestId /*id*/) {}
void ChatEngine::step(RequestId /*id*/) {}
void ChatEngine::editRows(RequestId /*id*/, qint32 /*block*/, const QList<RowChange>& /*changes*/) {}
QList<TokenChoice> ChatEngine::tokensOf(const QString& /*text*/) const { return {}; }

}  // namespace trefoil
