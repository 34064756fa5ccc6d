#include "engine/verify/golden.h"

#include "engine/checkpoint/input_file.h"
#include "engine/verify/golden_cases.h"
#include "engine/verify/golden_tensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace trefoil {
namespace {

using Json = nlohmann::json;

/// Confidences agree within this where the candidate is the same. The demo model's experts sometimes win by 5e-7 (section 10).
constexpr double kTinyConfidence = 5e-5;
constexpr double kDemoConfidence = 5e-3;
constexpr double kReducedConfidence = 5e-2;

class Recorder : public DecodeObserver {
public:
    void onPass(const PassRecord& pass) override {
        if (pass.kind != PassKind::Token) passes.push_back(pass);
    }
    std::vector<PassRecord> passes;
};

/// What differs between a pass and its golden twin; empty when they agree.
std::string passDifference(const PassRecord& pass, const GoldenPass& golden, double tolerance) {
    if (golden.kind != passKindName(pass.kind)) return "kind " + std::string(passKindName(pass.kind));
    if (golden.block != pass.block || golden.step != pass.step) return "block or step";
    if (pass.tokens != golden.tokens) return "tokens";
    if (pass.kind == PassKind::Verify) return golden.accepted == pass.accepted ? "" : "accepted rows";
    if (golden.resolved != pass.resolved) return "resolved rows";
    if (golden.candidates.size() != pass.rows.size()) return "number of rows";
    for (std::size_t t = 0; t < pass.rows.size(); ++t)
        if (pass.rows[t].token == golden.candidates[t] &&
            !(std::fabs(pass.rows[t].confidence - golden.confidences[t]) <= tolerance))
            return "confidence of row " + std::to_string(t);
    return "";
}

std::string caseDifference(const GoldenCase& golden, const DecodeResult& result, const std::vector<PassRecord>& passes,
                           bool reduced) {
    if (result.error) return result.error->message;
    const double tolerance = reduced ? kReducedConfidence : (golden.hasMessages ? kDemoConfidence : kTinyConfidence);
    if (golden.passes) {
        for (std::size_t i = 0; i < std::min(passes.size(), golden.passes->size()); ++i)
            if (const std::string d = passDifference(passes[i], (*golden.passes)[i], tolerance); !d.empty())
                return "pass " + std::to_string(i) + ": other " + d;
        if (passes.size() != golden.passes->size())
            return std::to_string(passes.size()) + " passes, golden " + std::to_string(golden.passes->size());
    }
    if (result.response != golden.response) {
        const auto at =
            std::mismatch(result.response.begin(), result.response.end(), golden.response.begin(), golden.response.end());
        return "response differs at token " + std::to_string(at.first - result.response.begin());
    }
    return "";
}

class Comparison {
public:
    Comparison(Executor& executor, const VerifyOptions& options) : m_executor(executor), m_options(options) {}

    Status tensors(const std::filesystem::path& file) {
        return compareGoldenTensors(m_executor, file, [this](VerifyRow row) {
            m_report.worstError = std::max(m_report.worstError, row.error);
            add(std::move(row));
        });
    }

    Status traces(const std::filesystem::path& file) {
        const auto text = readWholeFile(file, kLargestTraces);
        if (!text.ok()) return text.error();
        GenerationConfig base;
        base.alignBlocks = m_executor.config().compatibility.alignBlocks;
        const auto cases = parseGoldenCases(*text, file.string(), base);
        if (!cases.ok()) return cases.error();
        for (std::size_t i = 0; i < std::min(cases->size(), m_options.mostCases); ++i) {
            if (m_options.cancel != nullptr && m_options.cancel->requested()) return makeError(ErrorKind::Cancelled, "stopped");
            runCase((*cases)[i], i);
        }
        return {};
    }

    VerifyReport take() {
        m_report.firstDifference = describeFirst();
        return std::move(m_report);
    }

private:
    void runCase(const GoldenCase& golden, std::size_t index) {
        const std::string name = "case " + std::to_string(index);
        if (m_executor.reducedPrecision() && !golden.bf16) {
            add({name, "margins too narrow for this precision", true, true});
            return;
        }
        const CancelFlag never;
        Recorder recorder;
        const DecodeRequest request{golden.prompt, golden.config, golden.thinking, golden.thinkEndId};
        const DecodeResult result =
            decode(m_executor, request, recorder, m_options.cancel != nullptr ? *m_options.cancel : never);
        const std::string difference = caseDifference(golden, result, recorder.passes, m_executor.reducedPrecision());
        const std::string same = std::to_string(result.response.size()) + " tokens" +
                                 (golden.passes ? ", " + std::to_string(recorder.passes.size()) + " passes" : "") + " identical";
        add({name, difference.empty() ? same : difference, difference.empty(), false});
    }

    [[nodiscard]] std::string describeFirst() const {
        const auto& rows = m_report.rows;
        const auto bad = std::find_if(rows.begin(), rows.end(), [](const VerifyRow& r) { return !r.ok; });
        if (bad == rows.end()) return {};
        std::string out = bad->name;
        static constexpr std::string_view kLayer = ".layer.";
        if (const std::size_t at = bad->name.find(kLayer); at != std::string::npos) {
            const auto layer = std::strtoull(bad->name.c_str() + at + kLayer.size(), nullptr, 10);
            const auto& kinds = m_executor.config().layers;
            if (layer < kinds.size())
                out += kinds[layer] == LayerKind::FullAttention ? " (full attention, then experts)"
                                                                : " (Gated DeltaNet, then experts)";
        }
        out += bad->error > 0 ? " differs by " + bad->result : ": " + bad->result;
        if (bad == rows.begin()) return out + "; it is the first thing compared";
        const VerifyRow& before = *std::prev(bad);
        return out + "; " + before.name + " just before it agrees" + (before.error > 0 ? " (" + before.result + ")" : "");
    }

    void add(VerifyRow row) {
        if (m_options.onRow) m_options.onRow(row);
        m_report.rows.push_back(std::move(row));
    }

    Executor& m_executor;
    const VerifyOptions& m_options;
    VerifyReport m_report;
};

Json passToJson(const PassRecord& pass) {
    Json out{{"kind", passKindName(pass.kind)}, {"block", pass.block}, {"step", pass.step}, {"tokens", pass.tokens}};
    if (pass.kind == PassKind::Verify) {
        out["accepted"] = pass.accepted;
        return out;
    }
    Json candidates = Json::array();
    Json confidences = Json::array();
    for (const RowCandidate& row : pass.rows) {
        candidates.push_back(row.token);
        confidences.push_back(std::round(static_cast<double>(row.confidence) * 1e6) / 1e6);
    }
    out["candidates"] = std::move(candidates);
    out["confidences"] = std::move(confidences);
    out["resolved"] = pass.resolved;
    return out;
}

}  // namespace

bool VerifyReport::ok() const {
    return !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const VerifyRow& r) { return r.ok; });
}

std::size_t VerifyReport::failed() const {
    return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const VerifyRow& r) { return !r.ok; }));
}

Status findGolden(const std::filesystem::path& golden) {
    std::error_code ec;
    if (!std::filesystem::exists(golden, ec))
        return makeError(ErrorKind::NotFound, "there is no file or folder " + golden.string(),
                         "give the folder that dump_reference.py wrote, or another with golden.safetensors or traces.json");
    const bool folder = std::filesystem::is_directory(golden, ec);
    if (!folder || std::filesystem::exists(golden / "golden.safetensors", ec) ||
        std::filesystem::exists(golden / "traces.json", ec))
        return {};
    return makeError(ErrorKind::NotFound, "nothing to compare with in " + golden.string(),
                     "give a folder with golden.safetensors or traces.json, or a traces file");
}

Result<VerifyReport> verifyGolden(Executor& executor, const std::filesystem::path& golden, const VerifyOptions& options) {
    Comparison comparison(executor, options);
    std::error_code ec;
    const bool folder = std::filesystem::is_directory(golden, ec);
    const auto tensors = golden / "golden.safetensors";
    const auto traces = folder ? golden / "traces.json" : golden;
    const bool hasTensors = folder && std::filesystem::exists(tensors, ec);
    const bool hasTraces = std::filesystem::exists(traces, ec);
    if (const Status s = findGolden(golden); !s.ok()) return s.error();
    if (hasTensors)
        if (const Status s = comparison.tensors(tensors); !s.ok()) return s.error();
    if (hasTraces)
        if (const Status s = comparison.traces(traces); !s.ok()) return s.error();
    return comparison.take();
}

std::string traceToJson(const DecodeRequest& request, const DecodeResult& result, const std::vector<PassRecord>& passes) {
    Json out{{"controls", Json::parse(toJson(request.config))},
             {"prompt", std::vector<TokenId>(request.prompt.begin(), request.prompt.end())},
             {"thinking", request.thinkingOpen},
             {"think_end_id", nullptr},
             {"response", result.response},
             {"passes", Json::array()}};
    if (request.thinkEndId) out["think_end_id"] = *request.thinkEndId;
    for (const PassRecord& pass : passes)
        if (pass.kind != PassKind::Token) out["passes"].push_back(passToJson(pass));
    return Json::array({std::move(out)}).dump();
}

}  // namespace trefoil
