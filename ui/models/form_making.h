// FormMaking: asks where a smaller form of a model is to be written, shows how far it has come, and what came of it.
#pragma once

#include "app/core/recommendation_types.h"

#include <QString>
#include <QWidget>

class QLabel;
class QLineEdit;
class QProgressBar;

namespace trefoil {

class PillButton;

/// Hidden until ask or begin. Makes nothing itself: it shows values and answers with signals.
class FormMaking : public QWidget {
    Q_OBJECT
public:
    explicit FormMaking(QWidget* parent = nullptr);

    /// Asks for the folder; `proposed` is one that nothing is overwritten in.
    void ask(const QString& model, ModelForm form, const QString& proposed, quint64 fileBytes);
    /// It is being made into `folder`.
    void begin(const QString& folder);
    void setProgress(quint64 doneBytes, quint64 totalBytes);
    void setFinished(const MadeForm& made);
    [[nodiscard]] bool isMaking() const { return m_state == State::Making; }
    [[nodiscard]] QString caption() const;

signals:
    void startRequested(const QString& model, trefoil::ModelForm form, const QString& folder);
    void stopRequested();
    void openRequested(const QString& folder);

private:
    enum class State : quint8 { Hidden, Asking, Making, Ended };
    void setState(State state);
    void chooseFolder();
    void showHint();

    State m_state = State::Hidden;
    QString m_model;
    ModelForm m_form = ModelForm::Fp8;
    QString m_folder;
    QLabel* m_caption;
    QLabel* m_hint;
    QLineEdit* m_path;
    QProgressBar* m_bar;
    PillButton* m_choose;
    PillButton* m_start;
    PillButton* m_stop;
    PillButton* m_open;
    PillButton* m_close;
};

}  // namespace trefoil
