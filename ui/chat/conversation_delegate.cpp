#include "ui/chat/conversation_delegate.h"

#include "ui/chat/composition_guard.h"
#include "ui/chat/conversation_model.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QLineEdit>
#include <QPainter>
#include <QTextLayout>

#include <algorithm>

namespace trefoil {

namespace {

constexpr int kInset = 6;     ///< between the view's edge and a row's background
constexpr int kPadding = 10;  ///< between the background's edge and the text
constexpr int kWorkingSize = 12;
constexpr int kMaximumTitle = 200;
constexpr int kPhases = 12;

}  // namespace

ConversationDelegate::ConversationDelegate(QObject* parent) : QStyledItemDelegate(parent) {}

QSize ConversationDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const int lines = index.data(ConversationModel::SnippetRole).toString().isEmpty() ? 1 : 2;
    return {120, lines * option.fontMetrics.height() + (lines == 1 ? 16 : 20)};
}

void ConversationDelegate::paintHeading(QPainter* painter, const QStyleOptionViewItem& option, const QString& text) const {
    QFont font = option.font;
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * 0.88);
    painter->setFont(font);
    painter->setPen(theme::tone(theme::Tone::Subtle, option.palette));
    const QRect box = option.rect.adjusted(kInset + kPadding, 0, -kInset - kPadding, -4);
    painter->drawText(box, Qt::AlignBottom | Qt::AlignLeading, QFontMetrics(font).elidedText(text, Qt::ElideRight, box.width()));
}

void ConversationDelegate::paintWorking(QPainter* painter, const QPalette& palette, const QRect& box) const {
    const QRectF circle = QRectF(box).adjusted(1, 1, -1, -1);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(theme::tone(theme::Tone::Border, palette), 2));
    painter->drawEllipse(circle);
    painter->setPen(QPen(theme::tone(theme::Tone::Accent, palette), 2, Qt::SolidLine, Qt::RoundCap));
    painter->drawArc(circle, -m_phase * 360 * 16 / kPhases, 110 * 16);
}

void ConversationDelegate::paintSnippet(QPainter* painter, const QStyleOptionViewItem& option, const QRect& box,
                                        const QModelIndex& index) const {
    const QPalette& palette = option.palette;
    QFont font = option.font;
    font.setPointSizeF(font.pointSizeF() * 0.9);
    const QString snippet = index.data(ConversationModel::SnippetRole).toString();
    const QString shown = QFontMetrics(font).elidedText(snippet, Qt::ElideRight, box.width());
    // Of a text that is cut, the last sign is the ellipsis.
    const qsizetype kept = shown == snippet ? snippet.size() : shown.size() - 1;
    QTextLayout layout(shown, font);
    QList<QTextLayout::FormatRange> formats;
    for (const TextRange& range : index.data(ConversationModel::RangesRole).value<QList<TextRange>>()) {
        if (range.from >= kept) continue;
        QTextLayout::FormatRange format;
        format.start = static_cast<int>(range.from);
        format.length = static_cast<int>(std::min(range.length, kept - range.from));
        format.format.setBackground(
            theme::blend(palette.color(QPalette::Window), theme::tone(theme::Tone::Accent, palette), 0.35));
        format.format.setForeground(palette.color(QPalette::WindowText));
        formats.append(format);
    }
    layout.setFormats(formats);
    QTextOption wrapping;
    wrapping.setWrapMode(QTextOption::NoWrap);
    wrapping.setTextDirection(option.direction);
    layout.setTextOption(wrapping);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    line.setLineWidth(box.width());
    layout.endLayout();
    painter->save();
    painter->setClipRect(box);
    painter->setPen(theme::tone(theme::Tone::Subtle, palette));
    layout.draw(painter, box.topLeft());
    painter->restore();
}

void ConversationDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QString title = index.data(Qt::DisplayRole).toString();
    if (index.data(ConversationModel::HeadingRole).toBool()) {
        paintHeading(painter, option, title);
        painter->restore();
        return;
    }
    const QPalette& palette = option.palette;
    const QColor window = palette.color(QPalette::Window);
    const QRectF background = QRectF(option.rect).adjusted(kInset + 0.5, 1.5, -kInset - 0.5, -1.5);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
    painter->setPen(Qt::NoPen);
    if (selected)
        painter->setBrush(theme::blend(window, theme::tone(theme::Tone::Accent, palette), 0.22));
    else if (hovered)
        painter->setBrush(theme::blend(window, palette.color(QPalette::WindowText), 0.07));
    else
        painter->setBrush(Qt::NoBrush);
    if (selected && option.state.testFlag(QStyle::State_HasFocus))
        painter->setPen(QPen(theme::tone(theme::Tone::Accent, palette), 1.5));
    painter->drawRoundedRect(background, 6, 6);

    QRect box = option.rect.adjusted(kInset + kPadding, 0, -kInset - kPadding, 0);
    if (index.data(ConversationModel::WorkingRole).toBool()) {
        const QRect end(box.right() - kWorkingSize + 1, box.center().y() - kWorkingSize / 2, kWorkingSize, kWorkingSize);
        paintWorking(painter, palette, QStyle::visualRect(option.direction, box, end));
        const QRect rest = box.adjusted(0, 0, -kWorkingSize - 8, 0);
        box = QStyle::visualRect(option.direction, box, rest);
    }
    QFont font = option.font;
    if (title.isEmpty()) font.setItalic(true);
    if (!index.data(ConversationModel::SnippetRole).toString().isEmpty()) {
        const int middle = option.rect.center().y();
        paintSnippet(painter, option, QRect(box.left(), middle + 2, box.width(), option.rect.bottom() - middle - 6), index);
        box.setTop(option.rect.top() + 7);
        box.setBottom(middle - 1);
    }
    painter->setFont(font);
    painter->setPen(title.isEmpty() ? theme::tone(theme::Tone::Subtle, palette) : palette.color(QPalette::WindowText));
    // One line: a title may hold line breaks that an import brought along.
    const QString line = title.isEmpty() ? ConversationModel::tr("New chat") : title.simplified();
    painter->drawText(box, Qt::AlignVCenter | Qt::AlignLeading | Qt::TextSingleLine,
                      QFontMetrics(font).elidedText(line, Qt::ElideRight, box.width()));
    painter->restore();
}

QWidget* ConversationDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& /*option*/,
                                            const QModelIndex& /*index*/) const {
    auto* editor = new QLineEdit(parent);
    editor->setObjectName(QStringLiteral("conversationRenameField"));
    editor->setAccessibleName(tr("Title of the conversation"));
    editor->setMaxLength(kMaximumTitle);
    // The text stays where the title stood.
    editor->setTextMargins(kPadding - 4, 0, 0, 0);
    // Asked by eventFilter, which sees the keys before the guard's own filter could.
    new CompositionGuard(editor);
    return editor;
}

void ConversationDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    if (editor->property("filled").toBool()) return;
    editor->setProperty("filled", true);
    if (auto* field = qobject_cast<QLineEdit*>(editor)) {
        field->setText(index.data(Qt::EditRole).toString());
        field->selectAll();
    }
}

void ConversationDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                                const QModelIndex& /*index*/) const {
    editor->setGeometry(option.rect.adjusted(kInset, 2, -kInset, -2));
}

bool ConversationDelegate::eventFilter(QObject* watched, QEvent* event) {
    auto* guard = watched->findChild<CompositionGuard*>(QString(), Qt::FindDirectChildrenOnly);
    if (guard != nullptr && event->type() != QEvent::InputMethod && guard->filterEvent(event)) return true;
    return QStyledItemDelegate::eventFilter(watched, event);
}

}  // namespace trefoil
