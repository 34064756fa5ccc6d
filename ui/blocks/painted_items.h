// Accessibility of a painted widget that consists of items (cells, bars): each is a child that a screen reader can read and
// choose.
#pragma once

#include <QAccessible>
#include <QRect>
#include <QString>

class QWidget;

namespace trefoil {

/// Implemented by such a widget. Item indices count from 0.
class PaintedItems {
public:
    virtual ~PaintedItems() = default;
    [[nodiscard]] virtual int itemCount() const = 0;
    [[nodiscard]] virtual QString itemName(int index) const = 0;
    /// In the widget's coordinates; empty when it is scrolled out of sight.
    [[nodiscard]] virtual QRect itemRect(int index) const = 0;
    [[nodiscard]] virtual int itemAt(const QPoint& point) const = 0;
    /// -1: none
    [[nodiscard]] virtual int currentItem() const = 0;
    virtual void chooseItem(int index) = 0;

protected:
    PaintedItems() = default;
    PaintedItems(const PaintedItems&) = default;
    PaintedItems& operator=(const PaintedItems&) = default;
    PaintedItems(PaintedItems&&) = default;
    PaintedItems& operator=(PaintedItems&&) = default;
};

/// Makes Qt ask PaintedItems for the children of every widget that implements it. To be called by each such widget's constructor;
/// only the first call does something.
void installPaintedItemsAccessibility();
/// Tells assistive technology that the widget's current item or the items' texts changed. Cheap when nobody listens.
void announceCurrentItem(QWidget* widget, int index);
void announceItemsChanged(QWidget* widget);

}  // namespace trefoil
