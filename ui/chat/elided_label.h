// ElidedLabel: one line of plain text that gives way when room is short.
#pragma once

#include <QLabel>

namespace trefoil {

/// Shows as much of the text as fits, with an ellipsis at its end, and all of it as a tool tip when something is hidden. Never
/// widens its surroundings. Line breaks are shown as spaces.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    void setFullText(const QString& text);
    [[nodiscard]] QString fullText() const { return m_full; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    QString m_full;
};

}  // namespace trefoil
