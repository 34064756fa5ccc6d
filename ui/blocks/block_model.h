// What the Block dock shows of a response's passes, without widgets: blocks, and the state of every cell after each pass.
#pragma once

#include "app/core/generation_types.h"

#include <QHash>
#include <QList>
#include <QString>

namespace trefoil {

enum class CellState : quint8 {
    Masked,           ///< nothing is known of it yet
    Candidate,        ///< masked, with the model's candidate of this pass
    ResolvedNow,      ///< resolved by the pass shown
    ResolvedEarlier,  ///< resolved by an earlier pass
    Forced,           ///< resolved though its confidence did not pass the threshold; `now` tells whether by the pass shown
    Dropped,          ///< falls away: after the end, beyond the length limit, or refused by the check of a draft
    Prompt,           ///< holds the prompt's tail
};

/// One position of a block after a pass.
struct CellView {
    CellState state = CellState::Masked;
    qint32 row = 0;       ///< from 0
    qint64 position = 0;  ///< response position of the row, from 0; negative for the prompt's rows
    qint32 token = -1;    ///< the token, or the candidate of an unresolved cell; -1: none
    QString text;         ///< its display text
    /// Probability of `token` in the pass that resolved the cell (of a candidate: in the pass shown); negative: not known.
    double confidence = -1.0;
    /// Index within the block of the pass that resolved it, of a cell fixed by hand that of the pass before; -1: none has.
    qint32 resolvedPass = -1;
    bool now = false;          ///< the pass shown resolved, or dropped, it
    bool forced = false;       ///< also of cells that were dropped later
    bool byHand = false;       ///< fixed by a person
    bool refused = false;      ///< dropped because the check of a draft did not agree
    bool causal = false;       ///< its candidate comes from a causal pass: the first row of a draft, or a single token
    bool thresholded = false;  ///< its confidence was held against the threshold: denoise passes only
    QList<TokenChoice> top;    ///< up to five candidates of the pass that resolved the cell, else of the pass shown
    bool operator==(const CellView&) const = default;
};

/// One block as its bar shows it.
struct BlockSummary {
    qint32 passes = 0;    ///< without what was changed by hand
    qint32 forced = 0;    ///< cells that were resolved below the threshold
    qint32 resolved = 0;  ///< cells that stay, the prompt's rows not counted
    PassType type = PassType::Denoise;
    bool operator==(const BlockSummary&) const = default;
};

/// A block after one of its passes, in numbers. The prompt's rows are not counted anywhere.
struct FrameSummary {
    qint32 frame = 0;        ///< 0: before the first pass; k: after pass or change k (counted from 1, as people do)
    qint32 frames = 0;       ///< passes and changes by hand of the block so far
    qint32 cells = 0;        ///< rows that can hold response tokens
    qint32 resolved = 0;     ///< cells resolved so far that stay
    qint32 resolvedNow = 0;  ///< of them by this pass
    qint32 dropped = 0;
    PassType type = PassType::Denoise;
    double milliseconds = 0.0;     ///< of this pass
    double distinctExperts = 0.0;  ///< of this pass, per layer
    double coresetSize = 0.0;      ///< of this pass, per layer; 0 when the coreset is off
    ControlValues changed;         ///< by the person: in force from this pass on
    ModeChoiceView choice;         ///< decoding auto: made with this pass
    quint64 weightBytes = 0;       ///< read by this pass; 0: not known
    qint32 pass = 0;               ///< like `frame` and `frames`, without what was changed by hand
    qint32 passes = 0;
    bool operator==(const FrameSummary&) const = default;
};

/// Holds the passes of one response and answers for block b (an index from 0, in order of appearance) and frame f (0 before
/// the block's first pass, k after its k-th). Indices out of range give empty answers; damaged passes (rows outside the block,
/// lists of unequal length) are read as far as they make sense. Appending is O(rows) while the passes of a
/// block follow each other; cells() is O(passes of the block · rows).
class BlockModel {
public:
    /// The most rows that a block is shown with, whatever a damaged trace says.
    static constexpr qint32 kMaxRows = 1024;

    void clear();
    /// Starts an empty response.
    void begin(qint32 maskId, qint32 blockSize, double threshold);
    void append(const PassView& pass);
    void setTrace(const TraceView& trace);

    [[nodiscard]] const TraceView& trace() const { return m_trace; }
    /// In force at the block's frame: the response's, or what it was changed to meanwhile.
    [[nodiscard]] double threshold(qint32 block, qint32 frame) const;
    [[nodiscard]] qint32 blockCount() const { return static_cast<qint32>(m_blocks.size()); }
    [[nodiscard]] bool isEmpty() const { return m_blocks.isEmpty(); }
    /// Passes and changes by hand of the block; 0 out of range.
    [[nodiscard]] qint32 frameCount(qint32 block) const;
    [[nodiscard]] BlockSummary block(qint32 block) const;
    /// PassView::block of it; -1 out of range.
    [[nodiscard]] qint32 blockNumber(qint32 block) const;
    /// The most passes that any block has.
    [[nodiscard]] qint32 mostPasses() const { return m_mostPasses; }

    /// The pass (or change by hand) that led to the frame; nullptr: before the first one, or out of range.
    [[nodiscard]] const PassView* passAt(qint32 block, qint32 frame) const;
    [[nodiscard]] QList<CellView> cells(qint32 block, qint32 frame) const;
    [[nodiscard]] FrameSummary frame(qint32 block, qint32 frame) const;

private:
    struct Block {
        QList<qsizetype> passes;   ///< indices into m_trace.passes
        QList<double> thresholds;  ///< in force at each of them
        QList<qint32> ordinals;    ///< which pass each is, from 0; of a change by hand: the pass before
        qint32 rows = 0;
        BlockSummary summary;
    };

    [[nodiscard]] const PassView& pass(const Block& block, qint32 index) const { return m_trace.passes[block.passes[index]]; }
    [[nodiscard]] QList<CellView> startCells(const Block& block) const;
    /// Brings cells from the state before `pass`, the block's pass `index`, to the state after it.
    void apply(QList<CellView>& cells, const Block& block, qint32 index) const;
    static void applyDenoise(QList<CellView>& cells, const PassView& pass, qint32 index, double threshold);

    TraceView m_trace;
    QList<Block> m_blocks;
    QHash<qint32, qsizetype> m_indexOf;  ///< a pass's block number -> index into m_blocks
    qint32 m_mostPasses = 0;
    double m_threshold = 0.95;  ///< in force after the last pass
    QList<CellView> m_latest;   ///< cells of the block that was appended to last, after its last pass
    qsizetype m_latestBlock = -1;
};

}  // namespace trefoil
