#include "ui/models/prompt_view_dialog.h"

#include "ui/chat/notice_bar.h"
#include "ui/chat/pill_button.h"
#include "ui/models/number_text.h"
#include "ui/theme/theme.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTextCursor>
#include <QVBoxLayout>

namespace trefoil {

namespace {

// Long paragraphs of ids would be slow to lay out.
constexpr int kIdsPerLine = 12;

QTextCharFormat chipFormat(const QPalette& palette) {
    QTextCharFormat format;
    const QColor accent = theme::tone(theme::Tone::Accent, palette);
    format.setBackground(theme::blend(palette.color(QPalette::Base), accent, 0.22));
    format.setForeground(palette.color(QPalette::Text));
    format.setFontWeight(QFont::DemiBold);
    return format;
}

QPlainTextEdit* readOnlyText(const QString& name, const QString& accessibleName) {
    auto* text = new QPlainTextEdit;
    text->setObjectName(name);
    text->setAccessibleName(accessibleName);
    text->setReadOnly(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text->setTabChangesFocus(true);
    text->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    return text;
}

/// A plain-text document takes no NUL and treats other separators as line ends of its own.
QString lineOf(const QString& text) {
    QString line = text.left(60);
    line.replace(QLatin1Char('\n'), QStringLiteral("⏎"));
    return text.size() > 60 ? line + QStringLiteral("…") : line;
}

}  // namespace

PromptViewDialog::PromptViewDialog(QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("promptViewDialog"));
    setWindowTitle(tr("Prompt"));
    setSizeGripEnabled(true);
    m_summary = new QLabel(this);
    m_summary->setObjectName(QStringLiteral("promptSummary"));
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setWordWrap(true);
    m_problem = new NoticeBar(this);

    m_text = readOnlyText(QStringLiteral("promptText"), tr("The prompt's text"));
    m_ids = readOnlyText(QStringLiteral("promptIds"), tr("The prompt's token ids"));
    m_ids->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_tabs = new QTabWidget(this);
    m_tabs->setObjectName(QStringLiteral("promptTabs"));
    m_tabs->addTab(m_text, tr("Text"));
    m_tabs->addTab(m_ids, tr("Token ids"));
    connect(m_tabs, &QTabWidget::currentChanged, this, [this](int tab) {
        if (tab == 1) fillIds();
    });

    m_copied = new QLabel(this);
    m_copied->setObjectName(QStringLiteral("promptCopied"));
    m_copied->setTextFormat(Qt::PlainText);
    m_copied->setForegroundRole(QPalette::PlaceholderText);
    m_copyText = new PillButton(tr("Copy text"), PillButton::Look::Plain, this);
    m_copyText->setObjectName(QStringLiteral("copyPromptText"));
    m_copyText->setIconName(QStringLiteral("copy"));
    connect(m_copyText, &QPushButton::clicked, this, [this] { copy(promptText(), tr("Text copied")); });
    m_copyIds = new PillButton(tr("Copy ids"), PillButton::Look::Plain, this);
    m_copyIds->setObjectName(QStringLiteral("copyPromptIds"));
    m_copyIds->setIconName(QStringLiteral("copy"));
    m_copyIds->setToolTip(tr("As a JSON array, for trefoil-cli generate --ids"));
    connect(m_copyIds, &QPushButton::clicked, this, [this] { copy(idsText(), tr("Ids copied")); });
    auto* close = new PillButton(tr("Close"), PillButton::Look::Primary, this);
    close->setObjectName(QStringLiteral("closePromptView"));
    close->setDefault(true);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_copyText);
    buttons->addWidget(m_copyIds);
    buttons->addWidget(m_copied, 1);
    buttons->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(10);
    column->addWidget(m_summary);
    column->addWidget(m_problem);
    column->addWidget(m_tabs, 1);
    column->addLayout(buttons);
    resize(680, 520);
}

void PromptViewDialog::setPrompt(const PromptView& prompt) {
    m_prompt = prompt;
    m_idsFilled = false;
    m_copied->clear();
    m_summary->setText(prompt.context > 0
                           ? tr("%1 of %2 tokens. Marked pieces are control tokens of the chat format; everything else is text.")
                                 .arg(countText(prompt.tokens), countText(prompt.context))
                           : tr("%1 tokens").arg(countText(prompt.tokens)));
    m_problem->clearAll();
    if (!prompt.problem.isEmpty()) m_problem->show({QStringLiteral("problem"), NoticeKind::Warning, prompt.problem, {}, false});
    m_copyText->setEnabled(!prompt.pieces.isEmpty());
    m_copyIds->setEnabled(!prompt.pieces.isEmpty());
    fillText();
    m_ids->clear();
    if (m_tabs->currentIndex() == 1) fillIds();
}

void PromptViewDialog::fillText() {
    m_text->clear();
    QTextCursor cursor(m_text->document());
    cursor.beginEditBlock();
    const QTextCharFormat chip = chipFormat(palette());
    for (const PromptPieceView& piece : m_prompt.pieces) cursor.insertText(piece.text, piece.control ? chip : QTextCharFormat());
    cursor.endEditBlock();
    m_text->moveCursor(QTextCursor::Start);
}

void PromptViewDialog::fillIds() {
    if (m_idsFilled) return;
    m_idsFilled = true;
    m_ids->clear();
    QTextCursor cursor(m_ids->document());
    cursor.beginEditBlock();
    const QTextCharFormat chip = chipFormat(palette());
    QTextCharFormat caption;
    caption.setForeground(theme::tone(theme::Tone::Subtle, palette()));
    bool first = true;
    for (const PromptPieceView& piece : m_prompt.pieces) {
        if (!first) cursor.insertBlock();
        first = false;
        cursor.insertText(lineOf(piece.text), piece.control ? chip : caption);
        for (qsizetype i = 0; i < piece.ids.size(); ++i) {
            // A control piece has one id: it stands beside its chip.
            if (i % kIdsPerLine == 0 && !(piece.control && i == 0)) cursor.insertBlock();
            const QString gap = i % kIdsPerLine == 0 ? QStringLiteral("    ") : QStringLiteral("  ");
            cursor.insertText(gap + QString::number(piece.ids[i]), QTextCharFormat());
        }
    }
    cursor.endEditBlock();
    m_ids->moveCursor(QTextCursor::Start);
}

void PromptViewDialog::copy(const QString& text, const QString& done) {
    QGuiApplication::clipboard()->setText(text);
    m_copied->setText(done);
}

QString PromptViewDialog::idsText() const {
    QString text = QStringLiteral("[");
    for (const PromptPieceView& piece : m_prompt.pieces)
        for (const qint32 id : piece.ids) {
            if (text.size() > 1) text += QStringLiteral(", ");
            text += QString::number(id);
        }
    return text + QLatin1Char(']');
}

QString PromptViewDialog::promptText() const {
    QString text;
    for (const PromptPieceView& piece : m_prompt.pieces) text += piece.text;
    return text;
}

}  // namespace trefoil
