#include "ui/chat/system_prompt_panel.h"

#include "ui/chat/card_frame.h"
#include "ui/chat/composition_guard.h"
#include "ui/chat/elided_label.h"
#include "ui/chat/growing_editor.h"
#include "ui/chat/pill_button.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

namespace trefoil {

namespace {

constexpr int kDebounceMs = 400;
constexpr int kMinimumLines = 3;
constexpr int kMaximumLines = 8;

}  // namespace

SystemPromptPanel::SystemPromptPanel(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("systemPromptPanel"));
    m_toggle = new PillButton(tr("System prompt"), PillButton::Look::Quiet, this);
    m_toggle->setObjectName(QStringLiteral("systemPromptToggle"));
    m_toggle->setCheckable(true);
    m_toggle->setToolTip(tr("What the model is told before the conversation begins"));
    connect(m_toggle, &QPushButton::toggled, this, [this](bool expanded) {
        m_card->setVisible(expanded);
        if (expanded)
            m_editor->setFocus(Qt::OtherFocusReason);
        else
            flush();
        updateHeader();
    });
    m_preview = new ElidedLabel(this);
    m_preview->setObjectName(QStringLiteral("systemPromptPreview"));
    m_preview->setForegroundRole(QPalette::PlaceholderText);

    m_editor = new GrowingEditor(kMinimumLines, kMaximumLines, this);
    m_editor->setObjectName(QStringLiteral("systemPromptEditor"));
    m_editor->setAccessibleName(tr("System prompt"));
    m_editor->setPlaceholderText(tr("For example: Answer in one short sentence."));
    m_editor->installEventFilter(this);
    // Installed last: it sees every key before this panel does.
    new CompositionGuard(m_editor);
    m_card = new CardFrame(m_editor, this);
    m_card->setVisible(false);
    auto* inside = new QVBoxLayout(m_card);
    inside->setContentsMargins(6, 4, 6, 4);
    inside->addWidget(m_editor);
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(kDebounceMs);
    connect(m_editor, &GrowingEditor::edited, this, [this] { m_debounce.start(); });
    connect(&m_debounce, &QTimer::timeout, this, [this] { emit textEdited(m_conversation, m_editor->text()); });

    auto* header = new QHBoxLayout;
    header->setSpacing(6);
    header->addWidget(m_toggle);
    header->addWidget(m_preview, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 4, 12, 4);
    column->setSpacing(4);
    column->addLayout(header);
    column->addWidget(m_card);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    updateHeader();
}

void SystemPromptPanel::setPrompt(const QString& conversationId, const QString& text) {
    if (conversationId == m_conversation && (text == m_editor->text() || m_debounce.isActive())) return;
    flush();
    m_conversation = conversationId;
    if (text != m_editor->text()) m_editor->setText(text);
    updateHeader();
}

QString SystemPromptPanel::text() const { return m_editor->text(); }

void SystemPromptPanel::flush() {
    if (!m_debounce.isActive()) return;
    m_debounce.stop();
    emit textEdited(m_conversation, m_editor->text());
}

void SystemPromptPanel::setExpanded(bool expanded) { m_toggle->setChecked(expanded); }

bool SystemPromptPanel::isExpanded() const { return m_toggle->isChecked(); }

bool SystemPromptPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_editor) {
        if (event->type() == QEvent::FocusOut) flush();
        if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
            setExpanded(false);
            m_toggle->setFocus(Qt::OtherFocusReason);
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void SystemPromptPanel::updateHeader() {
    const bool expanded = isExpanded();
    m_toggle->setIconName(expanded ? QStringLiteral("down") : QStringLiteral("right"));
    const QString text = m_editor->text();
    m_preview->setFullText(expanded ? QString() : m_editor->isBlank() ? tr("none") : text);
}

void SystemPromptPanel::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setPen(theme::tone(theme::Tone::Border, palette()));
    painter.drawLine(0, height() - 1, width(), height() - 1);
}

}  // namespace trefoil
