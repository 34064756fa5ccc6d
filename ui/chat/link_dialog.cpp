#include "ui/chat/link_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace trefoil {

QUrl LinkDialog::openable(const QString& target) {
    const QUrl url(target.trimmed(), QUrl::TolerantMode);
    if (!url.isValid()) return {};
    const QString scheme = url.scheme().toLower();
    const bool web = (scheme == u"http" || scheme == u"https") && !url.host().isEmpty();
    const bool mail = scheme == u"mailto" && !url.path().isEmpty();
    return web || mail ? url : QUrl();
}

LinkDialog::LinkDialog(const QString& target, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("linkDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    const QUrl url = openable(target);
    const bool allowed = url.isValid() && !url.isEmpty();
    setWindowTitle(allowed ? tr("Open link") : tr("Link not opened"));

    auto* question = new QLabel(this);
    question->setObjectName(QStringLiteral("linkText"));
    question->setTextFormat(Qt::PlainText);
    question->setWordWrap(true);
    if (!allowed) {
        question->setText(tr(
            "This link was written by the model and does not lead to a web page or a mail address. Only http, https and mailto "
            "addresses are opened."));
    } else if (url.host().isEmpty()) {
        question->setText(tr("This link was written by the model. Write a mail to this address?"));
    } else {
        // The host in ASCII: letters that only look like others show as what they are.
        question->setText(
            tr("This link was written by the model. Open a page of “%1” in your browser?").arg(url.host(QUrl::FullyEncoded)));
    }

    auto* address = new QPlainTextEdit(this);
    address->setObjectName(QStringLiteral("linkAddress"));
    address->setAccessibleName(tr("Address"));
    address->setReadOnly(true);
    address->setTabChangesFocus(true);
    address->setPlainText(allowed ? url.toString(QUrl::FullyEncoded) : target);
    address->setFixedHeight(address->fontMetrics().lineSpacing() * 4);

    auto* buttons = new QDialogButtonBox(this);
    auto* copy = buttons->addButton(tr("&Copy address"), QDialogButtonBox::ActionRole);
    copy->setObjectName(QStringLiteral("linkCopyButton"));
    const QString shown = address->toPlainText();
    connect(copy, &QPushButton::clicked, this, [shown] { QApplication::clipboard()->setText(shown); });
    if (allowed) {
        auto* open = buttons->addButton(tr("&Open"), QDialogButtonBox::AcceptRole);
        open->setObjectName(QStringLiteral("linkOpenButton"));
        open->setAutoDefault(false);
        connect(open, &QPushButton::clicked, this, [this, url] { emit openChosen(url); });
    }
    auto* close = buttons->addButton(allowed ? tr("Cancel") : tr("Close"), QDialogButtonBox::RejectRole);
    close->setObjectName(QStringLiteral("linkCloseButton"));
    close->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* layout = new QVBoxLayout(this);
    layout->addWidget(question);
    layout->addWidget(address);
    layout->addWidget(buttons);
    setMinimumWidth(460);
    close->setFocus();
}

}  // namespace trefoil
