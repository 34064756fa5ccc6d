#include "ui/models/load_progress.h"

#include "ui/chat/elided_label.h"
#include "ui/chat/pill_button.h"
#include "ui/models/number_text.h"

#include <QHBoxLayout>
#include <QProgressBar>

#include <algorithm>

namespace trefoil {

namespace {

constexpr int kSteps = 1000;          // QProgressBar counts in int; 69 GB of bytes do not fit
constexpr qint64 kWindowMs = 3000;    // a rate over less jumps about
constexpr qint64 kFirstRateMs = 300;  // and one over this little means nothing

}  // namespace

LoadProgress::LoadProgress(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("loadProgress"));
    m_caption = new ElidedLabel(this);
    m_caption->setObjectName(QStringLiteral("loadCaption"));
    m_bar = new QProgressBar(this);
    m_bar->setObjectName(QStringLiteral("loadBar"));
    m_bar->setAccessibleName(tr("Loading the model"));
    m_bar->setTextVisible(false);
    m_bar->setMinimumWidth(48);
    m_bar->setMaximumWidth(140);
    m_bar->setMaximumHeight(10);
    m_cancel = new PillButton(tr("Cancel"), PillButton::Look::Plain, this);
    m_cancel->setObjectName(QStringLiteral("loadCancel"));
    m_cancel->setToolTip(tr("Stop loading at once."));
    connect(m_cancel, &QPushButton::clicked, this, &LoadProgress::cancel);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(4, 0, 4, 0);
    row->setSpacing(10);
    row->addWidget(m_caption);
    row->addWidget(m_bar);
    row->addWidget(m_cancel);
    row->addStretch(1);
    hide();
}

void LoadProgress::begin(const QString& modelName, quint64 totalBytes) {
    m_name = modelName;
    m_samples.clear();
    m_cancel->setEnabled(true);
    setProgress(0, totalBytes, 0);
    show();
}

void LoadProgress::setProgress(quint64 doneBytes, quint64 totalBytes, qint64 elapsedMs) {
    m_samples.append({elapsedMs, doneBytes});
    while (m_samples.size() > 2 && elapsedMs - m_samples[1].first >= kWindowMs) m_samples.removeFirst();
    if (!m_cancel->isEnabled()) return;

    const QString loading = tr("Loading %1…").arg(m_name);
    if (totalBytes == 0) {
        m_bar->setRange(0, 0);
        m_caption->setFullText(loading);
        return;
    }
    const quint64 done = std::min(doneBytes, totalBytes);
    m_bar->setRange(0, kSteps);
    m_bar->setValue(static_cast<int>(static_cast<double>(done) / static_cast<double>(totalBytes) * kSteps));
    QString text = tr("%1  %2", "Loading Clover…  12.3 of 69.3 GB").arg(loading, bytesOfText(done, totalBytes));
    const double perSecond = rate();
    if (perSecond > 0) {
        text += tr(" · %1/s").arg(bytesText(static_cast<quint64>(perSecond)));
        const double leftMs = static_cast<double>(totalBytes - done) / perSecond * 1000.0;
        text += tr(" · %1 left").arg(durationText(leftMs));
    }
    m_caption->setFullText(text);
}

double LoadProgress::rate() const {
    if (m_samples.size() < 2) return 0;
    const qint64 milliseconds = m_samples.last().first - m_samples.first().first;
    if (milliseconds < kFirstRateMs || m_samples.last().second <= m_samples.first().second) return 0;
    return static_cast<double>(m_samples.last().second - m_samples.first().second) * 1000.0 / static_cast<double>(milliseconds);
}

void LoadProgress::cancel() {
    m_cancel->setEnabled(false);
    m_bar->setRange(0, 0);
    m_caption->setFullText(tr("Cancelling…"));
    emit cancelRequested();
}

void LoadProgress::finish() {
    hide();
    m_caption->setFullText({});
}

QString LoadProgress::caption() const { return m_caption->fullText(); }

}  // namespace trefoil
