#include "ui/desktop/shortcut_table.h"

#include "app/core/settings.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>

#include <algorithm>

namespace trefoil {
namespace {

QString plain(QString text) {
    // "&&" is a literal ampersand, a single one marks the mnemonic; CJK translations put it in brackets: "文件(&F)".
    const qsizetype bracket = text.indexOf(QLatin1String("(&"));
    if (bracket >= 0 && text.indexOf(QLatin1Char(')'), bracket) == bracket + 3) text.remove(bracket, 4);
    text.replace(QLatin1String("&&"), QString(QChar(0x1)));
    text.remove(QLatin1Char('&'));
    text.replace(QChar(0x1), QLatin1Char('&'));
    while (text.endsWith(QChar(0x2026))) text.chop(1);
    return text;
}

}  // namespace

ShortcutTable::ShortcutTable(QMenuBar* bar, Settings* settings, QObject* parent) : QObject(parent), m_settings(settings) {
    for (QAction* action : bar->actions())
        if (action->menu() != nullptr) collect(action->menu(), plain(action->text()));
    for (const ShortcutEntry& entry : m_entries) apply(entry);
}

void ShortcutTable::collect(QMenu* menu, const QString& title) {
    for (QAction* action : menu->actions()) {
        if (action->menu() != nullptr)
            collect(action->menu(), title + QStringLiteral(" › ") + plain(action->text()));
        else if (!action->isSeparator() && !action->objectName().isEmpty())
            m_entries.append({action, action->objectName(), title, plain(action->text()), action->shortcuts()});
    }
}

const ShortcutEntry* ShortcutTable::find(const QString& id) const {
    const auto found = std::find_if(m_entries.cbegin(), m_entries.cend(), [&](const ShortcutEntry& e) { return e.id == id; });
    return found == m_entries.cend() ? nullptr : &*found;
}

const ShortcutEntry* ShortcutTable::conflict(const QString& id, const QKeySequence& keys) const {
    if (keys.isEmpty()) return nullptr;
    for (const ShortcutEntry& entry : m_entries) {
        if (entry.id == id || entry.action == nullptr) continue;
        for (const QKeySequence& other : entry.action->shortcuts())
            if (other.matches(keys) != QKeySequence::NoMatch || keys.matches(other) != QKeySequence::NoMatch) return &entry;
    }
    return nullptr;
}

void ShortcutTable::apply(const ShortcutEntry& entry) {
    if (entry.action == nullptr) return;
    const QString stored = m_settings->keys(entry.id);
    if (stored.isNull()) return entry.action->setShortcuts(entry.usual);
    const QKeySequence keys = QKeySequence::fromString(stored, QKeySequence::PortableText);
    // Settings written by hand or by a later version: keys that cannot be read are as if there were none of the person's.
    if (!stored.isEmpty() && (keys.isEmpty() || keys[0].key() == Qt::Key_unknown)) return entry.action->setShortcuts(entry.usual);
    entry.action->setShortcuts(keys.isEmpty() ? QList<QKeySequence>() : QList<QKeySequence>{keys});
}

void ShortcutTable::rebind(const QString& id, const QKeySequence& keys) {
    const ShortcutEntry* entry = find(id);
    if (entry == nullptr) return;
    m_settings->setKeys(id, keys.isEmpty() ? QStringLiteral("") : keys.toString(QKeySequence::PortableText));
    apply(*entry);
    emit changed();
}

void ShortcutTable::reset(const QString& id) {
    const ShortcutEntry* entry = find(id);
    if (entry == nullptr) return;
    m_settings->setKeys(id, {});
    apply(*entry);
    emit changed();
}

void ShortcutTable::resetAll() {
    for (const ShortcutEntry& entry : m_entries) {
        if (!m_settings->keys(entry.id).isNull()) m_settings->setKeys(entry.id, {});
        apply(entry);
    }
    emit changed();
}

bool ShortcutTable::isUsual(const ShortcutEntry& entry) const {
    return entry.action == nullptr || entry.action->shortcuts() == entry.usual;
}

}  // namespace trefoil
