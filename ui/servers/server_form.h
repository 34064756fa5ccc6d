// ServerForm: one server's data, its test, and its key, which is never shown again.
#pragma once

#include "app/served/served_engine.h"
#include "app/served/server_probe.h"

#include <QString>
#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace trefoil {

class ServerForm : public QWidget {
    Q_OBJECT
public:
    /// `keys` is not owned and outlives the form.
    explicit ServerForm(KeyStore* keys, QWidget* parent = nullptr);

    /// Shows another server; what was typed for the one before is dropped.
    void setEntry(const ServerEntry& entry);
    /// As it stands in the fields.
    [[nodiscard]] ServerEntry entry() const;
    [[nodiscard]] ServerProbe* probe() { return &m_probe; }

signals:
    /// The person wants it kept; a typed key is in the key store already.
    void saved(const trefoil::ServerEntry& entry);

private:
    void build();
    void save();
    void test();
    void showStep(const ProbeReport& report);
    void showResult(const ProbeResult& result);
    void fitSteps();
    void showKeyNote();
    void forgetKey();
    void tell(const QString& text, bool error);
    /// The address as typed, read; tells what is wrong with it, or with sending a key there.
    [[nodiscard]] bool readAddress(ServerEntry& entry);

    KeyStore* m_keys;
    ServerProbe m_probe;
    ServerEntry m_entry;
    QLineEdit* m_name;
    QLineEdit* m_address;
    QComboBox* m_kind;
    QLineEdit* m_key;
    QPushButton* m_forget;
    QLabel* m_keyNote;
    QComboBox* m_model;
    QPushButton* m_test;
    QTreeWidget* m_steps;
    QLabel* m_message;
    QPushButton* m_save;
};

}  // namespace trefoil
