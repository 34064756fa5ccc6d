#include "ui/blocks/painted_items.h"

#include <QAccessibleActionInterface>
#include <QAccessibleWidget>
#include <QHash>
#include <QPointer>
#include <QWidget>

#include <memory>

namespace trefoil {
namespace {

PaintedItems* itemsOf(const QPointer<QWidget>& widget) { return dynamic_cast<PaintedItems*>(widget.data()); }

/// One item. Qt owns it through its registry; the list that made it deletes it there.
class ItemInterface final : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    ItemInterface(QWidget* widget, int index) : m_widget(widget), m_index(index) {}

    bool isValid() const override {
        const PaintedItems* items = itemsOf(m_widget);
        return items != nullptr && m_index < items->itemCount();
    }
    QObject* object() const override { return nullptr; }
    QWindow* window() const override { return m_widget != nullptr ? m_widget->window()->windowHandle() : nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_widget); }
    QAccessibleInterface* child(int /*index*/) const override { return nullptr; }
    QAccessibleInterface* childAt(int /*x*/, int /*y*/) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface* /*child*/) const override { return -1; }

    QString text(QAccessible::Text kind) const override {
        return isValid() && kind == QAccessible::Name ? itemsOf(m_widget)->itemName(m_index) : QString();
    }
    void setText(QAccessible::Text /*kind*/, const QString& /*text*/) override {}
    QRect rect() const override {
        if (!isValid()) return {};
        const QRect inside = itemsOf(m_widget)->itemRect(m_index);
        return inside.isEmpty() ? QRect() : QRect(m_widget->mapToGlobal(inside.topLeft()), inside.size());
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override {
        QAccessible::State state;
        if (!isValid()) {
            state.invalid = true;
            return state;
        }
        const bool current = itemsOf(m_widget)->currentItem() == m_index;
        state.selectable = true;
        state.focusable = true;
        state.readOnly = true;
        state.selected = current;
        state.focused = current && m_widget->hasFocus();
        state.offscreen = itemsOf(m_widget)->itemRect(m_index).isEmpty();
        return state;
    }

    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }
    QStringList actionNames() const override { return {pressAction()}; }
    void doAction(const QString& name) override {
        if (name == pressAction() && isValid()) itemsOf(m_widget)->chooseItem(m_index);
    }
    QStringList keyBindingsForAction(const QString& /*name*/) const override { return {}; }

private:
    QPointer<QWidget> m_widget;
    int m_index;
};

class ListInterface final : public QAccessibleWidget {
public:
    explicit ListInterface(QWidget* widget) : QAccessibleWidget(widget, QAccessible::List), m_widget(widget) {}
    ~ListInterface() override {
        for (const QAccessible::Id id : std::as_const(m_ids)) QAccessible::deleteAccessibleInterface(id);
    }
    ListInterface(const ListInterface&) = delete;
    ListInterface& operator=(const ListInterface&) = delete;
    ListInterface(ListInterface&&) = delete;
    ListInterface& operator=(ListInterface&&) = delete;

    int childCount() const override {
        const PaintedItems* items = itemsOf(m_widget);
        return items != nullptr ? items->itemCount() : 0;
    }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount()) return nullptr;
        const auto known = m_ids.constFind(index);
        if (known != m_ids.constEnd()) return QAccessible::accessibleInterface(*known);
        auto made = std::make_unique<ItemInterface>(m_widget.data(), index);
        QAccessibleInterface* const item = made.get();
        m_ids.insert(index, QAccessible::registerAccessibleInterface(made.release()));
        return item;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        const PaintedItems* items = itemsOf(m_widget);
        return items != nullptr ? child(items->itemAt(m_widget->mapFromGlobal(QPoint(x, y)))) : nullptr;
    }
    int indexOfChild(const QAccessibleInterface* wanted) const override {
        for (auto it = m_ids.constBegin(); it != m_ids.constEnd(); ++it)
            if (QAccessible::accessibleInterface(it.value()) == wanted) return it.key();
        return -1;
    }
    QAccessibleInterface* focusChild() const override {
        const PaintedItems* items = itemsOf(m_widget);
        return items != nullptr && m_widget->hasFocus() ? child(items->currentItem()) : nullptr;
    }

private:
    QPointer<QWidget> m_widget;
    mutable QHash<int, QAccessible::Id> m_ids;
};

QAccessibleInterface* paintedItemsFactory(const QString& /*className*/, QObject* object) {
    if (dynamic_cast<PaintedItems*>(object) == nullptr) return nullptr;
    return std::make_unique<ListInterface>(qobject_cast<QWidget*>(object)).release();
}

}  // namespace

void installPaintedItemsAccessibility() {
    static const bool installed = [] {
        QAccessible::installFactory(paintedItemsFactory);
        return true;
    }();
    Q_UNUSED(installed)
}

void announceCurrentItem(QWidget* widget, int index) {
    if (!QAccessible::isActive() || index < 0 || !widget->hasFocus()) return;
    QAccessibleEvent event(widget, QAccessible::Focus);
    event.setChild(index);
    QAccessible::updateAccessibility(&event);
}

void announceItemsChanged(QWidget* widget) {
    if (!QAccessible::isActive()) return;
    QAccessibleEvent event(widget, QAccessible::VisibleDataChanged);
    QAccessible::updateAccessibility(&event);
}

}  // namespace trefoil
