#include "ui/experts/expert_view.h"

#include "ui/blocks/block_dock.h"

#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {
namespace {

constexpr int kRefreshMs = 100;  // while an answer is written; tables are read, not watched

QString unknown() { return QStringLiteral("–"); }

QString bytesText(quint64 bytes) { return bytes == 0 ? unknown() : QLocale().formattedDataSize(static_cast<qint64>(bytes)); }

QString decimal(double value, int digits) { return value <= 0.0 ? unknown() : QLocale().toString(value, 'f', digits); }

QString whole(qint64 value, qint64 least) { return value < least ? unknown() : QLocale().toString(value); }

QString percent(double share) {
    return share <= 0.0 ? unknown() : ExpertView::tr("%1 %").arg(QLocale().toString(100.0 * share, 'f', 1));
}

QTableWidget* makeTable(const QString& objectName, const QString& name, const QStringList& headings, QWidget* parent) {
    auto* const table = new QTableWidget(0, static_cast<int>(headings.size()), parent);
    table->setObjectName(objectName);
    table->setAccessibleName(name);
    table->setHorizontalHeaderLabels(headings);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 6);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setStretchLastSection(true);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setTabKeyNavigation(false);
    return table;
}

void setRow(QTableWidget* table, int row, const QStringList& texts) {
    for (int column = 0; column < static_cast<int>(texts.size()); ++column) {
        QTableWidgetItem* item = table->item(row, column);
        if (item == nullptr) {
            item = new QTableWidgetItem;
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            table->setItem(row, column, item);
        }
        if (item->text() != texts[column]) item->setText(texts[column]);
    }
}

}  // namespace

ExpertSums sumsOf(const QList<LayerView>& layers) {
    ExpertSums sums;
    for (const LayerView& layer : layers) {
        sums.distinct += layer.distinctExperts;
        sums.bytes += static_cast<quint64>(layer.distinctExperts) * layer.expertBytes;
        sums.meanShare += static_cast<double>(layer.coresetShare) / static_cast<double>(layers.size());
        if (layer.freeExperts < 0) continue;
        const qint64 spared = std::max(0, layer.freeExperts - layer.distinctExperts);
        sums.spared = std::max<qint64>(sums.spared, 0) + spared;
        sums.sparedBytes += static_cast<quint64>(spared) * layer.expertBytes;
    }
    return sums;
}

ExpertView::ExpertView(BlockDock* blocks, QWidget* parent)
    : QWidget(parent),
      m_blocks(blocks),
      m_summary(new QLabel(this)),
      m_passes(makeTable(QStringLiteral("expertPasses"), tr("Passes of the block"),
                         {tr("Pass"), tr("Time"), tr("Experts"), tr("Free"), tr("Coreset"), tr("Read")}, this)),
      m_layers(makeTable(QStringLiteral("expertLayers"), tr("Layers of the pass"),
                         {tr("Layer"), tr("Experts"), tr("Free"), tr("Coreset"), tr("Share"), tr("Read")}, this)) {
    setObjectName(QStringLiteral("expertView"));
    m_summary->setObjectName(QStringLiteral("expertSummary"));
    m_summary->setAccessibleName(tr("What the pass cost"));
    m_summary->setWordWrap(true);
    m_passes->setToolTip(tr("Choosing a pass shows it in the Block dock"));
    const auto explain = [](const QTableWidget* table, int column, const QString& text) {
        table->horizontalHeaderItem(column)->setToolTip(text);
    };
    explain(m_passes, 2, tr("Experts whose weights were read, the mean of the layers"));
    explain(m_passes, 3, tr("Experts that would be read without the coreset, the mean of the layers"));
    explain(m_passes, 4, tr("Experts that the coreset keeps, the mean of the layers"));
    explain(m_passes, 5, tr("Bytes of all weights that the pass read"));
    explain(m_layers, 1, tr("Experts whose weights were read"));
    explain(m_layers, 2, tr("Experts that would be read without the coreset"));
    explain(m_layers, 3, tr("Experts that the coreset keeps"));
    explain(m_layers, 4, tr("Share of the router's mass that the coreset keeps"));
    explain(m_layers, 5, tr("Bytes of the experts' weights that were read"));
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(6);
    column->addWidget(m_summary);
    column->addWidget(m_passes, 2);
    column->addWidget(m_layers, 3);
    m_timer.setSingleShot(true);
    m_timer.setInterval(kRefreshMs);
    connect(&m_timer, &QTimer::timeout, this, &ExpertView::refresh);
    connect(m_blocks, &BlockDock::shownChanged, this, [this] {
        if (isVisible() && !m_timer.isActive()) m_timer.start();
    });
    connect(m_passes, &QTableWidget::currentCellChanged, this, [this](int row) {
        if (!m_filling && row >= 0) m_blocks->showFrame(row + 1);
    });
}

void ExpertView::setUnavailable(const QString& reason) {
    m_unavailable = reason;
    for (QTableWidget* table : {m_passes, m_layers}) {
        table->setEnabled(reason.isEmpty());
        table->setAccessibleDescription(reason);
    }
    if (isVisible()) refresh();
}

void ExpertView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void ExpertView::refresh() {
    const BlockReplay& replay = m_blocks->replay();
    const PassView* const pass = replay.model().passAt(replay.block(), replay.frame());
    m_summary->setText(summary(pass));
    m_filling = true;
    fillPasses();
    fillLayers(pass);
    m_filling = false;
}

void ExpertView::fillPasses() {
    const BlockReplay& replay = m_blocks->replay();
    const BlockModel& model = replay.model();
    const qint32 frames = model.frameCount(replay.block());
    m_passes->setRowCount(frames);
    const QLocale locale;
    for (qint32 frame = 1; frame <= frames; ++frame) {
        const PassView& pass = *model.passAt(replay.block(), frame);
        const ExpertSums sums = sumsOf(pass.layers);
        const auto layers = static_cast<double>(std::max<qsizetype>(pass.layers.size(), 1));
        const QString name =
            pass.type == PassType::Edit ? tr("by hand") : locale.toString(model.frame(replay.block(), frame).pass);
        const QString free =
            sums.spared < 0 ? unknown() : locale.toString(static_cast<double>(sums.distinct + sums.spared) / layers, 'f', 1);
        setRow(m_passes, frame - 1,
               {name, pass.milliseconds > 0.0 ? tr("%1 ms").arg(locale.toString(pass.milliseconds, 'f', 1)) : unknown(),
                decimal(pass.meanDistinctExperts, 1), free, decimal(pass.meanCoresetSize, 1), bytesText(pass.weightBytes)});
    }
    m_passes->setCurrentCell(replay.frame() - 1, 0);
}

void ExpertView::fillLayers(const PassView* pass) {
    const QList<LayerView> layers = pass == nullptr ? QList<LayerView>() : pass->layers;
    m_layers->setRowCount(static_cast<int>(layers.size()));
    for (int i = 0; i < static_cast<int>(layers.size()); ++i) {
        const LayerView& layer = layers[i];
        setRow(m_layers, i,
               {QLocale().toString(i), whole(layer.distinctExperts, 0), whole(layer.freeExperts, 0), whole(layer.coresetSize, 1),
                percent(static_cast<double>(layer.coresetShare)),
                bytesText(static_cast<quint64>(layer.distinctExperts) * layer.expertBytes)});
    }
}

QString ExpertView::summary(const PassView* pass) const {
    if (!m_unavailable.isEmpty()) return m_unavailable;
    if (m_blocks->replay().block() < 0) return tr("No blocks yet. Ask something, or choose an answer's blocks.");
    if (pass == nullptr) return tr("Nothing was read yet: the block before its first pass.");
    if (pass->layers.isEmpty()) return tr("This pass has no numbers of its experts.");
    const ExpertSums sums = sumsOf(pass->layers);
    QStringList parts{tr("Experts read in %1 layers: %2").arg(pass->layers.size()).arg(sums.distinct)};
    if (sums.bytes > 0 && pass->weightBytes > 0)
        parts.append(tr("%1 of the %2 of weights read").arg(bytesText(sums.bytes), bytesText(pass->weightBytes)));
    if (sums.meanShare > 0.0) parts.append(tr("the coreset keeps %1 of the router's mass").arg(percent(sums.meanShare)));
    if (sums.meanShare > 0.0 && sums.spared >= 0)
        parts.append(tr("experts that it spares: %1, %2").arg(QLocale().toString(sums.spared), bytesText(sums.sparedBytes)));
    return parts.join(QStringLiteral(" · "));
}

}  // namespace trefoil
