// LocalApi: the window's model for other programs, over HTTP (docs/serving.md, "From the window"). Lives on the window's thread;
// nothing here blocks it.
#pragma once

#include "app/core/settings.h"

#include <QDate>
#include <QDateTime>
#include <QList>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>

#include <functional>
#include <memory>

namespace trefoil {

class EngineWorker;
class KeyStore;
class WindowBackend;
struct KeyAnswer;
namespace serve {
class ApiServer;
struct ServeStatus;
}  // namespace serve

/// A program that is connected.
struct LocalApiClient {
    enum class Doing : quint8 {
        Nothing,   ///< between two requests
        Asking,    ///< its request is read
        Waiting,   ///< for its turn: another program's answer, or the window's own, comes first
        Answered,  ///< the model writes its answer
    };
    QString peer;     ///< address and port
    QString program;  ///< what it calls itself; empty: it has not said
    QDateTime since;
    Doing doing = Doing::Nothing;
    bool operator==(const LocalApiClient&) const = default;
};

/// What was served on one day, as far as this run of the program knows.
struct LocalApiTotals {
    QDate day;
    qint64 requests = 0;  ///< chat requests that have ended, however
    qint64 refused = 0;   ///< of them: no key or a wrong one, not well formed, no room in the queue
    qint64 promptTokens = 0;
    qint64 answerTokens = 0;
    bool operator==(const LocalApiTotals&) const = default;
};

class LocalApi : public QObject {
    Q_OBJECT
public:
    enum class State : quint8 { Off, Starting, On, Stopping, Failed };

    /// What is given is not owned and outlives this object. The choice is that of the settings; it starts with begin().
    LocalApi(EngineWorker* engine, KeyStore* keys, Settings* settings, QObject* parent = nullptr);
    /// Ends what is being answered for others; takes a few seconds at most.
    ~LocalApi() override;

    /// At the program's start: serves if that was the choice of the run before. A key that was not kept is not replaced by
    /// itself.
    void begin();
    /// Serves from now on, also at the next start. Without a key one is made (keyMade).
    void start();
    /// Ends it. What runs is told so.
    void stop();

    [[nodiscard]] LocalApiChoice choice() const;
    /// Address, port, files and consent; `on` is left as it is. While it serves it starts again with them, which ends
    /// connections.
    void setChoice(LocalApiChoice choice);
    /// Whether an address can be reached from other machines, so that encryption or consent is needed.
    [[nodiscard]] static bool reachesOut(const QString& address);

    /// Another key, 32 random bytes in base64url, given once by keyMade. The one before is refused from now on.
    void makeKey();
    /// Asks the key store whether there is a key, unless that is known. changed() says when it is.
    void findKey();
    [[nodiscard]] bool hasKey() const { return !m_key.isEmpty(); }
    [[nodiscard]] QString keyEnding() const;  ///< its last four characters
    [[nodiscard]] QString keyNote() const;    ///< where it is kept, in a sentence or two

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] QString problem() const { return m_problem; }  ///< why it failed and what to do; empty otherwise
    [[nodiscard]] QString url() const { return m_url; }          ///< "http://127.0.0.1:8033/v1" while it is on
    [[nodiscard]] QString modelName() const;                     ///< what a request must call the model; empty: none is loaded
    /// The model writes an answer for another program.
    [[nodiscard]] bool answering() const { return m_answering; }
    [[nodiscard]] QList<LocalApiClient> clients() const { return m_clients; }
    /// Of today.
    [[nodiscard]] LocalApiTotals totals();

    /// For tests: what tells the day.
    void setCalendar(std::function<QDate()> today) { m_today = std::move(today); }

signals:
    /// State, key or model.
    void changed();
    /// Clients, totals or answering().
    void clientsChanged();
    /// The only time that the key is told.
    void keyMade(const QString& key);

private:
    /// What a server has counted since it was started.
    struct Counts {
        qint64 requests = 0;
        qint64 refused = 0;
        qint64 promptTokens = 0;
        qint64 answerTokens = 0;
    };
    static Counts countsOf(const serve::ServeStatus& status);

    void open(bool mayMakeKey);
    /// The server that runs ends, on the pool's thread.
    void close();
    void listen();
    void takeKey(const KeyAnswer& answer, bool mayMakeKey);
    void setState(State state, const QString& problem = {});
    [[nodiscard]] QString problemOf(const LocalApiChoice& choice) const;
    [[nodiscard]] QString startProblem(bool certificate, const QString& reason, int listenProblem) const;
    /// Who is connected and what was served, as it stands now.
    void look();
    void add(const Counts& now, const Counts& before);

    EngineWorker* m_engine;
    KeyStore* m_keys;
    Settings* m_settings;
    std::unique_ptr<WindowBackend> m_backend;
    std::shared_ptr<serve::ApiServer> m_server;  ///< the one that was started last; null: none
    QThreadPool m_pool;                          ///< one thread: servers start and stop in order
    QTimer m_glance;
    State m_state = State::Off;
    QString m_problem;
    QString m_url;
    QString m_key;
    bool m_keyKnown = false;  ///< the key store was asked
    quint64 m_run = 0;        ///< counts starts and stops: what belongs to an earlier one is dropped
    int m_closing = 0;        ///< servers that are being ended
    bool m_answering = false;
    QList<LocalApiClient> m_clients;
    Counts m_seen;  ///< of m_server, as far as it is in m_totals
    LocalApiTotals m_totals;
    std::function<QDate()> m_today;
};

}  // namespace trefoil
