#include "ui/chat/transcript_find.h"

#include "ui/chat/text_column.h"

#include <QElapsedTimer>

namespace trefoil {

namespace {

constexpr qint64 kSliceMs = 12;
constexpr int kRestartMs = 300;

}  // namespace

TranscriptFind::TranscriptFind(TranscriptView* view, QObject* parent) : QObject(parent), m_view(view) {
    m_slice.setInterval(0);
    connect(&m_slice, &QTimer::timeout, this, &TranscriptFind::lookOn);
    m_restart.setSingleShot(true);
    m_restart.setInterval(kRestartMs);
    connect(&m_restart, &QTimer::timeout, this, [this] {
        const TranscriptView::Mark kept = m_current < 0 ? m_kept : m_places[m_current];
        restart(kept);
    });
    connect(view, &TranscriptView::messagesChanged, this, [this] {
        if (!m_text.isEmpty() && !m_restart.isActive()) m_restart.start();
    });
}

void TranscriptFind::setText(const QString& text, Qt::CaseSensitivity sensitivity) {
    m_text = text;
    m_sensitivity = sensitivity;
    if (text.isEmpty())
        m_view->setMarks({});
    else
        m_view->setMarks([text, sensitivity](const QString& piece) { return findText(piece, text, sensitivity); });
    restart({});
}

void TranscriptFind::restart(const TranscriptView::Mark& kept) {
    m_places.clear();
    m_kept = kept;
    m_current = -1;
    m_next = 0;
    m_messages = m_text.isEmpty() ? QList<TranscriptMessage>() : m_view->messages();
    if (!complete()) m_slice.start();
    lookOn();
}

void TranscriptFind::lookOn() {
    QElapsedTimer clock;
    clock.start();
    const auto find = [this](const QString& piece) { return findText(piece, m_text, m_sensitivity); };
    while (!complete() && clock.elapsed() < kSliceMs) {
        const TranscriptMessage& message = m_messages[m_next++];
        const int thinking = TextColumn::markCountOf(message.thinking, false, find);
        for (int i = 0; i < thinking; ++i) m_places.append({message.id, true, i});
        const int body = TextColumn::markCountOf(message.content, message.role != u"user", find);
        for (int i = 0; i < body; ++i) m_places.append({message.id, false, i});
    }
    if (complete()) {
        m_slice.stop();
        if (!m_kept.id.isEmpty()) m_current = static_cast<int>(m_places.indexOf(m_kept));
        m_kept = {};
    }
    emit changed();
}

void TranscriptFind::step(bool forward) {
    if (m_places.isEmpty()) return;
    m_kept = {};
    const int from = m_current < 0 && !forward ? 0 : m_current;
    m_current = (from + (forward ? 1 : count() - 1)) % count();
    m_view->showMark(m_places[m_current]);
    emit changed();
}

}  // namespace trefoil
