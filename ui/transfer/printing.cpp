#include "ui/transfer/printing.h"

#include "ui/chat/markdown_renderer.h"
#include "ui/theme/theme.h"

#include <QBuffer>
#include <QLocale>
#include <QPageSize>
#include <QPdfWriter>

namespace trefoil {

namespace {

constexpr int kPaperPoints = 10;
constexpr qreal kMarginMm = 18;

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
