// OpenModelPage's part about the cards: how much of their memory may be taken, and which form of the model suits them.
#include "app/core/form_maker.h"
#include "ui/models/fact_form.h"
#include "ui/models/form_making.h"
#include "ui/models/machine_section.h"
#include "ui/models/open_model_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {

namespace {

constexpr int kLeastGibibytes = 2;
constexpr int kMemoryDelayMs = 300;  // after the last move of the slider

/// The largest usable card's memory in GiB; 0: there is none.
int largestCard(const ModelExaminationView& model) {
    quint64 bytes = 0;
    for (const CardAdvice& card : model.recommendation.cards) bytes = std::max(bytes, card.memoryTotal);
    return static_cast<int>(bytes >> 30);
}

QString whyNoCard(const ModelExaminationView& model) {
    for (const DevicePlanView& plan : model.devices)
        if (plan.device.id != QLatin1String("cpu") && !plan.device.usable) return plan.device.reason;
    return {};
}

}  // namespace

QWidget* OpenModelPage::buildMemoryRow() {
    auto* row = new QWidget(this);
    m_memory = new QSlider(Qt::Horizontal, row);
    m_memory->setObjectName(QStringLiteral("gpuMemory"));
    m_memory->setAccessibleName(tr("Memory on the card"));
    m_memory->setRange(kLeastGibibytes, kLeastGibibytes + 1);
    m_memoryText = new QLabel(row);
    m_memoryText->setObjectName(QStringLiteral("gpuMemoryText"));
    m_memoryText->setTextFormat(Qt::PlainText);
    m_memoryText->setMinimumWidth(m_memoryText->fontMetrics().horizontalAdvance(QStringLiteral("0000 GiB 0000")));
    m_memoryTimer = new QTimer(this);
    m_memoryTimer->setSingleShot(true);
    m_memoryTimer->setInterval(kMemoryDelayMs);
    auto* label = new QLabel(tr("&Memory on the card"), row);
    label->setTextFormat(Qt::PlainText);
    label->setBuddy(m_memory);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(label);
    line->addWidget(m_memory, 1);
    line->addWidget(m_memoryText);
    connect(m_memory, &QSlider::valueChanged, this, [this] {
        m_gpuMemory = chosenGpuMemory();
        showMemory();
        m_memoryTimer->start();
    });
    connect(m_memoryTimer, &QTimer::timeout, this, [this] {
        emit gpuMemoryChosen(m_gpuMemory);
        refresh();
    });
    return row;
}

/// The right end is automatic.
int OpenModelPage::chosenGpuMemory() const {
    if (!m_memory->isEnabled()) return m_gpuMemory;
    return m_memory->value() == m_memory->maximum() ? 0 : m_memory->value();
}

void OpenModelPage::setGpuMemory(int gibibytes) {
    m_gpuMemory = gibibytes;
    showMemory();
}

void OpenModelPage::showMemory() {
    const QSignalBlocker quiet(m_memory);
    const int largest = m_model ? largestCard(*m_model) : 0;
    m_memory->setEnabled(largest > kLeastGibibytes);
    if (largest > kLeastGibibytes) m_memory->setRange(kLeastGibibytes, largest + 1);
    m_memory->setValue(m_gpuMemory == 0 ? m_memory->maximum() : std::max(m_gpuMemory, kLeastGibibytes));
    m_memoryText->setText(m_gpuMemory == 0 ? tr("Automatic") : tr("%1 GiB").arg(m_gpuMemory));
    m_memory->setToolTip(m_model && largest == 0 ? tr("There is no graphics card that Trefoil can use.")
                                                 : tr("How much of each card Trefoil takes in all, from the next load on. "
                                                      "Experts that do not fit stay in main memory, "
                                                      "which takes longer. Automatic: what is free, and all experts must fit. "
                                                      "The coreset saves reading, not memory."));
}

void OpenModelPage::refresh() {
    if (!m_folder.isEmpty()) examineAgain();
}

void OpenModelPage::setMeasuring(bool measuring, int cards) {
    m_measuring = measuring;
    m_measured = measuring    ? tr("Measuring…")
                 : cards == 0 ? tr("Nothing could be measured: it takes 4 GB of the card that are free, and 1 GB of main memory.")
                              : QString();
    if (m_model) showExamination();
}

void OpenModelPage::addMachine(QVBoxLayout* column, const ModelExaminationView& model) {
    auto* section = new MachineSection(model.recommendation, whyNoCard(model), chosenGpuMemory() > 0, !m_making->isMaking());
    connect(section, &MachineSection::measureRequested, this, &OpenModelPage::measureRequested);
    connect(section, &MachineSection::makeRequested, this, &OpenModelPage::askForForm);
    column->addWidget(section);
    if (auto* measure = section->findChild<QPushButton*>(QStringLiteral("measureCards"))) measure->setEnabled(!m_measuring);
    if (!m_measured.isEmpty()) column->addWidget(subtleLabel(m_measured, palette()));
}

void OpenModelPage::askForForm(ModelForm form) {
    if (!m_model) return;
    quint64 bytes = 0;
    for (const CardAdvice& card : m_model->recommendation.cards)
        for (const FormAdvice& advice : card.forms)
            if (advice.form == form) bytes = advice.fileBytes;
    m_making->ask(m_folder, form, FormMaker::proposedFolder(m_folder, form), bytes);
}

}  // namespace trefoil
