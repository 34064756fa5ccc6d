#include "ui/chat/composer.h"

#include "ui/chat/card_frame.h"
#include "ui/chat/composition_guard.h"
#include "ui/chat/context_meter.h"
#include "ui/chat/elided_label.h"
#include "ui/chat/growing_editor.h"
#include "ui/chat/pill_button.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {

namespace {

constexpr int kMinimumLines = 1;
constexpr int kMaximumLines = 10;
constexpr int kHintMs = 4000;

}  // namespace

Composer::Composer(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("composer"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 12);
    column->setSpacing(8);
    m_problem = new NoticeBar(this);
    m_problem->setObjectName(QStringLiteral("composerProblem"));
    connect(m_problem, &NoticeBar::actionTriggered, this, [this](const QString&, const QString& id) { emit problemAction(id); });
    column->addWidget(m_problem);
    buildCard();
    column->addWidget(m_card);
    setFocusProxy(m_editor);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_hintTimer.setSingleShot(true);
    m_hintTimer.setInterval(kHintMs);
    connect(&m_hintTimer, &QTimer::timeout, this, [this] { m_hint->setFullText({}); });
    updateButton();
}

void Composer::buildCard() {
    m_editor = new GrowingEditor(kMinimumLines, kMaximumLines, this);
    m_editor->setObjectName(QStringLiteral("composerEditor"));
    m_editor->setAccessibleName(tr("Your question"));
    m_editor->setAccessibleDescription(tr("Enter sends, Shift+Enter starts a new line."));
    m_editor->setPlaceholderText(tr("Ask something"));
    m_editor->viewport()->setAutoFillBackground(false);
    m_card = new CardFrame(m_editor, this);
    m_editor->installEventFilter(this);
    // Installed last: it sees every key before this widget does.
    m_guard = new CompositionGuard(m_editor);
    connect(m_editor, &GrowingEditor::edited, this, [this] {
        m_hint->setFullText({});
        updateButton();
        emit textEdited(m_editor->text());
    });
    connect(m_guard, &CompositionGuard::composingChanged, this, &Composer::updateButton);

    m_thinking = new PillButton(tr("Thinking"), PillButton::Look::Plain, m_card);
    m_thinking->setObjectName(QStringLiteral("thinkingToggle"));
    m_thinking->setIconName(QStringLiteral("thinking"));
    m_thinking->setCheckable(true);
    m_thinking->setChecked(true);
    connect(m_thinking, &QPushButton::clicked, this, &Composer::thinkingToggled);
    setThinkingAvailable(true);

    m_hint = new ElidedLabel(m_card);
    m_hint->setObjectName(QStringLiteral("composerHint"));
    m_hint->setForegroundRole(QPalette::PlaceholderText);

    m_meter = new ContextMeter(m_card);

    m_send = new PillButton(tr("Send"), PillButton::Look::Primary, m_card);
    m_send->setObjectName(QStringLiteral("sendButton"));
    // The editor keeps the focus, so that the next question can be typed at once.
    m_send->setFocusPolicy(Qt::TabFocus);
    m_thinking->setFocusPolicy(Qt::TabFocus);
    // One width for both words: the row must not jump when an answer begins.
    m_send->setText(tr("Stop"));
    const int stopWidth = m_send->sizeHint().width();
    m_send->setText(tr("Send"));
    m_send->setMinimumWidth(std::max(stopWidth, m_send->sizeHint().width()) + 22);
    m_send->installEventFilter(this);
    connect(m_send, &QPushButton::clicked, this, [this] {
        m_swallowDoubleClick = true;
        if (m_busy) {
            emit stopRequested();
            return;
        }
        m_guard->commit();
        trySend();
    });

    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    row->addWidget(m_thinking);
    row->addWidget(m_hint, 1);
    row->addWidget(m_meter);
    row->addWidget(m_send);
    auto* inside = new QVBoxLayout(m_card);
    inside->setContentsMargins(8, 6, 8, 8);
    inside->setSpacing(4);
    inside->addWidget(m_editor);
    inside->addLayout(row);
}

QString Composer::text() const { return m_editor->text(); }

void Composer::setText(const QString& text) {
    if (text == m_editor->text()) return;
    m_guard->cancel();
    m_editor->setText(text);
    m_hint->setFullText({});
    updateButton();
}

void Composer::focusEditor() { m_editor->setFocus(Qt::OtherFocusReason); }

bool Composer::composing() const { return m_guard->composing(); }

void Composer::setBusy(bool busy) {
    if (busy == m_busy) return;
    m_busy = busy;
    m_hint->setFullText({});
    updateButton();
}

void Composer::setSendAvailable(bool available, const QString& reason) {
    m_sendAvailable = available;
    m_unavailableReason = reason;
    updateButton();
}

void Composer::setThinking(bool thinking) { m_thinking->setChecked(thinking); }

bool Composer::thinking() const { return m_thinking->isChecked(); }

void Composer::setThinkingAvailable(bool available, const QString& reason) {
    m_thinking->setEnabled(available);
    m_thinking->setToolTip(available ? tr("Let the model think before it answers. The thinking is shown apart from the answer.")
                                     : reason);
}

void Composer::setContextEstimated(const QString& why) { m_meter->setEstimated(why); }

void Composer::setContextUsage(qint64 promptTokens, qint64 maxNewTokens, qint64 context) {
    m_meter->setUsage(promptTokens, maxNewTokens, context);
}

void Composer::setProblem(const QString& text, const QList<NoticeAction>& actions) {
    if (text.isEmpty()) {
        m_problem->clearAll();
        return;
    }
    m_problem->show({QStringLiteral("problem"), NoticeKind::Warning, text, actions, false});
}

QString Composer::problem() const { return m_problem->current().text; }

bool Composer::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_send) {
        // A double click on Send must not stop what its first click started.
        if (event->type() == QEvent::MouseButtonDblClick && m_swallowDoubleClick) return true;
        if (event->type() == QEvent::MouseButtonPress) m_swallowDoubleClick = false;
        return false;
    }
    if (watched != m_editor) return QWidget::eventFilter(watched, event);
    return event->type() == QEvent::KeyPress && filterKeyPress(*static_cast<QKeyEvent*>(event));
}

bool Composer::filterKeyPress(const QKeyEvent& event) {
    if (event.key() == Qt::Key_Escape) {
        if (!m_busy) {
            emit editCancelled();
            return false;
        }
        if (!event.isAutoRepeat()) emit stopRequested();
        return true;
    }
    if (event.key() != Qt::Key_Return && event.key() != Qt::Key_Enter) return false;
    if (event.modifiers().testFlag(Qt::ShiftModifier)) {
        m_editor->breakLine();
        return true;
    }
    // A key that is held down sends once.
    if (!event.isAutoRepeat()) trySend();
    return true;
}

void Composer::trySend() {
    if (m_editor->isBlank()) {
        showHint(tr("Type a question first."));
    } else if (m_busy) {
        showHint(tr("Wait for the answer, or stop it with Escape."));
    } else if (!m_sendAvailable) {
        showHint(m_unavailableReason);
    } else {
        emit sendRequested(m_editor->text());
    }
}

void Composer::showHint(const QString& text) {
    m_hint->setFullText(text);
    m_hintTimer.start();
}

void Composer::updateButton() {
    m_send->setText(m_busy ? tr("Stop") : tr("Send"));
    m_send->setAccessibleName(m_busy ? tr("Stop the answer") : tr("Send the question"));
    m_send->setIconName(m_busy ? QStringLiteral("stop") : QStringLiteral("send"));
    m_send->setLook(m_busy ? PillButton::Look::Plain : PillButton::Look::Primary);
    // While a text is being composed it is not blank, though it is not in the document yet.
    const bool blank = m_editor->isBlank() && !m_guard->composing();
    m_send->setEnabled(m_busy || (m_sendAvailable && !blank));
    if (m_busy)
        m_send->setToolTip(tr("Stop the answer (Escape). What is written so far is kept."));
    else if (!m_sendAvailable)
        m_send->setToolTip(m_unavailableReason);
    else
        m_send->setToolTip(tr("Send (Enter). Shift+Enter starts a new line."));
}

}  // namespace trefoil
