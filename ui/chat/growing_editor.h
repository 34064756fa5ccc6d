// GrowingEditor: a plain-text editor that is as high as its text, between two numbers of lines.
#pragma once

#include <QPlainTextEdit>
#include <QString>

namespace trefoil {

/// Keeps every character that is typed or pasted (also no-break spaces and leading blanks); only line ends become '\n'. Rich
/// content is pasted as its plain text.
class GrowingEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    GrowingEditor(int minimumLines, int maximumLines, QWidget* parent = nullptr);

    /// The text with '\n' as line end.
    [[nodiscard]] QString text() const;
    /// Replaces the text, without `edited`; the cursor goes to the end and the undo history starts anew.
    void setText(const QString& text);
    /// Inserts a line break at the cursor, replacing the selection.
    void breakLine();
    /// Only white space, or nothing.
    [[nodiscard]] bool isBlank() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// The person changed the text.
    void edited();

protected:
    void insertFromMimeData(const QMimeData* source) override;
    [[nodiscard]] bool canInsertFromMimeData(const QMimeData* source) const override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] int heightOfLines(int lines) const;
    [[nodiscard]] int frameHeight() const;
    void updateHeight();

    int m_minimumLines;
    int m_maximumLines;
    bool m_setting = false;
    QString m_known;  ///< the text at the last signal: changes of the preedit text alone are no edits
};

}  // namespace trefoil
