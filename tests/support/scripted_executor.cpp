#include "tests/support/scripted_executor.h"

#include <utility>

namespace trefoil::testing {
namespace {

class Snapshot : public PrefixSnapshot {
public:
    explicit Snapshot(std::vector<TokenId> ids) : prefix(std::move(ids)) {}
    [[nodiscard]] std::uint64_t bytes() const override { return prefix.size() * sizeof(TokenId); }
    [[nodiscard]] std::int64_t length() const override { return static_cast<std::int64_t>(prefix.size()); }
    std::vector<TokenId> prefix;
};

}  // namespace

ScriptedExecutor::ScriptedExecutor(ModelConfig config, Script script) : m_config(std::move(config)), m_script(std::move(script)) {
    m_counts.assign(static_cast<std::size_t>(m_config.vocabSize), 0.0F);
}

Status ScriptedExecutor::begin(const std::string& call) {
    if (onCall) onCall(call);
    const bool fails = static_cast<std::int64_t>(m_calls.size()) == failAt;
    m_calls.push_back(call);
    return fails ? Status(failure) : Status();
}

Status ScriptedExecutor::reset() {
    m_prefix.clear();
    return resetCounts();
}

Status ScriptedExecutor::resetCounts() {
    m_counts.assign(m_counts.size(), 0.0F);
    return {};
}

Status ScriptedExecutor::countTokens(std::span<const TokenId> tokens) {
    for (const TokenId t : tokens) m_counts[static_cast<std::size_t>(t)] += 1.0F;
    return {};
}

RowCandidate ScriptedExecutor::choose(std::vector<float> logits, const std::vector<float>& counts, std::int64_t position,
                                      std::int64_t step, bool thinking, const PassControls& controls) {
    const RowContext row{position, step, thinking};
    const SamplerModel model{m_config.eosTokenIds, m_config.maskTokenId, controls.thinkEndId};
    adjustLogits(logits, counts, row, model, *controls.config);
    return chooseCandidate(logits, row, *controls.config, m_scratch);
}

RowCandidate ScriptedExecutor::causalRow(std::span<const TokenId> ids, std::size_t row, const std::vector<float>& counts,
                                         std::int64_t position, bool thinking, const PassControls& controls) {
    ScriptedRow asked{false, prefixLength() + static_cast<std::int64_t>(row), m_prefix};
    asked.sequence.insert(asked.sequence.end(), ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(row) + 1);
    return choose(m_script(asked), counts, position, controls.step, thinking, controls);
}

Result<PassOutput> ScriptedExecutor::prefill(std::span<const TokenId> ids, const PassControls* controls) {
    if (const Status s = begin("prefill " + std::to_string(ids.size())); !s.ok()) return s.error();
    PassOutput out;
    if (controls != nullptr)
        out.rows.push_back(causalRow(ids, ids.size() - 1, m_counts, controls->firstPosition, controls->thinkingOpen, *controls));
    m_prefix.insert(m_prefix.end(), ids.begin(), ids.end());
    return out;
}

Result<PassOutput> ScriptedExecutor::commit(std::span<const TokenId> ids, const PassControls* controls) {
    if (const Status s = begin("commit " + std::to_string(ids.size())); !s.ok()) return s.error();
    PassOutput out;
    if (controls != nullptr)
        out.rows.push_back(causalRow(ids, ids.size() - 1, m_counts, controls->firstPosition, controls->thinkingOpen, *controls));
    m_prefix.insert(m_prefix.end(), ids.begin(), ids.end());
    return out;
}

Result<PassOutput> ScriptedExecutor::denoise(std::span<const TokenId> block, const PassControls& controls) {
    if (const Status s = begin("denoise"); !s.ok()) return s.error();
    std::vector<float> counts = m_counts;
    bool thinking = controls.thinkingOpen;
    for (std::size_t t = static_cast<std::size_t>(controls.promptRows); t < block.size(); ++t) {
        if (block[t] == m_config.maskTokenId || m_config.isEos(block[t])) continue;
        counts[static_cast<std::size_t>(block[t])] += 1.0F;
        if (controls.thinkEndId && block[t] == *controls.thinkEndId) thinking = false;
    }
    PassOutput out;
    for (std::size_t t = 0; t < block.size(); ++t) {
        ScriptedRow asked{true, prefixLength() + static_cast<std::int64_t>(t), m_prefix};
        asked.sequence.insert(asked.sequence.end(), block.begin(), block.end());
        out.rows.push_back(choose(m_script(asked), counts, controls.firstPosition + static_cast<std::int64_t>(t), controls.step,
                                  thinking, controls));
    }
    return out;
}

Result<PassOutput> ScriptedExecutor::verify(std::span<const TokenId> ids, const PassControls& controls) {
    if (const Status s = begin("verify"); !s.ok()) return s.error();
    std::vector<float> counts = m_counts;
    bool thinking = controls.thinkingOpen;
    PassOutput out;
    for (std::size_t t = 0; t < ids.size(); ++t) {
        if (!m_config.isEos(ids[t])) counts[static_cast<std::size_t>(ids[t])] += 1.0F;
        if (controls.thinkEndId && ids[t] == *controls.thinkEndId) thinking = false;
        out.rows.push_back(causalRow(ids, t, counts, controls.firstPosition + static_cast<std::int64_t>(t), thinking, controls));
    }
    m_pending.assign(ids.begin(), ids.end());
    return out;
}

Status ScriptedExecutor::keep(std::int64_t rows) {
    m_calls.push_back("keep " + std::to_string(rows));
    m_prefix.insert(m_prefix.end(), m_pending.begin(), m_pending.begin() + rows);
    m_pending.clear();
    return {};
}

Result<std::unique_ptr<PrefixSnapshot>> ScriptedExecutor::snapshot() {
    return std::unique_ptr<PrefixSnapshot>(std::make_unique<Snapshot>(m_prefix));
}

Status ScriptedExecutor::restore(const PrefixSnapshot& snapshot) {
    const auto* own = dynamic_cast<const Snapshot*>(&snapshot);
    if (own == nullptr) return makeError(ErrorKind::InvalidArgument, "a snapshot of another executor");
    m_prefix = own->prefix;
    return {};
}

ModelConfig scriptedConfig(std::int64_t vocab, std::int64_t context) {
    ModelConfig config;
    config.vocabSize = vocab;
    config.maxPositionEmbeddings = context;
    config.maskTokenId = static_cast<TokenId>(vocab - 1);
    config.eosTokenIds = {0};
    return config;
}

std::vector<float> peak(std::int64_t vocab, TokenId id, float value) {
    std::vector<float> logits(static_cast<std::size_t>(vocab), 0.0F);
    logits[static_cast<std::size_t>(id)] = value;
    return logits;
}

}  // namespace trefoil::testing
