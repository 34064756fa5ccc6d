// ConversationDelegate: paints the rows of the conversation list and edits a title in place.
#pragma once

#include <QStyledItemDelegate>

namespace trefoil {

class ConversationDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit ConversationDelegate(QObject* parent = nullptr);

    /// Where the sign of working rows stands in its turn, 0 to 11.
    void setPhase(int phase) { m_phase = phase; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Fills the editor once; what the person types is not overwritten when the row's data changes.
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void paintHeading(QPainter* painter, const QStyleOptionViewItem& option, const QString& text) const;
    /// One line with the terms marked.
    void paintSnippet(QPainter* painter, const QStyleOptionViewItem& option, const QRect& box, const QModelIndex& index) const;
    void paintWorking(QPainter* painter, const QPalette& palette, const QRect& box) const;

    int m_phase = 0;
};

}  // namespace trefoil
