#include "ui/chat/message_widget.h"

#include "ui/chat/elided_label.h"
#include "ui/chat/quiet_button.h"
#include "ui/chat/text_column.h"
#include "ui/chat/thinking_pane.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>

namespace trefoil {
namespace {

constexpr int kCardMargin = 14;
constexpr qsizetype kDescribedCharacters = 4000;

/// Why the response ended, where that is worth a word.
QString reasonText(const TranscriptMessage& message) {
    switch (message.reason) {
        case EndReason::Length:
            return MessageWidget::tr("Length limit reached");
        case EndReason::Cancelled:
            return MessageWidget::tr("Stopped");
        case EndReason::Interrupted:
            return MessageWidget::tr("Interrupted: the program ended before the answer did");
        case EndReason::Refused:
            return MessageWidget::tr("Not run");
        case EndReason::Failed:
            return MessageWidget::tr("Failed");
        default:
            return {};
    }
}

}  // namespace

MessageWidget::MessageWidget(const TranscriptMessage& message, LayoutQueue& queue, QWidget* parent)
    : QWidget(parent),
      m_message(message),
      m_body(new TextColumn(queue, this)),
      m_copy(new QuietButton(QStringLiteral("copy"), tr("Copy"), this)) {
    setObjectName(QStringLiteral("message"));
    setFocusPolicy(Qt::TabFocus);
    m_body->setObjectName(QStringLiteral("messageText"));
    m_copy->setObjectName(QStringLiteral("copyMessageButton"));
    m_copy->setToolTip(tr("Copy this message"));
    m_copy->setAccessibleName(tr("Copy this message"));
    connectColumn(m_body);
    connect(m_copy, &QToolButton::clicked, this, &MessageWidget::copyMessage);
    auto* layout = new QVBoxLayout(this);
    if (message.role == u"user") {
        setAccessibleName(tr("Your message"));
        m_body->setAccessibleName(tr("Text of your message"));
        m_edit = new QuietButton(QStringLiteral("rename"), tr("Edit"), this);
        m_edit->setObjectName(QStringLiteral("editMessageButton"));
        m_edit->setToolTip(tr("Edit this message; the answer is written anew, and this version stays"));
        m_edit->setAccessibleName(tr("Edit this message"));
        connect(m_edit, &QToolButton::clicked, this, &MessageWidget::editRequested);
        auto* row = new QHBoxLayout;
        row->setSpacing(2);
        row->addWidget(m_body, 1);
        row->addSpacing(4);
        row->addWidget(m_edit, 0, Qt::AlignTop);
        row->addWidget(m_copy, 0, Qt::AlignTop);
        auto* below = new QHBoxLayout;
        below->setSpacing(2);
        below->addStretch(1);
        addVersionButtons(below);
        layout->setContentsMargins(kCardMargin, 10, 8, 10);
        layout->setSpacing(2);
        layout->addLayout(row);
        layout->addLayout(below);
    } else {
        setAccessibleName(tr("Answer"));
        m_body->setAccessibleName(tr("Text of the answer"));
        m_thinking = new ThinkingPane(queue, this);
        connectColumn(m_thinking->column());
        m_error = new TextColumn(queue, this);
        m_error->setObjectName(QStringLiteral("messageError"));
        connectColumn(m_error);
        m_status = new ElidedLabel(this);
        m_status->setObjectName(QStringLiteral("messageStatus"));
        m_status->setForegroundRole(QPalette::WindowText);
        m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        m_regenerate = new QuietButton(QStringLiteral("regenerate"), tr("Regenerate"), this);
        m_regenerate->setObjectName(QStringLiteral("regenerateButton"));
        m_regenerate->setToolTip(tr("Write this answer again"));
        m_trace = new QuietButton(QStringLiteral("block"), tr("Show blocks"), this);
        m_trace->setObjectName(QStringLiteral("showBlocksButton"));
        m_trace->showText();
        m_trace->setToolTip(tr("Show in the Block dock how this answer was written"));
        m_continue = new QuietButton(QStringLiteral("play"), tr("Continue"), this);
        m_continue->setObjectName(QStringLiteral("continueButton"));
        m_continue->showText();
        m_continue->setToolTip(tr("Write on where this answer ended"));
        connect(m_continue, &QToolButton::clicked, this, &MessageWidget::continueRequested);
        connect(m_regenerate, &QToolButton::clicked, this, &MessageWidget::regenerateRequested);
        connect(m_trace, &QToolButton::clicked, this, &MessageWidget::traceRequested);
        auto* footer = new QHBoxLayout;
        footer->setContentsMargins(0, 0, 0, 0);
        footer->setSpacing(2);
        addVersionButtons(footer);
        footer->addWidget(m_status, 1);
        footer->addWidget(m_continue);
        footer->addWidget(m_trace);
        footer->addWidget(m_regenerate);
        footer->addWidget(m_copy);
        layout->setContentsMargins(kCardMargin, 4, kCardMargin, 2);
        layout->setSpacing(12);
        layout->addWidget(m_thinking);
        layout->addWidget(m_body);
        layout->addWidget(m_error);
        layout->addLayout(footer);
    }
    updateColours();
    setMessage(message);
}

void MessageWidget::connectColumn(TextColumn* column) {
    connect(column, &TextColumn::linkActivated, this, &MessageWidget::linkActivated);
    connect(column, &TextColumn::copied, this, &MessageWidget::copied);
    connect(column, &TextColumn::dragged, this, &MessageWidget::dragged);
    connect(column, &TextColumn::selectionStarted, this, [this, column] { emit selectionStarted(column); });
}

void MessageWidget::addVersionButtons(QBoxLayout* row) {
    m_previous = new QuietButton(QStringLiteral("left"), tr("Previous version"), this);
    m_previous->setObjectName(QStringLiteral("previousVersionButton"));
    m_version = new QLabel(this);
    m_version->setObjectName(QStringLiteral("versionLabel"));
    m_version->setForegroundRole(QPalette::WindowText);
    m_next = new QuietButton(QStringLiteral("right"), tr("Next version"), this);
    m_next->setObjectName(QStringLiteral("nextVersionButton"));
    connect(m_previous, &QToolButton::clicked, this, [this] { showVersion(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { showVersion(1); });
    for (QWidget* part : QList<QWidget*>{m_previous, m_version, m_next}) row->addWidget(part);
}

void MessageWidget::updateVersions() {
    const qsizetype count = m_message.versions.size();
    const qsizetype at = m_message.versions.indexOf(m_message.id);
    const bool several = count > 1 && at >= 0;
    for (QWidget* part : QList<QWidget*>{m_previous, m_version, m_next}) part->setVisible(several);
    if (!several) return;
    m_version->setText(tr("%1/%2").arg(at + 1).arg(count));
    m_version->setAccessibleName(tr("Version %1 of %2").arg(at + 1).arg(count));
    m_previous->setEnabled(at > 0);
    m_next->setEnabled(at + 1 < count);
    m_previous->setAccessibleName(tr("Previous version, %1 of %2").arg(at).arg(count));
    m_next->setAccessibleName(tr("Next version, %1 of %2").arg(at + 2).arg(count));
    for (QuietButton* button : {m_previous, m_next}) button->setAwake(true);
}

void MessageWidget::showVersion(qsizetype step) {
    const qsizetype wanted = m_message.versions.indexOf(m_message.id) + step;
    if (wanted >= 0 && wanted < m_message.versions.size()) emit versionRequested(m_message.versions.at(wanted));
}

void MessageWidget::focusVersions() {
    for (QuietButton* button : {m_next, m_previous}) {
        if (button->isHidden() || !button->isEnabled()) continue;
        button->setFocus(Qt::OtherFocusReason);
        return;
    }
}

QList<QuietButton*> MessageWidget::buttons() const {
    QList<QuietButton*> out;
    for (QuietButton* button : {m_copy, m_regenerate, m_trace, m_edit, m_continue})
        if (button != nullptr) out.append(button);
    return out;
}

void MessageWidget::setHeatWanted(bool wanted) {
    m_heatWanted = wanted;
    m_heatAsked = false;
    setHeat({});
    update();
}

void MessageWidget::setHeat(const MessageHeat& heat) {
    if (isQuestion()) return;
    m_body->setHeat(heat.answer);
    m_thinking->column()->setHeat(heat.thinking);
}

void MessageWidget::setMessage(const TranscriptMessage& message) {
    if (message.content != m_message.content || message.thinking != m_message.thinking ||
        message.streaming != m_message.streaming) {
        setHeat({});
        m_heatAsked = false;
    }
    m_message = message;
    updateVersions();
    const QString described = message.content.left(kDescribedCharacters);
    setAccessibleDescription(described);
    m_body->setAccessibleDescription(described);
    if (isQuestion()) {
        m_body->setPlainText(message.content);
        return;
    }
    if (!message.streaming) {
        m_cells.clear();
        m_masked.clear();
    }
    m_body->setMarkdown(message.content, message.streaming);
    const bool cut = thinks() && !message.streaming;
    m_thinking->setThinking(message.thinking, message.stats.thinkingTokens, message.stats.thinkingMs,
                            thinks() && message.streaming, cut);
    m_error->setPlainText(message.error);
    m_error->setVisible(!message.error.isEmpty());
    showBlock();
    updateFooter();
}

void MessageWidget::setOpenBlock(const QStringList& cells, const QList<bool>& masked) {
    if (isQuestion() || (m_cells == cells && m_masked == masked)) return;
    m_cells = cells;
    m_masked = masked;
    showBlock();
}

void MessageWidget::showBlock() {
    // The block belongs to what is being written: the thinking until it closes, then the answer.
    TextColumn* thinking = m_thinking->column();
    thinking->setOpenBlock(thinks() ? m_cells : QStringList(), m_masked);
    m_body->setOpenBlock(thinks() ? QStringList() : m_cells, m_masked);
    const bool somethingThought = !m_message.thinking.isEmpty() || (thinks() && !m_cells.isEmpty());
    m_thinking->setVisible(m_message.hasThinking && somethingThought);
    m_body->setVisible(m_body->pieceCount() > 0);
}

QString MessageWidget::statusText() const {
    QStringList parts;
    const QString reason = reasonText(m_message);
    if (!reason.isEmpty()) parts.append(reason);
    const GenerationStats& stats = m_message.stats;
    const QLocale locale;
    if (stats.passes > 0) {
        parts.append(stats.passes == 1 ? tr("1 pass") : tr("%1 passes").arg(locale.toString(stats.passes)));
        const double perPass = static_cast<double>(stats.writtenTokens()) / static_cast<double>(stats.passes);
        parts.append(tr("%1 tokens per pass").arg(locale.toString(perPass, 'f', 1)));
    }
    if (stats.decodeMs > 0.0 && stats.writtenTokens() > 0) {
        const double perSecond = static_cast<double>(stats.writtenTokens()) * 1000.0 / stats.decodeMs;
        parts.append(tr("%1 tokens/s").arg(locale.toString(perSecond, 'f', perSecond < 10.0 ? 1 : 0)));
    }
    if (stats.reusedTokens > 0 && !m_message.streaming)
        parts.append(
            tr("%1 of %2 prompt tokens reused").arg(locale.toString(stats.reusedTokens), locale.toString(stats.promptTokens)));
    return parts.join(QStringLiteral(" · "));
}

void MessageWidget::updateFooter() {
    m_status->setFullText(statusText());
    m_copy->setVisible(!m_message.streaming && !m_message.content.isEmpty());
    m_regenerate->setVisible(!m_message.streaming);
    m_continue->setVisible(m_last && m_message.canContinue);
    m_trace->setVisible(m_message.hasTrace);
    const bool awake = m_last || underMouse() || hasFocus();
    for (QuietButton* button : buttons()) button->setAwake(awake);
}

void MessageWidget::setLast(bool last) {
    if (m_last == last) return;
    m_last = last;
    if (!isQuestion()) updateFooter();
}

QList<TextColumn*> MessageWidget::columns() const {
    QList<TextColumn*> all{m_body};
    if (m_thinking != nullptr) all.append(m_thinking->column());
    if (m_error != nullptr) all.append(m_error);
    return all;
}

int MessageWidget::layoutCount() const {
    int count = 0;
    for (const TextColumn* column : columns()) count += column->layoutCount();
    return count;
}

void MessageWidget::copyMessage() {
    QApplication::clipboard()->setText(m_message.content);
    emit copied(m_message.content);
}

void MessageWidget::paintEvent(QPaintEvent*) {
    if (m_heatWanted && !m_heatAsked && m_message.hasTrace && !m_message.streaming) {
        m_heatAsked = true;
        emit heatWanted();
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(1, 1, -1, -1);
    if (isQuestion()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme::tone(theme::Tone::Raised, palette()));
        painter.drawRoundedRect(frame, 10, 10);
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme::tone(theme::Tone::Accent, palette()), 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(frame, 10, 10);
    }
}

void MessageWidget::enterEvent(QEnterEvent* event) {
    QWidget::enterEvent(event);
    for (QuietButton* button : buttons()) button->setAwake(true);
}

void MessageWidget::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    for (QuietButton* button : buttons()) button->setAwake(!isQuestion() && m_last);
}

void MessageWidget::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void MessageWidget::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void MessageWidget::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("messageMenu"));
    TextColumn* under = nullptr;
    for (TextColumn* column : columns()) {
        if (column->isVisible() && column->rect().contains(column->mapFrom(this, event->pos()))) under = column;
    }
    if (under != nullptr && under->hasSelection()) {
        menu->addAction(tr("Copy &selection"), this,
                        [this, under] {
                            const QString text = under->selectedText();
                            QApplication::clipboard()->setText(text);
                            emit copied(text);
                        })
            ->setObjectName(QStringLiteral("copySelectionAction"));
    }
    menu->addAction(tr("&Copy message"), this, &MessageWidget::copyMessage)->setObjectName(QStringLiteral("copyMessageAction"));
    const QString link = under != nullptr ? under->linkAt(under->mapFrom(this, event->pos())) : QString();
    if (!link.isEmpty()) {
        menu->addAction(tr("Copy &link address"), this,
                        [this, link] {
                            QApplication::clipboard()->setText(link);
                            emit copied(link);
                        })
            ->setObjectName(QStringLiteral("copyLinkAction"));
    }
    if (under != nullptr) {
        menu->addAction(tr("Select &all"), under, &TextColumn::selectAll)->setObjectName(QStringLiteral("selectAllAction"));
    }
    if (m_message.hasTrace) {
        menu->addSeparator();
        menu->addAction(tr("Show &blocks"), this, &MessageWidget::traceRequested)
            ->setObjectName(QStringLiteral("showBlocksAction"));
        if (!m_message.streaming) emit menuAboutToShow(menu);
    }
    addChangeActions(menu);
    menu->popup(event->globalPos());
}

/// What makes a further version, or goes on with this one.
void MessageWidget::addChangeActions(QMenu* menu) {
    if (isQuestion()) {
        menu->addAction(tr("&Edit"), this, &MessageWidget::editRequested)->setObjectName(QStringLiteral("editAction"));
        return;
    }
    if (m_message.streaming) return;
    menu->addAction(tr("&Regenerate"), this, &MessageWidget::regenerateRequested)
        ->setObjectName(QStringLiteral("regenerateAction"));
    if (m_last && m_message.canContinue) {
        menu->addAction(tr("C&ontinue"), this, &MessageWidget::continueRequested)
            ->setObjectName(QStringLiteral("continueAction"));
    }
    // With one block there is nothing to keep.
    if (!m_message.hasTrace || m_message.stats.blocks < 2) return;
    QMenu* from = menu->addMenu(tr("Regenerate from &block"));
    from->setObjectName(QStringLiteral("regenerateFromMenu"));
    for (int block = 1; block < m_message.stats.blocks; ++block)
        from->addAction(QLocale().toString(block + 1), this, [this, block] { emit regenerateFromRequested(block); });
}

void MessageWidget::keyPressEvent(QKeyEvent* event) {
    if (!event->matches(QKeySequence::Copy)) {
        QWidget::keyPressEvent(event);
        return;
    }
    for (const TextColumn* column : columns()) {
        if (!column->hasSelection()) continue;
        const QString text = column->selectedText();
        QApplication::clipboard()->setText(text);
        emit copied(text);
        return;
    }
    copyMessage();
}

void MessageWidget::updateColours() {
    if (m_status == nullptr) return;
    QPalette subtle = palette();
    subtle.setColor(QPalette::WindowText, theme::tone(theme::Tone::Subtle, palette()));
    m_status->setPalette(subtle);
    QFont small = font();
    small.setPointSizeF(std::max(1.0, small.pointSizeF() * 0.92));
    m_status->setFont(small);
    QPalette error = palette();
    error.setColor(QPalette::Text, theme::tone(theme::Tone::Error, palette()));
    m_error->setPalette(error);
}

void MessageWidget::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) updateColours();
}

}  // namespace trefoil
