// The settings page of the local API and its sign in the status bar, in the whole window, by mouse and keys.
#include "tests/support/window_fixture.h"
#include "ui/desktop/preferences_dialog.h"
#include "ui/theme/style.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest>

using namespace trefoil;

namespace {

constexpr int kPatience = 60000;

/// A window whose local API takes any free port, and its settings page.
struct Page {
    explicit Page(const QString& folder) : trefoil(folder) {
        LocalApiChoice choice;
        choice.port = 0;
        trefoil.settings->setLocalApi(choice);
        open();
    }
    void open() {
        trefoil.find<QAction>("actionPreferences")->trigger();
        dialog = trefoil.find<PreferencesDialog>("preferencesDialog");
        dialog->showPage(PreferencesDialog::Page::LocalApi);
    }
    void close() {
        dialog->close();
        QTRY_VERIFY(trefoil.find<PreferencesDialog>("preferencesDialog") == nullptr);
    }
    template <class W>
    [[nodiscard]] W* find(const char* name) const {
        return dialog->findChild<W*>(QLatin1String(name));
    }
    void click(const char* name) const { QTest::mouseClick(find<QAbstractButton>(name), Qt::LeftButton, {}, handle(name)); }
    void type(const char* name, const QString& text) const {
        auto* field = find<QWidget>(name);
        field->setFocus();
        QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
    }
    [[nodiscard]] bool is(LocalApi::State state) const {
        return QTest::qWaitFor([&] { return trefoil.localApi->state() == state; }, kPatience);
    }
    [[nodiscard]] QString state() const { return find<QLabel>("localApiState")->text(); }
    [[nodiscard]] QString key() const { return find<QLineEdit>("localApiKey")->text(); }
    [[nodiscard]] QToolButton* sign() const { return trefoil.find<QToolButton>("statusLocalApi"); }
    void shoot(const QString& name) const {
        const QString folder = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR");
        if (folder.isEmpty()) return;
        QDir().mkpath(folder);
        QTest::qWait(100);
        dialog->grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
    }

    testing::WindowFixture trefoil;
    PreferencesDialog* dialog = nullptr;

private:
    /// A check box takes a click on its sign, not on the empty room beside its text.
    [[nodiscard]] QPoint handle(const char* name) const {
        const auto* button = find<QAbstractButton>(name);
        return {qMin(10, button->width() / 2), button->height() / 2};
    }
};

}  // namespace

class LocalApiPageTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QApplication::setStyle(theme::makeStyle()); }

    void isSwitchedOnAndOff() {
        const QTemporaryDir folder;
        Page page(folder.path());
        QVERIFY(page.trefoil.ready());
        QVERIFY(!page.find<QCheckBox>("localApiOn")->isChecked());
        QVERIFY(page.sign()->isHidden());
        QVERIFY(page.key().isEmpty());
        page.click("localApiOn");
        QVERIFY(page.is(LocalApi::State::On));
        QVERIFY2(page.state().contains(page.trefoil.localApi->url()), qPrintable(page.state()));
        QVERIFY2(page.state().contains(QStringLiteral("demo-model")), qPrintable(page.state()));
        QVERIFY(!page.sign()->isHidden());
        QVERIFY(page.sign()->toolTip().contains(page.trefoil.localApi->url()));
        page.click("localApiCopyAddress");
        QCOMPARE(QGuiApplication::clipboard()->text(), page.trefoil.localApi->url());
        page.click("localApiOn");
        QVERIFY(page.is(LocalApi::State::Off));
        QVERIFY(page.sign()->isHidden());
        QVERIFY(!page.trefoil.settings->localApi().on);
    }

    void theKeyIsShownOnce() {
        const QTemporaryDir folder;
        Page page(folder.path());
        QVERIFY(page.trefoil.ready());
        QVERIFY(page.find<QPushButton>("localApiCopyKey")->isHidden());
        page.click("localApiMakeKey");
        const QString key = page.key();
        QCOMPARE(key.size(), 43);
        page.click("localApiCopyKey");
        QCOMPARE(QGuiApplication::clipboard()->text(), key);
        // The store of this test keeps nothing: the page says so.
        QVERIFY2(page.find<QLabel>("localApiKeyNote")->text().contains(QStringLiteral("until Trefoil is closed")),
                 qPrintable(page.find<QLabel>("localApiKeyNote")->text()));
        QVERIFY(!page.find<QLineEdit>("localApiExample")->text().contains(key));
        page.close();
        page.open();
        QVERIFY(!page.key().contains(key) && page.key().endsWith(key.right(4)));
        QVERIFY(page.key().size() < 20);
        QVERIFY(page.find<QPushButton>("localApiCopyKey")->isHidden());
        // Switched on it is that key: no other one is made.
        page.click("localApiOn");
        QVERIFY(page.is(LocalApi::State::On));
        QVERIFY(page.key().endsWith(key.right(4)) && page.key().size() < 20);
    }

    void whatIsWrongIsSaidAndMended() {
        const QTemporaryDir folder;
        Page page(folder.path());
        QVERIFY(page.trefoil.ready());
        QTcpServer other;
        QVERIFY(other.listen(QHostAddress::LocalHost));
        page.type("localApiPort", QString::number(other.serverPort()));
        QVERIFY(page.dialog->isVisible());
        QCOMPARE(page.trefoil.settings->localApi().port, other.serverPort());
        page.click("localApiOn");
        QVERIFY(page.is(LocalApi::State::Failed));
        QVERIFY2(page.state().contains(QString::number(other.serverPort())), qPrintable(page.state()));
        QVERIFY(!page.sign()->isHidden());
        QVERIFY(page.sign()->toolTip().contains(QString::number(other.serverPort())));
        page.shoot(QStringLiteral("local-api-failed"));
        page.type("localApiPort", QStringLiteral("0"));
        QVERIFY(page.is(LocalApi::State::On));
        // Beyond this machine only with consent or a certificate. Return belongs to the field, not to the dialog's button.
        QVERIFY(!page.find<QCheckBox>("localApiPlainHttp")->isEnabled());
        page.type("localApiAddress", QStringLiteral("0.0.0.0"));
        QVERIFY(page.dialog->isVisible());
        QVERIFY(page.is(LocalApi::State::Failed));
        QVERIFY2(page.state().contains(QStringLiteral("encryption")), qPrintable(page.state()));
        QVERIFY(page.find<QCheckBox>("localApiPlainHttp")->isEnabled());
        page.click("localApiPlainHttp");
        QVERIFY(page.is(LocalApi::State::On));
        QVERIFY(page.trefoil.settings->localApi().plainHttp);
        // With a certificate that is not there.
        page.type("localApiCertificate", QStringLiteral("/nowhere/cert.pem"));
        QVERIFY(page.is(LocalApi::State::Failed));
        page.type("localApiCertificateKey", QStringLiteral("/nowhere/key.pem"));
        QTRY_VERIFY_WITH_TIMEOUT(page.state().contains(QStringLiteral("/nowhere/cert.pem")), kPatience);
    }

    void whoIsConnectedAndWhatWasServed() {
        const QTemporaryDir folder;
        Page page(folder.path());
        QVERIFY(page.trefoil.ready());
        page.click("localApiOn");
        QVERIFY(page.is(LocalApi::State::On));
        const auto* table = page.find<QTreeWidget>("localApiClients");
        QCOMPARE(table->topLevelItemCount(), 0);
        QTcpSocket client;
        client.connectToHost(QStringLiteral("127.0.0.1"), static_cast<quint16>(QUrl(page.trefoil.localApi->url()).port()));
        QVERIFY(client.waitForConnected(kPatience));
        const QByteArray body =
            R"({"model":"demo-model","enable_thinking":false,"messages":[{"role":"user","content":"What is 347 + 586?"}]})";
        client.write(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: Editor/1.2\r\nContent-Type: "
            "application/json\r\n"
            "Authorization: Bearer " +
            page.key().toLatin1() + "\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body);
        QTRY_VERIFY_WITH_TIMEOUT(
            table->topLevelItemCount() == 1 && table->topLevelItem(0)->text(0) == QLatin1String("Editor/1.2"), kPatience);
        QVERIFY(table->topLevelItem(0)->text(1).startsWith(QStringLiteral("127.0.0.1:")));
        QByteArray answer;
        QTRY_VERIFY_WITH_TIMEOUT((answer += client.readAll()).contains("933"), kPatience);
        const auto* totals = page.find<QLabel>("localApiTotals");
        QTRY_VERIFY_WITH_TIMEOUT(totals->text().contains(QStringLiteral("requests 1, refused of them 0")), kPatience);
        QVERIFY(page.sign()->toolTip().contains(QStringLiteral("1 program")));
        page.click("localApiCopyExample");
        const QString example = QGuiApplication::clipboard()->text();
        QVERIFY2(example.contains(page.trefoil.localApi->url() + QStringLiteral("/chat/completions")), qPrintable(example));
        QVERIFY2(example.contains(QStringLiteral("demo-model")) && example.contains(QStringLiteral("$KEY")), qPrintable(example));
        pictures(page);
        client.close();
        QTRY_COMPARE_WITH_TIMEOUT(table->topLevelItemCount(), 0, kPatience);
    }

    void theSignLeadsToThePage() {
        const QTemporaryDir folder;
        Page page(folder.path());
        QVERIFY(page.trefoil.ready());
        page.click("localApiOn");
        QVERIFY(page.is(LocalApi::State::On));
        page.close();
        page.trefoil.screenshot(QStringLiteral("local-api-window"));
        QTest::mouseClick(page.sign(), Qt::LeftButton);
        page.dialog = page.trefoil.find<PreferencesDialog>("preferencesDialog");
        QVERIFY(page.dialog != nullptr);
        QVERIFY(page.find<QWidget>("localApiPage")->isVisible());
    }

private:
    static void pictures(Page& page) {
        page.trefoil.settings->setTheme(ThemeChoice::Light);
        page.shoot(QStringLiteral("local-api-light"));
        const QSize usual = page.dialog->size();
        page.dialog->resize(640, 480);
        page.shoot(QStringLiteral("local-api-light-small"));
        page.trefoil.settings->setTheme(ThemeChoice::Dark);
        page.shoot(QStringLiteral("local-api-dark-small"));
        page.dialog->resize(usual);
        page.shoot(QStringLiteral("local-api-dark"));
        page.trefoil.settings->setTheme(ThemeChoice::Light);
    }
};

QTEST_MAIN(LocalApiPageTest)
#include "local_api_page_test.moc"
