#include "app/serve/pass_events.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string_view>

namespace trefoil::serve {
namespace {

using Json = nlohmann::ordered_json;

/// Four decimals: what a display needs, in a third of the bytes.
double shortened(double value) { return std::round(value * 1e4) / 1e4; }

Json tokenJson(const ServedToken& token, const char* probabilityName) {
    return {{"id", token.id}, {"text", token.text}, {probabilityName, token.probability}};
}

std::string_view reasonName(ModeReason reason) {
    switch (reason) {
        case ModeReason::Trial:
            return "trial";
        case ModeReason::Fastest:
            return "fastest";
        case ModeReason::Retrial:
            return "retrial";
    }
    return "trial";
}

Json changedJson(const ControlChange& changed) {
    Json out = Json::object();
    if (changed.threshold) out["threshold"] = *changed.threshold;
    if (changed.coresetEnabled) out["moe_block_coreset_enabled"] = *changed.coresetEnabled;
    if (changed.coresetTopP) out["moe_block_coreset_top_p"] = *changed.coresetTopP;
    if (changed.decoding) out["decoding"] = decodingModeName(*changed.decoding);
    return out;
}

/// Rows that were resolved although none exceeded the threshold.
Json forcedRows(const ServedPass& pass) {
    Json out = Json::array();
    if (pass.record.kind != PassKind::Denoise) return out;
    for (const std::int32_t row : pass.record.resolved) {
        const auto at = static_cast<std::size_t>(row);
        if (at < pass.rows.size() && pass.rows[at].candidate.probability <= static_cast<float>(pass.threshold))
            out.push_back(row);
    }
    return out;
}

}  // namespace

ServedPass toServedPass(const PassRecord& record, double threshold, const Tokenizer& tokenizer, TokenId maskId) {
    ServedPass out;
    out.record = record;
    out.threshold = threshold;
    for (const TokenId id : record.tokens) out.texts.push_back(id == maskId ? std::string() : tokenizer.displayText(id));
    for (const RowCandidate& row : record.rows) {
        ServedRow served;
        served.candidate = {row.token, row.confidence, tokenizer.displayText(row.token)};
        for (const TokenProbability& likely : row.top)
            if (likely.token >= 0)
                served.alternatives.push_back({likely.token, likely.probability, tokenizer.displayText(likely.token)});
        out.rows.push_back(std::move(served));
    }
    return out;
}

Json passJson(const ServedPass& pass) {
    const PassRecord& record = pass.record;
    Json rows = Json::array();
    for (const ServedRow& row : pass.rows) {
        Json one = tokenJson(row.candidate, "confidence");
        Json& top = one["top"] = Json::array();
        for (const ServedToken& likely : row.alternatives) top.push_back(tokenJson(likely, "p"));
        rows.push_back(std::move(one));
    }
    Json layers = Json::array();
    for (const LayerStats& layer : record.stats.layers)
        layers.push_back({{"experts", layer.distinctExperts},
                          {"coreset", layer.coresetSize},
                          {"coreset_share", layer.coresetShare},
                          {"free_experts", layer.freeExperts},
                          {"expert_bytes", layer.expertBytes}});
    Json out{{"kind", passKindName(record.kind)},
             {"block", record.block},
             {"step", record.step},
             {"first_position", record.firstPosition},
             {"prompt_rows", record.promptRows},
             {"threshold", pass.threshold},
             {"tokens", record.tokens},
             {"texts", pass.texts},
             {"rows", std::move(rows)},
             {"resolved", record.resolved},
             {"forced", forcedRows(pass)},
             {"accepted", record.accepted},
             {"dropped_from", record.droppedFrom},
             {"ms", shortened(record.stats.milliseconds)},
             {"weight_bytes", record.stats.weightBytes},
             {"layers", std::move(layers)},
             {"changed", changedJson(record.changed)}};
    if (record.choice) {
        const auto rate = [&](DecodingMode mode) { return shortened(record.choice->rates.at(static_cast<std::size_t>(mode))); };
        out["choice"] = {{"mode", decodingModeName(record.choice->mode)},
                         {"reason", reasonName(record.choice->reason)},
                         {"low_confidence", rate(DecodingMode::LowConfidence)},
                         {"self_speculative", rate(DecodingMode::SelfSpeculative)},
                         {"autoregressive", rate(DecodingMode::Autoregressive)}};
    }
    return out;
}

}  // namespace trefoil::serve
