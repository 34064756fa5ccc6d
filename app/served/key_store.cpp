#include "app/served/key_store.h"

#include <QCoreApplication>
#include <QHash>
#include <QPointer>

#include <utility>

namespace trefoil {
namespace {

struct KeyStoreText {
    Q_DECLARE_TR_FUNCTIONS(KeyStore)
};

class MemoryKeyStore : public KeyStore {
public:
    void read(const QString& profileId, QObject* context, Done done) override {
        answer({m_keys.value(profileId), {}}, context, std::move(done));
    }

    void write(const QString& profileId, const QString& key, QObject* context, Done done) override {
        if (key.isEmpty())
            m_keys.remove(profileId);
        else
            m_keys.insert(profileId, key);
        answer({key, {}}, context, std::move(done));
    }

    void remove(const QString& profileId, QObject* context, Done done) override {
        m_keys.remove(profileId);
        answer({}, context, std::move(done));
    }

    [[nodiscard]] bool isPersistent() const override { return false; }
    [[nodiscard]] QString whyNotPersistent() const override {
        return KeyStoreText::tr("The key is kept until Trefoil is closed, and has to be entered again then.");
    }

private:
    void answer(const KeyAnswer& answer, QObject* context, Done done) {
        QMetaObject::invokeMethod(
            this,
            [answer, guard = QPointer<QObject>(context), done = std::move(done)] {
                if (guard) done(answer);
            },
            Qt::QueuedConnection);
    }

    QHash<QString, QString> m_keys;
};

}  // namespace

std::unique_ptr<KeyStore> makeMemoryKeyStore() { return std::make_unique<MemoryKeyStore>(); }

}  // namespace trefoil
