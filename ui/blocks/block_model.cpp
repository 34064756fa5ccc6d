#include "ui/blocks/block_model.h"

#include <algorithm>

namespace trefoil {
namespace {

bool isResolved(const CellView& cell) {
    return cell.state == CellState::ResolvedNow || cell.state == CellState::ResolvedEarlier || cell.state == CellState::Forced;
}

/// Which row of its block a single-token pass fills.
qint32 tokenRow(const PassView& pass) { return std::clamp(pass.step, 0, BlockModel::kMaxRows - 1); }

void show(CellView& cell, const RowView& row) {
    cell.token = row.choice.token;
    cell.text = row.choice.text;
    cell.confidence = static_cast<double>(row.choice.probability);
    cell.top = row.top;
}

void resolve(CellView& cell, qint32 index, bool forced) {
    cell.resolvedPass = index;
    cell.now = true;
    cell.forced = forced;
    cell.state = forced ? CellState::Forced : CellState::ResolvedNow;
}

void dropFrom(QList<CellView>& cells, qint32 from) {
    if (from < 0) return;
    for (qsizetype row = from; row < cells.size(); ++row) {
        if (cells[row].state == CellState::Dropped) continue;
        cells[row].state = CellState::Dropped;
        cells[row].now = true;
    }
}

/// What the pass before resolved or dropped is no longer new.
void age(QList<CellView>& cells) {
    for (CellView& cell : cells) {
        cell.now = false;
        if (cell.state == CellState::ResolvedNow) cell.state = CellState::ResolvedEarlier;
    }
}

void takeToken(CellView& cell, const PassView& pass, qint32 row) {
    cell.token = pass.tokens.value(row, cell.token);
    cell.text = pass.texts.value(row, cell.text);
}

/// A draft decides nothing: its rows stay candidates until the check.
void applyDraft(QList<CellView>& cells, const PassView& pass) {
    for (qint32 row = 0; row < cells.size(); ++row) {
        CellView& cell = cells[row];
        if (row < pass.rows.size()) show(cell, pass.rows[row]);
        takeToken(cell, pass, row);
        cell.causal = row == 0;
        cell.state = cell.token >= 0 ? CellState::Candidate : CellState::Masked;
    }
}

void applyVerify(QList<CellView>& cells, const PassView& pass, qint32 index) {
    const qint32 accepted = std::clamp(pass.accepted, 0, static_cast<qint32>(cells.size()));
    for (qint32 row = 0; row < accepted; ++row) {
        takeToken(cells[row], pass, row);
        resolve(cells[row], index, false);
    }
    for (qint32 row = accepted; row < cells.size(); ++row) cells[row].refused = true;
    dropFrom(cells, accepted);
    dropFrom(cells, pass.droppedFrom);
}

void applyToken(QList<CellView>& cells, const PassView& pass, qint32 index) {
    const qint32 row = tokenRow(pass);
    if (row >= cells.size()) return;
    CellView& cell = cells[row];
    if (!pass.rows.isEmpty()) show(cell, pass.rows.first());
    takeToken(cell, pass, 0);
    cell.causal = true;
    resolve(cell, index, false);
    if (pass.droppedFrom == 0) dropFrom(cells, row);
}

/// What a person did to the block: rows masked again lose their token, rows fixed by hand have no confidence.
void applyEdit(QList<CellView>& cells, const PassView& pass, qint32 index, qint32 maskId) {
    const auto known = std::min(cells.size(), pass.tokens.size());
    for (qsizetype row = 0; row < known; ++row) {
        CellView& cell = cells[row];
        if (cell.state == CellState::Prompt) continue;
        const bool open = cell.state == CellState::Masked || cell.state == CellState::Candidate;
        if (pass.tokens[row] == maskId) {
            if (open) continue;
            CellView masked;
            masked.row = cell.row;
            masked.position = cell.position;
            masked.now = true;
            cell = masked;
        } else if (pass.resolved.contains(static_cast<qint32>(row))) {
            takeToken(cell, pass, static_cast<qint32>(row));
            cell.confidence = -1.0;
            cell.thresholded = false;
            cell.byHand = true;
            resolve(cell, index, false);
        } else if (cell.state == CellState::Dropped) {
            cell.state = cell.forced ? CellState::Forced : CellState::ResolvedEarlier;
        }
    }
    dropFrom(cells, pass.droppedFrom);
}

}  // namespace

void BlockModel::clear() {
    m_trace = {};
    m_blocks.clear();
    m_indexOf.clear();
    m_mostPasses = 0;
    m_latest.clear();
    m_latestBlock = -1;
}

void BlockModel::begin(qint32 maskId, qint32 blockSize, double threshold) {
    clear();
    m_trace.maskId = maskId;
    m_trace.blockSize = std::clamp(blockSize, 1, kMaxRows);
    m_trace.threshold = threshold;
    m_threshold = threshold;
}

void BlockModel::setTrace(const TraceView& trace) {
    begin(trace.maskId, trace.blockSize, trace.threshold);
    m_trace.passes.reserve(trace.passes.size());
    for (const PassView& pass : trace.passes) append(pass);
}

void BlockModel::append(const PassView& pass) {
    auto found = m_indexOf.constFind(pass.block);
    if (found == m_indexOf.constEnd()) {
        found = m_indexOf.insert(pass.block, m_blocks.size());
        m_blocks.append(Block{});
        m_blocks.last().summary.type = pass.type == PassType::Verify ? PassType::Draft : pass.type;
    }
    const qsizetype index = *found;
    Block& block = m_blocks[index];
    m_threshold = pass.changed.value(QStringLiteral("threshold"), m_threshold).toDouble();
    block.passes.append(m_trace.passes.size());
    block.thresholds.append(m_threshold);
    if (pass.type != PassType::Edit) ++block.summary.passes;
    block.ordinals.append(std::max(block.summary.passes - 1, 0));
    m_trace.passes.append(pass);

    // A check holds the accepted head only, a single-token pass its token: neither gives the block's length.
    const bool whole = pass.type == PassType::Denoise || pass.type == PassType::Draft || pass.type == PassType::Edit;
    const auto tokens = static_cast<qint32>(std::min<qsizetype>(pass.tokens.size(), kMaxRows));
    const qint32 rows = whole ? tokens : std::max(m_trace.blockSize, pass.type == PassType::Token ? tokenRow(pass) + 1 : tokens);
    const bool grown = rows > block.rows;
    block.rows = std::max(block.rows, rows);
    const auto frames = static_cast<qint32>(block.passes.size());
    m_mostPasses = std::max(m_mostPasses, block.summary.passes);

    if (index == m_latestBlock && !grown) {
        apply(m_latest, block, frames - 1);
    } else {
        m_latestBlock = -1;
        m_latest = cells(static_cast<qint32>(index), frames);
        m_latestBlock = index;
    }
    block.summary.forced =
        static_cast<qint32>(std::count_if(m_latest.cbegin(), m_latest.cend(), [](const CellView& c) { return c.forced; }));
    block.summary.resolved = static_cast<qint32>(std::count_if(m_latest.cbegin(), m_latest.cend(), isResolved));
}

qint32 BlockModel::frameCount(qint32 block) const {
    return block < 0 || block >= blockCount() ? 0 : static_cast<qint32>(m_blocks[block].passes.size());
}

BlockSummary BlockModel::block(qint32 block) const {
    return block < 0 || block >= blockCount() ? BlockSummary{} : m_blocks[block].summary;
}

qint32 BlockModel::blockNumber(qint32 block) const {
    return block < 0 || block >= blockCount() ? -1 : pass(m_blocks[block], 0).block;
}

const PassView* BlockModel::passAt(qint32 block, qint32 frame) const {
    return frame < 1 || frame > frameCount(block) ? nullptr : &pass(m_blocks[block], frame - 1);
}

QList<CellView> BlockModel::startCells(const Block& block) const {
    const PassView& first = pass(block, 0);
    const qint64 origin = first.type == PassType::Token ? first.firstPosition - tokenRow(first) : first.firstPosition;
    QList<CellView> cells(block.rows);
    for (qint32 row = 0; row < block.rows; ++row) {
        CellView& cell = cells[row];
        cell.row = row;
        cell.position = origin + row;
        if (row < first.promptRows) {
            cell.state = CellState::Prompt;
            cell.token = first.tokens.value(row, -1);
            cell.text = first.texts.value(row);
        }
    }
    return cells;
}

double BlockModel::threshold(qint32 block, qint32 frame) const {
    if (block < 0 || block >= blockCount()) return m_trace.threshold;
    const QList<double>& all = m_blocks[block].thresholds;
    return all[std::clamp<qsizetype>(frame - 1, 0, all.size() - 1)];
}

void BlockModel::applyDenoise(QList<CellView>& cells, const PassView& pass, qint32 index, double threshold) {
    const auto known = std::min(cells.size(), pass.rows.size());
    for (qsizetype row = 0; row < known; ++row) {
        CellView& cell = cells[row];
        if (cell.state != CellState::Masked && cell.state != CellState::Candidate) continue;
        cell.state = CellState::Candidate;
        cell.thresholded = true;
        show(cell, pass.rows[row]);
    }
    for (const qint32 row : pass.resolved) {
        if (row < 0 || row >= cells.size() || cells[row].state == CellState::Prompt) continue;
        CellView& cell = cells[row];
        takeToken(cell, pass, row);
        // The decoder compares in single precision, and only what is above the threshold passes it.
        const bool below = static_cast<float>(cell.confidence) <= static_cast<float>(threshold);
        resolve(cell, index, cell.confidence >= 0.0 && below);
    }
    dropFrom(cells, pass.droppedFrom);
}

void BlockModel::apply(QList<CellView>& cells, const Block& block, qint32 index) const {
    const PassView& pass = this->pass(block, index);
    const qint32 ordinal = block.ordinals[index];
    age(cells);
    switch (pass.type) {
        case PassType::Denoise:
            applyDenoise(cells, pass, ordinal, block.thresholds[index]);
            break;
        case PassType::Draft:
            applyDraft(cells, pass);
            break;
        case PassType::Verify:
            applyVerify(cells, pass, ordinal);
            break;
        case PassType::Token:
            applyToken(cells, pass, ordinal);
            break;
        case PassType::Edit:
            applyEdit(cells, pass, ordinal, m_trace.maskId);
            break;
    }
}

QList<CellView> BlockModel::cells(qint32 block, qint32 frame) const {
    if (block < 0 || block >= blockCount()) return {};
    const Block& shown = m_blocks[block];
    const auto count = std::clamp(frame, 0, static_cast<qint32>(shown.passes.size()));
    if (block == m_latestBlock && count == shown.passes.size()) return m_latest;
    QList<CellView> cells = startCells(shown);
    for (qint32 index = 0; index < count; ++index) apply(cells, shown, index);
    return cells;
}

FrameSummary BlockModel::frame(qint32 block, qint32 frame) const {
    FrameSummary summary;
    if (block < 0 || block >= blockCount()) return summary;
    summary.frames = frameCount(block);
    summary.frame = std::clamp(frame, 0, summary.frames);
    summary.type = summary.frame > 0 ? pass(m_blocks[block], summary.frame - 1).type : m_blocks[block].summary.type;
    summary.passes = m_blocks[block].summary.passes;
    for (qint32 index = 0; index < summary.frame; ++index)
        if (pass(m_blocks[block], index).type != PassType::Edit) ++summary.pass;
    if (summary.frame > 0) {
        const PassView& shown = pass(m_blocks[block], summary.frame - 1);
        summary.milliseconds = shown.milliseconds;
        summary.distinctExperts = shown.meanDistinctExperts;
        summary.coresetSize = shown.meanCoresetSize;
        summary.changed = shown.changed;
        summary.choice = shown.choice;
        summary.weightBytes = shown.weightBytes;
    }
    for (const CellView& cell : cells(block, summary.frame)) {
        if (cell.state == CellState::Prompt) continue;
        ++summary.cells;
        if (isResolved(cell)) {
            ++summary.resolved;
            if (cell.now) ++summary.resolvedNow;
        } else if (cell.state == CellState::Dropped) {
            ++summary.dropped;
        }
    }
    return summary;
}

}  // namespace trefoil
