#include "ui/blocks/piece_text.h"

#include <QChar>
#include <QCoreApplication>
#include <QGlyphRun>
#include <QLocale>
#include <QStringList>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace trefoil {
namespace {

QString codePoint(char32_t c) {
    return QStringLiteral("U+%1").arg(QString::number(static_cast<uint>(c), 16).toUpper().rightJustified(4, QLatin1Char('0')));
}

bool isMark(char32_t c) {
    const QChar::Category category = QChar::category(c);
    return category == QChar::Mark_NonSpacing || category == QChar::Mark_SpacingCombining || category == QChar::Mark_Enclosing;
}

/// Joiners and the like: they shape their neighbours and show nothing themselves.
bool isFormat(char32_t c) { return QChar::category(c) == QChar::Other_Format; }

bool isVisible(char32_t c) {
    switch (QChar::category(c)) {
        case QChar::Other_Control:
        case QChar::Other_Format:
        case QChar::Other_Surrogate:
        case QChar::Other_PrivateUse:
        case QChar::Other_NotAssigned:
        case QChar::Separator_Line:
        case QChar::Separator_Paragraph:
        case QChar::Separator_Space:
            return false;
        default:
            return true;
    }
}

QString sign(char32_t c) {
    switch (c) {
        case U'\n':
            return QStringLiteral("\u21b5");
        case U'\t':
            return QStringLiteral("\u21e5");
        case U' ':
            return QStringLiteral("\u2423");
        default:
            return codePoint(c);
    }
}

QString fallbackSign(char32_t c) {
    switch (c) {
        case U'\u21b5':
            return QStringLiteral("\\n");
        case U'\u21e5':
            return QStringLiteral("\\t");
        case U'\u2423':
            return QStringLiteral("_");
        case U'\u25cc':
            return {};
        default:
            return codePoint(c);
    }
}

bool canDraw(const QString& text, const QFont& font) {
    QTextLayout layout(text, font);
    layout.beginLayout();
    layout.createLine();
    layout.endLayout();
    const QList<QGlyphRun> runs = layout.glyphRuns();
    return !runs.isEmpty() && std::none_of(runs.cbegin(), runs.cend(), [](const QGlyphRun& run) {
        const QList<quint32> glyphs = run.glyphIndexes();
        return glyphs.contains(0U);
    });
}

}  // namespace

QString visiblePiece(const QString& text, qint32 token) {
    if (text.isEmpty()) return QStringLiteral("#%1").arg(token);
    // SentencePiece models spell a line end and a tab as byte pieces.
    if (text == QLatin1String("<0x0A>")) return sign(U'\n');
    if (text == QLatin1String("<0x09>")) return sign(U'\t');
    const QList<uint> points = text.toUcs4();
    const auto first = std::find_if(points.cbegin(), points.cend(), [](uint c) { return c != U' '; });
    const auto lead = static_cast<qsizetype>(std::distance(points.cbegin(), first));
    qsizetype tail = points.size();
    while (tail > lead && points[tail - 1] == U' ') --tail;

    QString shown;
    for (qsizetype i = 0; i < points.size(); ++i) {
        const auto c = static_cast<char32_t>(points[i]);
        const bool inner = i > lead && i < tail;
        const bool beforeVisible = i > 0 && (isVisible(points[i - 1]) || isMark(points[i - 1]));
        if (c == U' ' && inner) {
            shown += QLatin1Char(' ');
        } else if (isMark(c)) {
            if (!beforeVisible) shown += QChar(0x25CC);
            shown += QString::fromUcs4(&c, 1);
        } else if (isVisible(c) || (isFormat(c) && inner && beforeVisible && i + 1 < tail)) {
            shown += QString::fromUcs4(&c, 1);
        } else {
            shown += sign(c);
        }
    }
    return shown;
}

QString drawablePiece(const QString& text, qint32 token, const QFont& font) {
    QString shown = visiblePiece(text, token);
    if (canDraw(shown, font)) return shown;
    QString drawn;
    const QList<uint> points = shown.toUcs4();
    for (const uint point : points) {
        const auto c = static_cast<char32_t>(point);
        const QString one = QString::fromUcs4(&c, 1);
        // A mark or joiner that cannot be judged alone is left to its neighbour.
        drawn += c == U' ' || isMark(c) || isFormat(c) || canDraw(one, font) ? one : fallbackSign(c);
    }
    return drawn.trimmed().isEmpty() ? QStringLiteral("#%1").arg(token) : drawn;
}

QString quotedPiece(const QString& text, qint32 token) {
    if (text.isEmpty()) return QCoreApplication::translate("trefoil::BlockView", "token %1").arg(token);
    QString quoted = text;
    quoted.replace(QLatin1Char('\n'), QStringLiteral("\u21b5"));
    quoted.replace(QLatin1Char('\t'), QStringLiteral("\u21e5"));
    return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

QString codePoints(const QString& text, qsizetype limit) {
    QStringList list;
    const QList<uint> points = text.toUcs4();
    for (const uint point : points) {
        if (list.size() == limit) {
            list.append(QStringLiteral("\u2026"));
            break;
        }
        list.append(codePoint(static_cast<char32_t>(point)));
    }
    return list.join(QLatin1Char(' '));
}

QString probabilityText(double probability) {
    const double p = std::clamp(probability, 0.0, 1.0);
    if (p > 0.0 && p < 0.01) return QLatin1Char('<') + QLocale().toString(0.01, 'f', 2);
    const int decimals = p < 1.0 && p >= 0.995 ? 3 : 2;
    const double scale = std::pow(10.0, decimals);
    // A little is added, since 0.29 in single precision is a trifle less.
    return QLocale().toString(std::floor(p * scale + 1e-4) / scale, 'f', decimals);
}

}  // namespace trefoil
