// The translations: each has the same texts, keeps placeholders and mnemonics, and gives as many plural forms as its language
// has; a text without a translation stays English. How many texts wait for a translation is told, not required.
#include <QDir>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QTest>
#include <QTranslator>
#include <QXmlStreamReader>

#include <algorithm>

namespace {

struct Message {
    QString context;
    QString comment;
    QString source;
    QStringList translations;  ///< several with plural forms
    bool plural = false;
    bool unfinished = false;
};

Message readMessage(QXmlStreamReader& xml) {
    Message message;
    message.plural = xml.attributes().value(QLatin1String("numerus")) == QLatin1String("yes");
    while (xml.readNextStartElement()) {
        if (xml.name() == QLatin1String("source")) {
            message.source = xml.readElementText();
        } else if (xml.name() == QLatin1String("comment")) {
            message.comment = xml.readElementText();
        } else if (xml.name() == QLatin1String("translation")) {
            message.unfinished = xml.attributes().value(QLatin1String("type")) == QLatin1String("unfinished");
            if (!message.plural) {
                message.translations.append(xml.readElementText());
            } else {
                while (xml.readNextStartElement()) message.translations.append(xml.readElementText());
            }
        } else {
            xml.skipCurrentElement();
        }
    }
    return message;
}

QList<Message> readTs(const QString& path) {
    QList<Message> messages;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return messages;
    QXmlStreamReader xml(&file);
    QString context;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) continue;
        if (xml.name() == QLatin1String("name")) context = xml.readElementText();
        if (xml.name() != QLatin1String("message")) continue;
        messages.append(readMessage(xml));
        messages.last().context = context;
    }
    return xml.hasError() ? QList<Message>() : messages;
}

QStringList placeholders(const QString& text) {
    static const QRegularExpression pattern(QStringLiteral("%(L?[0-9]+|n)"));
    QStringList found;
    for (auto it = pattern.globalMatch(text); it.hasNext();) found.append(it.next().captured());
    std::sort(found.begin(), found.end());
    return found;
}

qsizetype mnemonics(QString text) {
    text.remove(QLatin1String("&&"));
    static const QRegularExpression entity(QStringLiteral("&[a-z]+;"));
    text.remove(entity);
    return text.count(QLatin1Char('&'));
}

}  // namespace

class TranslationsTest : public QObject {
    Q_OBJECT

private slots:
    void keepPlaceholders_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<int>("forms");
        QTest::newRow("German") << QStringLiteral("de") << 2;
        QTest::newRow("Japanese") << QStringLiteral("ja") << 1;
        QTest::newRow("Chinese") << QStringLiteral("zh_CN") << 1;
    }
    void keepPlaceholders() {
        QFETCH(QString, language);
        QFETCH(int, forms);
        const QList<Message> messages = readTs(QStringLiteral(TREFOIL_TRANSLATIONS "/trefoil_%1.ts").arg(language));
        QVERIFY(messages.size() > 500);
        qsizetype waiting = 0;
        for (const Message& message : messages) {
            if (message.unfinished) {
                ++waiting;
                continue;
            }
            QCOMPARE(message.translations.size(), message.plural ? forms : 1);
            for (const QString& text : message.translations) {
                QVERIFY2(!text.isEmpty(), qPrintable(message.source));
                QStringList wanted = placeholders(message.source);
                QStringList found = placeholders(text);
                // A plural form may say "one" in words.
                if (message.plural && !found.contains(QLatin1String("%n"))) wanted.removeAll(QStringLiteral("%n"));
                QVERIFY2(wanted == found, qPrintable(message.source + QStringLiteral(" → ") + text));
                QVERIFY2(mnemonics(message.source) == mnemonics(text), qPrintable(message.source + QStringLiteral(" → ") + text));
            }
        }
        qInfo("%s: %lld of %lld texts are not translated yet", qPrintable(language), static_cast<long long>(waiting),
              static_cast<long long>(messages.size()));
    }

    /// What the program holds: the translation of each text that has one, and nothing, which shows English, for the others.
    void untranslatedTextsStayEnglish_data() { keepPlaceholders_data(); }
    void untranslatedTextsStayEnglish() {
        QFETCH(QString, language);
        QTranslator translator;
        QVERIFY(translator.load(QStringLiteral(":/trefoil/i18n/trefoil_%1.qm").arg(language)));
        const QList<Message> messages = readTs(QStringLiteral(TREFOIL_TRANSLATIONS "/trefoil_%1.ts").arg(language));
        QHash<QString, QStringList> known;
        for (const Message& message : messages)
            if (!message.unfinished) known[message.source + message.comment].append(message.translations.constFirst());
        for (const Message& message : messages) {
            const QByteArray comment = message.comment.toUtf8();
            const QString text = translator.translate(message.context.toUtf8().constData(), message.source.toUtf8().constData(),
                                                      comment.isEmpty() ? nullptr : comment.constData(), message.plural ? 1 : -1);
            // lrelease leaves contexts out where it can: the same words of another context may serve for a text that waits.
            const bool right = message.unfinished ? text.isEmpty() || known.value(message.source + message.comment).contains(text)
                                                  : text == message.translations.constFirst();
            QVERIFY2(right, qPrintable(message.source + QStringLiteral(" → ") + text));
        }
    }
};

QTEST_GUILESS_MAIN(TranslationsTest)
#include "translations_test.moc"
