#include "ui/models/status_bar.h"

#include "ui/chat/elided_label.h"
#include "ui/models/load_progress.h"
#include "ui/models/number_text.h"

#include <QLabel>
#include <QLocale>
#include <QToolButton>

namespace trefoil {

namespace {

QLabel* permanentLabel(QStatusBar* bar, const QString& name, const QString& toolTip) {
    auto* label = new QLabel(bar);
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText);
    label->setToolTip(toolTip);
    label->setContentsMargins(6, 0, 6, 0);
    label->hide();
    bar->addPermanentWidget(label);
    return label;
}

void showText(QLabel* label, bool known, const QString& text) {
    label->setText(known ? text : QString());
    label->setVisible(known);
}

}  // namespace

StatusBar::StatusBar(QWidget* parent) : QStatusBar(parent) {
    setObjectName(QStringLiteral("statusBar"));
    setSizeGripEnabled(false);
    m_activity = new ElidedLabel(this);
    m_activity->setObjectName(QStringLiteral("statusActivity"));
    m_activity->setContentsMargins(6, 0, 6, 0);
    addWidget(m_activity, 1);
    m_activity->hide();
    m_load = new LoadProgress(this);
    addWidget(m_load);
    m_load->hide();
    m_reused = permanentLabel(this, QStringLiteral("statusReused"),
                              tr("Prompt tokens that were taken over from an earlier prompt instead of being read again"));
    m_tokensPerSecond = permanentLabel(this, QStringLiteral("statusTokensPerSecond"),
                                       tr("Tokens of the answer a second, after the prompt was read"));
    m_tokensPerPass = permanentLabel(this, QStringLiteral("statusTokensPerPass"), tr("Tokens resolved by one pass, on average"));
    m_passTime = permanentLabel(this, QStringLiteral("statusPassTime"), tr("Time of one pass over a block, on average"));
    m_device = permanentLabel(this, QStringLiteral("statusDevice"), tr("The device that runs the model"));
    m_model = new QToolButton(this);
    m_model->setObjectName(QStringLiteral("statusModel"));
    m_model->setAutoRaise(true);
    m_model->setToolTip(tr("Show what is known about the model"));
    connect(m_model, &QToolButton::clicked, this, &StatusBar::modelClicked);
    addPermanentWidget(m_model);
    clearModel();
}

void StatusBar::setModel(const ModelSummary& model) {
    // An ampersand in a folder's name is no mnemonic.
    m_model->setText(QString(model.name).replace(QLatin1Char('&'), QStringLiteral("&&")));
    m_model->setAccessibleName(tr("Model: %1").arg(model.name));
    m_model->setEnabled(true);
    showText(m_device, !model.device.isEmpty(), model.device);
    clearStats();
}

void StatusBar::addPart(QWidget* part) {
    const bool hidden = part->isHidden();  // addPermanentWidget shows it
    addPermanentWidget(part);
    part->setHidden(hidden);
}

void StatusBar::clearModel() {
    m_model->setText(tr("No model"));
    m_model->setAccessibleName(tr("No model"));
    m_model->setEnabled(false);
    showText(m_device, false, {});
    clearStats();
}

void StatusBar::setStats(const GenerationStats& stats) {
    const double seconds = stats.decodeMs / 1000.0;
    const auto written = static_cast<double>(stats.writtenTokens());
    showText(
        m_reused, stats.reusedTokens > 0,
        tr("%1 of %2 prompt tokens reused").arg(locale().toString(stats.reusedTokens), locale().toString(stats.promptTokens)));
    showText(m_tokensPerSecond, seconds > 0 && written > 0,
             tr("%1 tokens/s").arg(realText(seconds > 0 ? written / seconds : 0, 1)));
    const double passes = static_cast<double>(stats.passes);
    // Autoregressive decoding has no passes over blocks.
    showText(m_tokensPerPass, stats.passes > 0 && written > 0,
             tr("%1 tokens/pass").arg(realText(stats.passes > 0 ? written / passes : 0, 1)));
    showText(m_passTime, stats.passes > 0 && stats.passMs > 0,
             tr("%1 ms/pass").arg(realText(stats.passes > 0 ? stats.passMs / passes : 0, 1)));
    QString about = tr("Time of one pass over a block, on average");
    if (stats.missedExperts > 0 && stats.usedExperts > 0)
        about +=
            QLatin1Char('\n') +
            tr("%1% of the experts were on the GPU; %2 GB came from main memory, which took %3 s")
                .arg(realText(100.0 - 100.0 * static_cast<double>(stats.missedExperts) / static_cast<double>(stats.usedExperts),
                              1),
                     realText(static_cast<double>(stats.hostBytes) / 1e9, 1), realText(stats.stallMs / 1000.0, 1));
    m_passTime->setToolTip(about);
}

void StatusBar::clearStats() { setStats({}); }

void StatusBar::setActivity(const QString& text) {
    m_activity->setFullText(text);
    m_activity->setVisible(!text.isEmpty());
}

}  // namespace trefoil
