// Which turns a prompt does without.
#include "app/core/prompt_fitting.h"

#include <QTest>

using namespace trefoil;

namespace {

/// "sua": system, user, assistant; their texts are their places.
QList<PromptMessage> conversation(const QString& roles) {
    QList<PromptMessage> out;
    for (const QChar role : roles)
        out.append({role == u's'   ? QStringLiteral("system")
                    : role == u'u' ? QStringLiteral("user")
                                   : QStringLiteral("assistant"),
                    QString::number(out.size())});
    return out;
}

}  // namespace

class PromptFittingTest : public QObject {
    Q_OBJECT

private slots:
    void leavesOutTheOldest_data() {
        QTest::addColumn<QString>("roles");
        QTest::addColumn<int>("room");
        QTest::addColumn<QString>("kept");
        QTest::addColumn<bool>("fits");
        QTest::newRow("all of it") << "suau" << 4 << "0123" << true;
        QTest::newRow("a question and its answer") << "suauau" << 5 << "0345" << true;
        QTest::newRow("without a system prompt") << "uauau" << 3 << "234" << true;
        QTest::newRow("answers behind each other") << "suaaau" << 4 << "05" << true;
        QTest::newRow("as much as there is") << "suauau" << 2 << "05" << true;
        QTest::newRow("no room for the question") << "suau" << 1 << "03" << false;
        QTest::newRow("the last message stays, whoever wrote it") << "sua" << 2 << "02" << true;
        QTest::newRow("one message") << "u" << 0 << "0" << false;
        QTest::newRow("none") << "" << 0 << "" << true;
    }

    void leavesOutTheOldest() {
        QFETCH(QString, roles);
        QFETCH(int, room);
        QFETCH(QString, kept);
        QFETCH(bool, fits);
        const QList<PromptMessage> all = conversation(roles);
        QList<qsizetype> asked;
        const FittedPrompt fitted = withoutOldest(all, [&](const QList<PromptMessage>& messages) {
            asked.append(messages.size());
            return messages.size() <= room;
        });
        QString left;
        for (const PromptMessage& message : fitted.messages) left += message.content;
        QCOMPARE(left, kept);
        QCOMPARE(fitted.fits, fits);
        QCOMPARE(fitted.dropped, static_cast<int>(all.size() - fitted.messages.size()));
        QCOMPARE(asked.last(), fitted.messages.size());
        for (qsizetype i = 1; i < asked.size(); ++i) QVERIFY2(asked.at(i) < asked.at(i - 1), "asked for a state twice");
    }
};

QTEST_GUILESS_MAIN(PromptFittingTest)
#include "prompt_fitting_test.moc"
