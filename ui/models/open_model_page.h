// OpenModelPage: recent models, and what a folder holds and needs before it is loaded. Shows values and answers with signals.
#pragma once

#include "app/core/generation_types.h"

#include <QList>
#include <QString>
#include <QWidget>

#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QListWidget;
class QScrollArea;
class QSlider;
class QSpinBox;
class QTimer;
class QVBoxLayout;

namespace trefoil {

class FormMaking;
class PillButton;

/// A model of the list.
struct RecentModel {
    QString folder;
    bool missing = false;  ///< the folder is not there
};

class OpenModelPage : public QWidget {
    Q_OBJECT
public:
    explicit OpenModelPage(QWidget* parent = nullptr);

    void setRecentModels(const QList<RecentModel>& models);
    /// The folder that is loaded at every start; empty: none was chosen.
    void setDefaultModel(const QString& folder);
    /// Name of the model in use; empty: there is none.
    void setModelInUse(const QString& name);
    /// Where models are loaded unless the person chooses otherwise, and with how many threads.
    void setDevice(const QString& device, int threads);

    /// Has `folder` examined (examineRequested) and shows what comes; its row is chosen if it has one. `switches`: what it is to
    /// be loaded with.
    void examine(const QString& folder, const CompatibilityChoices& switches = {});
    /// Of another folder than the one on show: ignored.
    void setExamination(const ModelExaminationView& model);
    [[nodiscard]] QString folder() const { return m_folder; }
    /// GiB of each card that Trefoil may take; 0: automatic.
    void setGpuMemory(int gibibytes);
    /// Examines the folder on show again, if there is one: something that its numbers depend on has changed.
    void refresh();
    /// Where the making of another form is asked for and shown.
    [[nodiscard]] FormMaking* making() const { return m_making; }
    /// The cards are being measured, or not any more; `cards`: how many could be.
    void setMeasuring(bool measuring, int cards = -1);

signals:
    void examineRequested(const trefoil::ModelLoadRequest& request);
    void loadRequested(const trefoil::ModelLoadRequest& request);
    void removeRequested(const QString& folder);
    void gpuMemoryChosen(int gibibytes);
    void measureRequested();
    /// An empty folder: none is loaded at every start any more.
    void defaultModelChosen(const QString& folder);

protected:
    void changeEvent(QEvent* event) override;

private:
    void applyColours();
    [[nodiscard]] ModelLoadRequest request() const;
    void rowChosen();
    void examineAgain();
    void showExamination();
    void addDevicePlans(QVBoxLayout* column, const ModelExaminationView& model);
    void showChoices();
    void showVerdict();
    void load();
    QWidget* buildMemoryRow();
    void showMemory();
    void addMachine(QVBoxLayout* column, const ModelExaminationView& model);
    void askForForm(ModelForm form);
    [[nodiscard]] int chosenGpuMemory() const;

    QString m_folder;
    QString m_shown;  ///< the folder whose numbers are on show
    CompatibilityChoices m_switches;
    QString m_default;
    QString m_inUse;
    QString m_device = QStringLiteral("auto");
    int m_threads = 0;
    std::optional<ModelExaminationView> m_model;
    QListWidget* m_recent;
    PillButton* m_remove;
    QCheckBox* m_atStart;
    QScrollArea* m_scroll;
    QComboBox* m_deviceBox;
    QSpinBox* m_context;
    QTimer* m_contextTimer;
    QSlider* m_memory = nullptr;
    QLabel* m_memoryText = nullptr;
    QTimer* m_memoryTimer = nullptr;
    int m_gpuMemory = 0;  ///< as it was set; the slider may not reach so far
    bool m_measuring = false;
    QString m_measured;  ///< what came of measuring, where it came to nothing
    FormMaking* m_making;
    QLabel* m_verdict;
    PillButton* m_load;
};

}  // namespace trefoil
