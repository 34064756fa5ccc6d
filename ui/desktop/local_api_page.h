// LocalApiPage: the model of this window for other programs: on or off, where, with which key, who is connected, what was served.
#pragma once

#include <QString>
#include <QWidget>

class QBoxLayout;
class QCheckBox;
class QGridLayout;
class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTreeWidget;

namespace trefoil {

class LocalApi;

/// What is changed holds at once. A new key is on show until the page goes, and never again.
class LocalApiPage : public QWidget {
    Q_OBJECT
public:
    /// `api` outlives this.
    explicit LocalApiPage(LocalApi* api, QWidget* parent = nullptr);

private:
    void buildState(QBoxLayout* column);
    void buildPlace(QGridLayout* form);
    void buildKey(QGridLayout* form);
    void buildEncryption(QGridLayout* form);
    void buildClients(QBoxLayout* column);
    void buildExample(QBoxLayout* column);
    QPushButton* button(const QString& name, const QString& text, const QString& accessibleName);
    void addRow(QGridLayout* form, const QString& label, QWidget* field, QLayout* fields);
    void addFileRow(QGridLayout* form, const QString& label, QLineEdit* edit, QPushButton* choose, const QString& title);

    void refresh();
    void showState();
    void showKey();
    void showEncryption();
    void showExample();
    void showClients();
    /// What the fields say becomes the choice.
    void apply();
    void switchTo(bool on);

    LocalApi* m_api;
    QCheckBox* m_on;
    QLabel* m_state;
    QPushButton* m_copyAddress;
    QLineEdit* m_address;
    QSpinBox* m_port;
    QLineEdit* m_key;
    QPushButton* m_makeKey;
    QPushButton* m_copyKey;
    QLabel* m_keyNote;
    QLineEdit* m_certificate;
    QLineEdit* m_certificateKey;
    QCheckBox* m_plainHttp;
    QTreeWidget* m_clients;
    QLabel* m_totals;
    QLineEdit* m_example;
    QString m_newKey;  ///< on show; empty: only its ending is
};

}  // namespace trefoil
