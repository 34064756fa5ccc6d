#include "ui/heat/heat_menu.h"

#include "ui/blocks/block_dock.h"
#include "ui/chat/transcript_view.h"

#include <QAction>
#include <QActionGroup>
#include <QLocale>
#include <QMenu>

#include <algorithm>

namespace trefoil {

HeatMenu::HeatMenu(const HeatServices& services, QMenu* view, QObject* parent)
    : QObject(parent), m_services(services), m_menu(view->addMenu(tr("Co&lour answers"))) {
    m_menu->setObjectName(QStringLiteral("menuColourAnswers"));
    auto* const group = new QActionGroup(this);
    const AnswerColour now = m_services.settings->answerColour();
    const auto add = [&](AnswerColour colour, const QString& text, const QString& name) {
        QAction* const action = m_menu->addAction(text);
        action->setObjectName(name);
        action->setCheckable(true);
        action->setChecked(colour == now);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, colour] { choose(colour); });
    };
    add(AnswerColour::None, tr("&Not at all"), QStringLiteral("actionColourNone"));
    add(AnswerColour::Confidence, tr("By &confidence: the stronger, the less sure"), QStringLiteral("actionColourConfidence"));
    add(AnswerColour::Pass, tr("By &pass: the stronger, the later"), QStringLiteral("actionColourPass"));
    m_menu->addSeparator();
    QAction* const forced = m_menu->addAction(tr("Next &forced token"));
    forced->setObjectName(QStringLiteral("actionNextForced"));
    forced->setShortcut(Qt::Key_F9);
    connect(forced, &QAction::triggered, this, [this] { goToNext(HeatSearch::Forced); });
    QAction* const low = m_menu->addAction(tr("Next &low-confidence token"));
    low->setObjectName(QStringLiteral("actionNextLowConfidence"));
    low->setShortcut(Qt::SHIFT | Qt::Key_F9);
    connect(low, &QAction::triggered, this, [this] { goToNext(HeatSearch::LowConfidence); });

    m_services.transcript->setHeatWanted(now != AnswerColour::None);
    // Queued: an answer asks while it is painted.
    connect(
        m_services.transcript, &TranscriptView::heatWanted, this,
        [this](const QString& id) {
            const auto known = m_tokens.constFind(id);
            const MessageRecord* const answer = message(id);
            if (answer == nullptr) return;
            if (known == m_tokens.constEnd()) return m_services.chat->requestTrace(id);
            m_services.transcript->setHeat(
                id, heatOf(*known, answer->thinking, answer->content, m_services.settings->answerColour()));
        },
        Qt::QueuedConnection);
    connect(m_services.transcript, &TranscriptView::answerMenuAboutToShow, this,
            [this](const QString&, QMenu* menu) { menu->addAction(m_menu->menuAction()); });
    connect(m_services.chat, &ChatController::traceReady, this, &HeatMenu::onTrace);
    connect(m_services.chat, &ChatController::conversationShown, this, [this] {
        m_tokens.clear();
        m_at.clear();
        m_wanted.reset();
    });
    connect(m_services.chat, &ChatController::answerEnded, this, [this](const MessageRecord& answer) {
        m_tokens.remove(answer.id);
        if (m_at == answer.id) m_at.clear();
    });
}

const MessageRecord* HeatMenu::message(const QString& id) const {
    const QList<MessageRecord>& all = m_services.chat->messages();
    const auto found = std::find_if(all.cbegin(), all.cend(), [&](const MessageRecord& m) { return m.id == id; });
    return found == all.cend() || found->inProgress ? nullptr : &*found;
}

void HeatMenu::choose(AnswerColour colour) {
    m_services.settings->setAnswerColour(colour);
    m_services.transcript->setHeatWanted(colour != AnswerColour::None);
}

void HeatMenu::onTrace(const QString& id, const TraceView& trace, const QString& problem) {
    const MessageRecord* const answer = message(id);
    if (answer == nullptr || !problem.isEmpty()) return;
    const QList<HeatToken>& tokens = m_tokens[id] = heatTokens(trace);
    const AnswerColour colour = m_services.settings->answerColour();
    if (colour != AnswerColour::None)
        m_services.transcript->setHeat(id, heatOf(tokens, answer->thinking, answer->content, colour));
    if (id == m_at && m_wanted) goOn();
}

void HeatMenu::goToNext(HeatSearch search) {
    const QString id = m_services.tracedMessage();
    if (message(id) == nullptr) return m_services.tell(tr("There is no complete answer whose blocks are on show."));
    if (id != m_at) m_token = -1;
    m_at = id;
    m_wanted = search;
    if (m_tokens.contains(id)) return goOn();
    m_services.chat->requestTrace(id);
}

void HeatMenu::goOn() {
    const HeatSearch search = *m_wanted;
    m_wanted.reset();
    const MessageRecord* const answer = message(m_at);
    const QList<HeatToken> tokens = m_tokens.value(m_at);
    const int next = nextToken(tokens, m_token, search);
    if (next < 0 || answer == nullptr) {
        m_services.tell(search == HeatSearch::Forced
                            ? tr("No token of this answer was forced below the threshold.")
                            : tr("No token of this answer has a confidence below %1.").arg(QLocale().toString(kLowConfidence)));
        return;
    }
    m_services.tell(next <= m_token ? tr("From the beginning of the answer again.") : QString());
    m_token = next;
    const MessageHeat heat = heatOf(tokens, answer->thinking, answer->content, m_services.settings->answerColour());
    const bool thinking = !heat.thinking.stretches.isEmpty() && heat.thinking.stretches.last().token >= next;
    m_services.transcript->showToken(m_at, heat, thinking, next);
    m_services.blocks->showCell(tokens[next].block, tokens[next].row);
}

}  // namespace trefoil
