#include "app/core/settings.h"

#include "app/core/data_location.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>

#include <algorithm>

namespace trefoil {

namespace {

constexpr int kDelayMs = 500;
constexpr int kRetryMs = 2000;  // after a failure

constexpr QLatin1String kGeometry("window/geometry");
constexpr QLatin1String kState("window/state");
constexpr QLatin1String kTheme("appearance/theme");
constexpr QLatin1String kFontSize("appearance/font_size");
constexpr QLatin1String kMotion("appearance/motion");
constexpr QLatin1String kSafeColours("appearance/safe_colours");
constexpr QLatin1String kLanguage("appearance/language");
constexpr QLatin1String kNotify("desktop/notify_when_done");
constexpr QLatin1String kKeys("keys/");
constexpr QLatin1String kModelFolder("model/folder");
constexpr QLatin1String kRecentModels("model/recent");
constexpr QLatin1String kDefaultModel("model/default");
constexpr QLatin1String kCompatibility("model/compatibility");
constexpr QLatin1String kDevice("model/device");
constexpr QLatin1String kThreads("model/threads");
constexpr QLatin1String kGpuMemory("model/gpu_memory_gib");
constexpr QLatin1String kPrefixMemory("model/prefix_memory_mib");
constexpr QLatin1String kConfirmLinks("chat/confirm_links");
constexpr QLatin1String kAnswerColour("chat/answer_colour");
constexpr QLatin1String kHistoryFile("history/file");
constexpr QLatin1String kServers("servers/list");
constexpr QLatin1String kApiOn("local_api/on");
constexpr QLatin1String kApiAddress("local_api/address");
constexpr QLatin1String kApiPort("local_api/port");
constexpr QLatin1String kApiCertificate("local_api/certificate_file");
constexpr QLatin1String kApiCertificateKey("local_api/certificate_key_file");
constexpr QLatin1String kApiPlainHttp("local_api/plain_http");
constexpr int kHighestPort = 65535;
constexpr QLatin1String kConversation("history/conversation");

}  // namespace

Settings::Settings(const QString& fileName, QObject* parent) : QObject(parent), m_fileName(fileName), m_timer(this) {
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &Settings::flush);
    if (m_fileName.isEmpty() || !QFileInfo(m_fileName).isFile()) return;
    QSettings file(m_fileName, QSettings::IniFormat);
    for (const QString& key : file.allKeys()) m_values.insert(key, file.value(key));
    m_broken = file.status() == QSettings::FormatError;
}

Settings::~Settings() { flush(); }

QByteArray Settings::windowGeometry() const { return QByteArray::fromBase64(value(kGeometry).toByteArray()); }
void Settings::setWindowGeometry(const QByteArray& geometry) { set(kGeometry, QString::fromLatin1(geometry.toBase64())); }
QByteArray Settings::windowState() const { return QByteArray::fromBase64(value(kState).toByteArray()); }
void Settings::setWindowState(const QByteArray& state) { set(kState, QString::fromLatin1(state.toBase64())); }

ThemeChoice Settings::theme() const {
    const QString name = value(kTheme).toString();
    if (name == QLatin1String("light")) return ThemeChoice::Light;
    if (name == QLatin1String("dark")) return ThemeChoice::Dark;
    return ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice theme) {
    if (theme == this->theme()) return;
    set(kTheme, theme == ThemeChoice::Light  ? QStringLiteral("light")
                : theme == ThemeChoice::Dark ? QStringLiteral("dark")
                                             : QStringLiteral("system"));
    emit themeChanged(theme);
}

QString Settings::lastModelFolder() const { return value(kModelFolder).toString(); }
void Settings::setLastModelFolder(const QString& folder) { set(kModelFolder, folder); }

// A JSON list in one value: names of folders may hold any separator.
QStringList Settings::recentModels() const {
    QStringList folders;
    const QJsonArray list = QJsonDocument::fromJson(value(kRecentModels).toString().toUtf8()).array();
    for (const QVariant& entry : list.toVariantList())
        if (!entry.toString().isEmpty() && folders.size() < kMaxRecentModels && !folders.contains(entry.toString()))
            folders.append(entry.toString());
    return folders;
}

void Settings::addRecentModel(const QString& folder) {
    QStringList folders = recentModels();
    folders.removeAll(folder);
    folders.prepend(folder);
    setRecentModels(folders.mid(0, kMaxRecentModels));
}

void Settings::removeRecentModel(const QString& folder) {
    QStringList folders = recentModels();
    folders.removeAll(folder);
    setRecentModels(folders);
}

void Settings::setRecentModels(const QStringList& folders) {
    if (folders == recentModels()) return;
    set(kRecentModels, QString::fromUtf8(QJsonDocument(QJsonArray::fromStringList(folders)).toJson(QJsonDocument::Compact)));
    emit recentModelsChanged();
}

QString Settings::defaultModel() const { return value(kDefaultModel).toString(); }
void Settings::setDefaultModel(const QString& folder) {
    if (folder == defaultModel()) return;
    set(kDefaultModel, folder);
    emit defaultModelChanged();
}

// One JSON object for all folders: {folder: {name: choice}}.
QHash<QString, QString> Settings::compatibility(const QString& folder) const {
    QHash<QString, QString> choices;
    const QJsonObject folders = QJsonDocument::fromJson(value(kCompatibility).toString().toUtf8()).object();
    const QJsonObject own = folders.value(folder).toObject();
    for (auto it = own.constBegin(); it != own.constEnd(); ++it)
        if (it.value().isString()) choices.insert(it.key(), it.value().toString());
    return choices;
}

void Settings::setCompatibility(const QString& folder, const QHash<QString, QString>& choices) {
    if (choices == compatibility(folder)) return;
    QJsonObject folders = QJsonDocument::fromJson(value(kCompatibility).toString().toUtf8()).object();
    QJsonObject own;
    for (auto it = choices.constBegin(); it != choices.constEnd(); ++it) own.insert(it.key(), it.value());
    if (own.isEmpty())
        folders.remove(folder);
    else
        folders.insert(folder, own);
    set(kCompatibility, QString::fromUtf8(QJsonDocument(folders).toJson(QJsonDocument::Compact)));
}

QString Settings::device() const {
    const QString device = value(kDevice).toString();
    return device.isEmpty() ? QStringLiteral("auto") : device;
}
void Settings::setDevice(const QString& device) { set(kDevice, device); }

int Settings::threads() const { return integer(kThreads, 0, 0, kMaxThreads); }
void Settings::setThreads(int threads) { set(kThreads, std::clamp(threads, 0, kMaxThreads)); }

int Settings::gpuMemory() const { return integer(kGpuMemory, 0, 0, kMaxGpuMemory); }
void Settings::setGpuMemory(int gibibytes) { set(kGpuMemory, std::clamp(gibibytes, 0, kMaxGpuMemory)); }

int Settings::prefixMemory() const { return integer(kPrefixMemory, kUsualPrefixMemory, 0, kMaxPrefixMemory); }
void Settings::setPrefixMemory(int mebibytes) { set(kPrefixMemory, std::clamp(mebibytes, 0, kMaxPrefixMemory)); }

bool Settings::confirmLinks() const { return value(kConfirmLinks).toString() != QLatin1String("false"); }
void Settings::setConfirmLinks(bool confirm) { set(kConfirmLinks, confirm ? QStringLiteral("true") : QStringLiteral("false")); }

int Settings::fontSize() const {
    const int points = integer(kFontSize, 0, 0, kMaxFontSize);
    return points < kMinFontSize ? 0 : points;
}

void Settings::setFontSize(int points) {
    const int bounded = points <= 0 ? 0 : std::clamp(points, kMinFontSize, kMaxFontSize);
    if (bounded == fontSize()) return;
    set(kFontSize, bounded);
    emit fontSizeChanged(bounded);
}

AnswerColour Settings::answerColour() const {
    return static_cast<AnswerColour>(integer(kAnswerColour, 0, 0, static_cast<int>(AnswerColour::Pass)));
}

void Settings::setAnswerColour(AnswerColour colour) { set(kAnswerColour, static_cast<int>(colour)); }

MotionChoice Settings::motion() const {
    const QString name = value(kMotion).toString();
    if (name == QLatin1String("full")) return MotionChoice::Full;
    if (name == QLatin1String("reduced")) return MotionChoice::Reduced;
    return MotionChoice::System;
}

void Settings::setMotion(MotionChoice motion) {
    if (motion == this->motion()) return;
    set(kMotion, motion == MotionChoice::Full      ? QStringLiteral("full")
                 : motion == MotionChoice::Reduced ? QStringLiteral("reduced")
                                                   : QStringLiteral("system"));
    emit motionChanged();
}

bool Settings::safeColours() const { return value(kSafeColours).toString() == QLatin1String("true"); }
void Settings::setSafeColours(bool safe) {
    if (safe == safeColours()) return;
    set(kSafeColours, safe ? QStringLiteral("true") : QStringLiteral("false"));
    emit safeColoursChanged();
}

QString Settings::language() const { return value(kLanguage).toString(); }
void Settings::setLanguage(const QString& code) {
    if (code == language()) return;
    set(kLanguage, code);
    emit languageChanged(code);
}

bool Settings::notifyWhenDone() const { return value(kNotify).toString() != QLatin1String("false"); }
void Settings::setNotifyWhenDone(bool notify) { set(kNotify, notify ? QStringLiteral("true") : QStringLiteral("false")); }

QString Settings::keys(const QString& action) const {
    const QVariant stored = value(kKeys + action);
    // "usual" stands for a key that was set back; QSettings would read an absent value and a null one alike.
    if (!stored.isValid() || stored.toString() == QLatin1String("usual")) return {};
    const QString text = stored.toString();
    return text == QLatin1String("none") ? QStringLiteral("") : text;
}

void Settings::setKeys(const QString& action, const QString& portableText) {
    set(kKeys + action, portableText.isNull()    ? QStringLiteral("usual")
                        : portableText.isEmpty() ? QStringLiteral("none")
                                                 : portableText);
    emit keysChanged();
}

QString Settings::servers() const { return value(kServers).toString(); }
void Settings::setServers(const QString& json) { set(kServers, json); }

LocalApiChoice Settings::localApi() const {
    LocalApiChoice out;
    out.on = value(kApiOn).toString() == QLatin1String("true");
    if (const QString address = value(kApiAddress).toString(); !address.isEmpty()) out.address = address;
    out.port = integer(kApiPort, out.port, 0, kHighestPort);
    out.certificateFile = value(kApiCertificate).toString();
    out.certificateKeyFile = value(kApiCertificateKey).toString();
    out.plainHttp = value(kApiPlainHttp).toString() == QLatin1String("true");
    return out;
}

void Settings::setLocalApi(const LocalApiChoice& choice) {
    const auto word = [](bool yes) { return yes ? QStringLiteral("true") : QStringLiteral("false"); };
    set(kApiOn, word(choice.on));
    set(kApiAddress, choice.address);
    set(kApiPort, std::clamp(choice.port, 0, kHighestPort));
    set(kApiCertificate, choice.certificateFile);
    set(kApiCertificateKey, choice.certificateKeyFile);
    set(kApiPlainHttp, word(choice.plainHttp));
}

QString Settings::historyFile() const { return value(kHistoryFile).toString(); }
void Settings::setHistoryFile(const QString& file) { set(kHistoryFile, file); }
QString Settings::lastConversation() const { return value(kConversation).toString(); }
void Settings::setLastConversation(const QString& id) { set(kConversation, id); }

StoreProblem Settings::flush() {
    m_timer.stop();
    if (m_changed.isEmpty() || m_fileName.isEmpty()) return {};
    const StoreProblem problem = write();
    if (problem.ok()) {
        m_changed.clear();
        if (m_failing) emit saved();
    } else if (!m_failing) {
        emit notSaved(problem);
    }
    m_failing = !problem.ok();
    if (m_failing) m_timer.start(kRetryMs);
    return problem;
}

QVariant Settings::value(const QString& key) const { return m_values.value(key); }

int Settings::integer(const QString& key, int fallback, int minimum, int maximum) const {
    bool ok = false;
    const int number = value(key).toString().toInt(&ok);  // the C locale, as QSettings writes
    return ok && number >= minimum && number <= maximum ? number : fallback;
}

void Settings::set(const QString& key, const QVariant& newValue) {
    if (m_values.contains(key) && m_values.value(key).toString() == newValue.toString()) return;
    m_values.insert(key, newValue);
    m_changed.insert(key, newValue);
    m_timer.start(kDelayMs);
}

StoreProblem Settings::write() {
    if (const StoreProblem problem = prepareFolder(QFileInfo(m_fileName).absolutePath()); !problem.ok()) return problem;
    if (m_broken) {
        // Lines that QSettings did not understand would be gone after writing.
        const QString copy = m_fileName + QStringLiteral(".damaged");
        QFile::remove(copy);
        m_broken = !QFile::copy(m_fileName, copy);
    }
    // Opened anew each time: changes of another running Trefoil to other keys are kept.
    QSettings file(m_fileName, QSettings::IniFormat);
    for (auto it = m_changed.cbegin(); it != m_changed.cend(); ++it) file.setValue(it.key(), it.value());
    file.sync();
    // They name the person's folders; a backup of the home may keep the file without its private folder.
    QFile::setPermissions(m_fileName, QFileDevice::ReadOwner | QFileDevice::WriteOwner);
    if (file.status() != QSettings::AccessError) return {};
    return {StoreProblemKind::ReadOnly, tr("The settings “%1” cannot be written.").arg(m_fileName),
            tr("They hold until Trefoil ends, and it keeps trying; check the folder's permissions and the free space.")};
}

}  // namespace trefoil
