// What the model thought before it answered: a pane that opens and closes, apart from the answer.
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

class QToolButton;

namespace trefoil {

class LayoutQueue;
class TextColumn;

class ThinkingPane : public QWidget {
    Q_OBJECT
public:
    explicit ThinkingPane(LayoutQueue& queue, QWidget* parent = nullptr);

    /// `open`: the thinking is being written. `cut`: the response ended before the thinking did.
    void setThinking(const QString& text, qint64 tokens, double milliseconds, bool open, bool cut);
    /// Opens or closes; from now on the pane does not do so by itself.
    void setExpanded(bool expanded);
    [[nodiscard]] bool isExpanded() const;
    [[nodiscard]] TextColumn* column() const { return m_column; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void show(bool expanded);
    void updateIcon();

    QToolButton* m_header;
    TextColumn* m_column;
    bool m_expanded = false;
    bool m_chosen = false;  ///< by the person: no more opening and closing by itself
};

}  // namespace trefoil
