#include "app/served/key_store.h"

#include <qt6keychain/keychain.h>

#include <QCoreApplication>
#include <QHash>
#include <QPointer>

#include <utility>

namespace trefoil {
namespace {

/// lupdate takes the context from here, not through another name.
struct Text {
    Q_DECLARE_TR_FUNCTIONS(KeyStore)
};

/// The name that the desktop's key ring shows.
const QString kService = QStringLiteral("org.trefoil.Trefoil");

/// Calls back from the event loop, unless the caller is gone by then.
void later(QObject* store, const KeyAnswer& answer, QObject* context, KeyStore::Done done) {
    QMetaObject::invokeMethod(
        store,
        [answer, guard = QPointer<QObject>(context), done = std::move(done)] {
            if (guard) done(answer);
        },
        Qt::QueuedConnection);
}

class MemoryKeyStore : public KeyStore {
public:
    void read(const QString& profileId, QObject* context, Done done) override {
        later(this, {m_keys.value(profileId), {}}, context, std::move(done));
    }

    void write(const QString& profileId, const QString& key, QObject* context, Done done) override {
        m_keys.insert(profileId, key);
        later(this, {key, {}}, context, std::move(done));
    }

    void remove(const QString& profileId, QObject* context, Done done) override {
        m_keys.remove(profileId);
        later(this, {}, context, std::move(done));
    }

    [[nodiscard]] bool isPersistent() const override { return false; }
    [[nodiscard]] QString whyNotPersistent() const override {
        return Text::tr("Keys are kept until Trefoil is closed, and have to be entered again then.");
    }

private:
    QHash<QString, QString> m_keys;
};

/// What the key ring does not take is kept in memory, and isPersistent() says so.
class DesktopKeyStore : public KeyStore {
public:
    void read(const QString& profileId, QObject* context, Done done) override {
        if (m_memory.contains(profileId)) return later(this, {m_memory.value(profileId), {}}, context, std::move(done));
        auto* job = new QKeychain::ReadPasswordJob(kService, this);
        run(job, profileId, context, std::move(done), [job] { return job->textData(); });
    }

    void write(const QString& profileId, const QString& key, QObject* context, Done done) override {
        // At hand at once, and whatever becomes of the job.
        m_memory.insert(profileId, key);
        auto* job = new QKeychain::WritePasswordJob(kService, this);
        job->setTextData(key);
        run(job, profileId, context, std::move(done), [key] { return key; });
    }

    void remove(const QString& profileId, QObject* context, Done done) override {
        m_memory.remove(profileId);
        auto* job = new QKeychain::DeletePasswordJob(kService, this);
        run(job, profileId, context, std::move(done), [] { return QString(); });
    }

    [[nodiscard]] bool isPersistent() const override { return m_why.isEmpty(); }
    [[nodiscard]] QString whyNotPersistent() const override { return m_why; }

private:
    template <typename KeyOf>
    void run(QKeychain::Job* job, const QString& profileId, QObject* context, Done done, KeyOf keyOf) {
        job->setInsecureFallback(false);  // never a plain file
        job->setKey(profileId);
        connect(job, &QKeychain::Job::finished, this,
                [this, job, profileId, guard = QPointer<QObject>(context), done = std::move(done), keyOf] {
                    const QKeychain::Error error = job->error();
                    KeyAnswer answer{m_memory.value(profileId), problemOf(error)};
                    if (error == QKeychain::NoError) answer.key = keyOf();
                    learn(error, job->errorString());
                    if (guard) done(answer);
                });
        job->start();
    }

    /// That a service is missing is told by isPersistent(): the key is kept all the same, for this run.
    static QString problemOf(QKeychain::Error error) {
        switch (error) {
            case QKeychain::AccessDeniedByUser:
            case QKeychain::AccessDenied:
                return Text::tr("The desktop's key ring was not opened.");
            case QKeychain::CouldNotDeleteEntry:
                return Text::tr("The desktop's key ring did not remove the key.");
            default:
                return {};
        }
    }

    void learn(QKeychain::Error error, const QString& said) {
        QString why;
        switch (error) {
            case QKeychain::NoError:
            case QKeychain::EntryNotFound:
                break;
            case QKeychain::AccessDeniedByUser:
            case QKeychain::AccessDenied:
            case QKeychain::CouldNotDeleteEntry:
                why = Text::tr("The desktop's key ring was not opened: keys are kept until Trefoil is closed.");
                break;
            default:
                why =
                    Text::tr(
                        "This desktop has no service that keeps secrets (%1): keys are kept until Trefoil is closed, and have to "
                        "be entered again then.")
                        .arg(said.simplified());
                break;
        }
        if (why == std::exchange(m_why, why)) return;
        emit persistenceChanged();
    }

    QHash<QString, QString> m_memory;  ///< entered in this run
    QString m_why;
};

}  // namespace

std::unique_ptr<KeyStore> makeMemoryKeyStore() { return std::make_unique<MemoryKeyStore>(); }

std::unique_ptr<KeyStore> makeDesktopKeyStore() { return std::make_unique<DesktopKeyStore>(); }

}  // namespace trefoil
