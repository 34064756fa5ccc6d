// CompareDialog: two versions of an answer side by side. Shows values that it is given; asks for a run by a signal.
#pragma once

#include "app/core/store_types.h"

#include <QDialog>
#include <QHash>
#include <QList>

#include <array>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTextBrowser;

namespace trefoil {

/// What a person chose and typed there.
struct CompareChoices {
    struct Side {
        QString version;   ///< id of the answer on show
        QString settings;  ///< name of a preset; empty: the conversation's own
        QString control;   ///< the setting that is changed; empty: none
        QString value;     ///< as typed
    };
    std::array<Side, 2> sides;
};

class CompareDialog : public QDialog {
    Q_OBJECT
public:
    explicit CompareDialog(QWidget* parent = nullptr);

    /// The versions of one answer, oldest first, and the question.
    void setAnswers(const QString& question, const QList<MessageRecord>& answers);
    /// What answers can be written with: the conversation's own settings, and presets over them.
    void setSettings(const ControlValues& own, const QHash<QString, ControlValues>& presets);
    /// Chooses which two are on show; an unknown id changes nothing.
    void showPair(const QString& leftId, const QString& rightId);
    void setRunning(bool running);
    [[nodiscard]] CompareChoices choices() const;
    /// What is not there (any more) stays as it is.
    void setChoices(const CompareChoices& choices);
    /// One line under the settings; empty: none.
    void setNote(const QString& text);

signals:
    void runRequested(const trefoil::ControlValues& left, const trefoil::ControlValues& right);
    void stopRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Side {
        QComboBox* version = nullptr;
        QLabel* figures = nullptr;
        QTextBrowser* text = nullptr;
        QComboBox* settings = nullptr;
        QComboBox* control = nullptr;
        QLineEdit* value = nullptr;
    };
    QWidget* buildSide(int index);
    void showAnswers();
    /// The conversation's settings, and the chosen preset's over them.
    [[nodiscard]] ControlValues settingsOf(const Side& side) const;
    void showValue(int index);
    /// Empty with a problem.
    [[nodiscard]] ControlValues chosen(int index, QString* problem) const;
    void run();
    [[nodiscard]] const MessageRecord* answerOf(int index) const;

    std::array<Side, 2> m_sides;
    QLabel* m_question;
    QLabel* m_difference;
    QLabel* m_note;
    QPushButton* m_run;
    QList<MessageRecord> m_answers;
    ControlValues m_own;
    QHash<QString, ControlValues> m_presets;
    bool m_running = false;
};

}  // namespace trefoil
