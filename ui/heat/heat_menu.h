// HeatMenu: colours the text of answers by confidence or by pass, and leads from one doubtful token to the next; its entries in
// the View menu and in the menu of an answer.
#pragma once

#include "app/core/chat_controller.h"
#include "app/core/settings.h"
#include "ui/heat/token_heat.h"

#include <QHash>
#include <QObject>

#include <functional>
#include <optional>

class QMenu;

namespace trefoil {

class BlockDock;
class TranscriptView;

/// Not owned; all outlive the menu.
struct HeatServices {
    ChatController* chat = nullptr;
    Settings* settings = nullptr;
    TranscriptView* transcript = nullptr;
    BlockDock* blocks = nullptr;
    std::function<QString()> tracedMessage;              ///< the answer whose blocks the dock shows; empty: none
    std::function<void(const QString&)> tell = nullptr;  ///< a line for the person
};

class HeatMenu : public QObject {
    Q_OBJECT
public:
    /// Adds its entries to `view`.
    HeatMenu(const HeatServices& services, QMenu* view, QObject* parent = nullptr);

    /// Moves to the next such token of the answer whose blocks are shown.
    void goToNext(HeatSearch search);

private:
    void choose(AnswerColour colour);
    void onTrace(const QString& id, const TraceView& trace, const QString& problem);
    void goOn();
    [[nodiscard]] const MessageRecord* message(const QString& id) const;

    HeatServices m_services;
    QMenu* m_menu;
    QHash<QString, QList<HeatToken>> m_tokens;  ///< of answers that were seen in this conversation
    QString m_at;                               ///< the answer that was last moved in
    int m_token = -1;                           ///< and where
    std::optional<HeatSearch> m_wanted;         ///< moves when the trace of m_at is there
};

}  // namespace trefoil
