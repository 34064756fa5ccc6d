// TranscriptFind: where a text stands in the messages of a conversation, also in those that have no widgets. Counts in slices, so
// that a long conversation does not hold up the window.
#pragma once

#include "ui/chat/transcript_view.h"

#include <QList>
#include <QObject>
#include <QTimer>

namespace trefoil {

class TranscriptFind : public QObject {
    Q_OBJECT
public:
    /// `view` is not owned and outlives this object. Follows its messages.
    explicit TranscriptFind(TranscriptView* view, QObject* parent = nullptr);

    /// What to look for; marks it in the view. Empty: nothing, and no marks.
    void setText(const QString& text, Qt::CaseSensitivity sensitivity);
    /// Shows the next or the previous place, from the last to the first and the other way. The first one after setText is the
    /// first or the last of all.
    void step(bool forward);
    /// Number of the current place from 1, 0: none yet.
    [[nodiscard]] int current() const { return m_current + 1; }
    [[nodiscard]] int count() const { return static_cast<int>(m_places.size()); }
    /// Every message was looked at.
    [[nodiscard]] bool complete() const { return m_next >= m_messages.size(); }

signals:
    void changed();

private:
    /// `kept` stays the current place when it is still there.
    void restart(const TranscriptView::Mark& kept);
    void lookOn();

    TranscriptView* m_view;
    QString m_text;
    Qt::CaseSensitivity m_sensitivity = Qt::CaseInsensitive;
    QList<TranscriptMessage> m_messages;
    QList<TranscriptView::Mark> m_places;
    qsizetype m_next = 0;  ///< the message that is looked at next
    int m_current = -1;
    TranscriptView::Mark m_kept;  ///< becomes the current one when all is counted; an empty id: none
    QTimer m_slice;
    QTimer m_restart;  ///< a growing answer is looked at anew now and then
};

}  // namespace trefoil
