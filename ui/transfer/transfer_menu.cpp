#include "ui/transfer/transfer_menu.h"

#include "app/core/markdown_export.h"
#include "ui/chat/notice_bar.h"
#include "ui/statistics/statistics_dialog.h"
#include "ui/transfer/printing.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <QPrintDialog>
#include <QPrinter>
#include <QPushButton>
#include <QStandardPaths>

#include <memory>

namespace trefoil {

namespace {

const QString kNotice = QStringLiteral("transfer");
const QString kOpenAction = QStringLiteral("openImported");
const QString kCopyAction = QStringLiteral("importCopies");
constexpr qsizetype kLongestName = 80;
constexpr int kMostAnswers = 5000;  // of the statistics

QString shown(const QString& path) { return QDir::toNativeSeparators(path); }

}  // namespace

TransferMenu::TransferMenu(const TransferServices& services, QMenu* file, QObject* parent)
    : QObject(parent), m_services(services), m_transfer(services.store) {
    setObjectName(QStringLiteral("transferMenu"));
    m_pages.setMaxThreadCount(1);
    m_folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    if (!QFileInfo(m_folder).isDir()) m_folder = QDir::homePath();
    buildMenu(file);
    connectResults();
}

TransferMenu::~TransferMenu() { m_pages.waitForDone(); }

QAction* TransferMenu::add(QMenu* menu, const QString& text, const QKeySequence& keys, const QString& name) {
    QAction* action = menu->addAction(text);
    action->setObjectName(name);
    action->setShortcut(keys);
    return action;
}

void TransferMenu::buildMenu(QMenu* file) {
    connect(add(file, tr("&Import conversations…"), Qt::CTRL | Qt::SHIFT | Qt::Key_I, QStringLiteral("actionImport")),
            &QAction::triggered, this, &TransferMenu::askAndImport);
    QMenu* out = file->addMenu(tr("&Export"));
    out->setObjectName(QStringLiteral("menuExport"));
    connect(add(out, tr("As &Markdown…"), Qt::CTRL | Qt::Key_E, QStringLiteral("actionExport")), &QAction::triggered, this,
            [this] { askAndExport(Form::Markdown); });
    connect(add(out, tr("As &JSON, complete…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E, QStringLiteral("actionExportJson")),
            &QAction::triggered, this, [this] { askAndExport(Form::Json); });
    connect(add(out, tr("As &PDF…"), {}, QStringLiteral("actionExportPdf")), &QAction::triggered, this,
            [this] { askAndExport(Form::Pdf); });
    out->addSeparator();
    connect(add(out, tr("&All conversations as JSON…"), {}, QStringLiteral("actionExportAll")), &QAction::triggered, this,
            [this] {
                const QString path =
                    QFileDialog::getSaveFileName(m_services.window, tr("Export all conversations"),
                                                 m_folder + QStringLiteral("/trefoil-conversations.json"), tr("JSON (*.json)"));
                if (!path.isEmpty()) exportAll(path);
            });
    connect(add(file, tr("&Print…"), Qt::CTRL | Qt::SHIFT | Qt::Key_P, QStringLiteral("actionPrint")), &QAction::triggered, this,
            &TransferMenu::print);
    file->addSeparator();
    connect(add(file, tr("&Back up the history…"), {}, QStringLiteral("actionBackUp")), &QAction::triggered, this, [this] {
        const QString name = QStringLiteral("/trefoil-history-%1.db").arg(QDate::currentDate().toString(Qt::ISODate));
        const QString path = QFileDialog::getSaveFileName(m_services.window, tr("Back up the history"), m_folder + name,
                                                          tr("Trefoil histories (*.db)"));
        if (!path.isEmpty()) backUp(path);
    });
    connect(add(file, tr("Re&store a backup…"), {}, QStringLiteral("actionRestore")), &QAction::triggered, this,
            &TransferMenu::askAndRestore);
}

void TransferMenu::connectResults() {
    connect(&m_transfer, &HistoryTransfer::written, this,
            [this](RequestId /*id*/, const QString& path, int conversations, const StoreProblem& problem) {
                if (!problem.ok()) return fail(problem.text());
                tell(conversations > 1 ? tr("%n conversations exported to %1.", nullptr, conversations).arg(shown(path))
                                       : tr("Exported to %1.").arg(shown(path)));
                emit done(path);
            });
    connect(&m_transfer, &HistoryTransfer::progress, this, [this](RequestId /*id*/, qsizetype step, qsizetype total) {
        constexpr qsizetype kSeveral = 50;
        if (total > kSeveral && step % kSeveral == 0)
            tell(tr("Exporting: %1 of %2 conversations.").arg(QLocale().toString(step), QLocale().toString(total)));
    });
    connect(&m_transfer, &HistoryTransfer::imported, this,
            [this](RequestId /*id*/, const QString& path, const ImportReport& report, const StoreProblem& problem) {
                showImport(path, report, problem);
            });
    connect(m_services.store, &StoreWorker::backedUp, this,
            [this](RequestId /*id*/, const QString& path, const StoreProblem& problem) {
                if (!problem.ok()) return fail(problem.text());
                tell(tr("The whole history is backed up in %1.").arg(shown(path)));
                emit done(path);
            });
    connect(m_services.store, &StoreWorker::restored, this,
            [this](RequestId /*id*/, const RestoreReport& report) { showRestored(report); });
    connect(m_services.notices, &NoticeBar::actionTriggered, this, [this](const QString& notice, const QString& action) {
        if (notice != kNotice) return;
        m_services.notices->clear(kNotice);
        if (action == kOpenAction) m_services.chat->openConversation(m_imported.id);
        if (action == kCopyAction) importFile(m_imported.file, ExistingChoice::OnlyCopy);
    });
}

void TransferMenu::tell(const QString& text) { m_services.notices->show({kNotice, NoticeKind::Info, text, {}, true}); }

void TransferMenu::fail(const QString& text) { m_services.notices->show({kNotice, NoticeKind::Error, text, {}, true}); }

void TransferMenu::rememberFolder(const QString& path) { m_folder = QFileInfo(path).absolutePath(); }

bool TransferMenu::nothingThere() {
    if (!m_services.chat->messages().isEmpty()) return false;
    tell(tr("There is nothing to export yet."));
    return true;
}

QString TransferMenu::suggestedName(const QString& ending) const {
    QString name = m_services.chat->conversation().title.simplified().left(kLongestName);
    for (QChar& sign : name)
        if (sign == u'/' || sign == u'\\' || sign == u':' || sign.unicode() < u' ') sign = u'-';
    while (name.startsWith(u'.')) name.remove(0, 1);
    return m_folder + QLatin1Char('/') + (name.isEmpty() ? QStringLiteral("conversation") : name) + ending;
}

QString TransferMenu::markdown() const {
    return conversationToMarkdown(m_services.chat->conversation(), m_services.chat->messages());
}

void TransferMenu::askAndExport(Form form) {
    if (nothingThere()) return;
    const QString ending = form == Form::Markdown ? QStringLiteral(".md")
                           : form == Form::Json   ? QStringLiteral(".json")
                                                  : QStringLiteral(".pdf");
    const QString kind = form == Form::Markdown ? tr("Markdown (*.md)")
                         : form == Form::Json   ? tr("JSON (*.json)")
                                                : tr("PDF (*.pdf)");
    const QString path =
        QFileDialog::getSaveFileName(m_services.window, tr("Export the conversation"), suggestedName(ending), kind);
    if (!path.isEmpty()) exportConversation(form, path);
}

void TransferMenu::exportConversation(Form form, const QString& path) {
    if (nothingThere()) return;
    rememberFolder(path);
    if (form == Form::Json) {
        m_transfer.exportJsonAsync({m_services.chat->conversation().id}, path);
    } else if (form == Form::Markdown) {
        m_transfer.writeAsync(path, markdown().toUtf8());
    } else {
        tell(tr("The pages are being set…"));
        ++m_documents;
        m_pages.start(
            [this, path, text = markdown(), title = m_services.chat->conversation().title, font = QApplication::font()] {
                const QByteArray pdf = markdownToPdf(text, title, font);
                QMetaObject::invokeMethod(
                    this,
                    [this, path, pdf] {
                        --m_documents;
                        m_transfer.writeAsync(path, pdf);
                    },
                    Qt::QueuedConnection);
            });
    }
}

void TransferMenu::exportAll(const QString& path) {
    rememberFolder(path);
    m_transfer.exportJsonAsync({}, path);
}

void TransferMenu::askAndImport() {
    const QString path =
        QFileDialog::getOpenFileName(m_services.window, tr("Import conversations"), m_folder, tr("JSON (*.json);;All files (*)"));
    if (!path.isEmpty()) importFile(path);
}

void TransferMenu::importFile(const QString& path, ExistingChoice existing) {
    rememberFolder(path);
    tell(tr("Reading %1…").arg(shown(path)));
    m_transfer.importAsync(path, existing);
}

void TransferMenu::showImport(const QString& path, const ImportReport& report, const StoreProblem& problem) {
    if (!problem.ok()) return fail(tr("%1 was not imported. %2").arg(QFileInfo(path).fileName(), problem.text()));
    m_imported = {path, report.first};
    QStringList parts;
    if (report.added == 1) parts.append(tr("One conversation was imported."));
    if (report.added > 1) parts.append(tr("%n conversations were imported.", nullptr, report.added));
    if (report.alreadyHere == 1) parts.append(tr("One conversation of this file is already here and stays as it is."));
    if (report.alreadyHere > 1)
        parts.append(tr("%n conversations of this file are already here and stay as they are.", nullptr, report.alreadyHere));
    if (report.added == 0 && report.alreadyHere == 0) parts.append(tr("The file holds no conversation."));
    if (!report.ignored.isEmpty())
        parts.append(tr("Fields that Trefoil does not know were left out: %1.").arg(report.ignored.join(QStringLiteral(", "))));
    QList<NoticeAction> actions;
    if (report.added > 0) actions.append({kOpenAction, report.added == 1 ? tr("Open it") : tr("Open the first")});
    if (report.alreadyHere > 0) actions.append({kCopyAction, tr("Add as copies")});
    m_services.notices->show({kNotice, NoticeKind::Info, parts.join(QLatin1Char(' ')), actions, true});
}

void TransferMenu::print() {
    if (nothingThere()) return;
    const auto printer = std::make_shared<QPrinter>(QPrinter::HighResolution);
    printer->setDocName(m_services.chat->conversation().title);
    QPrintDialog dialog(printer.get(), m_services.window);
    if (dialog.exec() != QDialog::Accepted) return;
    m_pages.start([printer, text = markdown(), title = m_services.chat->conversation().title, font = QApplication::font()] {
        printMarkdown(*printer, text, title, font);
    });
}

void TransferMenu::addStatistics(QMenu* view) {
    connect(add(view, tr("&Statistics…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S, QStringLiteral("actionStatistics")),
            &QAction::triggered, this, &TransferMenu::showStatistics);
}

void TransferMenu::showStatistics() {
    if (m_statistics == nullptr) {
        m_statistics = new StatisticsDialog(m_services.window);
        const auto refresh = [this] { m_services.store->loadFiguresAsync(kMostAnswers); };
        connect(m_services.store, &StoreWorker::figuresLoaded, m_statistics,
                [this](RequestId /*id*/, const QList<AnswerFigures>& figures, const StoreProblem& problem) {
                    m_statistics->setFigures(figures);
                    if (!problem.ok()) m_statistics->setProblem(problem.text());
                });
        connect(m_statistics, &StatisticsDialog::refreshRequested, this, refresh);
        connect(m_statistics, &StatisticsDialog::csvRequested, this, [this] {
            const QString path = QFileDialog::getSaveFileName(
                m_statistics, tr("Export statistics"),
                m_folder + QLatin1Char('/') + m_statistics->model() + QStringLiteral("-statistics.csv"), tr("CSV (*.csv)"));
            if (path.isEmpty()) return;
            rememberFolder(path);
            m_transfer.writeAsync(path, m_statistics->csv());
        });
        // An answer that ended belongs to them.
        connect(m_services.chat, &ChatController::answerEnded, m_statistics, [this, refresh] {
            if (m_statistics->isVisible()) refresh();
        });
    }
    m_services.store->loadFiguresAsync(kMostAnswers);
    m_statistics->show();
    m_statistics->raise();
}

void TransferMenu::backUp(const QString& path) {
    rememberFolder(path);
    m_services.store->backUpAsync(path);
}

void TransferMenu::askAndRestore() {
    const QString path = QFileDialog::getOpenFileName(m_services.window, tr("Restore a backup"), m_folder,
                                                      tr("Trefoil histories (*.db);;All files (*)"));
    if (path.isEmpty()) return;
    QMessageBox box(QMessageBox::Question, tr("Restore a backup"),
                    tr("All conversations are replaced by those of the backup. The history of now is kept beside it."),
                    QMessageBox::NoButton, m_services.window);
    QPushButton* replace = box.addButton(tr("Replace"), QMessageBox::AcceptRole);
    box.addButton(tr("Leave it as it is"), QMessageBox::RejectRole);
    box.exec();
    if (box.clickedButton() == replace) restore(path);
}

void TransferMenu::restore(const QString& path) {
    if (m_services.chat->isRunning()) return tell(tr("An answer is being written. Stop it, then restore the backup."));
    rememberFolder(path);
    // What stands in the composer belongs to the history that goes.
    m_services.chat->newConversation();
    m_services.store->restoreAsync(path);
}

void TransferMenu::showRestored(const RestoreReport& report) {
    if (!report.ok()) return fail(tr("The backup was not restored. %1").arg(report.problem.text()));
    tell(tr("The backup is restored. The history that was here before is kept as %1.").arg(shown(report.aside)));
}

}  // namespace trefoil
