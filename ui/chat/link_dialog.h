// Shows where a link leads before anything is opened. Only http, https and mailto can be opened.
#pragma once

#include <QDialog>
#include <QString>
#include <QUrl>

namespace trefoil {

class LinkDialog : public QDialog {
    Q_OBJECT
public:
    /// `target` as written in the answer.
    explicit LinkDialog(const QString& target, QWidget* parent = nullptr);

    /// The address when it may be opened, otherwise an invalid one: other schemes, relative targets and broken addresses.
    [[nodiscard]] static QUrl openable(const QString& target);

signals:
    /// The person has seen the address and wants it opened.
    void openChosen(const QUrl& url);
};

}  // namespace trefoil
