// Works in the real program as a person does, by keys and menus, and without end: for the tests that kill it. A Qt generic
// plugin, loaded by QT_QPA_GENERIC_PLUGINS=trefoildriver:TASK. The program itself knows nothing of it.
//   asking      one question after the other
//   clicking    the same without keys: Qt's Wayland plugin crashes at them where there is no keyboard
//   editing     asks, edits the question, regenerates, starts a new chat, deletes
//   importing   File, Import conversations, with the file $TREFOIL_DRIVER_FILE
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QGenericPlugin>
#include <QTest>
#include <QTimer>
#include <QWidget>

#include <utility>

namespace {

constexpr int kStepMs = 15;

class Driver : public QObject {
    Q_OBJECT
public:
    explicit Driver(QString task) : m_task(std::move(task)) {
        connect(&m_timer, &QTimer::timeout, this, &Driver::step);
        m_timer.start(kStepMs);
    }

private:
    void step() {
        if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) return choose(dialog);
        QWidget* window = nullptr;
        for (QWidget* each : QApplication::topLevelWidgets())
            if (each->inherits("trefoil::MainWindow")) window = each;
        if (window == nullptr || !window->isVisible()) return;  // nobody works in a window that is closing
        auto* editor = window->findChild<QWidget*>(QStringLiteral("composerEditor"));
        const auto* stop = window->findChild<QAction*>(QStringLiteral("actionStop"));
        if (editor == nullptr || stop == nullptr || stop->isEnabled()) return;  // an answer is being written
        if (m_task == QLatin1String("importing")) {
            // Its dialog has an event loop of its own, in which a timer whose event is being handled rests.
            QTimer::singleShot(0, window, [window] { trigger(window, "actionImport"); });
            return;
        }
        if (m_task == QLatin1String("editing")) return edit(window, editor);
        if (m_task == QLatin1String("clicking")) return click(window, editor);
        ask(editor);
    }

    static void click(QWidget* window, QWidget* editor) {
        if (editor->property("plainText").toString().isEmpty())
            QMetaObject::invokeMethod(editor, "insertPlainText", Q_ARG(QString, QStringLiteral("Count from 1 to 40.")));
        if (auto* send = window->findChild<QAbstractButton*>(QStringLiteral("sendButton"))) send->click();
    }

    /// What is not sent, because the model is not there yet, stays in the composer for the next step.
    static void ask(QWidget* editor) {
        editor->setFocus();
        if (editor->property("plainText").toString().isEmpty()) QTest::keyClicks(editor, QStringLiteral("Count from 1 to 40."));
        QTest::keyClick(editor, Qt::Key_Return);
    }

    void edit(QWidget* window, QWidget* editor) {
        switch (m_turn++ % 6) {
            case 2:
                trigger(window, "actionEditQuestion");
                QTest::keyClicks(editor, QStringLiteral(" Please"));
                QTest::keyClick(editor, Qt::Key_Return);
                break;
            case 3:
                trigger(window, "actionRegenerate");
                break;
            case 4:
                trigger(window, "actionNewChat");
                break;
            case 5:
                // The one that was asked before; a new chat has nothing to be deleted.
                ask(editor);
                if (m_turn % 12 == 0) trigger(window, "actionDelete");
                break;
            default:
                ask(editor);
        }
    }

    static void choose(QFileDialog* dialog) {
        dialog->selectFile(qEnvironmentVariable("TREFOIL_DRIVER_FILE"));
        QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
    }

    static void trigger(QWidget* window, const char* name) {
        if (auto* action = window->findChild<QAction*>(QLatin1String(name)); action != nullptr && action->isEnabled())
            action->trigger();
    }

    QString m_task;
    QTimer m_timer;
    int m_turn = 0;
};

class DriverPlugin : public QGenericPlugin {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID QGenericPluginFactoryInterface_iid FILE "window_driver.json")
public:
    QObject* create(const QString& /*name*/, const QString& task) override { return new Driver(task); }
};

}  // namespace

#include "window_driver.moc"
