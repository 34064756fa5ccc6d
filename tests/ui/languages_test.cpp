// The window in each of its languages: no two entries of a menu share a mnemonic, no button, choice or label is cut off, and
// nothing that has a translation is shown in English.
#include "ui/desktop/languages.h"
#include "tests/support/window_fixture.h"
#include "ui/chat/elided_label.h"
#include "ui/chat/message_widget.h"
#include "ui/chat/text_column.h"
#include "ui/chat/transcript_view.h"
#include "ui/desktop/preferences_dialog.h"
#include "ui/theme/style.h"
#include "ui/transfer/transfer_menu.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QFile>
#include <QHash>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

#include <algorithm>
#include <array>

using namespace trefoil;

namespace {

QChar mnemonicOf(const QString& text) {
    QString rest = text;
    rest.replace(QLatin1String("&&"), QLatin1String("  "));
    const qsizetype at = rest.indexOf(QLatin1Char('&'));
    return at < 0 || at + 1 == rest.size() ? QChar() : rest.at(at + 1).toUpper();
}

QStringList clashesOf(const QString& menu, const QList<QAction*>& actions) {
    QStringList found;
    QHash<QChar, QString> taken;
    for (const QAction* action : actions) {
        const QChar key = mnemonicOf(action->text());
        if (key.isNull()) continue;
        if (taken.contains(key))
            found.append(menu + QStringLiteral(": ") + taken.value(key) + QStringLiteral(", ") + action->text());
        taken.insert(key, action->text());
    }
    for (const QAction* action : actions)
        if (action->menu() != nullptr) found += clashesOf(action->text(), action->menu()->actions());
    return found;
}

/// Visible widgets that are smaller than their text needs. What elides or wraps shows all of it otherwise.
QStringList cutOff(QWidget* top) {
    QStringList found;
    for (QWidget* widget : top->findChildren<QWidget*>()) {
        if (!widget->isVisibleTo(top) || widget->width() == 0) continue;
        QString text;
        int needed = 0;
        if (const auto* button = qobject_cast<QAbstractButton*>(widget); button != nullptr && !button->text().isEmpty()) {
            text = button->text();
            needed = widget->minimumSizeHint().width();
        } else if (const auto* combo = qobject_cast<QComboBox*>(widget); combo != nullptr && !combo->isEditable()) {
            text = combo->currentText();
            needed = combo->fontMetrics().horizontalAdvance(text) + 20;  // and the arrow
        } else if (const auto* label = qobject_cast<QLabel*>(widget); label != nullptr && !label->wordWrap()) {
            if (qobject_cast<ElidedLabel*>(widget) != nullptr) continue;
            text = label->text();
            needed = label->minimumSizeHint().width();
        }
        if (!text.isEmpty() && widget->width() < needed)
            found.append(QStringLiteral("%1 “%2”: %3 of %4").arg(widget->objectName(), text).arg(widget->width()).arg(needed));
    }
    return found;
}

/// Texts whose translation is another text, wherever they stand.
QSet<QString> translatedSources(const QString& language) {
    QSet<QString> differs;
    QSet<QString> same;
    QFile file(QStringLiteral(TREFOIL_TRANSLATIONS "/trefoil_%1.ts").arg(language));
    if (!file.open(QIODevice::ReadOnly)) return {};
    QXmlStreamReader xml(&file);
    QString source;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) continue;
        if (xml.name() == QLatin1String("source")) source = xml.readElementText();
        if (xml.name() != QLatin1String("translation")) continue;
        const QString text = xml.readElementText(QXmlStreamReader::IncludeChildElements);
        (text == source || text.isEmpty() ? same : differs).insert(source);
    }
    return differs.subtract(same);
}

void addCells(const QAbstractItemModel& model, const QModelIndex& parent, QStringList* texts) {
    for (int row = 0; row < model.rowCount(parent); ++row)
        for (int column = 0; column < model.columnCount(parent); ++column) {
            const QModelIndex index = model.index(row, column, parent);
            texts->append(index.data(Qt::DisplayRole).toString());
            if (column == 0) addCells(model, index, texts);
        }
}

/// What `top` shows, by whatever widget. Titles of conversations are the person's.
QStringList shownTexts(QWidget* top) {
    QStringList texts;
    for (const QWidget* widget : top->findChildren<QWidget*>()) {
        // Qt's own parts speak another language only where its translations (qt6-translations-l10n) are installed.
        if (!widget->isVisibleTo(top) || widget->objectName().startsWith(QLatin1String("qt_"))) continue;
        texts.append(widget->toolTip());
        texts.append(widget->accessibleName());
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) texts.append(button->text());
        if (const auto* label = qobject_cast<const QLabel*>(widget)) texts.append(label->text());
        if (const auto* tabs = qobject_cast<const QTabBar*>(widget))
            for (int i = 0; i < tabs->count(); ++i) texts.append(tabs->tabText(i));
        if (const auto* combo = qobject_cast<const QComboBox*>(widget)) addCells(*combo->model(), {}, &texts);
        const auto* view = qobject_cast<const QAbstractItemView*>(widget);
        if (view == nullptr || view->model() == nullptr || view->objectName() == QLatin1String("conversationList")) continue;
        addCells(*view->model(), {}, &texts);
        for (int i = 0; i < view->model()->columnCount(); ++i)
            texts.append(view->model()->headerData(i, Qt::Horizontal).toString());
    }
    return texts;
}

QStringList leftInEnglish(QWidget* top, const QString& language) {
    const QSet<QString> sources = translatedSources(language);
    QStringList found;
    for (const QString& text : shownTexts(top))
        if (sources.contains(text)) found.append(text);
    return found;
}

}  // namespace

class LanguagesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QApplication::setStyle(theme::makeStyle()); }

    void theWindow_data() {
        QTest::addColumn<QString>("language");
        for (const Language& language : Languages::available()) QTest::newRow(qPrintable(language.code)) << language.code;
    }
    void theWindow() {
        QFETCH(QString, language);
        Languages languages;
        languages.speak(language);
        QCOMPARE(languages.spoken(), language);
        const QTemporaryDir folder;
        testing::WindowFixture trefoil(folder.path());
        QVERIFY(trefoil.ready());
        trefoil.window->resize(1280, 800);
        trefoil.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(trefoil.waitForAnswer());
        const QStringList clashes = clashesOf(QStringLiteral("menu bar"), trefoil.window->menuBar()->actions());
        QVERIFY2(clashes.isEmpty(), qPrintable(clashes.join(QLatin1Char('\n'))));
        QTest::qWait(300);  // the prompt is counted
        trefoil.screenshot(QStringLiteral("window-") + language);
        QStringList cut = cutOff(trefoil.window.get());
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
        trefoil.window->resize(900, 600);
        QTest::qWait(50);  // layouts follow
        trefoil.screenshot(QStringLiteral("small-window-") + language);
        cut = cutOff(trefoil.window.get());
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
        trefoil.window->resize(1280, 800);
        const QStringList english = leftInEnglish(trefoil.window.get(), language);
        QVERIFY2(english.isEmpty(), qPrintable(english.join(QLatin1Char('\n'))));
        for (const char* action :
             {"actionModelDialog", "actionPreferences", "actionShortcuts", "actionCompare", "actionStatistics", "actionServers"})
            lookAtDialog(trefoil, action, language);
    }

    /// Whole pieces of a conversation: lines run from the right where their first strong sign does, each on its own.
    void rightToLeftText() {
        const QTemporaryDir folder;
        testing::WindowFixture trefoil(folder.path());
        QVERIFY(trefoil.ready());
        const QString question = QStringLiteral("שלום, מה שלומך? (347 + 586)");
        const QString answer = QStringLiteral("התשובה היא **933**.\n\nمرحبا بالعالم\n\nEnglish again.\n\n日本語と中文。");
        const QJsonArray messages{
            QJsonObject{{QStringLiteral("role"), QStringLiteral("user")}, {QStringLiteral("content"), question}},
            QJsonObject{{QStringLiteral("role"), QStringLiteral("assistant")}, {QStringLiteral("content"), answer}}};
        const QJsonArray all{QJsonObject{{QStringLiteral("title"), question}, {QStringLiteral("messages"), messages}}};
        QFile file(folder.filePath(QStringLiteral("rtl.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QJsonDocument(all).toJson());
        file.close();
        auto* transfer = trefoil.find<TransferMenu>("transferMenu");
        QSignalSpy imported(transfer->transfer(), &HistoryTransfer::imported);
        transfer->importFile(file.fileName());
        QVERIFY(imported.wait(20000));
        trefoil.chat->openConversation(imported.first().at(2).value<ImportReport>().first);
        QTRY_COMPARE(trefoil.chat->messages().size(), 2);
        QCOMPARE(trefoil.chat->messages().constLast().content, answer);
        trefoil.screenshot(QStringLiteral("right-to-left"));
        const auto* view = trefoil.window->findChild<TranscriptView*>();
        QVERIFY(view != nullptr);
        const QImage asked = view->messageWidget(trefoil.chat->messages().constFirst().id)->grab().toImage();
        QVERIFY(inkAtTheRight(asked));
        const QImage said = view->messageWidget(trefoil.chat->messages().constLast().id)->body()->grab().toImage();
        QVERIFY(inkAtTheRight(said));
    }

    /// Also where a form is plural: one is not many.
    void englishCounts() {
        Languages languages;
        languages.speak(QStringLiteral("en"));
        const auto passes = [](int count) {
            return QCoreApplication::translate("trefoil::BlockBars", "%n passes", nullptr, count);
        };
        QCOMPARE(passes(1), QStringLiteral("1 pass"));
        QCOMPARE(passes(2), QStringLiteral("2 passes"));
    }

private:
    /// Whether more of the first line is written in the right half than in the left one.
    static bool inkAtTheRight(const QImage& picture) {
        const int middle = picture.width() / 2;
        const int bottom = std::min(picture.height(), 32);
        std::array<int, 2> ink{0, 0};
        for (int y = 4; y < bottom; ++y)
            for (int x = 4; x < picture.width() - 4; ++x)
                if (qGray(picture.pixel(x, y)) < 128) ++ink.at(x < middle ? 0 : 1);
        return ink[1] > ink[0];
    }

    static void lookAtDialog(const testing::WindowFixture& trefoil, const char* name, const QString& language) {
        auto* action = trefoil.find<QAction>(name);
        QVERIFY2(action != nullptr, name);
        action->trigger();
        QDialog* dialog = nullptr;
        QTRY_VERIFY2(
            [&] {
                for (auto* each : trefoil.window->findChildren<QDialog*>())
                    if (each->isVisible()) dialog = each;
                return dialog != nullptr;
            }(),
            name);
        QTest::qWait(100);
        const QString pictures = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR");
        if (!pictures.isEmpty()) dialog->grab().save(QStringLiteral("%1/%2-%3.png").arg(pictures, QLatin1String(name), language));
        QStringList english = leftInEnglish(dialog, language);
        QStringList cut = cutOff(dialog);
        if (auto* settings = qobject_cast<PreferencesDialog*>(dialog)) {
            settings->showPage(PreferencesDialog::Page::LocalApi);
            QTest::qWait(50);
            if (!pictures.isEmpty()) dialog->grab().save(QStringLiteral("%1/localApi-%2.png").arg(pictures, language));
            english += leftInEnglish(dialog, language);
            cut += cutOff(dialog);
        }
        dialog->close();
        QVERIFY2(cut.isEmpty(), qPrintable(QLatin1String(name) + QLatin1Char('\n') + cut.join(QLatin1Char('\n'))));
        QVERIFY2(english.isEmpty(), qPrintable(QLatin1String(name) + QLatin1Char('\n') + english.join(QLatin1Char('\n'))));
        QTRY_VERIFY(!dialog->isVisible());
    }
};

QTEST_MAIN(LanguagesTest)
#include "languages_test.moc"
