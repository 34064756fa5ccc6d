// The real program under Wayland, with weston as the session: it starts, answers, takes a second start in, and ends at a signal.
#include "tests/app/store_samples.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace trefoil;

namespace {

constexpr int kStartMs = 60'000;  // a bound for what never comes, on a busy machine with sanitizers

/// Answers that are complete, as another program sees them.
int answers(const QString& path) {
    if (!QFile::exists(path)) return 0;
    samples::OtherProgram other(path);
    return other.value(QStringLiteral("SELECT count(*) FROM messages WHERE role = 'assistant' AND stop_reason = 'end'")).toInt();
}

}  // namespace

class WaylandTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void answersAndEnds();

private:
    void start(QProcess* program, const QString& task) const;

    QTemporaryDir m_home;  // also the runtime folder: made for its owner alone
    QProcess m_weston;
    QProcessEnvironment m_environment;
};

void WaylandTest::init() {
    const QString weston = QStandardPaths::findExecutable(QStringLiteral("weston"));
    if (weston.isEmpty()) QSKIP("there is no weston");
    m_environment = QProcessEnvironment::systemEnvironment();
    m_environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), m_home.path());
    m_environment.insert(QStringLiteral("HOME"), m_home.path());
    m_environment.insert(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"), QStringLiteral("disabled:"));
    m_weston.setProcessEnvironment(m_environment);
    m_weston.setStandardOutputFile(QProcess::nullDevice());
    m_weston.setStandardErrorFile(QProcess::nullDevice());
    m_weston.start(
        weston, {QStringLiteral("--backend=headless-backend.so"), QStringLiteral("--use-pixman"), QStringLiteral("--no-config"),
                 QStringLiteral("--idle-time=0"), QStringLiteral("--socket=wayland-t")});
    const QString socket = m_home.filePath(QStringLiteral("wayland-t"));
    const bool ended = !QTest::qWaitFor([&] { return QFile::exists(socket); }, kStartMs);
    if (ended || m_weston.state() != QProcess::Running) QSKIP("weston does not start here");
    m_environment.insert(QStringLiteral("WAYLAND_DISPLAY"), QStringLiteral("wayland-t"));
    m_environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("wayland"));
    m_environment.insert(QStringLiteral("TREFOIL_DATA_DIR"), m_home.filePath(QStringLiteral("data")));
    m_environment.insert(QStringLiteral("QT_PLUGIN_PATH"), QStringLiteral(WINDOW_DRIVER_FOLDER));
}

void WaylandTest::cleanup() {
    m_weston.terminate();
    if (m_weston.state() != QProcess::NotRunning && !m_weston.waitForFinished(kStartMs)) m_weston.kill();
}

void WaylandTest::start(QProcess* program, const QString& task) const {
    QProcessEnvironment environment = m_environment;
    if (!task.isEmpty()) environment.insert(QStringLiteral("QT_QPA_GENERIC_PLUGINS"), QStringLiteral("trefoildriver:") + task);
    program->setProcessEnvironment(environment);
    program->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    program->start(QStringLiteral(TREFOIL_APP), {QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--model"),
                                                 QStringLiteral(TREFOIL_SOURCE_DIR "/resources/demo-model")});
    QVERIFY(program->waitForStarted());
}

void WaylandTest::answersAndEnds() {
    const QString history = m_home.filePath(QStringLiteral("data/history.db"));
    QProcess program;
    start(&program, QStringLiteral("clicking"));
    QTRY_VERIFY_WITH_TIMEOUT(answers(history) > 0 || program.state() != QProcess::Running, kStartMs);
    QCOMPARE(program.state(), QProcess::Running);
    QProcess second;
    start(&second, {});
    QVERIFY(second.waitForFinished(kStartMs));
    QCOMPARE(second.exitStatus(), QProcess::NormalExit);
    QCOMPARE(second.exitCode(), 0);
    QCOMPARE(program.state(), QProcess::Running);
    ::kill(static_cast<pid_t>(program.processId()), SIGTERM);
    QVERIFY(program.waitForFinished(kStartMs));
    QCOMPARE(program.exitStatus(), QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 0);
    samples::OtherProgram other(history);
    QCOMPARE(other.value(QStringLiteral("SELECT count(*) FROM messages WHERE in_progress")).toInt(), 0);
}

QTEST_GUILESS_MAIN(WaylandTest)
#include "wayland_test.moc"
