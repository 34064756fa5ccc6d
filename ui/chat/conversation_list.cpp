#include "ui/chat/conversation_list.h"

#include "ui/chat/composition_guard.h"
#include "ui/chat/conversation_delegate.h"
#include "ui/chat/pill_button.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QScrollBar>
#include <QVBoxLayout>

namespace trefoil {

namespace {

constexpr int kOpenDelayMs = 150;
constexpr int kSearchDelayMs = 120;
constexpr int kSpinMs = 100;
constexpr int kClockMs = 60'000;
constexpr int kPhases = 12;

}  // namespace

ConversationList::ConversationList(QWidget* parent)
    : QWidget(parent), m_model(new ConversationModel(this)), m_delegate(new ConversationDelegate(this)) {
    setObjectName(QStringLiteral("conversationPanel"));
    m_new = new PillButton(tr("New chat"), PillButton::Look::Plain, this);
    m_new->setObjectName(QStringLiteral("newChatButton"));
    m_new->setIconName(QStringLiteral("new"));
    m_new->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_new->setToolTip(tr("Start a new conversation (Ctrl+N)"));
    connect(m_new, &QPushButton::clicked, this, &ConversationList::newRequested);

    m_filter = new QLineEdit(this);
    m_filter->setObjectName(QStringLiteral("conversationFilter"));
    m_filter->setPlaceholderText(tr("Search"));
    m_filter->setAccessibleName(tr("Search the conversations"));
    m_filter->setToolTip(tr(
        "Searches titles and messages, thinking left out (Ctrl+Shift+F). Use quotes for a phrase, title: and model: to narrow it "
        "down."));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumHeight(30);
    m_filterSign = m_filter->addAction(theme::icon(QStringLiteral("search"), palette()), QLineEdit::LeadingPosition);
    m_filter->installEventFilter(this);
    m_filterGuard = new CompositionGuard(m_filter);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_more = false;
        m_searched = false;
        m_lastHit.clear();
        changeRows([&] { m_model->setFilter(text.trimmed()); });
        if (m_model->filter().isEmpty()) {
            m_searchTimer.stop();
            emit searchEnded();
        } else {
            m_searchTimer.start();
        }
    });
    m_searchTimer.setSingleShot(true);
    m_searchTimer.setInterval(kSearchDelayMs);
    connect(&m_searchTimer, &QTimer::timeout, this, [this] { emit searchRequested(m_model->filter()); });
    buildView();

    m_empty = new QLabel(this);
    m_empty->setObjectName(QStringLiteral("conversationListEmpty"));
    m_empty->setTextFormat(Qt::PlainText);
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_empty->setContentsMargins(12, 24, 12, 0);

    m_moreNote = new QLabel(tr("There is more. Add a word to narrow it down."), this);
    m_moreNote->setObjectName(QStringLiteral("searchMoreNote"));
    m_moreNote->setTextFormat(Qt::PlainText);
    m_moreNote->setWordWrap(true);
    m_moreNote->setForegroundRole(QPalette::PlaceholderText);
    m_moreNote->setContentsMargins(12, 0, 12, 6);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 8, 0, 0);
    column->setSpacing(6);
    auto* top = new QVBoxLayout;
    top->setContentsMargins(8, 0, 8, 0);
    top->setSpacing(6);
    top->addWidget(m_new);
    top->addWidget(m_filter);
    column->addLayout(top);
    column->addWidget(m_empty);
    column->addWidget(m_view, 1);
    column->addWidget(m_moreNote);
    setTabOrder(m_new, m_filter);
    setTabOrder(m_filter, m_view);
    setMinimumWidth(180);

    m_openTimer.setSingleShot(true);
    m_openTimer.setInterval(kOpenDelayMs);
    connect(&m_openTimer, &QTimer::timeout, this, [this] {
        const QModelIndex index = m_view->currentIndex();
        const QString message = index.data(ConversationModel::MessageRole).toString();
        // A click or Enter was faster.
        if (message.isEmpty() || message != m_lastHit) openIndex(index);
    });
    m_spinTimer.setInterval(kSpinMs);
    connect(&m_spinTimer, &QTimer::timeout, this, [this] {
        m_phase = (m_phase + 1) % kPhases;
        m_delegate->setPhase(m_phase);
        m_view->viewport()->update();
    });
    m_clockTimer.setInterval(kClockMs);
    connect(&m_clockTimer, &QTimer::timeout, this, &ConversationList::followClock);
    m_clockTimer.start();
    updateState();
}

void ConversationList::buildView() {
    m_view = new QListView(this);
    m_view->setObjectName(QStringLiteral("conversationList"));
    m_view->setAccessibleName(tr("Conversations"));
    m_view->setModel(m_model);
    m_view->setItemDelegate(m_delegate);
    // Every row is as high as the next, so that ten thousand need no measuring.
    m_view->setUniformItemSizes(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->verticalScrollBar()->setSingleStep(20);
    m_view->setMouseTracking(true);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->viewport()->setBackgroundRole(QPalette::Window);
    m_view->installEventFilter(this);
    connect(m_model, &ConversationModel::renameRequested, this, &ConversationList::renamed);
    connect(m_view, &QListView::clicked, this, &ConversationList::openIndex);
    connect(m_view, &QWidget::customContextMenuRequested, this, &ConversationList::showMenu);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& now) {
        if (!m_showingCurrent && now.isValid() && m_view->hasFocus()) openSoon();
    });
}

ConversationList::~ConversationList() {
    // An open editor gives its text to the model when the view goes; nobody is left to take it from there.
    m_model->disconnect(this);
    delete m_view;
}

void ConversationList::setItems(const QList<ConversationItem>& items) {
    changeRows([&] { m_model->setItems(items); });
}

void ConversationList::setSearchResult(const SearchResult& result) {
    if (result.text == m_model->filter()) {
        m_more = result.more;
        m_searched = true;
    }
    changeRows([&] { m_model->setSearchResult(result); });
}

void ConversationList::searchAgain() {
    if (!m_model->filter().isEmpty()) m_searchTimer.start();
}

QString ConversationList::searchText() const { return m_model->filter(); }

void ConversationList::setSearchText(const QString& text) { m_filter->setText(text); }

void ConversationList::focusSearch() {
    show();
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void ConversationList::changeRows(const std::function<void()>& change) {
    // The view chooses another row when its current one goes; that is nobody's wish to open it.
    m_showingCurrent = true;
    m_view->setUniformItemSizes(m_filter->text().trimmed().isEmpty());
    change();
    m_showingCurrent = false;
    showCurrent();
    updateState();
}

void ConversationList::setCurrent(const QString& id) {
    m_openTimer.stop();
    m_current = id;
    showCurrent();
}

void ConversationList::showCurrent() {
    // While an arrow key is on its way to another row, that row stays the view's.
    if (m_openTimer.isActive()) return;
    const QModelIndex index = m_model->indexOf(m_current);
    if (m_view->currentIndex() == index && m_view->selectionModel()->isSelected(index)) return;
    m_showingCurrent = true;
    if (index.isValid()) {
        m_view->setCurrentIndex(index);
        m_view->scrollTo(index);
    } else {
        m_view->selectionModel()->clear();
    }
    m_showingCurrent = false;
}

void ConversationList::startRename(const QString& id) {
    const QModelIndex index = m_model->indexOf(id);
    if (!index.isValid()) return;
    m_view->scrollTo(index);
    m_view->edit(index);
}

void ConversationList::setToday(const QDate& today) {
    m_todayIsFixed = today.isValid();
    changeRows([&] { m_model->setToday(m_todayIsFixed ? today : QDate::currentDate()); });
}

void ConversationList::followClock() {
    const QDate now = QDate::currentDate();
    if (!m_todayIsFixed && now != m_model->today()) changeRows([&] { m_model->setToday(now); });
}

void ConversationList::openIndex(const QModelIndex& index) {
    m_openTimer.stop();
    const QString id = index.data(ConversationModel::IdRole).toString();
    const QString message = index.data(ConversationModel::MessageRole).toString();
    if (id.isEmpty() || (id == m_current && message.isEmpty())) return;
    m_current = id;
    m_lastHit = message;
    if (message.isEmpty())
        emit opened(id);
    else
        emit hitOpened(id, message);
}

void ConversationList::openSoon() { m_openTimer.start(); }

void ConversationList::requestDelete(const QModelIndex& index) {
    const QString id = index.data(ConversationModel::IdRole).toString();
    if (!id.isEmpty()) emit deleteRequested(id);
}

void ConversationList::showMenu(const QPoint& position) {
    const QPersistentModelIndex index = m_view->indexAt(position);
    if (index.data(ConversationModel::IdRole).toString().isEmpty()) return;
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("conversationMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* rename = menu->addAction(theme::icon(QStringLiteral("rename"), palette()), tr("Rename"));
    rename->setObjectName(QStringLiteral("renameConversation"));
    rename->setShortcut(Qt::Key_F2);
    connect(rename, &QAction::triggered, this, [this, index] {
        if (index.isValid()) m_view->edit(index);
    });
    QAction* remove = menu->addAction(theme::icon(QStringLiteral("delete"), palette()), tr("Delete"));
    remove->setObjectName(QStringLiteral("deleteConversation"));
    remove->setShortcut(QKeySequence::Delete);
    connect(remove, &QAction::triggered, this, [this, index] { requestDelete(index); });
    menu->popup(m_view->viewport()->mapToGlobal(position));
}

bool ConversationList::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        if (watched == m_filter) return filterFieldKey(*static_cast<QKeyEvent*>(event));
        if (watched == m_view) return filterViewKey(*static_cast<QKeyEvent*>(event));
    }
    return QWidget::eventFilter(watched, event);
}

bool ConversationList::filterFieldKey(const QKeyEvent& event) {
    if (m_filterGuard->composing()) return false;
    switch (event.key()) {
        case Qt::Key_Escape:
            if (m_filter->text().isEmpty()) return false;
            m_filter->clear();
            return true;
        case Qt::Key_Down:
        case Qt::Key_Return:
        case Qt::Key_Enter: {
            // Row 0 is a heading; the first conversation stands below it.
            const QModelIndex first = m_model->index(1);
            if (!first.isValid() || event.isAutoRepeat()) return true;
            m_view->setFocus(Qt::OtherFocusReason);
            m_view->setCurrentIndex(first);
            if (event.key() != Qt::Key_Down) openIndex(first);
            return true;
        }
        default:
            return false;
    }
}

bool ConversationList::filterViewKey(const QKeyEvent& event) {
    const QModelIndex index = m_view->currentIndex();
    switch (event.key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (!event.isAutoRepeat()) openIndex(index);
            return true;
        case Qt::Key_Escape:
            if (m_filter->text().isEmpty()) return false;
            m_filter->clear();
            m_filter->setFocus(Qt::OtherFocusReason);
            return true;
        case Qt::Key_Delete:
            // A view that gets the focus has a current row which nobody has chosen yet.
            if (!event.isAutoRepeat() && m_view->selectionModel()->isSelected(index)) requestDelete(index);
            return true;
        default:
            return false;
    }
}

void ConversationList::updateState() {
    const bool none = m_model->shownCount() == 0;
    m_moreNote->setVisible(m_more);
    m_empty->setVisible(none);
    if (m_model->totalCount() == 0)
        m_empty->setText(tr("Your conversations will be listed here."));
    else
        m_empty->setText(m_searched ? tr("Nothing was found.") : tr("Searching…"));
    m_filter->setEnabled(m_model->totalCount() > 0 || !m_filter->text().isEmpty());
    if (m_model->hasWorkingRows() && isVisible()) {
        if (!m_spinTimer.isActive()) m_spinTimer.start();
    } else {
        m_spinTimer.stop();
    }
}

void ConversationList::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    followClock();
    updateState();
}

void ConversationList::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    m_filterSign->setIcon(theme::icon(QStringLiteral("search"), palette()));
    m_view->viewport()->update();
}

}  // namespace trefoil
