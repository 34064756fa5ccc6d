#include "ui/servers/server_form.h"

#include "app/served/endpoint_rules.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace trefoil {
namespace {

QString outcomeText(ProbeOutcome outcome) {
    switch (outcome) {
        case ProbeOutcome::Passed:
            return ServerForm::tr("works");
        case ProbeOutcome::Noted:
            return ServerForm::tr("works, but");
        case ProbeOutcome::Failed:
            return ServerForm::tr("failed");
        case ProbeOutcome::Skipped:
            break;
    }
    return ServerForm::tr("skipped");
}

void name(QWidget* widget, const QString& objectName, const QString& accessibleName) {
    widget->setObjectName(objectName);
    widget->setAccessibleName(accessibleName);
}

}  // namespace

ServerForm::ServerForm(KeyStore* keys, QWidget* parent)
    : QWidget(parent),
      m_keys(keys),
      m_name(new QLineEdit(this)),
      m_address(new QLineEdit(this)),
      m_kind(new QComboBox(this)),
      m_key(new QLineEdit(this)),
      m_forget(new QPushButton(tr("&Forget the key"), this)),
      m_keyNote(new QLabel(this)),
      m_model(new QComboBox(this)),
      m_test(new QPushButton(tr("&Test the connection"), this)),
      m_steps(new QTreeWidget(this)),
      m_message(new QLabel(this)),
      m_save(new QPushButton(tr("S&ave"), this)) {
    setObjectName(QStringLiteral("serverForm"));
    build();
    connect(m_test, &QPushButton::clicked, this, &ServerForm::test);
    connect(m_save, &QPushButton::clicked, this, &ServerForm::save);
    connect(m_forget, &QPushButton::clicked, this, &ServerForm::forgetKey);
    connect(&m_probe, &ServerProbe::stepDone, this, &ServerForm::showStep);
    connect(&m_probe, &ServerProbe::finished, this, &ServerForm::showResult);
    connect(m_keys, &KeyStore::persistenceChanged, this, &ServerForm::showKeyNote);
}

void ServerForm::build() {
    name(m_name, QStringLiteral("serverName"), tr("Name of the server"));
    name(m_address, QStringLiteral("serverAddress"), tr("Address of the server"));
    m_address->setPlaceholderText(QStringLiteral("https://gpu.example.org:30000"));
    name(m_kind, QStringLiteral("serverKind"), tr("Kind of server"));
    for (const ServerKind kind : serverKinds()) m_kind->addItem(serverKindTitle(kind), serverKindName(kind));
    m_kind->setToolTip(tr("The test finds out what kind of server it is; it decides which controls are sent."));
    name(m_key, QStringLiteral("serverKey"), tr("Key of the server"));
    m_key->setEchoMode(QLineEdit::Password);
    m_key->setInputMethodHints(Qt::ImhHiddenText | Qt::ImhNoPredictiveText | Qt::ImhSensitiveData);
    name(m_forget, QStringLiteral("serverForgetKey"), tr("Forget the key"));
    m_keyNote->setObjectName(QStringLiteral("serverKeyNote"));
    m_keyNote->setWordWrap(true);
    name(m_model, QStringLiteral("serverModel"), tr("Model on the server"));
    m_model->setEditable(true);
    m_model->setInsertPolicy(QComboBox::NoInsert);
    name(m_test, QStringLiteral("serverTest"), tr("Test the connection"));
    name(m_steps, QStringLiteral("serverSteps"), tr("Steps of the test"));
    m_steps->setHeaderLabels({tr("Step"), tr("Result"), tr("What was found")});
    m_steps->setRootIsDecorated(false);
    m_steps->setWordWrap(true);
    m_steps->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_steps->header()->setStretchLastSection(true);
    m_message->setObjectName(QStringLiteral("serverMessage"));
    m_message->setWordWrap(true);
    name(m_save, QStringLiteral("serverSave"), tr("Save"));

    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("&Name:"), m_name);
    form->addRow(tr("A&ddress:"), m_address);
    auto* key = new QHBoxLayout;
    key->addWidget(m_key, 1);
    key->addWidget(m_forget);
    form->addRow(tr("&Key:"), key);
    if (auto* label = qobject_cast<QLabel*>(form->labelForField(key))) label->setBuddy(m_key);
    form->addRow(QString(), m_keyNote);
    form->addRow(tr("K&ind:"), m_kind);
    form->addRow(tr("&Model:"), m_model);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(form);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_test);
    buttons->addStretch(1);
    buttons->addWidget(m_save);
    column->addLayout(buttons);
    column->addWidget(m_message);
    column->addWidget(m_steps, 1);
}

void ServerForm::setEntry(const ServerEntry& entry) {
    m_probe.cancel();
    m_entry = entry;
    m_name->setText(entry.profile.name);
    m_address->setText(entry.profile.address.isEmpty() ? QString() : shownAddress(entry.profile.address));
    m_kind->setCurrentIndex(m_kind->findData(serverKindName(entry.profile.kind)));
    m_key->clear();
    m_model->clear();
    if (!entry.profile.model.isEmpty()) m_model->addItem(entry.profile.model);
    m_model->setCurrentText(entry.profile.model);
    m_steps->clear();
    m_test->setEnabled(true);
    tell({}, false);
    showKeyNote();
}

ServerEntry ServerForm::entry() const {
    ServerEntry out = m_entry;
    out.profile.name = m_name->text().trimmed();
    out.profile.kind = serverKindFromName(m_kind->currentData().toString());
    out.profile.model = m_model->currentText().trimmed();
    return out;
}

bool ServerForm::readAddress(ServerEntry& entry) {
    const AddressReading reading = readServerAddress(m_address->text());
    const QString problem = reading.ok() ? keyProblem(reading.address, m_key->text()) : reading.problem;
    if (!problem.isEmpty()) {
        tell(problem, true);
        return false;
    }
    // A key is one server's: it does not go along to another one.
    if (entry.profile.hasKey && m_key->text().isEmpty() &&
        (reading.address.host() != entry.profile.address.host() || reading.address.port() != entry.profile.address.port() ||
         reading.address.scheme() != entry.profile.address.scheme())) {
        tell(tr("The address is another one than the key was given for. Type the key again, or forget it."), true);
        return false;
    }
    entry.profile.address = reading.address;
    return true;
}

void ServerForm::save() {
    ServerEntry entry = this->entry();
    if (!readAddress(entry)) return;
    const QString typed = m_key->text();
    if (typed.isEmpty()) {
        m_entry = entry;
        tell(tr("Saved."), false);
        emit saved(entry);
        return;
    }
    m_keys->write(entry.profile.id, typed, this, [this, entry](const KeyAnswer& answer) mutable {
        if (!answer.ok()) return tell(answer.problem, true);
        entry.profile.hasKey = true;
        if (entry.profile.id == m_entry.profile.id) {
            m_entry = entry;
            m_key->clear();
            showKeyNote();
            tell(tr("Saved."), false);
        }
        emit saved(entry);
    });
}

void ServerForm::forgetKey() {
    m_key->clear();
    m_keys->remove(m_entry.profile.id, this, [this, id = m_entry.profile.id](const KeyAnswer& answer) {
        if (!answer.ok()) return tell(answer.problem, true);
        if (id != m_entry.profile.id) return;
        m_entry.profile.hasKey = false;
        showKeyNote();
        tell(tr("The key is gone."), false);
        if (!m_entry.profile.address.isEmpty()) emit saved(m_entry);
    });
}

void ServerForm::showKeyNote() {
    m_key->setPlaceholderText(m_entry.profile.hasKey ? tr("A key is kept; type another one to replace it") : tr("None"));
    m_forget->setEnabled(m_entry.profile.hasKey);
    m_keyNote->setText(m_keys->isPersistent()
                           ? tr("The key is kept in the desktop's secret service, and is never shown again.")
                           : tr("%1 The key is never shown again.", "why keys are not kept").arg(m_keys->whyNotPersistent()));
}

void ServerForm::test() {
    ServerEntry entry = this->entry();
    m_steps->clear();
    if (!readAddress(entry)) return;
    tell(tr("Testing…"), false);
    m_test->setEnabled(false);
    if (!m_key->text().isEmpty() || !entry.profile.hasKey) return m_probe.start(entry.profile, m_key->text());
    m_keys->read(entry.profile.id, this, [this, entry](const KeyAnswer& answer) {
        if (entry.profile.id != m_entry.profile.id) return;
        m_test->setEnabled(answer.ok());
        if (!answer.ok()) return tell(answer.problem, true);
        m_test->setEnabled(false);
        m_probe.start(entry.profile, answer.key);
    });
}

void ServerForm::showStep(const ProbeReport& report) {
    auto* item = new QTreeWidgetItem(m_steps, {probeStepTitle(report.step), outcomeText(report.outcome), report.text});
    item->setToolTip(2, report.text);
    if (report.outcome == ProbeOutcome::Failed) item->setForeground(1, theme::tone(theme::Tone::Error, palette()));
    if (report.outcome == ProbeOutcome::Noted) item->setForeground(1, theme::tone(theme::Tone::Warning, palette()));
}

/// A tree's rows do not grow with a text that wraps by themselves.
void ServerForm::fitSteps() {
    constexpr int kMargin = 8;
    const int width = m_steps->header()->sectionSize(2) - kMargin;
    for (int row = 0; row < m_steps->topLevelItemCount(); ++row) {
        QTreeWidgetItem* item = m_steps->topLevelItem(row);
        const QRect needed = m_steps->fontMetrics().boundingRect(QRect(0, 0, width, QWIDGETSIZE_MAX),
                                                                 Qt::TextWordWrap | Qt::TextWrapAnywhere, item->text(2));
        item->setSizeHint(2, {0, needed.height() + kMargin / 2});
    }
}

void ServerForm::showResult(const ProbeResult& result) {
    m_test->setEnabled(true);
    const QString typed = m_model->currentText().trimmed();
    if (!result.models.isEmpty()) {
        m_model->clear();
        m_model->addItems(result.models);
        m_model->setCurrentText(typed.isEmpty() ? result.model : typed);
    }
    if (result.kind != ServerKind::Auto) m_kind->setCurrentIndex(m_kind->findData(serverKindName(result.kind)));
    if (result.context > 0) m_entry.context = result.context;
    QTimer::singleShot(0, this, &ServerForm::fitSteps);  // when the columns have their widths
    if (result.ok())
        tell(tr("The server answers. Save it to use it."), false);
    else
        tell(result.error.text(), true);
}

void ServerForm::tell(const QString& text, bool error) {
    m_message->setText(text);
    m_message->setVisible(!text.isEmpty());
    m_message->setStyleSheet(error ? QStringLiteral("color: %1").arg(theme::tone(theme::Tone::Error, palette()).name())
                                   : QString());
}

}  // namespace trefoil
