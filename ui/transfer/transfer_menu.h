// TransferMenu: the File menu's part for import, export, printing and backups. Asks for files, starts the work, tells how it
// went.
#pragma once

#include "app/core/chat_controller.h"
#include "app/core/store_worker.h"
#include "app/core/transfer/history_transfer.h"

#include <QObject>
#include <QString>
#include <QThreadPool>

class QAction;
class QMenu;
class QWidget;

namespace trefoil {

class NoticeBar;
class StatisticsDialog;

/// Not owned; all outlive the menu.
struct TransferServices {
    ChatController* chat = nullptr;
    StoreWorker* store = nullptr;
    NoticeBar* notices = nullptr;
    QWidget* window = nullptr;
};

class TransferMenu : public QObject {
    Q_OBJECT
public:
    /// Adds its actions to `file`, and the statistics to `view`.
    TransferMenu(const TransferServices& services, QMenu* file, QObject* parent = nullptr);
    void addStatistics(QMenu* view);
    /// Waits for pages that are being laid out and files that are being written.
    ~TransferMenu() override;

    enum class Form : quint8 { Markdown, Json, Pdf };
    /// The open conversation. A conversation that is not in the history yet has no JSON.
    void exportConversation(Form form, const QString& path);
    void exportAll(const QString& path);
    void importFile(const QString& path, ExistingChoice existing = ExistingChoice::LeaveOut);
    void backUp(const QString& path);
    /// Refused while an answer is being written.
    void restore(const QString& path);
    [[nodiscard]] HistoryTransfer* transfer() { return &m_transfer; }
    /// Files are being read or written, or pages set: what ends with this menu.
    [[nodiscard]] bool isBusy() const { return m_transfer.isBusy() || m_documents > 0 || m_pages.activeThreadCount() > 0; }
    /// What the notice about an import offers.
    struct ImportOffer {
        QString file;  ///< for copies of what is here already
        QString id;    ///< of the conversation to be opened
    };
    [[nodiscard]] const ImportOffer& importOffer() const { return m_imported; }
    void setImportOffer(const ImportOffer& offer) { m_imported = offer; }

signals:
    /// A file was written: "Exported", "Backed up".
    void done(const QString& path);

private:
    QAction* add(QMenu* menu, const QString& text, const QKeySequence& keys, const QString& name);
    void buildMenu(QMenu* file);
    void connectResults();
    void askAndExport(Form form);
    void askAndImport();
    void askAndRestore();
    void print();
    void showStatistics();
    void tell(const QString& text);
    void fail(const QString& text);
    void showImport(const QString& path, const ImportReport& report, const StoreProblem& problem);
    void showRestored(const RestoreReport& report);
    [[nodiscard]] QString suggestedName(const QString& ending) const;
    [[nodiscard]] QString markdown() const;
    [[nodiscard]] bool nothingThere();
    void rememberFolder(const QString& path);

    TransferServices m_services;
    HistoryTransfer m_transfer;
    StatisticsDialog* m_statistics = nullptr;  ///< made when it is first opened
    QThreadPool m_pages;
    int m_documents = 0;  ///< PDF files whose pages are being set
    QString m_folder;     ///< of the last file
    ImportOffer m_imported;
};

}  // namespace trefoil
