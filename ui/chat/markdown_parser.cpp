#include "ui/chat/markdown_parser.h"

#include "ui/chat/tex_guard.h"

#include <QByteArray>
#include <QHash>
#include <QTextDocumentFragment>

#include <md4c.h>

#include <utility>

namespace trefoil {
namespace {

constexpr qsizetype kLongestAddressShown = 200;

QString shortened(const QString& address) {
    if (address.size() <= kLongestAddressShown) return address;
    return QStringLiteral("%1… (%2 characters)").arg(address.left(80)).arg(address.size());
}

/// "&amp;" and its like as text; what is no entity stays as written.
QString decodeEntity(const QString& entity) {
    if (entity.startsWith(u"&#") && entity.size() > 3) {
        const bool hex = entity[2] == u'x' || entity[2] == u'X';
        bool valid = false;
        const uint code = QStringView(entity).mid(hex ? 3 : 2).chopped(1).toUInt(&valid, hex ? 16 : 10);
        const bool scalar = valid && code > 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
        return scalar ? QString::fromUcs4(reinterpret_cast<const char32_t*>(&code), 1) : QString(QChar::ReplacementCharacter);
    }
    static QHash<QString, QString> known;
    const auto found = known.constFind(entity);
    if (found != known.constEnd()) return *found;
    // Qt knows the names; the letters around keep white space from being trimmed.
    QString text = QTextDocumentFragment::fromHtml(u'x' + entity + u'x').toPlainText().mid(1).chopped(1);
    if (known.size() < 4096) known.insert(entity, text);
    return text;
}

CellAlign alignOf(MD_ALIGN align) {
    switch (align) {
        case MD_ALIGN_LEFT:
            return CellAlign::Left;
        case MD_ALIGN_CENTER:
            return CellAlign::Centre;
        case MD_ALIGN_RIGHT:
            return CellAlign::Right;
        default:
            return CellAlign::Standard;
    }
}

/// Builds the tree from md4c's events. An explicit stack: the depth of the input never becomes depth of the call stack.
class TreeBuilder {
public:
    explicit TreeBuilder(bool guarded) : m_guarded(guarded) { m_stack.push_back({}); }

    int enterBlock(MD_BLOCKTYPE type, void* detail);
    int leaveBlock(MD_BLOCKTYPE type);
    int enterSpan(MD_SPANTYPE type, void* detail);
    int leaveSpan(MD_SPANTYPE type);
    int addText(MD_TEXTTYPE type, const char* text, MD_SIZE size);

    [[nodiscard]] bool tooDeep() const { return m_tooDeep; }
    std::vector<MarkdownBlock> take() { return std::move(m_stack.front().children); }

private:
    void push(MarkdownBlock block) { m_stack.push_back(std::move(block)); }
    void pop() {
        MarkdownBlock done = std::move(m_stack.back());
        m_stack.pop_back();
        m_stack.back().children.push_back(std::move(done));
    }
    /// A tight item's text comes without a paragraph around it.
    void closeImplicitParagraph() {
        if (!m_implicitParagraph) return;
        m_implicitParagraph = false;
        pop();
    }
    void append(const QString& text, std::uint16_t extra = kPlainText);
    /// Many short texts come in a row: they are converted together.
    void flushText();
    [[nodiscard]] std::uint16_t styles() const;

    std::vector<MarkdownBlock> m_stack;
    QByteArray m_bytes;  ///< text that came last, not yet converted; all of it in an open code or HTML block
    QString m_language;
    QString m_link;
    QString m_imageAddress;
    int m_emphasis = 0;
    int m_strong = 0;
    int m_strike = 0;
    int m_code = 0;
    int m_image = 0;
    int m_containers = 0;
    bool m_implicitParagraph = false;
    bool m_header = false;
    bool m_fenced = false;
    bool m_formulaBreak = false;
    bool m_guarded = false;
    bool m_tooDeep = false;
};

QString attribute(const MD_ATTRIBUTE& value, bool guarded) {
    QString result;
    for (int i = 0; value.substr_offsets != nullptr && value.substr_offsets[i] < value.size; ++i) {
        const MD_OFFSET from = value.substr_offsets[i];
        const QString part = QString::fromUtf8(value.text + from, static_cast<qsizetype>(value.substr_offsets[i + 1] - from));
        result += value.substr_types[i] == MD_TEXT_ENTITY ? decodeEntity(part) : part;
    }
    return guarded ? unguardTex(result) : result;
}

int TreeBuilder::enterBlock(MD_BLOCKTYPE type, void* detail) {
    if (type == MD_BLOCK_DOC) return 0;
    flushText();
    if (type != MD_BLOCK_THEAD && type != MD_BLOCK_TBODY) closeImplicitParagraph();
    MarkdownBlock block;
    switch (type) {
        case MD_BLOCK_QUOTE:
            block.kind = BlockKind::Quote;
            break;
        case MD_BLOCK_UL:
            block.kind = BlockKind::List;
            block.tight = static_cast<MD_BLOCK_UL_DETAIL*>(detail)->is_tight != 0;
            break;
        case MD_BLOCK_OL: {
            const auto* list = static_cast<MD_BLOCK_OL_DETAIL*>(detail);
            block.kind = BlockKind::List;
            block.ordered = true;
            block.tight = list->is_tight != 0;
            block.start = list->start;
            block.delimiter = QChar::fromLatin1(list->mark_delimiter);
            break;
        }
        case MD_BLOCK_LI: {
            const auto* item = static_cast<MD_BLOCK_LI_DETAIL*>(detail);
            block.kind = BlockKind::Item;
            if (item->is_task != 0) block.task = item->task_mark == ' ' ? TaskState::Open : TaskState::Done;
            break;
        }
        case MD_BLOCK_HR:
            block.kind = BlockKind::Rule;
            break;
        case MD_BLOCK_H:
            block.kind = BlockKind::Heading;
            block.level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
            break;
        case MD_BLOCK_CODE: {
            block.kind = BlockKind::Code;
            const auto* code = static_cast<MD_BLOCK_CODE_DETAIL*>(detail);
            m_language = attribute(code->lang, m_guarded).toLower();
            m_fenced = code->fence_char != 0;
            break;
        }
        case MD_BLOCK_HTML:
            block.kind = BlockKind::Html;
            break;
        case MD_BLOCK_P:
            block.kind = BlockKind::Paragraph;
            break;
        case MD_BLOCK_TABLE:
            block.kind = BlockKind::Table;
            break;
        case MD_BLOCK_THEAD:
            m_header = true;
            return 0;
        case MD_BLOCK_TBODY:
            m_header = false;
            return 0;
        case MD_BLOCK_TR:
            block.kind = BlockKind::Row;
            block.header = m_header;
            break;
        case MD_BLOCK_TH:
        case MD_BLOCK_TD:
            block.kind = BlockKind::Cell;
            block.align = alignOf(static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align);
            break;
        case MD_BLOCK_DOC:
            break;
    }
    if (type == MD_BLOCK_QUOTE || type == MD_BLOCK_UL || type == MD_BLOCK_OL) {
        if (++m_containers > kDeepestNesting) {
            m_tooDeep = true;
            return 1;
        }
    }
    push(std::move(block));
    return 0;
}

int TreeBuilder::leaveBlock(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_DOC || type == MD_BLOCK_THEAD || type == MD_BLOCK_TBODY) return 0;
    if (type != MD_BLOCK_CODE && type != MD_BLOCK_HTML) flushText();
    closeImplicitParagraph();
    MarkdownBlock& block = m_stack.back();
    if (type == MD_BLOCK_QUOTE || type == MD_BLOCK_UL || type == MD_BLOCK_OL) --m_containers;
    if (type == MD_BLOCK_OL) {
        const qint64 last = block.start + static_cast<qint64>(block.children.size()) - 1;
        block.digits = static_cast<int>(QString::number(last).size());
    }
    if (type == MD_BLOCK_CODE || type == MD_BLOCK_HTML) {
        if (m_bytes.endsWith('\n')) m_bytes.chop(1);
        QString verbatim = QString::fromUtf8(std::exchange(m_bytes, {}));
        if (m_guarded) verbatim = unguardTex(std::move(verbatim));
        if (type == MD_BLOCK_CODE) {
            block.code = std::make_shared<const CodeText>(CodeText{m_language, verbatim, m_fenced, false});
        } else {
            block.text = verbatim;
        }
    }
    pop();
    return 0;
}

std::uint16_t TreeBuilder::styles() const {
    unsigned styles = kPlainText;
    if (m_emphasis > 0) styles |= kEmphasis;
    if (m_strong > 0) styles |= kStrong;
    if (m_strike > 0) styles |= kStrike;
    if (m_code > 0) styles |= kInlineCode;
    if (m_image > 0) styles |= kImageNote;
    return static_cast<std::uint16_t>(styles);
}

void TreeBuilder::append(const QString& text, std::uint16_t extra) {
    if (text.isEmpty()) return;
    if (m_stack.back().kind == BlockKind::Item) {
        push({});
        m_implicitParagraph = true;
    }
    QList<InlineRun>& runs = m_stack.back().runs;
    const auto all = static_cast<std::uint16_t>(styles() | extra);
    if (!runs.isEmpty() && runs.back().styles == all && runs.back().link == m_link) {
        runs.back().text += text;
    } else {
        runs.append({text, all, m_link});
    }
}

void TreeBuilder::flushText() {
    if (m_bytes.isEmpty()) return;
    const QString text = QString::fromUtf8(m_bytes);
    m_bytes.truncate(0);
    append(m_guarded ? unguardTex(text, &m_formulaBreak) : text);
}

int TreeBuilder::enterSpan(MD_SPANTYPE type, void* detail) {
    flushText();
    switch (type) {
        case MD_SPAN_EM:
            ++m_emphasis;
            break;
        case MD_SPAN_STRONG:
            ++m_strong;
            break;
        case MD_SPAN_DEL:
            ++m_strike;
            break;
        case MD_SPAN_CODE:
            ++m_code;
            break;
        case MD_SPAN_A:
            m_link = attribute(static_cast<MD_SPAN_A_DETAIL*>(detail)->href, m_guarded);
            break;
        case MD_SPAN_IMG:
            if (m_image++ == 0) {
                m_imageAddress = attribute(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src, m_guarded);
                append(QStringLiteral("["));
            }
            break;
        case MD_SPAN_LATEXMATH:
            append(QStringLiteral("$"));
            break;
        case MD_SPAN_LATEXMATH_DISPLAY:
            append(QStringLiteral("$$"));
            break;
        default:
            break;
    }
    return 0;
}

int TreeBuilder::leaveSpan(MD_SPANTYPE type) {
    flushText();
    switch (type) {
        case MD_SPAN_EM:
            --m_emphasis;
            break;
        case MD_SPAN_STRONG:
            --m_strong;
            break;
        case MD_SPAN_DEL:
            --m_strike;
            break;
        case MD_SPAN_CODE:
            --m_code;
            break;
        case MD_SPAN_A:
            m_link.clear();
            break;
        case MD_SPAN_IMG:
            if (m_image == 1) append(QStringLiteral("] (") + shortened(m_imageAddress) + QLatin1Char(')'));
            --m_image;
            break;
        case MD_SPAN_LATEXMATH:
            append(QStringLiteral("$"));
            break;
        case MD_SPAN_LATEXMATH_DISPLAY:
            append(QStringLiteral("$$"));
            break;
        default:
            break;
    }
    return 0;
}

int TreeBuilder::addText(MD_TEXTTYPE type, const char* text, MD_SIZE size) {
    static const QByteArray kReplacement = QByteArrayLiteral("\xEF\xBF\xBD");
    const BlockKind kind = m_stack.back().kind;
    const bool verbatim = kind == BlockKind::Code || kind == BlockKind::Html;
    if (type == MD_TEXT_NULLCHAR) {
        m_bytes += kReplacement;
    } else if (verbatim || type == MD_TEXT_NORMAL || type == MD_TEXT_CODE || type == MD_TEXT_LATEXMATH) {
        m_bytes.append(text, static_cast<qsizetype>(size));
    } else if (type == MD_TEXT_SOFTBR && !m_guarded) {
        m_bytes.append(' ');
    } else {
        flushText();
        const QString part = QString::fromUtf8(text, static_cast<qsizetype>(size));
        switch (type) {
            case MD_TEXT_BR:
                append(QString(QChar::LineSeparator));
                break;
            case MD_TEXT_SOFTBR:
                append(m_formulaBreak ? QString(QChar::LineSeparator) : QStringLiteral(" "));
                break;
            case MD_TEXT_ENTITY:
                append(decodeEntity(part));
                break;
            default:
                append(m_guarded ? unguardTex(part) : part, kRawHtml);
                break;
        }
        m_formulaBreak = false;
    }
    return 0;
}

MarkdownResult parseOnce(const QString& guardedSource, bool guarded) {
    const QByteArray utf8 = guardedSource.toUtf8();
    MD_PARSER parser{};
    parser.flags =
        MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEAUTOLINKS | MD_FLAG_LATEXMATHSPANS;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
        return static_cast<TreeBuilder*>(self)->enterBlock(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) { return static_cast<TreeBuilder*>(self)->leaveBlock(type); };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
        return static_cast<TreeBuilder*>(self)->enterSpan(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) { return static_cast<TreeBuilder*>(self)->leaveSpan(type); };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
        return static_cast<TreeBuilder*>(self)->addText(type, text, size);
    };
    TreeBuilder builder(guarded);
    const int status = md_parse(utf8.constData(), static_cast<MD_SIZE>(utf8.size()), &parser, &builder);
    MarkdownResult result;
    // Also when md4c itself gives up (it can only run out of memory): the source is shown as plain text.
    result.tooDeep = builder.tooDeep() || status != 0;
    if (!result.tooDeep) result.blocks = builder.take();
    return result;
}

/// The last block in reading order when it is a code block.
MarkdownBlock* lastCode(std::vector<MarkdownBlock>& blocks) {
    std::vector<MarkdownBlock>* level = &blocks;
    while (!level->empty()) {
        MarkdownBlock& block = level->back();
        if (block.kind == BlockKind::Code) return &block;
        level = &block.children;
    }
    return nullptr;
}

/// Whether the code block that ends the text is still open. A word behind the last line turns a closing fence into one more line
/// of code, and changes the number of lines in no other case: so md4c's own rules decide, in lists and quotes as well.
bool endsInOpenFence(const QString& text, bool guarded) {
    qsizetype end = text.size();
    while (end > 0 && text[end - 1].isSpace()) --end;
    MarkdownResult plain = parseOnce(text.left(end), guarded);
    MarkdownResult probed = parseOnce(text.left(end) + QStringLiteral(" z"), guarded);
    MarkdownBlock* before = lastCode(plain.blocks);
    MarkdownBlock* after = lastCode(probed.blocks);
    if (before == nullptr || after == nullptr) return false;
    // An empty block and one with an empty line have the same text, so what matters is whether text came at all.
    const auto lines = [](const QString& code) { return code.isEmpty() ? 0 : code.count(u'\n') + 1; };
    return lines(after->code->text) == lines(before->code->text);
}

}  // namespace

QStringView MarkdownBlock::codePart() const {
    if (code == nullptr) return {};
    return length < 0 ? QStringView(code->text).mid(from) : QStringView(code->text).mid(from, length);
}

bool MarkdownBlock::operator==(const MarkdownBlock& other) const {
    if ((code == nullptr) != (other.code == nullptr)) return false;
    if (code != nullptr && (code->language != other.code->language || from != other.from || codePart() != other.codePart()))
        return false;
    return kind == other.kind && level == other.level && ordered == other.ordered && tight == other.tight &&
           start == other.start && digits == other.digits && delimiter == other.delimiter && task == other.task &&
           align == other.align && header == other.header && shares == other.shares &&
           continuesPrevious == other.continuesPrevious && continuesLine == other.continuesLine && goesOn == other.goesOn &&
           text == other.text && runs == other.runs && children == other.children;
}

MarkdownResult parseMarkdown(const QString& source, bool streaming) {
    QString text = source;
    if (text.contains(u'\r')) {
        text.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
        text.replace(u'\r', u'\n');
    }
    const QString guardedText = guardTex(text);
    const bool guarded = guardedText != text;
    MarkdownResult result = parseOnce(guardedText, guarded);
    if (streaming) {
        MarkdownBlock* code = lastCode(result.blocks);
        if (code != nullptr && code->code->fenced && endsInOpenFence(guardedText, guarded)) {
            CodeText open = *code->code;
            open.open = true;
            code->code = std::make_shared<const CodeText>(std::move(open));
        }
    }
    return result;
}

QString textOf(const MarkdownBlock& block) {
    QString text;
    for (const InlineRun& run : block.runs) text += run.text;
    text += block.text;
    if (block.code != nullptr) text += block.codePart();
    for (const MarkdownBlock& child : block.children) {
        if (!text.isEmpty()) text += QLatin1Char('\n');
        text += textOf(child);
    }
    return text;
}

QString displayText(QStringView text) {
    QString shown = text.toString();
    shown.replace(QChar(0xFDD0), QChar(QChar::ReplacementCharacter));
    shown.replace(QChar(0xFDD1), QChar(QChar::ReplacementCharacter));
    return shown;
}

}  // namespace trefoil
