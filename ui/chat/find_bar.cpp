#include "ui/chat/find_bar.h"

#include "ui/chat/composition_guard.h"
#include "ui/chat/transcript_find.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace trefoil {

namespace {

QToolButton* button(const QString& name, const QString& text, QWidget* parent) {
    auto* result = new QToolButton(parent);
    result->setObjectName(name);
    result->setAccessibleName(text);
    result->setToolTip(text);
    result->setAutoRaise(true);
    result->setFocusPolicy(Qt::TabFocus);
    return result;
}

}  // namespace

FindBar::FindBar(TranscriptView* view, QWidget* parent)
    : QFrame(parent), m_find(new TranscriptFind(view, this)), m_field(new QLineEdit(this)), m_count(new QLabel(this)) {
    setObjectName(QStringLiteral("findBar"));
    setAccessibleName(tr("Find in this conversation"));
    m_field->setObjectName(QStringLiteral("findField"));
    m_field->setPlaceholderText(tr("Find in this conversation"));
    m_field->setAccessibleName(tr("Find in this conversation"));
    m_field->setMinimumHeight(28);
    m_field->installEventFilter(this);
    m_guard = new CompositionGuard(m_field);
    m_count->setObjectName(QStringLiteral("findCount"));
    m_count->setTextFormat(Qt::PlainText);
    m_previous = button(QStringLiteral("findPrevious"), tr("Previous place (Shift+Enter)"), this);
    m_previous->setArrowType(Qt::UpArrow);
    m_next = button(QStringLiteral("findNext"), tr("Next place (Enter)"), this);
    m_next->setArrowType(Qt::DownArrow);
    m_case = button(QStringLiteral("findCase"), tr("Tell capital and small letters apart"), this);
    m_case->setText(QStringLiteral("Aa"));
    m_case->setCheckable(true);
    m_close = button(QStringLiteral("findClose"), tr("Close (Escape)"), this);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 12, 4);
    row->addWidget(m_field, 1);
    row->addWidget(m_count);
    for (QToolButton* each : {m_previous, m_next, m_case, m_close}) row->addWidget(each);
    connect(m_field, &QLineEdit::textChanged, this, &FindBar::search);
    connect(m_case, &QToolButton::toggled, this, &FindBar::search);
    connect(m_previous, &QToolButton::clicked, this, [this] { m_find->step(false); });
    connect(m_next, &QToolButton::clicked, this, [this] { m_find->step(true); });
    connect(m_close, &QToolButton::clicked, this, &FindBar::close);
    connect(m_find, &TranscriptFind::changed, this, &FindBar::showCount);
    m_close->setText(QStringLiteral("×"));
    showCount();
    hide();
}

void FindBar::open() {
    const bool fresh = isHidden();
    show();
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
    if (fresh) search();
}

void FindBar::close() {
    if (isHidden()) return;
    m_find->setText({}, Qt::CaseInsensitive);
    hide();
    emit closed();
}

void FindBar::step(bool forward) {
    if (isHidden()) return open();
    m_find->step(forward);
}

void FindBar::search() {
    if (isHidden()) return;
    m_find->setText(m_field->text(), m_case->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive);
}

void FindBar::showCount() {
    const int count = m_find->count();
    if (m_field->text().isEmpty())
        m_count->clear();
    else if (count == 0)
        m_count->setText(m_find->complete() ? tr("Nothing found") : tr("Searching…"));
    else if (m_find->current() == 0)
        m_count->setText(count == 1 ? tr("1 place") : tr("%L1 places").arg(count));
    else
        m_count->setText(tr("%L1 of %L2").arg(m_find->current()).arg(count));
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
}

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_field && event->type() == QEvent::KeyPress && !m_guard->composing()) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            m_find->step(!key->modifiers().testFlag(Qt::ShiftModifier));
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void FindBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape) return QFrame::keyPressEvent(event);
    close();
}

}  // namespace trefoil
