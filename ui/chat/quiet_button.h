// A small tool button that keeps out of sight until its message is pointed at or it has the keyboard's focus. It keeps its place,
// so nothing moves, and Tab reaches it.
#pragma once

#include <QToolButton>

namespace trefoil {

class QuietButton : public QToolButton {
    Q_OBJECT
public:
    /// `iconName` as in theme::icon. The text is tooltip and accessible name; it is shown only with showText.
    QuietButton(const QString& iconName, const QString& text, QWidget* parent = nullptr);

    void setAwake(bool awake);
    void showText();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QString m_iconName;
    bool m_awake = false;
};

}  // namespace trefoil
