#include "ui/desktop/local_api_page.h"

#include "app/local_api/local_api.h"
#include "ui/models/number_text.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QClipboard>
#include <QFileDialog>
#include <QFontDatabase>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace trefoil {
namespace {

constexpr int kHighestPort = 65535;
constexpr int kShownClients = 4;  // rows that are in sight

void name(QWidget* widget, const QString& objectName, const QString& accessibleName) {
    widget->setObjectName(objectName);
    widget->setAccessibleName(accessibleName);
}

QLabel* wrapped(QWidget* parent, const QString& objectName, const QString& text = {}) {
    auto* label = new QLabel(text, parent);
    label->setObjectName(objectName);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

QString doingText(LocalApiClient::Doing doing) {
    switch (doing) {
        case LocalApiClient::Doing::Nothing:
            break;
        case LocalApiClient::Doing::Asking:
            return LocalApiPage::tr("asks");
        case LocalApiClient::Doing::Waiting:
            return LocalApiPage::tr("waits for its turn");
        case LocalApiClient::Doing::Answered:
            return LocalApiPage::tr("is being answered");
    }
    return LocalApiPage::tr("is connected");
}

/// For a shell: in single quotes, whatever is in it.
QString quoted(QString text) {
    return QLatin1Char('\'') + text.replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
}

/// Inside a JSON string.
QString escaped(QString text) {
    return text.replace(QLatin1Char('\\'), QStringLiteral("\\\\")).replace(QLatin1Char('"'), QStringLiteral("\\\""));
}

}  // namespace

LocalApiPage::LocalApiPage(LocalApi* api, QWidget* parent)
    : QWidget(parent),
      m_api(api),
      m_on(new QCheckBox(tr("Let &other programs ask the model of this window"), this)),
      m_state(wrapped(this, QStringLiteral("localApiState"))),
      m_copyAddress(button(QStringLiteral("localApiCopyAddress"), tr("Copy"), tr("Copy the address"))),
      m_address(new QLineEdit(this)),
      m_port(new QSpinBox(this)),
      m_key(new QLineEdit(this)),
      m_makeKey(button(QStringLiteral("localApiMakeKey"), tr("&Make a new key"), tr("Make a new key"))),
      m_copyKey(button(QStringLiteral("localApiCopyKey"), tr("&Copy"), tr("Copy the key"))),
      m_keyNote(wrapped(this, QStringLiteral("localApiKeyNote"))),
      m_certificate(new QLineEdit(this)),
      m_certificateKey(new QLineEdit(this)),
      m_plainHttp(new QCheckBox(tr("Serve other machines &without encryption"), this)),
      m_clients(new QTreeWidget(this)),
      m_totals(wrapped(this, QStringLiteral("localApiTotals"))),
      m_example(new QLineEdit(this)) {
    setObjectName(QStringLiteral("localApiPage"));
    auto* column = new QVBoxLayout(this);
    buildState(column);
    auto* form = new QGridLayout;  // a form layout gives notes of several lines too much height
    buildPlace(form);
    buildKey(form);
    buildEncryption(form);
    column->addLayout(form);
    buildClients(column);
    buildExample(column);

    connect(m_api, &LocalApi::changed, this, &LocalApiPage::refresh);
    connect(m_api, &LocalApi::clientsChanged, this, &LocalApiPage::showClients);
    connect(m_api, &LocalApi::keyMade, this, [this](const QString& key) {
        m_newKey = key;
        showKey();
    });
    refresh();
    showClients();
    m_api->findKey();
}

QPushButton* LocalApiPage::button(const QString& objectName, const QString& text, const QString& accessibleName) {
    auto* out = new QPushButton(text, this);
    out->setAutoDefault(false);  // Return in a field is for the field
    name(out, objectName, accessibleName);
    return out;
}

// ------------------------------------------------------------------------------------------------------------------ parts

void LocalApiPage::buildState(QBoxLayout* column) {
    column->addWidget(wrapped(this, QStringLiteral("localApiIntro"),
                              tr("Editors and scripts can use the model that is loaded here, over an OpenAI-style API and with a "
                                 "key. One answer is written at a time: theirs and yours take turns.")));
    m_on->setObjectName(QStringLiteral("localApiOn"));
    connect(m_on, &QCheckBox::clicked, this, &LocalApiPage::switchTo);
    column->addWidget(m_on);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_state->setAccessibleName(tr("State of the local API"));
    connect(m_copyAddress, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_api->url()); });
    auto* row = new QHBoxLayout;
    row->addWidget(m_state, 1);
    row->addWidget(m_copyAddress);
    column->addLayout(row);
}

void LocalApiPage::buildPlace(QGridLayout* form) {
    name(m_address, QStringLiteral("localApiAddress"), tr("Address to listen on"));
    m_address->setToolTip(tr("127.0.0.1: programs on this machine alone. 0.0.0.0: every network that this machine is in."));
    connect(m_address, &QLineEdit::editingFinished, this, &LocalApiPage::apply);
    name(m_port, QStringLiteral("localApiPort"), tr("Port"));
    m_port->setRange(0, kHighestPort);
    m_port->setSpecialValueText(tr("any free one"));
    m_port->setGroupSeparatorShown(false);
    m_port->setKeyboardTracking(false);
    connect(m_port, &QSpinBox::valueChanged, this, &LocalApiPage::apply);
    auto* label = new QLabel(tr("Po&rt:"), this);
    label->setBuddy(m_port);
    auto* row = new QHBoxLayout;
    row->addWidget(m_address, 1);
    row->addWidget(label);
    row->addWidget(m_port);
    addRow(form, tr("A&ddress:"), m_address, row);
}

void LocalApiPage::buildKey(QGridLayout* form) {
    name(m_key, QStringLiteral("localApiKey"), tr("Key of the local API"));
    m_key->setReadOnly(true);
    m_key->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    connect(m_makeKey, &QPushButton::clicked, m_api, &LocalApi::makeKey);
    connect(m_copyKey, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_newKey); });
    auto* row = new QHBoxLayout;
    row->addWidget(m_key, 1);
    row->addWidget(m_copyKey);
    row->addWidget(m_makeKey);
    addRow(form, tr("Ke&y:"), m_key, row);
    form->addWidget(m_keyNote, form->rowCount(), 1);
}

void LocalApiPage::addRow(QGridLayout* form, const QString& label, QWidget* field, QLayout* fields) {
    auto* shown = new QLabel(label, this);
    shown->setBuddy(field);
    const int row = form->rowCount();
    form->addWidget(shown, row, 0);
    form->addLayout(fields, row, 1);
}

void LocalApiPage::addFileRow(QGridLayout* form, const QString& label, QLineEdit* edit, QPushButton* choose,
                              const QString& title) {
    edit->setPlaceholderText(tr("None: without encryption"));
    connect(edit, &QLineEdit::editingFinished, this, &LocalApiPage::apply);
    connect(choose, &QPushButton::clicked, this, [this, edit, title] {
        const QString file =
            QFileDialog::getOpenFileName(this, title, edit->text(), tr("PEM files (*.pem *.crt *.key);;All files (*)"));
        if (file.isEmpty()) return;
        edit->setText(file);
        apply();
    });
    auto* row = new QHBoxLayout;
    row->addWidget(edit, 1);
    row->addWidget(choose);
    addRow(form, label, edit, row);
}

void LocalApiPage::buildEncryption(QGridLayout* form) {
    name(m_certificate, QStringLiteral("localApiCertificate"), tr("Certificate file"));
    name(m_certificateKey, QStringLiteral("localApiCertificateKey"), tr("File of the certificate's key"));
    addFileRow(form, tr("C&ertificate:"), m_certificate,
               button(QStringLiteral("localApiChooseCertificate"), tr("Choose…"), tr("Choose the certificate")),
               tr("Choose the certificate"));
    addFileRow(form, tr("&Its key file:"), m_certificateKey,
               button(QStringLiteral("localApiChooseCertificateKey"), tr("Choose…"), tr("Choose the certificate's key")),
               tr("Choose the certificate's key"));
    m_plainHttp->setObjectName(QStringLiteral("localApiPlainHttp"));
    m_plainHttp->setToolTip(
        tr("Whoever can listen on the network between reads the key and all texts. For private networks only."));
    connect(m_plainHttp, &QCheckBox::clicked, this, &LocalApiPage::apply);
    form->addWidget(m_plainHttp, form->rowCount(), 1);
}

void LocalApiPage::buildClients(QBoxLayout* column) {
    auto* label = new QLabel(tr("Co&nnected programs:"), this);
    label->setBuddy(m_clients);
    name(m_clients, QStringLiteral("localApiClients"), tr("Connected programs"));
    m_clients->setHeaderLabels({tr("Program"), tr("From"), tr("Since"), tr("What it does")});
    m_clients->setRootIsDecorated(false);
    m_clients->setAlternatingRowColors(true);
    m_clients->setUniformRowHeights(true);
    m_clients->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_clients->header()->setStretchLastSection(true);
    m_clients->setMinimumHeight(fontMetrics().height() * (kShownClients + 2));
    column->addWidget(label);
    column->addWidget(m_clients, 1);
    column->addWidget(m_totals);
}

void LocalApiPage::buildExample(QBoxLayout* column) {
    auto* label = new QLabel(tr("E&xample:"), this);
    label->setBuddy(m_example);
    name(m_example, QStringLiteral("localApiExample"), tr("Example for a terminal"));
    m_example->setReadOnly(true);
    m_example->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    QPushButton* copy = button(QStringLiteral("localApiCopyExample"), tr("Copy"), tr("Copy the example"));
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_example->text()); });
    auto* row = new QHBoxLayout;
    row->addWidget(label);
    row->addWidget(m_example, 1);
    row->addWidget(copy);
    column->addLayout(row);
}

// --------------------------------------------------------------------------------------------------------------- contents

void LocalApiPage::refresh() {
    const LocalApiChoice choice = m_api->choice();
    m_on->setChecked(choice.on);
    // What is being typed is not taken away.
    if (!m_address->isModified()) m_address->setText(choice.address);
    if (!m_certificate->isModified()) m_certificate->setText(choice.certificateFile);
    if (!m_certificateKey->isModified()) m_certificateKey->setText(choice.certificateKeyFile);
    if (!m_port->hasFocus()) {
        const QSignalBlocker quiet(m_port);
        m_port->setValue(choice.port);
    }
    m_plainHttp->setChecked(choice.plainHttp);
    showState();
    showKey();
    showEncryption();
    showExample();
}

void LocalApiPage::showState() {
    QString text;
    switch (m_api->state()) {
        case LocalApi::State::Off:
            text = tr("Off: nothing is listened to.");
            break;
        case LocalApi::State::Starting:
            text = tr("Starting…");
            break;
        case LocalApi::State::On:
            text = m_api->modelName().isEmpty() ? tr("On at %1. No model is loaded: who asks is told so.").arg(m_api->url())
                                                : tr("On at %1. The model is called “%2”.").arg(m_api->url(), m_api->modelName());
            break;
        case LocalApi::State::Stopping:
            text = tr("Ending what is being answered…");
            break;
        case LocalApi::State::Failed:
            text = m_api->problem();
            break;
    }
    m_state->setText(text);
    const bool failed = m_api->state() == LocalApi::State::Failed;
    m_state->setStyleSheet(failed ? QStringLiteral("color: %1").arg(theme::tone(theme::Tone::Error, palette()).name())
                                  : QString());
    m_copyAddress->setVisible(m_api->state() == LocalApi::State::On);
}

void LocalApiPage::showKey() {
    const bool fresh = !m_newKey.isEmpty();
    if (fresh)
        m_key->setText(m_newKey);
    else
        m_key->setText(m_api->hasKey() ? QString(8, QChar(0x2022)) + m_api->keyEnding() : QString());
    m_key->setPlaceholderText(tr("One is made when it is switched on"));
    m_key->setCursorPosition(0);
    m_copyKey->setVisible(fresh);
    m_makeKey->setToolTip(m_api->hasKey() ? tr("Programs that use the key of before are refused from then on.") : QString());
    m_keyNote->setText(fresh ? tr("Copy the key now: it is not shown again. %1", "where it is kept").arg(m_api->keyNote())
                             : m_api->keyNote());
}

void LocalApiPage::showEncryption() {
    const LocalApiChoice choice = m_api->choice();
    // Of meaning only where others can reach it, and only without a certificate.
    m_plainHttp->setEnabled(LocalApi::reachesOut(choice.address) && choice.certificateFile.isEmpty());
}

void LocalApiPage::showExample() {
    const LocalApiChoice choice = m_api->choice();
    const QString port = choice.port == 0 ? QStringLiteral("PORT") : QString::number(choice.port);
    const QString url = m_api->url().isEmpty() ? QStringLiteral("http://127.0.0.1:%1/v1").arg(port) : m_api->url();
    const QString model = m_api->modelName().isEmpty() ? QStringLiteral("MODEL") : m_api->modelName();
    const QString body =
        QStringLiteral(R"({"model": "%1", "messages": [{"role": "user", "content": "Hello"}]})").arg(escaped(model));
    const QString authority =
        choice.certificateFile.isEmpty() ? QString() : QStringLiteral(" --cacert ") + quoted(choice.certificateFile);
    m_example->setText(
        QStringLiteral("curl %1/chat/completions%2 -H \"Authorization: Bearer $KEY\" -H 'Content-Type: application/json' -d %3")
            .arg(url, authority, quoted(body)));
    m_example->setCursorPosition(0);
}

void LocalApiPage::showClients() {
    m_clients->clear();
    for (const LocalApiClient& client : m_api->clients())
        new QTreeWidgetItem(m_clients,
                            {client.program.isEmpty() ? tr("not said", "a program's name") : client.program, client.peer,
                             locale().toString(client.since.time(), QLocale::ShortFormat), doingText(client.doing)});
    const LocalApiTotals totals = m_api->totals();
    m_totals->setText(
        tr("Today: requests %1, refused of them %2; tokens of prompts %3, of answers %4. Counted since midnight while "
           "Trefoil runs, and kept nowhere.")
            .arg(countText(totals.requests), countText(totals.refused), countText(totals.promptTokens),
                 countText(totals.answerTokens)));
}

// ---------------------------------------------------------------------------------------------------------------- changes

void LocalApiPage::apply() {
    LocalApiChoice choice = m_api->choice();
    choice.address = m_address->text();
    choice.port = m_port->value();
    choice.certificateFile = m_certificate->text().trimmed();
    choice.certificateKeyFile = m_certificateKey->text().trimmed();
    choice.plainHttp = m_plainHttp->isChecked();
    for (QLineEdit* edit : {m_address, m_certificate, m_certificateKey}) edit->setModified(false);
    m_api->setChoice(choice);
    refresh();
}

void LocalApiPage::switchTo(bool on) {
    if (on)
        m_api->start();
    else
        m_api->stop();
}

}  // namespace trefoil
