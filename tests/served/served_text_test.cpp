// Thinking and answer of an answer in pieces: by field, by tag, cut anywhere.
#include "app/served/served_text.h"

#include <QTest>

using namespace trefoil;

namespace {

/// What a listener of the pieces has, by nothing but what the pushes said.
struct Listener {
    QString thinking;
    QString answer;
    void hear(const ServedText::Added& added) {
        if (added.moved) {
            thinking += answer;
            answer.clear();
        }
        thinking += added.thinking;
        answer += added.answer;
    }
};

}  // namespace

class ServedTextTest : public QObject {
    Q_OBJECT

private slots:
    void content_data() {
        QTest::addColumn<int>("begin");
        QTest::addColumn<QString>("content");
        QTest::addColumn<QString>("thinking");
        QTest::addColumn<QString>("answer");
        QTest::addColumn<bool>("hasThinking");
        const auto row = [](const char* name, ServedText::Begin begin, const char* content, const char* thinking,
                            const char* answer, bool has) {
            QTest::newRow(name) << int(begin) << QString::fromUtf8(content) << QString::fromUtf8(thinking)
                                << QString::fromUtf8(answer) << has;
        };
        using B = ServedText::Begin;
        row("plain", B::Answer, "The sum is 933.", "", "The sum is 933.", false);
        row("plain though asked", B::Unknown, "The sum is 933.", "", "The sum is 933.", false);
        row("tag not opened", B::Unknown, "Add them.\n</think>\n\n933", "Add them.", "933", true);
        row("opened", B::Unknown, "<think>\nAdd them.\n</think>\n\n933", "Add them.", "933", true);
        row("opened though not asked", B::Answer, "\n <think>Add.</think>933", "Add.", "933", true);
        row("known to begin inside", B::Thinking, "Add.</think>933", "Add.", "933", true);
        row("cut while thinking", B::Thinking, "Add them", "Add them", "", true);
        row("cut while thinking, opened", B::Unknown, "<think>Add them </thi", "Add them </thi", "", true);
        row("closed at once", B::Unknown, "</think>933", "", "933", false);
        row("closed again and again", B::Unknown, "Add.</think>\n</think></think> 933", "Add.", "933", true);
        row("a tag later is text", B::Unknown, "Add.</think>It is written </think>.", "Add.", "It is written </think>.", true);
        row("a tag is text where none was asked for", B::Answer, "It is written </think>.", "", "It is written </think>.", false);
        row("an opening tag later is text", B::Unknown, "See <think> there", "", "See <think> there", false);
        row("almost a tag", B::Unknown, "a </thinker> b </thin", "", "a </thinker> b </thin", false);
        row("twice almost", B::Unknown, "a <</think>b", "a <", "b", true);
        row("empty", B::Unknown, "", "", "", false);
        row("white space", B::Unknown, " \n ", "", "", false);
        row("begins like a tag", B::Answer, "<thi", "", "<thi", false);
    }
    void content() {
        QFETCH(int, begin);
        QFETCH(QString, content);
        QFETCH(QString, thinking);
        QFETCH(QString, answer);
        QFETCH(bool, hasThinking);
        for (qsizetype size = 1; size <= content.size() + 1; ++size) {
            ServedText text{ServedText::Begin(begin)};
            Listener listener;
            for (qsizetype at = 0; at < content.size(); at += size) listener.hear(text.pushContent(content.mid(at, size)));
            listener.hear(text.finish());
            QCOMPARE(text.thinking(), thinking);
            QCOMPARE(text.answer(), answer);
            QCOMPARE(text.hasThinking(), hasThinking);
            QCOMPARE(listener.thinking.trimmed(), thinking);
            QCOMPARE(listener.answer.trimmed(), answer);
            QVERIFY(text.finish().isEmpty());
        }
    }

    void fields() {
        ServedText text;
        Listener listener;
        for (const char* piece : {"Add ", "them", "."}) listener.hear(text.pushThinking(QString::fromLatin1(piece)));
        QVERIFY(!text.thinkingClosed());
        // A parser has been at work: a tag in the content is what the answer says.
        for (const char* piece : {"\n\n", "</th", "ink> ends", " it: </think>"})
            listener.hear(text.pushContent(QString::fromLatin1(piece)));
        listener.hear(text.finish());
        QVERIFY(text.thinkingClosed());
        QCOMPARE(text.thinking(), QStringLiteral("Add them."));
        QCOMPARE(text.answer(), QStringLiteral("ends it: </think>"));
        QCOMPARE(listener.answer, text.rawAnswer());
        QCOMPARE(listener.thinking, text.thinking());
        QVERIFY(!text.beganInsideThinking());
    }

    void keepsWhiteSpaceForGoingOn() {
        ServedText text(ServedText::Begin::Answer);
        text.pushContent(QStringLiteral("One,\n"));
        text.pushContent(QStringLiteral("two, "));
        text.finish();
        QCOMPARE(text.rawAnswer(), QStringLiteral("One,\ntwo, "));
        QCOMPARE(text.answer(), QStringLiteral("One,\ntwo,"));
    }

    void remembersWhereItBegan() {
        ServedText text;
        text.pushContent(QStringLiteral("Add."));
        QVERIFY(!text.hasThinking());
        const ServedText::Added added = text.pushContent(QStringLiteral("</think>933"));
        QVERIFY(added.moved);
        QCOMPARE(added.answer, QStringLiteral("933"));
        QVERIFY(text.beganInsideThinking());
        ServedText opened;
        opened.pushContent(QStringLiteral("<think>Add.</think>933"));
        QVERIFY(!opened.beganInsideThinking());
    }
};

QTEST_GUILESS_MAIN(ServedTextTest)
#include "served_text_test.moc"
