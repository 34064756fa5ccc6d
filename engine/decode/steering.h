// Steering: what a person does while a response is written: other controls, pause and single steps, rows changed by hand. A
// mailbox between any thread and the one that decodes.
#pragma once

#include "engine/base/types.h"
#include "engine/decode/generation_config.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace trefoil {

/// Controls that may change during a response; absent: as they were. The threshold and the coreset's take effect at the next
/// pass, the mode at the next block (the next token of the autoregressive mode).
struct ControlChange {
    std::optional<double> threshold;
    std::optional<bool> coresetEnabled;
    std::optional<double> coresetTopP;
    std::optional<DecodingMode> decoding;

    [[nodiscard]] bool empty() const { return !threshold && !coresetEnabled && !coresetTopP && !decoding; }
    /// What `later` names wins.
    void add(const ControlChange& later);
    bool operator==(const ControlChange&) const = default;
};

/// A row of the block that is paused over, changed by hand. Edits of another block, of prompt rows or with ids that the model
/// does not have are ignored by the decoder.
struct RowEdit {
    std::int64_t block = 0;  ///< PassRecord::block
    std::int32_t row = 0;
    TokenId token = -1;  ///< the mask id: the row is to be written again
    bool operator==(const RowEdit&) const = default;
};

class Steering {
public:
    /// From any thread. Values are those that GenerationConfig may hold (setControl checks them).
    void change(const ControlChange& change);

    /// From any thread: no further pass begins until resume() or step().
    void pause();
    void resume();
    /// Lets one more pass happen and pauses after it.
    void step();
    /// Changes rows while paused; without a pause the edits are dropped.
    void edit(const std::vector<RowEdit>& edits);
    /// After a CancelFlag was set: whoever waits looks at it.
    void wake();

    /// What has come since the last call; for the decoder.
    [[nodiscard]] ControlChange take();
    /// For the decoder, before each pass: true when it may begin. Uses up a step; drops edits that came without a pause.
    [[nodiscard]] bool mayGo();
    enum class Turn : std::uint8_t { Go, Edit, Stop };
    /// For the decoder: sleeps until a pass may begin (Go), rows were changed (Edit, see takeEdits) or `cancel` is set (Stop).
    [[nodiscard]] Turn wait(const CancelFlag& cancel);
    [[nodiscard]] std::vector<RowEdit> takeEdits();
    [[nodiscard]] bool paused() const;

private:
    /// Holding the lock.
    [[nodiscard]] bool goes();

    mutable std::mutex m_mutex;
    std::condition_variable m_news;
    ControlChange m_waiting;
    bool m_paused = false;
    std::int64_t m_steps = 0;  ///< passes that may happen although paused
    std::vector<RowEdit> m_edits;
};

}  // namespace trefoil
