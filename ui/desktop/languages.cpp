#include "ui/desktop/languages.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>

#include <algorithm>

namespace trefoil {

Languages::Languages(QObject* parent) : QObject(parent) {}

Languages::~Languages() {
    QCoreApplication::removeTranslator(&m_program);
    QCoreApplication::removeTranslator(&m_qt);
}

QList<Language> Languages::available() {
    return {{QStringLiteral("en"), QStringLiteral("English")},
            {QStringLiteral("de"), QStringLiteral("Deutsch")},
            {QStringLiteral("zh_CN"), QStringLiteral("简体中文")},
            {QStringLiteral("ja"), QStringLiteral("日本語")}};
}

QString Languages::resolve(const QString& setting) {
    const QList<Language> known = available();
    const auto has = [&](const QString& code) {
        return std::any_of(known.begin(), known.end(), [&](const Language& l) { return l.code == code; });
    };
    if (has(setting)) return setting;
    for (const QString& wanted : QLocale::system().uiLanguages()) {
        // "zh-Hans-CN", "zh-CN", "de-AT": traditional Chinese is another script, of which there is none.
        const QStringList parts = wanted.split(QLatin1Char('-'));
        if (parts.constFirst() == QLatin1String("zh")) {
            if (!parts.contains(QLatin1String("Hant")) && !parts.contains(QLatin1String("TW")) &&
                !parts.contains(QLatin1String("HK")))
                return QStringLiteral("zh_CN");
        } else if (has(parts.constFirst())) {
            return parts.constFirst();
        }
    }
    return QStringLiteral("en");
}

void Languages::speak(const QString& setting) {
    const QString code = resolve(setting);
    if (code == m_spoken) return;
    QCoreApplication::removeTranslator(&m_program);
    QCoreApplication::removeTranslator(&m_qt);
    m_spoken = code;
    if (m_program.load(QStringLiteral(":/trefoil/i18n/trefoil_%1.qm").arg(code))) QCoreApplication::installTranslator(&m_program);
    if (m_qt.load(QStringLiteral("qtbase_") + code, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&m_qt);
}

}  // namespace trefoil
