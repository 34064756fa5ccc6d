#include "ui/chat/tex_guard.h"

#include <QStringView>

#include <array>

namespace trefoil {
namespace {

constexpr char16_t kFirstGuard = 0xFDD0;
constexpr char16_t kLastGuard = 0xFDEF;
constexpr char16_t kLineMark = 0xFFFE;
// ASCII has exactly as many punctuation signs as Unicode has noncharacters in this range.
constexpr QStringView kPunctuation = u"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
static_assert(kPunctuation.size() == kLastGuard - kFirstGuard + 1);

bool isGuard(QChar sign) {
    return (sign.unicode() >= kFirstGuard && sign.unicode() <= kLastGuard) || sign.unicode() == kLineMark;
}

QString guarded(QStringView formula) {
    QString result;
    result.reserve(formula.size() + 8);
    for (const QChar sign : formula) {
        const qsizetype index = sign.unicode() < 128 ? kPunctuation.indexOf(sign) : -1;
        if (index >= 0) {
            result += QChar(static_cast<char16_t>(kFirstGuard + index));
        } else if (sign == u'\n') {
            result += QChar(kLineMark);
            result += sign;
        } else {
            result += sign;
        }
    }
    return result;
}

/// Length of the fence (``` or ~~~, at least three) that the line starts with after spaces and quote signs; 0: none.
qsizetype fenceLength(QStringView line, QChar* sign) {
    qsizetype at = 0;
    while (at < line.size() && (line[at] == u' ' || line[at] == u'>' || line[at] == u'\t')) ++at;
    if (at >= line.size() || (line[at] != u'`' && line[at] != u'~')) return 0;
    *sign = line[at];
    qsizetype end = at;
    while (end < line.size() && line[end] == *sign) ++end;
    return end - at >= 3 ? end - at : 0;
}

/// Where the paragraph around a position ends. Remembers the last answer: asking in ascending order costs one pass in all.
class ParagraphEnds {
public:
    explicit ParagraphEnds(QStringView text) : m_text(text) {}
    qsizetype after(qsizetype at) {
        if (at > m_end || m_end < 0) {
            m_end = m_text.indexOf(u"\n\n", at);
            if (m_end < 0) m_end = m_text.size();
        }
        return m_end;
    }

private:
    QStringView m_text;
    qsizetype m_end = -1;
};

/// `needle` in [from, end), or -1.
qsizetype findWithin(QStringView text, QStringView needle, qsizetype from, qsizetype end) {
    if (from >= end) return -1;
    const qsizetype at = text.sliced(from, end - from).indexOf(needle);
    return at < 0 ? -1 : from + at;
}

}  // namespace

QString guardTex(const QString& source) {
    if (!source.contains(u"\\(") && !source.contains(u"\\[") && !source.contains(u"$$")) return source;
    for (const QChar sign : source) {
        if (isGuard(sign)) return source;
    }
    const QStringView text(source);
    QString result;
    result.reserve(source.size() + source.size() / 8);
    qsizetype openFence = 0;
    QChar fenceSign;
    bool lineStart = true;
    // Where the search for a closing sign failed once, it fails for every opening before that place too.
    std::array<qsizetype, 3> hopelessBefore{};
    ParagraphEnds ends(text);
    for (qsizetype at = 0; at < text.size();) {
        if (lineStart) {
            lineStart = false;
            qsizetype lineEnd = text.indexOf(u'\n', at);
            if (lineEnd < 0) lineEnd = text.size();
            QChar sign;
            const qsizetype fence = fenceLength(text.sliced(at, lineEnd - at), &sign);
            const bool closes = openFence > 0 && fence >= openFence && sign == fenceSign;
            if (openFence > 0 || fence > 0) {
                if (openFence == 0) {
                    openFence = fence;
                    fenceSign = sign;
                } else if (closes) {
                    openFence = 0;
                }
                result += text.sliced(at, lineEnd - at);
                at = lineEnd;
                continue;
            }
        }
        const QChar sign = text[at];
        if (sign == u'\n') {
            lineStart = true;
        } else if (sign == u'`') {
            // A code span: copied as it is up to its closing run of the same length, if there is one in this paragraph.
            qsizetype run = at;
            while (run < text.size() && text[run] == u'`') ++run;
            const QStringView ticks = text.sliced(at, run - at);
            const qsizetype close = findWithin(text, ticks, run, ends.after(at));
            const qsizetype end = close >= 0 ? close + ticks.size() : run;
            result += text.sliced(at, end - at);
            at = end;
            continue;
        } else if (sign == u'\\' || sign == u'$') {
            const QStringView open = text.sliced(at, qMin<qsizetype>(2, text.size() - at));
            const int kind = open == u"\\(" ? 0 : open == u"\\[" ? 1 : open == u"$$" ? 2 : -1;
            if (kind >= 0 && at >= hopelessBefore[static_cast<std::size_t>(kind)]) {
                const QStringView close = kind == 0 ? QStringView(u"\\)") : kind == 1 ? QStringView(u"\\]") : QStringView(u"$$");
                const qsizetype found = findWithin(text, close, at + 2, ends.after(at));
                if (found >= 0) {
                    result += guarded(text.sliced(at, found + 2 - at));
                    at = found + 2;
                    continue;
                }
                hopelessBefore[static_cast<std::size_t>(kind)] = ends.after(at);
            }
            if (sign == u'\\' && at + 1 < text.size() && text[at + 1] != u'\n') {
                result += open;
                at += 2;
                continue;
            }
        }
        result += sign;
        ++at;
    }
    return result;
}

QString unguardTex(QString text, bool* endsInLineMark) {
    if (endsInLineMark != nullptr) *endsInLineMark = !text.isEmpty() && text.back().unicode() == kLineMark;
    bool any = false;
    for (const QChar sign : qAsConst(text)) any = any || isGuard(sign);
    if (!any) return text;
    QString result;
    result.reserve(text.size());
    for (const QChar sign : qAsConst(text)) {
        if (sign.unicode() == kLineMark) continue;
        result += isGuard(sign) ? kPunctuation[sign.unicode() - kFirstGuard] : sign;
    }
    return result;
}

}  // namespace trefoil
