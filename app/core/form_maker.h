// FormMaker: makes a smaller form of a model (`trefoil-cli quantize`) on a thread of its own. Outlives the window that began it.
#pragma once

#include "app/core/recommendation_types.h"

#include <QObject>
#include <QString>

#include <memory>

namespace trefoil {

class FormMaker : public QObject {
    Q_OBJECT
public:
    explicit FormMaker(QObject* parent = nullptr);
    /// Stops what runs and waits for it (at most a few MB of work); the folder can be gone on with.
    ~FormMaker() override;

    /// Begins to make `form` of the model in `model`, into the folder `out`. Nothing is overwritten: a folder that holds anything
    /// but an unfinished run of the same is refused, and that one is gone on with. False, and nothing happens, while something is
    /// being made, and for forms that Trefoil does not make. Answers with progress… and exactly one finished.
    bool start(const QString& model, ModelForm form, const QString& out);
    void stop();
    [[nodiscard]] bool isRunning() const;
    /// Of what runs, or ran last.
    [[nodiscard]] QString folder() const;
    /// A folder beside the model's (or in the home folder, where nothing can be written there) named after the form, one that is
    /// not there yet or holds an unfinished run.
    [[nodiscard]] static QString proposedFolder(const QString& model, ModelForm form);
    /// The folder holds what a stopped run left.
    [[nodiscard]] static bool isUnfinished(const QString& folder);

signals:
    void progress(quint64 bytesDone, quint64 bytesTotal);
    void finished(const trefoil::MadeForm& made);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

}  // namespace trefoil
