#include "ui/models/model_dialog.h"

#include "ui/chat/pill_button.h"
#include "ui/models/compatibility_page.h"
#include "ui/models/fact_form.h"
#include "ui/models/number_text.h"
#include "ui/models/open_model_page.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QTabWidget>
#include <QVBoxLayout>

namespace trefoil {

namespace {

QString controlText(const QVariant& value) {
    switch (value.typeId()) {
        case QMetaType::Bool:
            return value.toBool() ? ModelDialog::tr("on") : ModelDialog::tr("off");
        case QMetaType::Double:
        case QMetaType::Float:
            return QLocale().toString(value.toDouble(), 'g', QLocale::FloatingPointShortest);
        case QMetaType::LongLong:
        case QMetaType::Int:
            return countText(value.toLongLong());
        default:
            return value.toString();
    }
}

}  // namespace

ModelDialog::ModelDialog(QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("modelDialog"));
    setWindowTitle(tr("Model"));
    setSizeGripEnabled(true);
    m_tabs = new QTabWidget(this);
    m_tabs->setObjectName(QStringLiteral("modelTabs"));
    m_tabs->setAccessibleName(tr("Pages of the model dialog"));
    m_tabs->setDocumentMode(true);
    m_scroll = new QScrollArea(m_tabs);
    m_scroll->setObjectName(QStringLiteral("modelScroll"));
    m_scroll->setAccessibleName(tr("About the model"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_openPage = new OpenModelPage(m_tabs);
    m_tabs->addTab(m_scroll, tr("In &use"));
    m_compatibility = new CompatibilityPage(m_tabs);
    m_tabs->addTab(m_openPage, tr("&Load a model"));
    m_tabs->addTab(m_compatibility, tr("Com&patibility"));
    auto* open = new PillButton(tr("Choose a folder…"), PillButton::Look::Plain, this);
    open->setObjectName(QStringLiteral("modelDialogOpen"));
    open->setIconName(QStringLiteral("open"));
    open->setAutoDefault(false);
    connect(open, &QPushButton::clicked, this, &ModelDialog::openModelRequested);
    auto* close = new PillButton(tr("Close"), PillButton::Look::Plain, this);
    close->setObjectName(QStringLiteral("modelDialogClose"));
    close->setAutoDefault(false);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(open);
    buttons->addStretch(1);
    buttons->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    column->addWidget(m_tabs, 1);
    column->addLayout(buttons);
    resize(680, 680);
}

void ModelDialog::showPage(Page page) { m_tabs->setCurrentIndex(static_cast<int>(page)); }

void ModelDialog::setModel(const ModelSummary& model, const QList<DeviceSummary>& devices) {
    auto* page = new QWidget;
    page->setObjectName(QStringLiteral("modelPage"));
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(4, 12, 8, 4);
    column->setSpacing(6);
    if (model.folder.isEmpty()) {
        column->addWidget(
            subtleLabel(tr("No model is loaded. Open a folder that holds a model's config.json and its tensors."), palette()));
    } else {
        addModel(column, model);
        addMemory(column, model, devices);
    }
    addDevices(column, devices);
    column->addStretch(1);
    m_scroll->setWidget(page);
    m_compatibility->setModel(model);
}

void ModelDialog::addModel(QVBoxLayout* column, const ModelSummary& model) {
    addHeading(column, model.name);
    QFormLayout* form = addForm(column);
    addRow(form, tr("Folder"), model.folder, palette());
    addRow(form, tr("Device"), model.device, palette());
    addRow(form, tr("Files"), model.layout, palette());
    addRow(form, tr("Format"), model.format, palette());
    addRow(form, tr("Tokenizer"), model.tokenizer.isEmpty() ? tr("none found") : model.tokenizer, palette());
    addRow(form, tr("Parameters"), largeCountText(model.parameters), palette());
    addRow(form, tr("Context"), tr("%1 tokens").arg(countText(model.context)), palette());
    addRow(form, tr("Mask token"), QString::number(model.maskId), palette());
    QStringList ends;
    for (const qint32 id : model.eosIds) ends.append(QString::number(id));
    addRow(form, tr("End tokens"), ends.join(QStringLiteral(", ")), palette());
    addRow(form, tr("End of thinking"),
           model.thinkEndId < 0 ? tr("none: the model has no thinking") : QString::number(model.thinkEndId), palette());
    if (model.loadMs > 0) addRow(form, tr("Loaded in"), tr("%1 ms").arg(realText(model.loadMs, 0)), palette());

    if (!model.warnings.isEmpty()) {
        addHeading(column, tr("Warnings"));
        for (const QString& warning : model.warnings)
            column->addWidget(factField(QStringLiteral("•  ") + warning, tr("Warning")));
    }
    if (!model.notes.isEmpty()) {
        addHeading(column, tr("Notes from loading"));
        for (const QString& note : model.notes) column->addWidget(factField(QStringLiteral("•  ") + note, tr("Note")));
    }
    if (!model.dimensions.isEmpty()) {
        addHeading(column, tr("Dimensions"));
        form = addForm(column);
        for (const QPair<QString, QString>& dimension : model.dimensions)
            addRow(form, dimension.first, dimension.second, palette());
    }
    if (model.defaults.isEmpty()) return;
    addHeading(column, tr("Generation defaults of this model"));
    form = addForm(column);
    for (const ControlDescription& control : controlDescriptions())
        if (model.defaults.contains(control.name))
            addRow(form, control.name, controlText(model.defaults.value(control.name)), palette());
}

void ModelDialog::addMemory(QVBoxLayout* column, const ModelSummary& model, const QList<DeviceSummary>& devices) {
    addHeading(column, tr("Memory plan"));
    QFormLayout* form = addForm(column);
    addRow(form, tr("Experts"), bytesText(model.expertBytes), palette());
    addRow(form, tr("Other weights"), bytesText(model.weightBytes - model.expertBytes), palette());
    addRow(form, tr("Keys and values"), tr("%1 for the whole context").arg(bytesText(model.keyValueBytes)), palette());
    addRow(form, tr("Recurrent states"), bytesText(model.stateBytes), palette());
    addRow(form, tr("Workspace"), bytesText(model.workspaceBytes), palette());
    addRow(form, tr("Together"), bytesText(model.weightBytes + model.keyValueBytes + model.stateBytes + model.workspaceBytes),
           palette());
    const QStringList ids = model.deviceId.split(QLatin1Char(','));
    for (const DeviceSummary& device : devices)
        if (ids.contains(device.id) && device.memoryTotal > 0)
            addRow(form, ids.size() == 1 ? tr("On the device") : tr("On %1").arg(device.id),
                   tr("%1 free of %2").arg(bytesText(device.memoryFree), bytesText(device.memoryTotal)), palette());
    addCoresetNote(column, palette());
}

void ModelDialog::addDevices(QVBoxLayout* column, const QList<DeviceSummary>& devices) {
    if (devices.isEmpty()) return;
    addHeading(column, tr("Devices of this machine"));
    QFormLayout* form = addForm(column);
    for (const DeviceSummary& device : devices) {
        QString text = device.name;
        if (device.memoryTotal > 0)
            text += tr(", %1 free of %2").arg(bytesText(device.memoryFree), bytesText(device.memoryTotal));
        if (!device.usable) text += tr("\nnot usable: %1").arg(device.reason);
        addRow(form, device.id, text, palette());
    }
}

}  // namespace trefoil
