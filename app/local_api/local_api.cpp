#include "app/local_api/local_api.h"

#include "app/core/engine_worker.h"
#include "app/local_api/window_backend.h"
#include "app/serve/access_rules.h"
#include "app/serve/api_server.h"
#include "app/serve/listen_problem.h"
#include "app/served/key_store.h"

#include <QFile>
#include <QRandomGenerator>

#include <array>
#include <numeric>
#include <utility>

namespace trefoil {
namespace {

constexpr int kGlanceMs = 500;
constexpr qsizetype kEnding = 4;
/// The key's name in the key store. No server's: their ids are UUIDs.
const QString kKeyId = QStringLiteral("local-api");

QString newKey() {
    std::array<quint32, 8> random{};
    QRandomGenerator::system()->fillRange(random.data(), random.size());
    const auto bytes = QByteArray::fromRawData(reinterpret_cast<const char*>(random.data()), sizeof(random));
    return QString::fromLatin1(bytes.toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals));
}

serve::ServeOptions serverOptions(const LocalApiChoice& choice, const QString& key) {
    serve::ServeOptions out;
    out.listen = choice.address.toStdString();
    out.port = choice.port;
    out.key = key.toStdString();
    out.certificateFile = QFile::encodeName(choice.certificateFile).toStdString();
    out.keyFile = QFile::encodeName(choice.certificateKeyFile).toStdString();
    out.insecureHttp = choice.plainHttp;
    return out;
}

LocalApiClient toClient(const serve::ServeClient& client, bool answering) {
    using Doing = LocalApiClient::Doing;
    LocalApiClient out;
    out.peer = QString::fromStdString(client.peer);
    out.program = QString::fromStdString(client.program);
    out.since = QDateTime::fromMSecsSinceEpoch(
        std::chrono::duration_cast<std::chrono::milliseconds>(client.since.time_since_epoch()).count());
    switch (client.activity) {
        case serve::ClientActivity::Idle:
            break;
        case serve::ClientActivity::Asking:
            out.doing = Doing::Asking;
            break;
        case serve::ClientActivity::Waiting:
            out.doing = Doing::Waiting;
            break;
        case serve::ClientActivity::Answered:
            // The first of the queue, which waits for the window's own answer.
            out.doing = answering ? Doing::Answered : Doing::Waiting;
            break;
    }
    return out;
}

}  // namespace

LocalApi::LocalApi(EngineWorker* engine, KeyStore* keys, Settings* settings, QObject* parent)
    : QObject(parent),
      m_engine(engine),
      m_keys(keys),
      m_settings(settings),
      m_backend(std::make_unique<WindowBackend>(*engine)),
      m_today([] { return QDate::currentDate(); }) {
    m_pool.setMaxThreadCount(1);
    m_glance.setInterval(kGlanceMs);
    connect(&m_glance, &QTimer::timeout, this, &LocalApi::look);
    connect(m_engine, &EngineWorker::changed, this, &LocalApi::changed);
    connect(m_keys, &KeyStore::persistenceChanged, this, &LocalApi::changed);
}

LocalApi::~LocalApi() {
    ++m_run;
    if (m_server) m_pool.start([server = std::move(m_server)] { server->stop(); });
    m_pool.waitForDone();
}

// ------------------------------------------------------------------------------------------------------------- on and off

void LocalApi::begin() {
    if (choice().on) open(false);
}

void LocalApi::start() {
    LocalApiChoice choice = this->choice();
    choice.on = true;
    m_settings->setLocalApi(choice);
    open(true);
}

void LocalApi::stop() {
    LocalApiChoice choice = this->choice();
    choice.on = false;
    m_settings->setLocalApi(choice);
    close();
    setState(m_closing > 0 ? State::Stopping : State::Off);
}

LocalApiChoice LocalApi::choice() const { return m_settings->localApi(); }

void LocalApi::setChoice(LocalApiChoice choice) {
    choice.on = this->choice().on;
    choice.address = choice.address.trimmed();
    if (choice == this->choice()) return;
    m_settings->setLocalApi(choice);
    if (choice.on) return open(true);
    emit changed();
}

bool LocalApi::reachesOut(const QString& address) { return !serve::isLoopback(address.trimmed().toStdString()); }

void LocalApi::open(bool mayMakeKey) {
    close();
    const quint64 run = m_run;
    if (const QString problem = problemOf(choice()); !problem.isEmpty()) return setState(State::Failed, problem);
    setState(State::Starting);
    if (hasKey()) return listen();
    m_keys->read(kKeyId, this, [this, run, mayMakeKey](const KeyAnswer& answer) {
        if (run == m_run) takeKey(answer, mayMakeKey);
    });
}

void LocalApi::takeKey(const KeyAnswer& answer, bool mayMakeKey) {
    m_keyKnown = answer.ok();
    if (!answer.ok())
        return setState(State::Failed, tr("%1 Without the key nothing is served; make another one, or switch it on again.",
                                          "why the key could not be read")
                                           .arg(answer.problem));
    m_key = answer.key;
    if (hasKey()) return listen();
    if (mayMakeKey) return makeKey();
    setState(State::Failed, tr("The key of the run before was not kept. Make another one: programs have to be given it anew."));
}

void LocalApi::listen() {
    const quint64 run = m_run;
    const LocalApiChoice choice = this->choice();
    const auto server = std::make_shared<serve::ApiServer>(*m_backend, serverOptions(choice, m_key));
    m_server = server;
    m_seen = {};
    m_pool.start([this, server, run, choice] {
        const Status started = server->start();
        const QString url = QString::fromStdString(server->url()) + QStringLiteral("/v1");
        const bool certificate = !started.ok() && started.error().kind != ErrorKind::Io;
        const QString reason = started.ok() ? QString() : QString::fromStdString(started.error().text());
        const auto why = started.ok() || certificate ? serve::ListenProblem::None
                                                     : serve::whyNotListening(choice.address.toStdString(), choice.port);
        const bool on = started.ok();
        QMetaObject::invokeMethod(
            this,
            [=, this] {
                if (run != m_run) return;
                if (!on) {
                    m_server.reset();
                    return setState(State::Failed, startProblem(certificate, reason, static_cast<int>(why)));
                }
                m_url = url;
                m_glance.start();
                setState(State::On);
                look();
            },
            Qt::QueuedConnection);
    });
}

void LocalApi::close() {
    ++m_run;
    m_glance.stop();
    m_url.clear();
    m_answering = false;
    const bool had = !m_clients.isEmpty();
    m_clients.clear();
    if (had) emit clientsChanged();
    if (!m_server) return;
    ++m_closing;
    m_pool.start([this, seen = m_seen, server = std::exchange(m_server, nullptr)] {
        server->stop();
        const Counts last = countsOf(server->status());
        QMetaObject::invokeMethod(
            this,
            [=, this] {
                add(last, seen);
                emit clientsChanged();
                if (--m_closing == 0 && m_state == State::Stopping) setState(State::Off);
            },
            Qt::QueuedConnection);
    });
}

void LocalApi::setState(State state, const QString& problem) {
    if (state == m_state && problem == m_problem) return;
    m_state = state;
    m_problem = problem;
    emit changed();
}

// ------------------------------------------------------------------------------------------------------------- problems

QString LocalApi::problemOf(const LocalApiChoice& choice) const {
    if (choice.address.isEmpty()) return tr("Type the address to listen on: 127.0.0.1 is for programs on this machine.");
    if (choice.certificateFile.isEmpty() != choice.certificateKeyFile.isEmpty())
        return tr("Encryption needs two files: the certificate and its key. Choose the other one too, or take both away.");
    if (reachesOut(choice.address) && choice.certificateFile.isEmpty() && !choice.plainHttp)
        return tr("Other machines could ask at %1: choose a certificate and its key, or agree to serve without encryption.")
            .arg(choice.address);
    return {};
}

QString LocalApi::startProblem(bool certificate, const QString& reason, int listenProblem) const {
    if (certificate) return tr("It could not be started: %1.", "reason, in English").arg(reason);
    const LocalApiChoice choice = this->choice();
    switch (static_cast<serve::ListenProblem>(listenProblem)) {
        case serve::ListenProblem::PortTaken:
            return tr("Another program uses port %1. Choose another port.").arg(choice.port);
        case serve::ListenProblem::NotThisMachine:
            return tr("“%1” is no address of this machine. 127.0.0.1 is for programs on this machine, 0.0.0.0 for all its "
                      "networks.")
                .arg(choice.address);
        case serve::ListenProblem::NotAllowed:
            return tr("Port %1 is kept for the system. Choose one from 1024 on.").arg(choice.port);
        case serve::ListenProblem::None:
        case serve::ListenProblem::Other:
            break;
    }
    return tr("Port %1 of “%2” could not be opened. Choose another port or address.").arg(choice.port).arg(choice.address);
}

// ------------------------------------------------------------------------------------------------------------------ key

void LocalApi::makeKey() {
    m_key = newKey();
    m_keyKnown = true;
    emit keyMade(m_key);
    m_keys->write(kKeyId, m_key, this, [this](const KeyAnswer& /*answer*/) { emit changed(); });
    // The server that runs knows the one before.
    if (choice().on) open(true);
    emit changed();
}

void LocalApi::findKey() {
    if (m_keyKnown || m_state == State::Starting) return;
    m_keys->read(kKeyId, this, [this](const KeyAnswer& answer) {
        if (m_keyKnown) return;
        m_keyKnown = answer.ok();
        m_key = answer.key;
        emit changed();
    });
}

QString LocalApi::keyEnding() const { return m_key.right(kEnding); }

QString LocalApi::keyNote() const {
    return m_keys->isPersistent() ? tr("The key is kept in the desktop's secret service.")
                                  : tr("The key holds until Trefoil is closed: there is no open secret service to keep it in.");
}

QString LocalApi::modelName() const {
    const auto model = m_backend->model();
    return model ? QString::fromStdString(model->name) : QString();
}

// ------------------------------------------------------------------------------------------------- who asks, what was served

LocalApi::Counts LocalApi::countsOf(const serve::ServeStatus& status) {
    const auto of = [&](serve::ServeResult result) { return status.results.at(static_cast<std::size_t>(result)); };
    Counts out;
    out.requests = std::accumulate(status.results.begin(), status.results.end(), qint64{0});
    out.refused = of(serve::ServeResult::Refused) + of(serve::ServeResult::Unauthorized) + of(serve::ServeResult::QueueFull);
    out.promptTokens = status.promptTokens;
    out.answerTokens = status.completionTokens;
    return out;
}

void LocalApi::look() {
    if (!m_server) return;
    const serve::ServeStatus status = m_server->status();
    const bool answering = m_backend->answering();
    QList<LocalApiClient> clients;
    for (const serve::ServeClient& client : status.clients) clients.append(toClient(client, answering));
    const LocalApiTotals before = m_totals;
    const Counts now = countsOf(status);
    add(now, std::exchange(m_seen, now));
    if (clients == m_clients && m_totals == before && answering == m_answering) return;
    m_clients = clients;
    m_answering = answering;
    emit clientsChanged();
}

void LocalApi::add(const Counts& now, const Counts& before) {
    if (const QDate today = m_today(); m_totals.day != today) {
        m_totals = {};
        m_totals.day = today;
    }
    m_totals.requests += now.requests - before.requests;
    m_totals.refused += now.refused - before.refused;
    m_totals.promptTokens += now.promptTokens - before.promptTokens;
    m_totals.answerTokens += now.answerTokens - before.answerTokens;
}

LocalApiTotals LocalApi::totals() {
    add({}, {});
    return m_totals;
}

}  // namespace trefoil
