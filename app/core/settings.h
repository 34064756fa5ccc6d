// The program's settings in an INI file of the configuration folder. Reading is tolerant: a missing, mistyped or out-of-range
// value is its default, unknown keys stay. Writing is gathered for half a second. Numbers are in the C locale whatever the
// person's.
#pragma once

#include "app/core/store_types.h"

#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QVariant>

namespace trefoil {

enum class ThemeChoice : quint8 { System, Light, Dark };
enum class MotionChoice : quint8 { System, Full, Reduced };

/// What colours the text of answers.
enum class AnswerColour : quint8 { None, Confidence, Pass };

/// What the person chose for the local API. Its key is not among it: keys are never in the settings.
struct LocalApiChoice {
    bool on = false;  ///< served now, and from the next start on
    QString address = QStringLiteral("127.0.0.1");
    int port = 8033;          ///< 0: any that is free
    QString certificateFile;  ///< PEM; with its key: TLS
    QString certificateKeyFile;
    bool plainHttp = false;  ///< without TLS beyond this machine, too
    bool operator==(const LocalApiChoice&) const = default;
};

class Settings : public QObject {
    Q_OBJECT
public:
    static constexpr int kMaxThreads = 1024;
    static constexpr int kMaxRecentModels = 10;
    static constexpr int kMaxGpuMemory = 4096;
    static constexpr int kUsualPrefixMemory = 1024;
    static constexpr int kMaxPrefixMemory = 1024 * 1024;
    static constexpr int kMinFontSize = 6;
    static constexpr int kMaxFontSize = 48;

    /// An empty name keeps the settings in memory only (no folder could be told).
    explicit Settings(const QString& fileName, QObject* parent = nullptr);
    /// Writes what waits.
    ~Settings() override;

    [[nodiscard]] QString fileName() const { return m_fileName; }

    [[nodiscard]] QByteArray windowGeometry() const;
    void setWindowGeometry(const QByteArray& geometry);
    [[nodiscard]] QByteArray windowState() const;
    void setWindowState(const QByteArray& state);
    [[nodiscard]] ThemeChoice theme() const;
    void setTheme(ThemeChoice theme);
    [[nodiscard]] QString lastModelFolder() const;  ///< empty: the demo model
    void setLastModelFolder(const QString& folder);
    /// Folders of models that were loaded, the latest first; kMaxRecentModels at most. The folders need not exist any more.
    [[nodiscard]] QStringList recentModels() const;
    void addRecentModel(const QString& folder);
    void removeRecentModel(const QString& folder);
    [[nodiscard]] QString defaultModel() const;  ///< loaded at every start; empty: the last one that was used
    void setDefaultModel(const QString& folder);
    /// Compatibility switches that the person set for the model in this folder: name -> choice, as they were written.
    [[nodiscard]] QHash<QString, QString> compatibility(const QString& folder) const;
    /// None of them: the folder is forgotten.
    void setCompatibility(const QString& folder, const QHash<QString, QString>& choices);
    [[nodiscard]] QString device() const;  ///< "auto" unless set
    void setDevice(const QString& device);
    [[nodiscard]] int threads() const;  ///< 0: the engine's choice
    void setThreads(int threads);
    /// GiB of each GPU that Trefoil may take in all; experts that do not fit stay in main memory. 0: automatic, what is free.
    [[nodiscard]] int gpuMemory() const;
    void setGpuMemory(int gibibytes);
    /// Main memory for snapshots of earlier prompts, in MiB; 0: every prompt is read from its beginning.
    [[nodiscard]] int prefixMemory() const;
    void setPrefixMemory(int mebibytes);
    [[nodiscard]] bool confirmLinks() const;  ///< show the address before a link is opened
    void setConfirmLinks(bool confirm);
    [[nodiscard]] int fontSize() const;  ///< points; 0: the desktop's
    void setFontSize(int points);
    [[nodiscard]] AnswerColour answerColour() const;
    void setAnswerColour(AnswerColour colour);
    [[nodiscard]] MotionChoice motion() const;
    void setMotion(MotionChoice motion);
    [[nodiscard]] bool safeColours() const;  ///< blue and orange in the block display, for people who do not tell green from red
    void setSafeColours(bool safe);
    [[nodiscard]] QString language() const;  ///< "de", "zh_CN", …; empty: the desktop's
    void setLanguage(const QString& code);
    [[nodiscard]] bool notifyWhenDone() const;  ///< a desktop notification when a long answer ends behind other windows
    void setNotifyWhenDone(bool notify);
    /// The person's keys for an action, in QKeySequence's portable text; a null string: the usual ones, an empty one: none.
    [[nodiscard]] QString keys(const QString& action) const;
    void setKeys(const QString& action, const QString& portableText);
    /// The served models that the person set up, as ServerList writes them; without any key.
    [[nodiscard]] QString servers() const;
    void setServers(const QString& json);
    [[nodiscard]] LocalApiChoice localApi() const;
    void setLocalApi(const LocalApiChoice& choice);
    [[nodiscard]] QString historyFile() const;  ///< a history that was started beside the standard one; empty: the standard one
    void setHistoryFile(const QString& file);
    [[nodiscard]] QString lastConversation() const;
    void setLastConversation(const QString& id);

    /// Writes what waits now. With a problem it is kept and tried again, by itself too.
    StoreProblem flush();

signals:
    void themeChanged(trefoil::ThemeChoice theme);
    void fontSizeChanged(int points);
    void motionChanged();
    void safeColoursChanged();
    void languageChanged(const QString& code);
    void keysChanged();
    void recentModelsChanged();
    void defaultModelChanged();
    /// Given once until writing works again.
    void notSaved(const trefoil::StoreProblem& problem);
    void saved();

private:
    [[nodiscard]] QVariant value(const QString& key) const;
    [[nodiscard]] int integer(const QString& key, int fallback, int minimum, int maximum) const;
    void set(const QString& key, const QVariant& value);
    void setRecentModels(const QStringList& folders);
    StoreProblem write();

    QString m_fileName;
    QHash<QString, QVariant> m_values;
    QHash<QString, QVariant> m_changed;  ///< not written yet
    QTimer m_timer;
    bool m_failing = false;
    bool m_broken = false;  ///< the file could not be read as INI; a copy is kept before it is written
};

}  // namespace trefoil
