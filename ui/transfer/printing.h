// A conversation on paper or as PDF: the Markdown export, laid out in black on white. Loads nothing: images appear as their label
// and address. For any thread, while a QGuiApplication exists.
#pragma once

#include <QByteArray>
#include <QFont>
#include <QString>

class QPagedPaintDevice;

namespace trefoil {

/// Paints all pages.
void printMarkdown(QPagedPaintDevice& device, const QString& markdown, const QString& title, const QFont& font);
/// The same as the bytes of a PDF file, A4 or Letter by the locale.
[[nodiscard]] QByteArray markdownToPdf(const QString& markdown, const QString& title, const QFont& font);

}  // namespace trefoil
