// ShortcutSheet: all keys at a glance (F1), made from the window's actions each time it is shown.
#pragma once

#include <QDialog>

class QTreeWidget;

namespace trefoil {

class ShortcutTable;

class ShortcutSheet : public QDialog {
    Q_OBJECT
public:
    explicit ShortcutSheet(const ShortcutTable* table, QWidget* parent);

signals:
    void changeRequested();

private:
    void fill(const ShortcutTable& table);

    QTreeWidget* m_list;
};

}  // namespace trefoil
