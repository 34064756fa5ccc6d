#include "ui/blocks/steer_bar.h"

#include "ui/blocks/piece_text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace trefoil {
namespace {

QToolButton* makeButton(const QString& objectName, const QString& text, const QString& tip, QWidget* parent) {
    auto* const button = new QToolButton(parent);
    button->setObjectName(objectName);
    button->setText(text);
    button->setAccessibleName(text);
    button->setToolTip(tip);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

}  // namespace

SteerBar::SteerBar(QWidget* parent)
    : QWidget(parent),
      m_pause(makeButton(QStringLiteral("steerPause"), tr("Pause"), tr("Wait after the pass that runs, or go on"), this)),
      m_step(makeButton(QStringLiteral("steerStep"), tr("Step"), tr("Make one pass, then wait"), this)),
      m_text(new QLabel(this)),
      m_edits(new QWidget(this)),
      m_mask(makeButton(QStringLiteral("steerMask"), tr("Mask again"), tr("The chosen position is written again"), m_edits)),
      m_token(new QComboBox(m_edits)),
      m_fix(makeButton(QStringLiteral("steerFix"), tr("Fix"),
                       tr("Puts this token at the chosen position; a typed text of several tokens fills the positions after it"),
                       m_edits)) {
    setObjectName(QStringLiteral("steerBar"));
    m_text->setObjectName(QStringLiteral("steerText"));
    m_text->setAccessibleName(tr("State of the answer"));
    m_text->setWordWrap(true);
    m_token->setObjectName(QStringLiteral("steerToken"));
    m_token->setAccessibleName(tr("Token for the chosen position"));
    m_token->setToolTip(tr("One of the model's candidates, or a text that you type"));
    m_token->setEditable(true);
    m_token->setInsertPolicy(QComboBox::NoInsert);
    m_token->setCompleter(nullptr);
    m_token->lineEdit()->setPlaceholderText(tr("Token or text"));

    auto* const buttons = new QHBoxLayout;
    buttons->addWidget(m_pause);
    buttons->addWidget(m_step);
    buttons->addWidget(m_text, 1);
    auto* const edits = new QHBoxLayout(m_edits);
    edits->setContentsMargins(0, 0, 0, 0);
    edits->addWidget(m_mask);
    edits->addWidget(m_token, 1);
    edits->addWidget(m_fix);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addLayout(buttons);
    column->addWidget(m_edits);

    connect(m_pause, &QToolButton::clicked, this, &SteerBar::pauseOrGoOn);
    connect(m_step, &QToolButton::clicked, this, &SteerBar::stepRequested);
    connect(m_mask, &QToolButton::clicked, this, [this] {
        if (m_state && m_cell) emit changeRequested(m_state->block, {m_cell->row, -1});
    });
    connect(m_fix, &QToolButton::clicked, this, &SteerBar::fix);
    connect(m_token->lineEdit(), &QLineEdit::returnPressed, this, &SteerBar::fix);
    refresh();
}

void SteerBar::begin() {
    m_state.reset();
    m_asked = false;
    m_cell.reset();
    refresh();
}

void SteerBar::setPaused(const PauseView& state) {
    m_state = state;
    m_asked = false;
    refresh();
}

void SteerBar::setResumed() {
    m_state.reset();
    m_asked = false;
    refresh();
}

void SteerBar::setUnavailable(const QString& reason) {
    m_unavailable = reason;
    refresh();
}

void SteerBar::setCell(const std::optional<CellView>& cell) {
    const bool other = cell.has_value() != m_cell.has_value() || (cell && (cell->row != m_cell->row || cell->top != m_cell->top));
    m_cell = cell;
    if (other) {
        m_token->clear();
        if (cell)
            for (const TokenChoice& choice : cell->top) m_token->addItem(quotedPiece(choice.text, choice.token), choice.token);
        m_token->setCurrentIndex(-1);
        m_token->clearEditText();
    }
    refresh();
}

QString SteerBar::stateText(const PauseView& state) {
    if (state.step < 0) return tr("Paused before the first pass of block %1.").arg(state.block + 1);
    if (state.complete)
        return tr("Paused after pass %1 of block %2; the block is complete.").arg(state.step + 1).arg(state.block + 1);
    return tr("Paused after pass %1 of block %2.").arg(state.step + 1).arg(state.block + 1);
}

void SteerBar::pauseOrGoOn() {
    if (!m_unavailable.isEmpty()) return;
    if (m_state || m_asked) {
        m_asked = false;
        emit resumeRequested();
    } else {
        m_asked = true;
        emit pauseRequested();
    }
    refresh();
}

void SteerBar::fix() {
    if (!m_state || !m_cell) return;
    const int index = m_token->currentIndex();
    const QString text = m_token->currentText();
    if (index >= 0 && m_token->itemText(index) == text)
        emit changeRequested(m_state->block, {m_cell->row, m_token->itemData(index).toInt()});
    else if (!text.isEmpty())
        emit textRequested(m_state->block, m_cell->row, text);
}

void SteerBar::refresh() {
    const QString name = m_state || m_asked ? tr("Continue") : tr("Pause");
    m_pause->setText(name);
    m_pause->setAccessibleName(name);
    m_text->setText(!m_unavailable.isEmpty() ? m_unavailable
                    : m_state                ? stateText(*m_state)
                    : m_asked                ? tr("Pausing after this pass…")
                                             : QString());
    for (QToolButton* button : {m_pause, m_step}) {
        button->setEnabled(m_unavailable.isEmpty());
        button->setAccessibleDescription(m_unavailable);
    }
    m_pause->setToolTip(m_unavailable.isEmpty() ? tr("Wait after the pass that runs, or go on") : m_unavailable);
    m_step->setToolTip(m_unavailable.isEmpty() ? tr("Make one pass, then wait") : m_unavailable);
    const bool editable = m_state && m_state->editable;
    m_edits->setVisible(editable);
    const bool cell = editable && m_cell && m_cell->state != CellState::Prompt;
    m_mask->setEnabled(cell && m_cell->state != CellState::Masked && m_cell->state != CellState::Candidate);
    m_token->setEnabled(cell);
    m_fix->setEnabled(cell);
}

}  // namespace trefoil
