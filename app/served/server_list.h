// ServerList: the served models that the person set up, kept in the settings, and an engine for each of them.
#pragma once

#include "app/core/chat_controller.h"
#include "app/core/settings.h"
#include "app/served/key_store.h"
#include "app/served/served_engine.h"

#include <QList>
#include <QObject>
#include <QString>

#include <memory>

namespace trefoil {

class ServerList : public QObject {
    Q_OBJECT
public:
    /// `chat` and `settings` are not owned and outlive this object. Its engines are given to `chat`, and taken back at the end.
    ServerList(ChatController* chat, Settings* settings, std::unique_ptr<KeyStore> keys, QObject* parent = nullptr);
    ~ServerList() override;

    /// In the order of their coming.
    [[nodiscard]] QList<ServerEntry> servers() const;
    [[nodiscard]] ServedEngine* engine(const QString& id) const;
    [[nodiscard]] KeyStore* keys() const { return m_keys.get(); }
    /// Adds a server, or changes the one with this id.
    void put(const ServerEntry& entry);
    /// Its key goes as well. Conversations that name it say so.
    void remove(const QString& id);

signals:
    void changed();

private:
    void read();
    void write();
    void add(const ServerEntry& entry);

    ChatController* m_chat;
    Settings* m_settings;
    std::unique_ptr<KeyStore> m_keys;
    QList<ServedEngine*> m_engines;
};

}  // namespace trefoil
