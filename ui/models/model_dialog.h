// ModelDialog: everything that is known, planned and assumed about the loaded model, the machine's devices, and what another
// model would need before it is loaded.
#pragma once

#include "app/core/generation_types.h"

#include <QDialog>
#include <QList>

class QScrollArea;
class QTabWidget;
class QVBoxLayout;
class QWidget;

namespace trefoil {

class CompatibilityPage;
class OpenModelPage;

class ModelDialog : public QDialog {
    Q_OBJECT
public:
    enum class Page { InUse, Load, Compatibility };

    explicit ModelDialog(QWidget* parent = nullptr);

    void showPage(Page page);
    [[nodiscard]] OpenModelPage* openPage() const { return m_openPage; }
    [[nodiscard]] CompatibilityPage* compatibilityPage() const { return m_compatibility; }

    /// A summary without a folder: no model is loaded.
    void setModel(const ModelSummary& model, const QList<DeviceSummary>& devices);

signals:
    void openModelRequested();

private:
    void addModel(QVBoxLayout* column, const ModelSummary& model);
    void addMemory(QVBoxLayout* column, const ModelSummary& model, const QList<DeviceSummary>& devices);
    void addDevices(QVBoxLayout* column, const QList<DeviceSummary>& devices);

    QTabWidget* m_tabs;
    QScrollArea* m_scroll;
    OpenModelPage* m_openPage;
    CompatibilityPage* m_compatibility;
};

}  // namespace trefoil
