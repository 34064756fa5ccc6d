#include "ui/models/model_dialog.h"

#include "ui/chat/growing_editor.h"
#include "ui/chat/pill_button.h"
#include "ui/models/number_text.h"
#include "ui/theme/theme.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QVBoxLayout>

namespace trefoil {

namespace {

constexpr int kLabelWidth = 170;

/// Selectable text that also breaks a long path, which a label would not.
QWidget* valueField(const QString& text, const QString& accessibleName) {
    constexpr int kMostLines = 40;
    auto* field = new GrowingEditor(1, kMostLines);
    field->document()->setDocumentMargin(0);
    field->setReadOnly(true);
    field->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    field->setFocusPolicy(Qt::ClickFocus);
    field->setContextMenuPolicy(Qt::DefaultContextMenu);
    field->viewport()->setAutoFillBackground(false);
    field->setText(text);
    field->setAccessibleName(accessibleName);
    return field;
}

QLabel* subtleLabel(const QString& text, const QPalette& palette) {
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    QPalette own = palette;
    own.setColor(QPalette::WindowText, theme::tone(theme::Tone::Subtle, palette));
    label->setPalette(own);
    return label;
}

void addHeading(QVBoxLayout* column, const QString& text) {
    auto* heading = new QLabel(text);
    heading->setTextFormat(Qt::PlainText);
    QFont font = heading->font();
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * 1.1);
    heading->setFont(font);
    if (column->count() > 0) column->addSpacing(14);
    column->addWidget(heading);
}

/// Label and value in two columns; the labels are the quieter ones.
QFormLayout* addForm(QVBoxLayout* column) {
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(18);
    form->setVerticalSpacing(5);
    form->setLabelAlignment(Qt::AlignLeading | Qt::AlignTop);
    form->setFormAlignment(Qt::AlignLeading | Qt::AlignTop);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setRowWrapPolicy(QFormLayout::DontWrapRows);
    column->addLayout(form);
    return form;
}

void addRow(QFormLayout* form, const QString& label, const QString& value, const QPalette& palette) {
    if (value.isEmpty()) return;
    auto* quiet = subtleLabel(label, palette);
    quiet->setFixedWidth(kLabelWidth);
    quiet->setAlignment(Qt::AlignTop | Qt::AlignLeading);
    form->addRow(quiet, valueField(value, label));
}

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
    m_scroll = new QScrollArea(this);
    m_scroll->setObjectName(QStringLiteral("modelScroll"));
    m_scroll->setAccessibleName(tr("About the model"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* open = new PillButton(tr("Open model…"), PillButton::Look::Plain, this);
    open->setObjectName(QStringLiteral("modelDialogOpen"));
    open->setIconName(QStringLiteral("open"));
    connect(open, &QPushButton::clicked, this, &ModelDialog::openModelRequested);
    auto* close = new PillButton(tr("Close"), PillButton::Look::Primary, this);
    close->setObjectName(QStringLiteral("modelDialogClose"));
    close->setDefault(true);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(open);
    buttons->addStretch(1);
    buttons->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    column->addWidget(m_scroll, 1);
    column->addLayout(buttons);
    resize(640, 600);
}

void ModelDialog::setModel(const ModelSummary& model, const QList<DeviceSummary>& devices) {
    auto* page = new QWidget;
    page->setObjectName(QStringLiteral("modelPage"));
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 8, 0);
    column->setSpacing(6);
    if (model.folder.isEmpty()) {
        column->addWidget(
            subtleLabel(tr("No model is loaded. Open a folder that holds a model's config.json and its tensors."), palette()));
    } else {
        addModel(column, model);
        addMemory(column, model, devices);
        addInferred(column, model);
    }
    addDevices(column, devices);
    column->addStretch(1);
    m_scroll->setWidget(page);
}

void ModelDialog::addModel(QVBoxLayout* column, const ModelSummary& model) {
    addHeading(column, model.name);
    QFormLayout* form = addForm(column);
    addRow(form, tr("Folder"), model.folder, palette());
    addRow(form, tr("Device"), model.device, palette());
    addRow(form, tr("Files"), model.layout, palette());
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

    if (!model.notes.isEmpty()) {
        addHeading(column, tr("Notes from loading"));
        for (const QString& note : model.notes) column->addWidget(valueField(QStringLiteral("•  ") + note, tr("Note")));
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
    addRow(form, tr("Weights"), bytesText(model.weightBytes), palette());
    addRow(form, tr("Keys and values"), tr("%1 for the whole context").arg(bytesText(model.keyValueBytes)), palette());
    addRow(form, tr("Recurrent states"), bytesText(model.stateBytes), palette());
    addRow(form, tr("Workspace"), bytesText(model.workspaceBytes), palette());
    addRow(form, tr("Together"), bytesText(model.weightBytes + model.keyValueBytes + model.stateBytes + model.workspaceBytes),
           palette());
    for (const DeviceSummary& device : devices)
        if (device.id == model.deviceId && device.memoryTotal > 0)
            addRow(form, tr("On the device"),
                   tr("%1 free of %2").arg(bytesText(device.memoryFree), bytesText(device.memoryTotal)), palette());
}

QList<InferredPoint> ModelDialog::inferredPoints(const ModelSummary& model) {
    const bool aligned = model.defaults.value(QStringLiteral("align_blocks")).toBool();
    const QString atPromptEnd = tr("a block starts where the prompt ends");
    const QString atMultiples = tr("blocks start at multiples of the block size from the sequence's start");
    return {
        {tr("History value in the noisy mixer"), tr("read as it is"), tr("scaled by the key dimension's square root")},
        {tr("Values in the noisy mixer"), tr("as they leave the convolution"), tr("scaled by β")},
        {tr("Where blocks start (align_blocks)"), aligned ? atMultiples : atPromptEnd, aligned ? atPromptEnd : atMultiples},
        {tr("RMSNorm weights"), tr("zero-centred: 1 is added"), tr("used as stored")},
        {tr("Logits of a noisy row"), tr("predict the row's own token"), tr("predict the next token")},
        {tr("Coreset mass"), tr("from the router's raw probabilities"),
         tr("from the renormalised weights of the chosen experts")},
    };
}

void ModelDialog::addInferred(QVBoxLayout* column, const ModelSummary& model) {
    addHeading(column, tr("Inferred about the model"));
    column->addWidget(
        subtleLabel(tr("The vendor has not published these points. Trefoil takes the side that fits what is known; should "
                       "answers of a new checkpoint look wrong, one of them may be the cause."),
                    palette()));
    QFormLayout* form = addForm(column);
    for (const InferredPoint& point : inferredPoints(model))
        addRow(form, point.point, tr("inferred: %1 (the alternative: %2)").arg(point.used, point.alternative), palette());
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
