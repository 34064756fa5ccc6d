#include "app/served/server_list.h"

#include "app/served/endpoint_rules.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace trefoil {
namespace {

constexpr int kMostServers = 200;

const QString kId = QStringLiteral("id");
const QString kName = QStringLiteral("name");
const QString kAddress = QStringLiteral("address");
const QString kKind = QStringLiteral("kind");
const QString kModel = QStringLiteral("model");
const QString kHasKey = QStringLiteral("has_key");
const QString kContext = QStringLiteral("context");

}  // namespace

ServerList::ServerList(ChatController* chat, Settings* settings, std::unique_ptr<KeyStore> keys, QObject* parent)
    : QObject(parent), m_chat(chat), m_settings(settings), m_keys(std::move(keys)) {
    read();
}

ServerList::~ServerList() {
    for (ServedEngine* engine : std::as_const(m_engines)) {
        m_chat->removeEngine(engine);
        delete engine;
    }
}

void ServerList::read() {
    const QJsonArray list = QJsonDocument::fromJson(m_settings->servers().toUtf8()).array();
    for (const auto& value : list) {
        const QJsonObject object = value.toObject();
        ServerEntry entry;
        entry.profile.id = object.value(kId).toString();
        entry.profile.name = object.value(kName).toString();
        // The file may have been changed by hand: an address is taken by the same rules as a typed one.
        entry.profile.address = readServerAddress(object.value(kAddress).toString()).address;
        entry.profile.kind = serverKindFromName(object.value(kKind).toString());
        entry.profile.model = object.value(kModel).toString();
        entry.profile.hasKey = object.value(kHasKey).toBool();
        entry.context = std::max<qint64>(0, object.value(kContext).toInteger());
        if (!entry.profile.id.isEmpty() && engine(entry.profile.id) == nullptr && m_engines.size() < kMostServers) add(entry);
    }
}

void ServerList::write() {
    QJsonArray list;
    for (const ServedEngine* engine : std::as_const(m_engines)) {
        const ServerEntry& entry = engine->entry();
        list.append(QJsonObject{{kId, entry.profile.id},
                                {kName, entry.profile.name},
                                {kAddress, entry.profile.address.toString(QUrl::FullyEncoded)},
                                {kKind, serverKindName(entry.profile.kind)},
                                {kModel, entry.profile.model},
                                {kHasKey, entry.profile.hasKey},
                                {kContext, entry.context}});
    }
    m_settings->setServers(QString::fromUtf8(QJsonDocument(list).toJson(QJsonDocument::Compact)));
}

void ServerList::add(const ServerEntry& entry) {
    auto* engine = new ServedEngine(entry, m_keys.get(), this);
    m_engines.append(engine);
    m_chat->addEngine(engine);
}

QList<ServerEntry> ServerList::servers() const {
    QList<ServerEntry> out;
    for (const ServedEngine* engine : m_engines) out.append(engine->entry());
    return out;
}

ServedEngine* ServerList::engine(const QString& id) const {
    const auto found =
        std::find_if(m_engines.cbegin(), m_engines.cend(), [&](const ServedEngine* e) { return e->entry().profile.id == id; });
    return found != m_engines.cend() ? *found : nullptr;
}

void ServerList::put(const ServerEntry& entry) {
    if (ServedEngine* known = engine(entry.profile.id))
        known->setEntry(entry);
    else
        add(entry);
    write();
    emit changed();
}

void ServerList::remove(const QString& id) {
    ServedEngine* gone = engine(id);
    if (gone == nullptr) return;
    m_keys->remove(id, this, [](const KeyAnswer& /*answer*/) {});
    m_engines.removeAll(gone);
    m_chat->removeEngine(gone);
    gone->deleteLater();
    write();
    emit changed();
}

}  // namespace trefoil
