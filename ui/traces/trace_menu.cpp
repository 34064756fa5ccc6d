#include "ui/traces/trace_menu.h"

#include "app/core/trace_export.h"
#include "ui/blocks/block_dock.h"
#include "ui/traces/block_film.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QMenu>
#include <QSaveFile>
#include <QStandardPaths>

#include <utility>

namespace trefoil {
namespace {

/// Empty: it is written.
QString save(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return {};
    return TraceMenu::tr("%1 could not be written: %2. Choose another place.")
        .arg(QDir::toNativeSeparators(path), file.errorString());
}

}  // namespace

TraceMenu::TraceMenu(BlockDock* blocks, QMenu* parentMenu, QWidget* window, std::function<void(const QString&)> tell)
    : QObject(window), m_blocks(blocks), m_window(window), m_tell(std::move(tell)) {
    setObjectName(QStringLiteral("traceMenu"));
    m_work.setMaxThreadCount(1);
    QMenu* const menu = parentMenu->addMenu(tr("Export how it was &written"));
    menu->setObjectName(QStringLiteral("menuExportTrace"));
    const auto add = [&](Form form, const QString& text, const QString& name) {
        QAction* const action = menu->addAction(text);
        action->setObjectName(name);
        connect(action, &QAction::triggered, this, [this, form] { ask(form); });
        // Of the answer whose blocks are on show, when it is complete.
        connect(menu, &QMenu::aboutToShow, action,
                [this, action] { action->setEnabled(!m_blocks->replay().model().isEmpty() && !m_blocks->replay().isLive()); });
    };
    add(Form::Json, tr("All passes as &JSON…"), QStringLiteral("actionTraceJson"));
    add(Form::Csv, tr("All passes as &CSV…"), QStringLiteral("actionTraceCsv"));
    add(Form::Webp, tr("The block on show as animated &WebP…"), QStringLiteral("actionTraceWebp"));
    connect(this, &TraceMenu::written, this, [this](const QString& path, const QString& problem) {
        m_tell(problem.isEmpty() ? tr("Written: %1").arg(QDir::toNativeSeparators(path)) : problem);
    });
}

TraceMenu::~TraceMenu() { m_work.waitForDone(); }

void TraceMenu::ask(Form form) {
    if (m_blocks->replay().model().isEmpty() || m_blocks->replay().isLive())
        return m_tell(tr("There is no complete answer whose blocks are on show."));
    const QString block = QString::number(m_blocks->replay().block() + 1);
    const QString name = form == Form::Json  ? tr("trace.json")
                         : form == Form::Csv ? tr("trace.csv")
                                             : tr("block-%1.webp").arg(block);
    const QString filter = form == Form::Json  ? tr("JSON (*.json)")
                           : form == Form::Csv ? tr("CSV (*.csv)")
                                               : tr("Animated WebP (*.webp)");
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QString path = QFileDialog::getSaveFileName(m_window, tr("Export how it was written"), folder + u'/' + name, filter);
    if (!path.isEmpty()) exportTo(form, path);
}

void TraceMenu::exportTo(Form form, const QString& path) {
    const TraceView trace = m_blocks->replay().model().trace();
    // Pictures are painted here, where fonts may be used; encoding them takes longer.
    QList<FilmFrame> film;
    if (form == Form::Webp) film = blockFilm(trace, m_blocks->replay().block(), m_blocks->palette(), m_blocks->font());
    m_work.start([this, form, path, trace, film] {
        QString problem;
        const QByteArray bytes = form == Form::Json  ? traceJson(trace)
                                 : form == Form::Csv ? traceCsv(trace)
                                                     : animatedWebp(film, &problem);
        if (problem.isEmpty()) problem = save(path, bytes);
        // In the window's thread, as every signal of a widget's.
        QMetaObject::invokeMethod(
            this, [this, path, problem] { emit written(path, problem); }, Qt::QueuedConnection);
    });
}

}  // namespace trefoil
