// LocalApiButton: says in the status bar that the window serves other programs. Hidden while it does not.
#pragma once

#include <QToolButton>

namespace trefoil {

class LocalApi;

class LocalApiButton : public QToolButton {
    Q_OBJECT
public:
    /// `api` outlives this.
    explicit LocalApiButton(LocalApi* api, QWidget* parent = nullptr);

private:
    void refresh();

    LocalApi* m_api;
};

}  // namespace trefoil
