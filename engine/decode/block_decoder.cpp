#include "engine/decode/block_decoder.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace trefoil {
namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Rows at the first block's start that hold the prompt's tail (align_blocks; low_confidence only).
std::int64_t headRows(std::int64_t promptTokens, const GenerationConfig& config) {
    // Auto begins with the low-confidence mode.
    const bool aligned =
        config.alignBlocks && (config.decoding == DecodingMode::LowConfidence || config.decoding == DecodingMode::Auto);
    return aligned ? promptTokens % config.blockSize : 0;
}

/// A low-confidence block that is being filled in.
struct OpenBlock {
    std::vector<TokenId> tokens;
    std::size_t promptRows = 0;
    std::int64_t first = 0;  ///< response position of row 0
    std::int64_t step = -1;  ///< of its last pass
    std::size_t end = 0;     ///< the first end token's row, or the number of rows
    bool open = true;        ///< something before that is masked
};

/// One run of decode(): the response so far and the three ways to extend it. Each step returns false when the run is over; the
/// result's stop reason then says why.
class Run {
public:
    Run(Executor& executor, const DecodeRequest& request, DecodeObserver& observer, const CancelFlag& cancel)
        : m_executor(executor),
          m_model(executor.config()),
          m_request(request),
          m_config(request.config),
          m_observer(observer),
          m_cancel(cancel),
          m_thinking(request.thinkingOpen && request.thinkEndId.has_value() &&
                     std::find(request.begun.begin(), request.begun.end(), *request.thinkEndId) == request.begun.end()),
          m_ids(request.prompt.begin(), request.prompt.end()),
          m_block(request.begunBlocks) {
        m_ids.insert(m_ids.end(), request.begun.begin(), request.begun.end());
        m_result.response.assign(request.begun.begin(), request.begun.end());
        m_tokenRun = length();
        if (m_config.decoding == DecodingMode::Auto) beginAuto();
    }

    DecodeResult run() {
        m_result.promptTokens = static_cast<std::int64_t>(m_request.prompt.size());
        if (auto refusal = checkRequest(m_request.prompt, m_config, m_model, m_request.begun)) {
            m_result.stopReason = StopReason::Refused;
            m_result.error = std::move(refusal);
            return std::move(m_result);
        }
        const auto start = Clock::now();
        const bool prefilled = prefill();
        m_result.prefillMilliseconds = millisecondsSince(start);
        if (prefilled) {
            const auto decodeStart = Clock::now();
            bool more = finished() || gate({m_block, -1, false, false}, nullptr);
            while (more && !finished()) more = step();
            m_result.decodeMilliseconds = millisecondsSince(decodeStart) - m_result.pausedMilliseconds;
            if (more) m_result.stopReason = m_ended ? StopReason::End : StopReason::Length;
        }
        return std::move(m_result);
    }

private:
    [[nodiscard]] std::int64_t length() const { return static_cast<std::int64_t>(m_result.response.size()); }
    /// The length limit is tested before an end token is looked at, in every mode: a response of exactly max_new_tokens tokens
    /// stops by `length`, whatever would have followed.
    [[nodiscard]] bool finished() const { return m_ended || length() >= m_config.maxNewTokens; }

    bool step() {
        takeChanges();
        if (m_auto) chooseMode();
        if (!switchMode()) return false;
        switch (m_config.decoding) {
            case DecodingMode::Auto:  // never in force here: chooseMode names one of the others
            case DecodingMode::LowConfidence:
                return denoiseBlock();
            case DecodingMode::SelfSpeculative:
                return speculate();
            case DecodingMode::Autoregressive:
                return singleToken();
        }
        return false;
    }

    /// Takes over what a person changed since the last pass; the mode waits for the block's end.
    void takeChanges() {
        if (m_request.steering == nullptr) return;
        const ControlChange change = m_request.steering->take();
        ControlChange effective;
        const auto apply = [](auto& value, const auto& wanted, auto& changed) {
            if (!wanted || value == *wanted) return;
            value = *wanted;
            changed = wanted;
        };
        apply(m_config.threshold, change.threshold, effective.threshold);
        apply(m_config.coresetEnabled, change.coresetEnabled, effective.coresetEnabled);
        apply(m_config.coresetTopP, change.coresetTopP, effective.coresetTopP);
        m_changed.add(effective);
        if (!change.decoding) return;
        if (*change.decoding == DecodingMode::Auto) {
            if (!m_auto) {
                const DecodingMode before = m_config.decoding;
                beginAuto();
                m_config.decoding = before;
                m_changed.decoding = DecodingMode::Auto;
            }
        } else {
            m_auto = false;
            m_wantedMode = *change.decoding;
        }
    }

    void beginAuto() {
        m_auto = true;
        m_chooser = {};
        m_turnOpen = false;
        m_config.decoding = m_wantedMode = DecodingMode::LowConfidence;
    }

    [[nodiscard]] double now() const {
        const double time = m_request.clock ? m_request.clock()
                                            : std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
        return time - m_result.pausedMilliseconds;
    }

    /// Auto: after each block, or as many single tokens, the turn is measured and the next mode chosen.
    void chooseMode() {
        if (m_turnOpen && length() - m_turnStart < m_config.blockSize && m_config.decoding != DecodingMode::LowConfidence) return;
        const double time = now();
        if (m_turnOpen) m_chooser.measured(m_config.decoding, length() - m_turnStart, time - m_turnTime);
        m_turnOpen = true;
        m_turnStart = length();
        m_turnTime = time;
        const ModeChoice choice = m_chooser.next();
        m_wantedMode = choice.mode;
        m_choice = choice;
    }

    /// Before each pass: waits while a person has paused. False when the run was stopped meanwhile. `block`: the one whose rows
    /// can be changed here, if any.
    bool gate(PauseState state, OpenBlock* block) {
        if (m_request.steering == nullptr || m_request.steering->mayGo()) return true;
        const auto start = Clock::now();
        Steering::Turn turn = Steering::Turn::Edit;
        while (turn == Steering::Turn::Edit) {
            if (block != nullptr) state.complete = !block->open;
            m_observer.onPaused(state);
            turn = m_request.steering->wait(m_cancel);
            if (turn == Steering::Turn::Edit) edit(m_request.steering->takeEdits(), block);
        }
        m_result.pausedMilliseconds += millisecondsSince(start);
        if (turn == Steering::Turn::Stop) return !cancelled();
        if (!m_request.steering->paused()) m_observer.onResumed();
        return true;
    }

    /// Changes rows of the open block by hand; the trace gets a record of its own for it.
    void edit(const std::vector<RowEdit>& edits, OpenBlock* block) {
        if (block == nullptr) return;
        PassRecord record{PassKind::Edit,
                          m_block,
                          block->step,
                          block->first,
                          static_cast<std::int32_t>(block->promptRows),
                          {},
                          {},
                          {},
                          0,
                          -1,
                          {}};
        const std::vector<TokenId> before = block->tokens;
        for (const RowEdit& e : edits) {
            const bool inside =
                e.row >= static_cast<std::int32_t>(block->promptRows) && e.row < static_cast<std::int32_t>(block->tokens.size());
            if (e.block != m_block || !inside || e.token < 0 || e.token >= m_model.vocabSize) continue;
            block->tokens[static_cast<std::size_t>(e.row)] = e.token;
        }
        if (block->tokens == before) return;
        for (std::size_t t = 0; t < before.size(); ++t)
            if (block->tokens[t] != before[t] && block->tokens[t] != m_model.maskTokenId)
                record.resolved.push_back(static_cast<std::int32_t>(t));
        close(*block);
        record.tokens = block->tokens;
        if (!block->open) record.droppedFrom = droppedRow(block->end, block->first, block->tokens.size());
        note(std::move(record));
    }

    /// Looks whether anything that counts is still masked.
    void close(OpenBlock& block) const {
        block.end = firstEnd(block.tokens, block.promptRows);
        block.open = masksBefore(block.tokens, block.end);
    }

    /// Between blocks: goes over to the mode that is wanted. A change that cannot be made here waits for the next block.
    bool switchMode() {
        if (m_wantedMode == m_config.decoding) return true;
        const DecodingMode before = m_config.decoding;
        if (m_wantedMode == DecodingMode::LowConfidence) {
            // Blocks begin at the next token now, so the last one may reach further than the one that was counted for.
            const std::int64_t size = m_config.blockSize;
            const std::int64_t rest = (m_config.maxNewTokens - length() + size - 1) / size * size;
            if (m_result.promptTokens + length() + rest > m_model.maxPositionEmbeddings) return true;
        } else if (before == DecodingMode::LowConfidence) {
            if (m_clean.empty()) return true;  // nothing is written yet that the next token could follow
            if (!countAppended(std::exchange(m_uncounted, {}))) return false;
            const PassControls next = controls(length(), 0);
            auto pass = m_executor.commit(std::exchange(m_clean, {}), &next);
            if (!pass.ok()) return fail(pass.error());
            m_next = pass->rows.back();
            m_nextStats = std::move(pass->stats);
        }
        if (before == DecodingMode::Autoregressive)
            m_block += (length() - m_tokenRun + m_config.blockSize - 1) / m_config.blockSize;
        m_tokenRun = length();
        m_config.decoding = m_wantedMode;
        if (!m_auto) m_changed.decoding = m_wantedMode;
        return true;
    }

    bool fail(const Error& error) {
        m_result.stopReason = error.kind == ErrorKind::Cancelled ? StopReason::Cancelled : StopReason::Failed;
        if (m_result.stopReason == StopReason::Failed) m_result.error = error;
        return false;
    }
    bool cancelled() {
        if (!m_cancel.requested()) return false;
        m_result.stopReason = StopReason::Cancelled;
        return true;
    }

    [[nodiscard]] PassControls controls(std::int64_t firstPosition, std::int64_t step, std::int64_t promptRows = 0) const {
        return {&m_config, firstPosition, step, static_cast<std::int32_t>(promptRows), m_thinking, m_request.thinkEndId};
    }

    /// Puts the longest saved prefix of the ids back; returns its length, 0 when there is none.
    std::int64_t reuse(std::int64_t longest) {
        if (m_request.cache == nullptr) return 0;
        const PrefixSnapshot* saved = m_request.cache->find(m_ids, longest);
        if (saved == nullptr) return 0;
        // A prefix that cannot be put back is read anew: only time is lost.
        if (m_executor.restore(*saved).ok()) return saved->length();
        (void)m_executor.reset();
        return 0;
    }

    /// Keeps the prefix as it stands after the first `at` ids. Without memory for it the answer goes on all the same.
    void keepSnapshot(std::int64_t at) {
        const auto ids = std::span(m_ids).first(static_cast<std::size_t>(at));
        const auto& marks = m_request.snapshotsAt;
        if (m_request.cache == nullptr || m_request.cache->budget() == 0 || !std::binary_search(marks.begin(), marks.end(), at) ||
            m_request.cache->holds(ids))
            return;
        if (auto snapshot = m_executor.snapshot(); snapshot.ok()) m_request.cache->store(ids, *std::move(snapshot));
    }

    /// Where the chunk that begins at `at` ends: a snapshot's place ends one.
    [[nodiscard]] std::int64_t chunkEnd(std::int64_t at, std::int64_t total) const {
        std::int64_t end = std::min(at + m_executor.maxChunk(), total);
        const auto mark = std::upper_bound(m_request.snapshotsAt.begin(), m_request.snapshotsAt.end(), at);
        if (m_request.cache != nullptr && mark != m_request.snapshotsAt.end()) end = std::min(end, *mark);
        return end;
    }

    /// Reads the prompt and what was begun, chunk by chunk. The last row's choice starts the causal modes.
    bool prefill() {
        if (const Status s = m_executor.reset(); !s.ok()) return fail(s.error());
        if (!countAppended(m_result.response)) return false;
        const auto all = static_cast<std::int64_t>(m_ids.size());
        const auto total = all - headRows(all, m_config);
        const bool wantsChoice = m_config.decoding != DecodingMode::LowConfidence;
        const PassControls first = controls(length(), 0);
        m_result.reusedTokens = reuse(wantsChoice ? total - 1 : total);
        m_observer.onPrefill(m_result.reusedTokens, total);
        for (std::int64_t at = m_result.reusedTokens; at < total;) {
            if (cancelled()) return false;
            const std::int64_t count = chunkEnd(at, total) - at;
            const bool last = at + count == total;
            const auto chunk = std::span(m_ids).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count));
            auto pass = m_executor.prefill(chunk, wantsChoice && last ? &first : nullptr);
            if (!pass.ok()) return fail(pass.error());
            if (wantsChoice && last) m_next = pass->rows.back();
            at += count;
            keepSnapshot(at);
            m_observer.onPrefill(at, total);
        }
        return !cancelled();
    }

    /// Adds tokens to the response until it is finished; returns those that joined.
    std::vector<TokenId> append(std::span<const TokenId> tokens) {
        std::vector<TokenId> joined;
        for (const TokenId t : tokens) {
            if (finished()) break;
            if (m_model.isEos(t)) {
                m_ended = true;
                break;
            }
            m_result.response.push_back(t);
            joined.push_back(t);
            if (m_request.thinkEndId && t == *m_request.thinkEndId) m_thinking = false;
        }
        if (!joined.empty()) m_observer.onTokens(joined);
        return joined;
    }

    void note(PassRecord&& record) {
        const bool pass = record.kind != PassKind::Edit;
        if (pass) {
            record.changed = std::exchange(m_changed, {});
            record.choice = std::exchange(m_choice, std::nullopt);
        }
        if (pass && record.kind != PassKind::Token) ++m_result.passes;
        m_result.passMilliseconds += record.stats.milliseconds;
        m_observer.onPass(record);
    }

    /// Runs the noisy pass of a block. Before a block's first pass, the block before it still has to join the prefix: devices
    /// that can do both in one pass do so; on the others each is a pass of its own, with a look at the cancel flag between them.
    Result<PassOutput> denoisePass(std::span<const TokenId> block, const PassControls& c) {
        if (m_clean.empty()) return m_executor.denoise(block, c);
        const std::vector<TokenId> clean = std::exchange(m_clean, {});
        const std::vector<TokenId> counted = std::exchange(m_uncounted, {});
        if (m_executor.fusesCommit()) return m_executor.commitAndDenoise(clean, counted, block, c);
        if (const Status s = m_executor.countTokens(counted); !s.ok()) return s.error();
        if (const auto commit = m_executor.commit(clean, nullptr); !commit.ok()) return commit.error();
        if (m_cancel.requested()) return makeError(ErrorKind::Cancelled, "stopped");
        return m_executor.denoise(block, c);
    }

    /// Masked rows whose confidence passes the threshold; if none does, the most confident masked row (ties: leftmost).
    [[nodiscard]] std::vector<std::int32_t> rowsToResolve(std::span<const TokenId> block,
                                                          std::span<const RowCandidate> rows) const {
        std::vector<std::int32_t> chosen;
        std::int32_t best = -1;
        const auto threshold = static_cast<float>(m_config.threshold);
        for (std::int32_t t = 0; t < static_cast<std::int32_t>(block.size()); ++t) {
            if (block[static_cast<std::size_t>(t)] != m_model.maskTokenId) continue;
            const float confidence = rows[static_cast<std::size_t>(t)].confidence;
            if (confidence > threshold) chosen.push_back(t);
            if (best < 0 || confidence > rows[static_cast<std::size_t>(best)].confidence) best = t;
        }
        if (chosen.empty() && best >= 0) chosen.push_back(best);
        return chosen;
    }

    /// The first end token from row `from` on; the block's size when there is none.
    [[nodiscard]] std::size_t firstEnd(std::span<const TokenId> block, std::size_t from) const {
        while (from < block.size() && !m_model.isEos(block[from])) ++from;
        return from;
    }
    [[nodiscard]] bool masksBefore(std::span<const TokenId> block, std::size_t end) const {
        const auto head = block.first(end);
        return std::find(head.begin(), head.end(), m_model.maskTokenId) != head.end();
    }

    /// LowConfidence: one block, from masks to tokens.
    bool denoiseBlock() {
        const auto size = static_cast<std::size_t>(m_config.blockSize);
        // Tokens before the first block that its alignment takes in; those of the response were counted with what was begun.
        const auto promptRows = m_clean.empty() && length() == static_cast<std::int64_t>(m_request.begun.size())
                                    ? static_cast<std::size_t>(headRows(static_cast<std::int64_t>(m_ids.size()), m_config))
                                    : 0;
        const std::int64_t first = length() - static_cast<std::int64_t>(promptRows);
        OpenBlock block{std::vector<TokenId>(size, m_model.maskTokenId), promptRows, first, -1, size, true};
        const auto tail = std::span(m_ids).last(promptRows);
        std::copy(tail.begin(), tail.end(), block.tokens.begin());

        bool more = true;
        while (more && block.open) {
            if (cancelled() || !denoiseStep(block)) return false;
            more = gate({m_block, block.step, true, false}, &block);
        }
        // What was stopped while it was paused over a complete block keeps it.
        if (block.open) return false;
        countBlock();
        m_uncounted = append(std::span(block.tokens).subspan(promptRows, std::min(block.end + 1, size) - promptRows));
        m_clean = std::move(block.tokens);
        return more;
    }

    /// One noisy pass over the open block.
    bool denoiseStep(OpenBlock& block) {
        takeChanges();
        ++block.step;
        const auto promptRows = static_cast<std::int32_t>(block.promptRows);
        auto pass = denoisePass(block.tokens, controls(block.first, block.step, promptRows));
        if (!pass.ok()) return fail(pass.error());
        PassRecord record{PassKind::Denoise, m_block, block.step, block.first, promptRows, {}, {}, {}, 0, -1, {}};
        record.resolved = rowsToResolve(block.tokens, pass->rows);
        for (const std::int32_t t : record.resolved)
            block.tokens[static_cast<std::size_t>(t)] = pass->rows[static_cast<std::size_t>(t)].token;
        close(block);
        record.tokens = block.tokens;
        record.rows = std::move(pass->rows);
        record.stats = std::move(pass->stats);
        if (!block.open) record.droppedFrom = droppedRow(block.end, block.first, block.tokens.size());
        note(std::move(record));
        return true;
    }

    /// The first row that falls away: the end token's, or the first beyond the length limit; -1 when all stay.
    [[nodiscard]] std::int32_t droppedRow(std::size_t end, std::int64_t first, std::size_t size) const {
        const auto cut = std::min<std::int64_t>(static_cast<std::int64_t>(end), m_config.maxNewTokens - first);
        return cut < static_cast<std::int64_t>(size) ? static_cast<std::int32_t>(cut) : -1;
    }

    /// SelfSpeculative: a noisy draft, a causal check of it, and the longest agreeing head is kept.
    bool speculate() {
        if (cancelled()) return false;
        const auto size = static_cast<std::size_t>(m_config.blockSize);
        std::vector<TokenId> block(size, m_model.maskTokenId);
        block[0] = m_next.token;
        auto draft = m_executor.denoise(block, controls(length(), 0));
        if (!draft.ok()) return fail(draft.error());
        draft->rows[0] = m_next;
        PassRecord drafted{PassKind::Draft, m_block, 0, length(), 0, {}, {}, {}, 0, -1, {}};
        for (std::size_t t = 1; t < size; ++t) {
            block[t] = draft->rows[t].token;
            drafted.resolved.push_back(static_cast<std::int32_t>(t));
        }
        drafted.tokens = block;
        drafted.rows = std::move(draft->rows);
        drafted.stats = std::move(draft->stats);
        note(std::move(drafted));

        if (cancelled() || !gate({m_block, 0, false, false}, nullptr)) return false;
        auto check = m_executor.verify(block, controls(length() + 1, 0));
        if (!check.ok()) return fail(check.error());
        std::size_t keep = 1;
        while (keep < size && check->rows[keep - 1].token == block[keep] && !m_model.isEos(block[keep - 1])) ++keep;
        if (const Status s = m_executor.keep(static_cast<std::int64_t>(keep)); !s.ok()) return fail(s.error());
        m_next = check->rows[keep - 1];
        block.resize(keep);
        PassRecord verified{PassKind::Verify, m_block, 1, length(), 0, block, {}, {}, static_cast<std::int32_t>(keep), -1, {}};
        verified.stats = std::move(check->stats);
        verified.droppedFrom = droppedRow(firstEnd(block, 0), length(), keep);
        note(std::move(verified));
        countBlock();
        return countAppended(append(block)) && gate({m_block - 1, 1, false, true}, nullptr);
    }

    /// Autoregressive: the last row's choice joins the response and is run for the next.
    bool singleToken() {
        if (cancelled()) return false;
        const TokenId token = m_next.token;
        const std::int64_t n = length();
        const std::int64_t place = n - m_tokenRun;
        PassRecord record{PassKind::Token,
                          m_block + place / m_config.blockSize,
                          place % m_config.blockSize,
                          n,
                          0,
                          {token},
                          {m_next},
                          {0},
                          0,
                          -1,
                          {}};
        record.droppedFrom = m_model.isEos(token) ? 0 : -1;
        record.stats = std::move(m_nextStats);
        const PauseState paused{record.block, record.step, false, false};
        note(std::move(record));
        if (!countAppended(append(std::span(&token, 1)))) return false;
        if (finished()) return true;
        if (!gate(paused, nullptr)) return false;
        const PassControls next = controls(length(), 0);
        auto pass = m_executor.commit(std::span(&token, 1), &next);
        if (!pass.ok()) return fail(pass.error());
        m_next = pass->rows.back();
        m_nextStats = std::move(pass->stats);
        return true;
    }

    void countBlock() {
        ++m_result.blocks;
        ++m_block;
    }

    bool countAppended(const std::vector<TokenId>& tokens) {
        const Status s = m_executor.countTokens(tokens);
        return s.ok() || fail(s.error());
    }

    Executor& m_executor;
    const ModelConfig& m_model;
    const DecodeRequest& m_request;
    GenerationConfig m_config;  ///< the request's, with what was changed since
    DecodeObserver& m_observer;
    const CancelFlag& m_cancel;

    DecodeResult m_result;
    DecodingMode m_wantedMode = m_config.decoding;
    ControlChange m_changed;  ///< in force, and not in the trace yet
    bool m_auto = false;      ///< m_chooser says which mode writes the next turn
    ModeChooser m_chooser;
    std::optional<ModeChoice> m_choice;  ///< not in the trace yet
    bool m_turnOpen = false;
    std::int64_t m_turnStart = 0;  ///< response position
    double m_turnTime = 0.0;
    bool m_thinking;                   ///< a think phase is open at the end of the response so far
    bool m_ended = false;              ///< an end token was reached
    std::vector<TokenId> m_ids;        ///< the prompt and what was begun
    std::int64_t m_block;              ///< number of the block that is being written
    std::int64_t m_tokenRun = 0;       ///< autoregressive: response position at which block m_block begins
    std::vector<TokenId> m_clean;      ///< the block that has yet to join the prefix
    std::vector<TokenId> m_uncounted;  ///< its tokens that the penalties have yet to count
    RowCandidate m_next;               ///< causal modes: the choice for the next position
    PassStats m_nextStats;             ///< and what it cost
};

}  // namespace

std::string_view stopReasonName(StopReason reason) {
    switch (reason) {
        case StopReason::End:
            return "end";
        case StopReason::Length:
            return "length";
        case StopReason::Cancelled:
            return "cancelled";
        case StopReason::Refused:
            return "refused";
        case StopReason::Failed:
            return "failed";
    }
    return {};
}

std::int64_t positionsNeeded(std::int64_t promptTokens, const GenerationConfig& config, std::int64_t begunTokens) {
    const std::int64_t known = promptTokens + begunTokens;
    const std::int64_t head = headRows(known, config);
    const std::int64_t size = config.blockSize;
    const std::int64_t wanted = std::max<std::int64_t>(config.maxNewTokens - begunTokens, 0);
    return known - head + (head + wanted + size - 1) / size * size;
}

std::optional<Error> checkRequest(std::span<const TokenId> prompt, const GenerationConfig& config, const ModelConfig& model,
                                  std::span<const TokenId> begun) {
    if (prompt.empty()) return makeError(ErrorKind::InvalidArgument, "the prompt is empty", "give at least one token");
    for (std::size_t i = 0; i < prompt.size(); ++i)
        if (prompt[i] < 0 || prompt[i] >= model.vocabSize)
            return makeError(ErrorKind::InvalidArgument, "prompt token " + std::to_string(i) + " is " +
                                                             std::to_string(prompt[i]) + "; the model's ids go from 0 to " +
                                                             std::to_string(model.vocabSize - 1));
    for (const TokenId id : begun)
        if (id < 0 || id >= model.vocabSize || id == model.maskTokenId || model.isEos(id))
            return makeError(
                ErrorKind::InvalidArgument,
                "the answer to be continued holds token " + std::to_string(id) + ", which no answer of this model has",
                "write the answer anew");
    const auto promptTokens = static_cast<std::int64_t>(prompt.size());
    const std::int64_t need = positionsNeeded(promptTokens, config, static_cast<std::int64_t>(begun.size()));
    if (need <= model.maxPositionEmbeddings) return std::nullopt;
    return makeError(ErrorKind::DoesNotFit,
                     "the prompt (" + std::to_string(promptTokens) + " tokens) and a response of up to " +
                         std::to_string(config.maxNewTokens) + " (in whole blocks of " + std::to_string(config.blockSize) +
                         ") need " + std::to_string(need) + " positions; the context has " +
                         std::to_string(model.maxPositionEmbeddings),
                     "lower max_new_tokens or shorten the prompt");
}

DecodeResult decode(Executor& executor, const DecodeRequest& request, DecodeObserver& observer, const CancelFlag& cancel) {
    return Run(executor, request, observer, cancel).run();
}

}  // namespace trefoil
