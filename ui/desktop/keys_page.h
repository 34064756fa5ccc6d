// KeysPage: gives an action other keys. Keys that another action has are named and not taken until the person agrees.
#pragma once

#include <QKeySequence>
#include <QString>
#include <QWidget>

class QKeySequenceEdit;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace trefoil {

class ShortcutTable;

class KeysPage : public QWidget {
    Q_OBJECT
public:
    explicit KeysPage(ShortcutTable* table, QWidget* parent = nullptr);

private:
    void fill();
    void showCurrent();
    void take();
    void takeOver();
    [[nodiscard]] QString currentId() const;

    ShortcutTable* m_table;
    QTreeWidget* m_list;
    QKeySequenceEdit* m_edit;
    QLabel* m_problem;
    QPushButton* m_takeOver;
    QPushButton* m_none;
    QPushButton* m_reset;
    bool m_filling = false;
};

}  // namespace trefoil
