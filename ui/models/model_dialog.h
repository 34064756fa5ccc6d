// ModelDialog: everything that is known, planned and assumed about the loaded model, and the machine's devices.
#pragma once

#include "app/core/generation_types.h"

#include <QDialog>
#include <QList>

class QScrollArea;
class QVBoxLayout;
class QWidget;

namespace trefoil {

/// A point of model-contract.md, section 9: behaviour that was inferred, not published.
struct InferredPoint {
    QString point;
    QString used;         ///< the side that this program takes
    QString alternative;  ///< the other one
};

class ModelDialog : public QDialog {
    Q_OBJECT
public:
    explicit ModelDialog(QWidget* parent = nullptr);

    /// A summary without a folder: no model is loaded.
    void setModel(const ModelSummary& model, const QList<DeviceSummary>& devices);

    /// Section 9's points with the sides in use; `align_blocks` comes from the model's defaults.
    [[nodiscard]] static QList<InferredPoint> inferredPoints(const ModelSummary& model);

signals:
    void openModelRequested();

private:
    void addModel(QVBoxLayout* column, const ModelSummary& model);
    void addMemory(QVBoxLayout* column, const ModelSummary& model, const QList<DeviceSummary>& devices);
    void addInferred(QVBoxLayout* column, const ModelSummary& model);
    void addDevices(QVBoxLayout* column, const QList<DeviceSummary>& devices);

    QScrollArea* m_scroll;
};

}  // namespace trefoil
