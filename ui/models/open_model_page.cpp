#include "ui/models/open_model_page.h"

#include "ui/chat/pill_button.h"
#include "ui/models/fact_form.h"
#include "ui/models/form_making.h"
#include "ui/models/number_text.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace trefoil {

namespace {

constexpr int kListHeight = 112;
constexpr int kContextStep = 1024;
constexpr int kContextDelayMs = 300;  // after the last change of the number
constexpr int kMissingRole = Qt::UserRole + 1;
const QString kAutomatic = QStringLiteral("auto");

QString nameOf(const QString& folder) { return QFileInfo(QDir(folder).absolutePath()).fileName(); }

QString needText(const DevicePlanView& plan, qint64 context) {
    return OpenModelPage::tr("needs %1: experts %2, other weights %3, keys and values %4 for %5 tokens, states %6, workspace %7")
        .arg(bytesText(plan.totalBytes()), bytesText(plan.expertBytes), bytesText(plan.weightBytes - plan.expertBytes),
             bytesText(plan.keyValueBytes), countText(context), bytesText(plan.stateBytes), bytesText(plan.workspaceBytes));
}

}  // namespace

OpenModelPage::OpenModelPage(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("openModelPage"));
    m_recent = new QListWidget(this);
    m_recent->setObjectName(QStringLiteral("recentModels"));
    m_recent->setAccessibleName(tr("Recent models"));
    m_recent->setUniformItemSizes(true);
    m_recent->setTextElideMode(Qt::ElideMiddle);
    m_recent->setMaximumHeight(kListHeight);
    connect(m_recent, &QListWidget::currentRowChanged, this, &OpenModelPage::rowChosen);
    m_remove = new PillButton(tr("Remove from the list"), PillButton::Look::Quiet, this);
    m_remove->setObjectName(QStringLiteral("removeRecentModel"));
    m_remove->setAutoDefault(false);
    connect(m_remove, &QPushButton::clicked, this, [this] {
        if (const QListWidgetItem* item = m_recent->currentItem()) emit removeRequested(item->data(Qt::UserRole).toString());
    });
    m_atStart = new QCheckBox(tr("Load it at every start"), this);
    m_atStart->setObjectName(QStringLiteral("defaultModel"));
    m_atStart->setToolTip(tr("Otherwise Trefoil starts with the model that was used last."));
    connect(m_atStart, &QCheckBox::clicked, this, [this](bool on) { emit defaultModelChosen(on ? m_folder : QString()); });
    m_scroll = new QScrollArea(this);
    m_scroll->setObjectName(QStringLiteral("examination"));
    m_scroll->setAccessibleName(tr("What the folder holds and needs"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_deviceBox = new QComboBox(this);
    m_deviceBox->setObjectName(QStringLiteral("loadDevice"));
    m_deviceBox->setAccessibleName(tr("Device to load the model on"));
    m_deviceBox->addItem(tr("Automatic"), kAutomatic);
    connect(m_deviceBox, &QComboBox::activated, this, &OpenModelPage::examineAgain);
    m_context = new QSpinBox(this);
    m_context->setObjectName(QStringLiteral("loadContext"));
    m_context->setAccessibleName(tr("Context in tokens"));
    m_context->setToolTip(tr("Prompt and answer together. A shorter context takes less memory for keys and values."));
    m_context->setGroupSeparatorShown(true);
    m_context->setSingleStep(kContextStep);
    m_context->setRange(1, 1);
    m_contextTimer = new QTimer(this);
    m_contextTimer->setSingleShot(true);
    m_contextTimer->setInterval(kContextDelayMs);
    connect(m_context, &QSpinBox::valueChanged, m_contextTimer, qOverload<>(&QTimer::start));
    connect(m_contextTimer, &QTimer::timeout, this, &OpenModelPage::examineAgain);
    QWidget* memoryRow = buildMemoryRow();
    m_making = new FormMaking(this);
    m_verdict = subtleLabel({}, palette());
    m_verdict->setObjectName(QStringLiteral("loadVerdict"));
    m_load = new PillButton(tr("Load"), PillButton::Look::Primary, this);
    m_load->setObjectName(QStringLiteral("loadModel"));
    m_load->setDefault(true);
    connect(m_load, &QPushButton::clicked, this, &OpenModelPage::load);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4, 12, 4, 4);
    column->setSpacing(8);
    addHeading(column, tr("Recent models"));
    column->addWidget(m_recent);
    auto* listRow = new QHBoxLayout;
    listRow->addWidget(m_atStart);
    listRow->addStretch(1);
    listRow->addWidget(m_remove);
    column->addLayout(listRow);
    column->addWidget(m_scroll, 1);
    auto* choices = new QHBoxLayout;
    auto* deviceLabel = new QLabel(tr("&Device"), this);
    deviceLabel->setBuddy(m_deviceBox);
    auto* contextLabel = new QLabel(tr("Conte&xt"), this);
    contextLabel->setBuddy(m_context);
    for (QLabel* label : {deviceLabel, contextLabel}) label->setTextFormat(Qt::PlainText);
    choices->addWidget(deviceLabel);
    choices->addWidget(m_deviceBox);
    choices->addSpacing(12);
    choices->addWidget(contextLabel);
    choices->addWidget(m_context);
    choices->addStretch(1);
    column->addLayout(choices);
    column->addWidget(memoryRow);
    column->addWidget(m_making);
    auto* verdictRow = new QHBoxLayout;
    verdictRow->addWidget(m_verdict, 1);
    verdictRow->addWidget(m_load, 0, Qt::AlignBottom);
    column->addLayout(verdictRow);
    showExamination();
}

void OpenModelPage::setRecentModels(const QList<RecentModel>& models) {
    const QSignalBlocker quiet(m_recent);
    m_recent->clear();
    for (const RecentModel& model : models) {
        const QString folder = QDir::toNativeSeparators(model.folder);
        auto* item = new QListWidgetItem(model.missing ? tr("%1 — the folder is missing: %2").arg(nameOf(model.folder), folder)
                                                       : tr("%1 — %2").arg(nameOf(model.folder), folder),
                                         m_recent);
        item->setData(Qt::UserRole, model.folder);
        item->setToolTip(folder);
        item->setData(kMissingRole, model.missing);
        if (model.folder == m_folder) m_recent->setCurrentItem(item);
    }
    m_remove->setEnabled(m_recent->currentItem() != nullptr);
    applyColours();
}

void OpenModelPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) applyColours();
}

void OpenModelPage::applyColours() {
    for (int row = 0; row < m_recent->count(); ++row)
        if (m_recent->item(row)->data(kMissingRole).toBool())
            m_recent->item(row)->setForeground(theme::tone(theme::Tone::Warning, palette()));
}

void OpenModelPage::setDefaultModel(const QString& folder) {
    m_default = folder;
    m_atStart->setChecked(!m_folder.isEmpty() && m_folder == m_default);
}

void OpenModelPage::setModelInUse(const QString& name) {
    m_inUse = name;
    showVerdict();
}

void OpenModelPage::setDevice(const QString& device, int threads) {
    m_threads = threads;
    m_device = device;
    showChoices();
}

void OpenModelPage::examine(const QString& folder, const CompatibilityChoices& switches) {
    m_folder = folder;
    m_switches = switches;
    m_model.reset();
    m_contextTimer->stop();
    {
        const QSignalBlocker quiet(m_recent);
        m_recent->setCurrentRow(-1);
        for (int row = 0; row < m_recent->count(); ++row)
            if (m_recent->item(row)->data(Qt::UserRole).toString() == folder) m_recent->setCurrentRow(row);
    }
    m_remove->setEnabled(m_recent->currentItem() != nullptr);
    setDefaultModel(m_default);
    showChoices();
    showExamination();
    if (!folder.isEmpty()) emit examineRequested(request());
}

void OpenModelPage::setExamination(const ModelExaminationView& model) {
    if (model.folder != m_folder) return;
    m_model = model;
    showChoices();
    showExamination();
}

ModelLoadRequest OpenModelPage::request() const {
    ModelLoadRequest request;
    request.folder = m_folder;
    request.device = m_deviceBox->currentData().toString();
    request.threads = m_threads;
    request.switches = m_switches;
    request.gpuMemory = chosenGpuMemory();
    // As many as the model allows is told as 0: another model of this name may allow more.
    if (m_model && m_context->value() < m_model->modelContext) request.context = m_context->value();
    return request;
}

void OpenModelPage::rowChosen() {
    if (const QListWidgetItem* item = m_recent->currentItem()) examine(item->data(Qt::UserRole).toString());
}

void OpenModelPage::examineAgain() {
    if (m_folder.isEmpty()) return;
    m_device = m_deviceBox->currentData().toString();
    m_load->setEnabled(false);  // until the new numbers are there
    emit examineRequested(request());
}

/// Device and context that can be chosen for the folder on show.
void OpenModelPage::showChoices() {
    const QSignalBlocker quietDevice(m_deviceBox);
    const QSignalBlocker quietContext(m_context);
    m_deviceBox->clear();
    m_deviceBox->addItem(tr("Automatic"), kAutomatic);
    if (m_model)
        for (const DevicePlanView& plan : m_model->devices)
            if (plan.device.usable) m_deviceBox->addItem(plan.device.id, plan.device.id);
    if (m_deviceBox->findData(m_device) < 0) m_deviceBox->addItem(m_device, m_device);
    m_deviceBox->setCurrentIndex(m_deviceBox->findData(m_device));
    showMemory();
    const bool known = m_model && m_model->problem.isEmpty();
    m_deviceBox->setEnabled(known);
    m_context->setEnabled(known);
    if (!known) return;
    m_context->setRange(1, static_cast<int>(std::min<qint64>(m_model->modelContext, std::numeric_limits<int>::max())));
    if (!m_contextTimer->isActive()) m_context->setValue(static_cast<int>(m_model->plannedContext));
}

void OpenModelPage::showExamination() {
    auto* page = new QWidget;
    page->setObjectName(QStringLiteral("examinationPage"));
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 4, 8, 0);
    column->setSpacing(6);
    if (m_folder.isEmpty()) {
        column->addWidget(subtleLabel(tr("Choose one of the recent models, or a folder that holds a model's config.json and its "
                                         "tensors. Nothing is loaded before you say so."),
                                      palette()));
    } else if (!m_model) {
        column->addWidget(subtleLabel(tr("Reading the headers of %1…").arg(nameOf(m_folder)), palette()));
    } else {
        addHeading(column, m_model->name);
        QFormLayout* form = addForm(column);
        addRow(form, tr("Folder"), m_model->folder, palette());
        addRow(form, tr("Problem"), m_model->problem, palette());
        if (m_model->problem.isEmpty()) {
            addRow(form, tr("Complete"), tr("yes: every tensor is in its place"), palette());
            addRow(form, tr("Parameters"),
                   tr("%1, %2 on the disk, %3")
                       .arg(largeCountText(m_model->parameters), bytesText(m_model->weightBytes), m_model->layout),
                   palette());
            addRow(form, tr("Format"), m_model->format, palette());
            addRow(form, tr("Tokenizer"), m_model->tokenizer.isEmpty() ? tr("none found") : m_model->tokenizer, palette());
            addRow(form, tr("Context"), tr("%1 tokens at most").arg(countText(m_model->modelContext)), palette());
            addDevicePlans(column, *m_model);
            addMachine(column, *m_model);
            addHeading(column, tr("Dimensions"));
            form = addForm(column);
            for (const QPair<QString, QString>& dimension : m_model->dimensions)
                addRow(form, dimension.first, dimension.second, palette());
            if (!m_model->warnings.isEmpty()) addHeading(column, tr("Warnings"));
            for (const QString& warning : m_model->warnings)
                column->addWidget(factField(QStringLiteral("•  ") + warning, tr("Warning")));
            if (!m_model->notes.isEmpty()) addHeading(column, tr("Notes"));
            for (const QString& note : m_model->notes) column->addWidget(factField(QStringLiteral("•  ") + note, tr("Note")));
        }
    }
    column->addStretch(1);
    // Other numbers for the same folder leave the view where it is.
    const int at = m_shown == m_folder ? m_scroll->verticalScrollBar()->value() : 0;
    if (m_model) m_shown = m_folder;
    m_scroll->setWidget(page);
    if (at > 0) QTimer::singleShot(0, page, [this, at] { m_scroll->verticalScrollBar()->setValue(at); });
    showVerdict();
}

void OpenModelPage::addDevicePlans(QVBoxLayout* column, const ModelExaminationView& model) {
    addHeading(column, tr("What it needs, and what this machine has"));
    QFormLayout* form = addForm(column);
    for (const DevicePlanView& plan : model.devices) {
        QStringList lines{plan.device.name};
        if (plan.device.memoryTotal > 0)
            lines[0] += tr(", %1 free of %2").arg(bytesText(plan.device.memoryFree), bytesText(plan.device.memoryTotal));
        if (plan.planned) {
            lines.append(needText(plan, model.plannedContext));
            if (plan.fit == DeviceFit::Fits)
                lines.append(tr("fits"));
            else if (plan.fit == DeviceFit::FitsAlone)
                lines.append(tr("fits once %1 is unloaded").arg(m_inUse));
            else
                lines.append(tr("does not fit"));
        } else {
            lines.append(tr("not usable: %1").arg(plan.problem));
        }
        addRow(form, plan.device.id, lines.join(QLatin1Char('\n')), palette());
    }
    addCoresetNote(column, palette());
}

/// What pressing Load will do, in a sentence, or why it cannot be pressed.
void OpenModelPage::showVerdict() {
    const DevicePlanView* plan = m_model ? m_model->chosenPlan() : nullptr;
    QString text;
    bool able = false;
    if (!m_model) {
        text.clear();
    } else if (!m_model->problem.isEmpty()) {
        text = tr("This folder cannot be loaded.");
    } else if (plan == nullptr) {
        text = m_model->deviceProblem;
    } else if (plan->fit == DeviceFit::DoesNotFit) {
        text = tr("It does not fit on %1: %2.").arg(plan->device.id, plan->problem);
    } else if (plan->fit == DeviceFit::FitsAlone) {
        text =
            tr("Both models do not fit on %1 together. Load unloads %2 first, once its answer has ended; should loading fail, no "
               "model is left in use.")
                .arg(plan->device.id, m_inUse);
        able = true;
    } else {
        text = m_inUse.isEmpty() ? tr("It will run on %1.").arg(plan->device.id)
                                 : tr("It will run on %1. %2 stays in use until it is ready.").arg(plan->device.id, m_inUse);
        able = true;
    }
    m_verdict->setText(text);
    m_load->setEnabled(able);
    m_atStart->setEnabled(m_model && (m_model->problem.isEmpty() || m_folder == m_default));
}

void OpenModelPage::load() {
    if (!m_model) return;
    ModelLoadRequest chosen = request();
    const DevicePlanView* plan = m_model->chosenPlan();
    chosen.mayUnload = plan != nullptr && plan->fit == DeviceFit::FitsAlone;
    emit loadRequested(chosen);
}

}  // namespace trefoil
