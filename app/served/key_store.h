// KeyStore: where the keys of served models are kept. Never in the history, the settings or a log.
#pragma once

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

namespace trefoil {

struct KeyAnswer {
    QString key;      ///< empty: there is none under this profile
    QString problem;  ///< why it could not be read, kept or removed; empty: it worked
    [[nodiscard]] bool ok() const { return problem.isEmpty(); }
};

/// All calls return at once; `done` is called from the event loop, once, unless `context` is gone by then.
class KeyStore : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(const KeyAnswer&)>;

    using QObject::QObject;

    virtual void read(const QString& profileId, QObject* context, Done done) = 0;
    /// Answers with the key that is kept now.
    virtual void write(const QString& profileId, const QString& key, QObject* context, Done done) = 0;
    /// A key that is not there counts as removed.
    virtual void remove(const QString& profileId, QObject* context, Done done) = 0;

    /// Keys outlive this run of the program. May change after the first answer: persistenceChanged.
    [[nodiscard]] virtual bool isPersistent() const = 0;
    /// Why they do not, in a sentence; empty when they do.
    [[nodiscard]] virtual QString whyNotPersistent() const = 0;

signals:
    void persistenceChanged();
};

/// Keys for this run of the program only.
std::unique_ptr<KeyStore> makeMemoryKeyStore();
/// The desktop's secret service; without one, keys for this run only, and isPersistent() says so once it is known. Never a plain
/// file.
std::unique_ptr<KeyStore> makeDesktopKeyStore();

}  // namespace trefoil
