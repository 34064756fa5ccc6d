// ConversationList: the left panel with all conversations.
#pragma once

#include "ui/chat/conversation_model.h"

#include <QTimer>
#include <QWidget>

#include <functional>

class QAction;
class QKeyEvent;
class QLabel;
class QLineEdit;
class QListView;

namespace trefoil {

class CompositionGuard;
class ConversationDelegate;
class PillButton;

/// Shows what it is given and asks for everything else by signals. Up and Down move through the list, Enter opens at once, F2
/// renames, Delete deletes, Escape ends a search. A title is edited in place; keys of an input method's composition end neither
/// the editing nor the filtering (see CompositionGuard).
class ConversationList : public QWidget {
    Q_OBJECT
public:
    explicit ConversationList(QWidget* parent = nullptr);
    ~ConversationList() override;

    /// In any order. Cheap for small changes; an open title editor and the scroll position survive.
    void setItems(const QList<ConversationItem>& items);
    /// Rows of this result join those whose titles hold what is searched for.
    void setSearchResult(const SearchResult& result);
    /// The history has changed: what is searched for, if anything, is asked for again. What is on show stays until then.
    void searchAgain();
    /// What is searched for, as typed.
    [[nodiscard]] QString searchText() const;
    void setSearchText(const QString& text);
    /// Moves the keyboard's focus to the search field.
    void focusSearch();
    /// Marks the open conversation, without `opened`. An empty or unknown id: none.
    void setCurrent(const QString& id);
    [[nodiscard]] QString current() const { return m_current; }
    /// Opens the title editor of a conversation on show.
    void startRename(const QString& id);
    /// Fixes the date that the groups count from; an invalid date goes back to the clock's.
    void setToday(const QDate& today);
    [[nodiscard]] ConversationModel* model() const { return m_model; }

signals:
    void newRequested();
    void opened(const QString& id);
    /// Instead of `opened` for a conversation whose contents hold what is searched for; also for the one that is open already.
    void hitOpened(const QString& id, const QString& messageId);
    /// The contents are to be searched: setSearchResult is the answer.
    void searchRequested(const QString& text);
    /// The search field is empty again.
    void searchEnded();
    void renamed(const QString& id, const QString& title);
    void deleteRequested(const QString& id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void buildView();
    void openIndex(const QModelIndex& index);
    void openSoon();
    void showCurrent();
    void showMenu(const QPoint& position);
    void requestDelete(const QModelIndex& index);
    bool filterFieldKey(const QKeyEvent& event);
    bool filterViewKey(const QKeyEvent& event);
    void changeRows(const std::function<void()>& change);
    void updateState();
    void followClock();

    ConversationModel* m_model;
    ConversationDelegate* m_delegate;
    PillButton* m_new = nullptr;
    QLineEdit* m_filter = nullptr;
    QAction* m_filterSign = nullptr;
    CompositionGuard* m_filterGuard = nullptr;
    QListView* m_view = nullptr;
    QLabel* m_empty = nullptr;
    QLabel* m_moreNote = nullptr;
    QString m_current;
    QTimer m_openTimer;    ///< a held arrow key must not open every conversation on its way
    QTimer m_searchTimer;  ///< a person who types searches once, not with every letter
    QTimer m_spinTimer;
    QTimer m_clockTimer;
    int m_phase = 0;
    QString m_lastHit;        ///< message that was opened last
    bool m_searched = false;  ///< the contents were searched for what the field holds
    bool m_more = false;      ///< older hits are left out
    bool m_todayIsFixed = false;
    bool m_showingCurrent = false;
};

}  // namespace trefoil
