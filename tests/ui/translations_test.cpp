// The translations: each is complete, has the same texts, keeps placeholders, mnemonics and file name patterns, and gives as many
// plural forms as its language has.
#include <QDir>
#include <QFile>
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

/// "(*.json)" of a file dialog's filters.
QStringList patterns(const QString& text) {
    static const QRegularExpression pattern(QStringLiteral("\\(\\*[^)]*\\)"));
    QStringList found;
    for (auto it = pattern.globalMatch(text); it.hasNext();) found.append(it.next().captured());
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
    void complete_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<int>("forms");
        QTest::newRow("German") << QStringLiteral("de") << 2;
        QTest::newRow("Japanese") << QStringLiteral("ja") << 1;
        QTest::newRow("Chinese") << QStringLiteral("zh_CN") << 1;
    }
    void complete() {
        QFETCH(QString, language);
        QFETCH(int, forms);
        const QList<Message> messages = readTs(QStringLiteral(TREFOIL_TRANSLATIONS "/trefoil_%1.ts").arg(language));
        QVERIFY(messages.size() > 500);
        for (const Message& message : messages) {
            // Such a context comes of a call that lupdate does not understand: the program asks for another one.
            const bool known = !message.context.isEmpty() && message.context != QLatin1String("trefoil") &&
                               message.context != QLatin1String("Text");
            QVERIFY2(known, qPrintable(message.context + QStringLiteral(": ") + message.source));
            QVERIFY2(!message.unfinished, qPrintable(QStringLiteral("not translated yet: ") + message.source));
            QCOMPARE(message.translations.size(), message.plural ? forms : 1);
            for (const QString& text : message.translations) checkText(message, text, forms == 1);
            if (QTest::currentTestFailed()) return;
        }
    }

    /// The sources are English: all that they leave out is one form of those with numbers.
    void englishHasItsPluralForms() {
        const QList<Message> messages = readTs(QStringLiteral(TREFOIL_TRANSLATIONS "/trefoil_en.ts"));
        qsizetype plurals = 0;
        for (const Message& message : readTs(QStringLiteral(TREFOIL_TRANSLATIONS "/trefoil_de.ts")))
            plurals += message.plural ? 1 : 0;
        QVERIFY(plurals > 0);
        QCOMPARE(messages.size(), plurals);
        for (const Message& message : messages) {
            QVERIFY2(message.plural && !message.unfinished, qPrintable(message.source));
            QCOMPARE(message.translations.size(), 2);
            for (const QString& text : message.translations) checkText(message, text, false);
            if (QTest::currentTestFailed()) return;
        }
    }

    /// What the program holds: the translation of each text, in the context that the sources ask for.
    void theProgramHoldsThem_data() { complete_data(); }
    void theProgramHoldsThem() {
        QFETCH(QString, language);
        QTranslator translator;
        QVERIFY(translator.load(QStringLiteral(":/trefoil/i18n/trefoil_%1.qm").arg(language)));
        const QList<Message> messages = readTs(QStringLiteral(TREFOIL_TRANSLATIONS "/trefoil_%1.ts").arg(language));
        for (const Message& message : messages) {
            const QByteArray comment = message.comment.toUtf8();
            const QString text = translator.translate(message.context.toUtf8().constData(), message.source.toUtf8().constData(),
                                                      comment.isEmpty() ? nullptr : comment.constData(), message.plural ? 1 : -1);
            QCOMPARE(text, message.translations.constFirst());
        }
    }

private:
    static void checkText(const Message& message, const QString& text, bool cjk) {
        const QByteArray shown = (message.source + QStringLiteral(" → ") + text).toUtf8();
        QVERIFY2(!text.isEmpty(), shown.constData());
        QStringList wanted = placeholders(message.source);
        const QStringList found = placeholders(text);
        // A plural form may say "one" in words.
        if (message.plural && !found.contains(QLatin1String("%n"))) wanted.removeAll(QStringLiteral("%n"));
        QVERIFY2(wanted == found, shown.constData());
        QVERIFY2(patterns(message.source) == patterns(text), shown.constData());
        QVERIFY2(mnemonics(message.source) == mnemonics(text), shown.constData());
        static const QRegularExpression inParentheses(QStringLiteral("\\(&[A-Z]\\)"));
        QVERIFY2(!cjk || mnemonics(text) == text.count(inParentheses), shown.constData());
    }
};

QTEST_GUILESS_MAIN(TranslationsTest)
#include "translations_test.moc"
