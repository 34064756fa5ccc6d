// TraceMenu: exports the trace of the answer whose blocks are on show, and the replay of its block.
#pragma once

#include "app/core/generation_types.h"

#include <QObject>
#include <QString>
#include <QThreadPool>

#include <functional>

class QMenu;
class QWidget;

namespace trefoil {

class BlockDock;

class TraceMenu : public QObject {
    Q_OBJECT
public:
    /// Adds its entries to `parentMenu`; they act on what `blocks` shows. `tell` takes a line for the person. Nothing is owned;
    /// all outlive the menu.
    TraceMenu(BlockDock* blocks, QMenu* parentMenu, QWidget* window, std::function<void(const QString&)> tell);
    /// Waits for a file that is being written.
    ~TraceMenu() override;

    enum class Form : quint8 { Json, Csv, Webp };
    void exportTo(Form form, const QString& path);

signals:
    /// The file is there, or `problem` says why it is not.
    void written(const QString& path, const QString& problem);

private:
    void ask(Form form);

    BlockDock* m_blocks;
    QWidget* m_window;
    std::function<void(const QString&)> m_tell;
    QThreadPool m_work;
};

}  // namespace trefoil
