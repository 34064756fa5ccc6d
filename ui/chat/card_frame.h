// CardFrame: the rounded frame around an editor.
#pragma once

#include <QFrame>

namespace trefoil {

/// Takes the editor's place as the thing that shows keyboard focus. The editor itself is put in by the owner's layout; it is
/// painted on the frame's ground.
class CardFrame : public QFrame {
    Q_OBJECT
public:
    CardFrame(QWidget* editor, QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* m_editor;
};

}  // namespace trefoil
