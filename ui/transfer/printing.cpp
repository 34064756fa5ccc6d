#include "ui/transfer/printing.h"

#include "ui/chat/markdown_renderer.h"
#include "ui/theme/theme.h"

#include <QBuffer>
#include <QLocale>
#include <QPageSize>
#include <QPdfWriter>
#include <QTextBlock>
#include <QTextCursor>
#include <QUrl>

#include <utility>

namespace trefoil {

namespace {

constexpr int kPaperPoints = 10;
constexpr qreal kMarginMm = 18;

/// A page's links lead where the window's may: the web and mail, nothing else.
void dropOtherLinks(QTextDocument& document) {
    QList<std::pair<int, int>> dropped;  // begin and end
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            if (!fragment.charFormat().isAnchor()) continue;
            const QString scheme = QUrl(fragment.charFormat().anchorHref()).scheme().toLower();
            if (scheme != QLatin1String("http") && scheme != QLatin1String("https") && scheme != QLatin1String("mailto"))
                dropped.append({fragment.position(), fragment.position() + fragment.length()});
        }
    }
    QTextCharFormat plain;
    plain.setAnchor(false);
    plain.setAnchorHref({});
    for (const auto& range : dropped) {
        QTextCursor cursor(&document);
        cursor.setPosition(range.first);
        cursor.setPosition(range.second, QTextCursor::KeepAnchor);
        cursor.mergeCharFormat(plain);
    }
}

}  // namespace

void printMarkdown(QPagedPaintDevice& device, const QString& markdown, const QString& title, const QFont& font) {
    TextStyle style;
    style.font = font;
    style.font.setPointSize(kPaperPoints);
    style.palette = theme::lightPalette();
    style.palette.setColor(QPalette::Text, Qt::black);
    style.palette.setColor(QPalette::WindowText, Qt::black);
    ClosedTextDocument document;
    document.setMetaInformation(QTextDocument::DocumentTitle, title);
    renderMarkdown(document, markdown, style);
    dropOtherLinks(document);
    document.print(&device);
}

QByteArray markdownToPdf(const QString& markdown, const QString& title, const QFont& font) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        const bool inches = QLocale().measurementSystem() == QLocale::ImperialUSSystem;
        writer.setPageSize(QPageSize(inches ? QPageSize::Letter : QPageSize::A4));
        writer.setPageMargins(QMarginsF(kMarginMm, kMarginMm, kMarginMm, kMarginMm), QPageLayout::Millimeter);
        writer.setTitle(title);
        writer.setCreator(QStringLiteral("Trefoil"));
        printMarkdown(writer, markdown, title, font);
    }
    return buffer.data();
}

}  // namespace trefoil
