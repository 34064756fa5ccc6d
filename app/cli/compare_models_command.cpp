#include "app/cli/commands.h"
#include "engine/tokenizer/response_text.h"
#include "engine/verify/compare_models.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <utility>

namespace trefoil::cli {
namespace {

using Json = nlohmann::json;

class Silent : public DecodeObserver {};

/// One model's answers to the sums.
struct Answers {
    std::vector<bool> right;
    std::vector<std::vector<TokenId>> texts;  ///< prompt and response
    std::vector<std::vector<TokenId>> responses;
    std::int64_t tokens = 0;
    std::int64_t passes = 0;

    [[nodiscard]] double tokensPerPass() const {
        return passes > 0 ? static_cast<double>(tokens) / static_cast<double>(passes) : 0.0;
    }
};

struct Sum {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
};

/// The same sums every time, of two or three digits each.
std::vector<Sum> sums(int count) {
    std::vector<Sum> out;
    std::uint32_t state = 1;
    const auto next = [&state] { return (state = state * 1664525U + 1013904223U) >> 16; };
    for (int i = 0; i < count; ++i) {
        const std::uint32_t a = 10 + next() % 990;
        out.push_back({a, 10 + next() % 990});
    }
    return out;
}

/// Whether the last number in an answer is this one.
bool endsInNumber(const std::string& answer, std::uint32_t wanted) {
    const std::size_t end = answer.find_last_of("0123456789");
    if (end == std::string::npos) return false;
    std::size_t first = end;
    while (first > 0 && answer[first - 1] >= '0' && answer[first - 1] <= '9') --first;
    return answer.substr(first, end + 1 - first) == std::to_string(wanted);
}

Result<Answers> answer(Engine& engine, int count) {
    Answers out;
    const ChatFormat& format = *engine.model()->text->format;
    for (const Sum& sum : sums(count)) {
        const std::string question = "What is " + std::to_string(sum.a) + " + " + std::to_string(sum.b) + "?";
        GenerationRequest request;
        request.config = engine.model()->defaults;
        const std::vector<ChatMessage> messages{{"user", question}};
        auto prompt = format.render(messages, request.config.enableThinking);
        if (!prompt.ok()) return prompt.error();
        request.promptIds = prompt->ids;
        request.thinkingOpen = prompt->thinkingOpen;
        Silent observer;
        const DecodeResult result = engine.generate(request, observer, cancelFlag());
        if (result.error) return *result.error;
        if (result.stopReason == StopReason::Cancelled) return makeError(ErrorKind::Cancelled, "the comparison was stopped");
        ResponseText text(format, prompt->thinkingOpen);
        text.push(result.response);
        text.finish();
        out.right.push_back(endsInNumber(text.answer(), sum.a + sum.b));
        out.responses.push_back(result.response);
        out.texts.push_back(std::move(prompt->ids));
        out.texts.back().insert(out.texts.back().end(), result.response.begin(), result.response.end());
        out.tokens += static_cast<std::int64_t>(result.response.size());
        out.passes += result.passes;
    }
    return out;
}

Json rowsJson(const RowAgreement& rows) {
    return {{"rows", rows.rows}, {"top1_agreement", rows.agreement()}, {"mean_kl", rows.meanDivergence()}};
}

/// The texts whose rows are compared: a file's, or what the first model answered.
Result<std::vector<std::vector<TokenId>>> textsOf(const CompareModelsOptions& options, const LoadedModel& model,
                                                  const Answers& answers) {
    if (options.textFile.empty()) return answers.texts;
    return textIds(options.textFile, model);
}

std::string forPeople(const Json& r) {
    std::string out;
    std::array<char, 200> line{};
    for (const char* rows : {"causal", "noisy"}) {
        std::snprintf(line.data(), line.size(), "%-7s %6lld rows   top-1 agreement %6.2f%%   mean KL divergence %.5f\n", rows,
                      static_cast<long long>(r[rows]["rows"].get<std::int64_t>()),
                      100.0 * r[rows]["top1_agreement"].get<double>(), r[rows]["mean_kl"].get<double>());
        out += line.data();
    }
    if (r["tasks"]["asked"] == 0) return out;
    std::snprintf(line.data(), line.size(), "sums    %d asked, right: A %d, B %d, of A's right ones B too %d; same text %d\n",
                  r["tasks"]["asked"].get<int>(), r["tasks"]["right_a"].get<int>(), r["tasks"]["right_b"].get<int>(),
                  r["tasks"]["stay_right"].get<int>(), r["tasks"]["same_text"].get<int>());
    out += line.data();
    std::snprintf(line.data(), line.size(), "tokens per pass: A %.2f, B %.2f\n", r["tokens_per_pass_a"].get<double>(),
                  r["tokens_per_pass_b"].get<double>());
    return out + line.data();
}

}  // namespace

int runCompareModels(const CompareModelsOptions& options) {
    if (options.tasks == 0 && options.textFile.empty())
        return fail(makeError(ErrorKind::InvalidArgument, "there is nothing to compare", "give --text or some --tasks"));
    Engine first;
    Engine second;
    for (const auto& [engine, folder] : {std::pair{&first, &options.first}, std::pair{&second, &options.second}}) {
        const auto loaded = loadModel(*engine, {*folder, "cpu", options.threads, {}}, true);
        if (!loaded.ok()) return fail(loaded.error());
    }
    const auto a = answer(first, options.tasks);
    if (!a.ok()) return fail(a.error());
    const auto b = answer(second, options.tasks);
    if (!b.ok()) return fail(b.error());
    const auto texts = textsOf(options, *first.model(), *a);
    if (!texts.ok()) return fail(texts.error());
    ModelAgreement agreement;
    for (const std::vector<TokenId>& text : *texts)
        if (auto ok = compareRows(*first.executor(), *second.executor(), text, first.model()->defaults, cancelFlag(), agreement);
            !ok.ok())
            return fail(ok.error());
    Json tasks{{"asked", options.tasks}, {"right_a", 0}, {"right_b", 0}, {"stay_right", 0}, {"same_text", 0}};
    const auto count = [&tasks](const char* key, bool yes) { tasks[key] = tasks[key].get<int>() + (yes ? 1 : 0); };
    for (std::size_t i = 0; i < a->right.size(); ++i) {
        count("right_a", a->right[i]);
        count("right_b", b->right[i]);
        count("stay_right", a->right[i] && b->right[i]);
        count("same_text", a->responses[i] == b->responses[i]);
    }
    const Json result{{"format_a", first.model()->summary.format},
                      {"format_b", second.model()->summary.format},
                      {"bytes_a", first.model()->summary.weightBytes},
                      {"bytes_b", second.model()->summary.weightBytes},
                      {"causal", rowsJson(agreement.causal)},
                      {"noisy", rowsJson(agreement.noisy)},
                      {"tasks", std::move(tasks)},
                      {"tokens_per_pass_a", a->tokensPerPass()},
                      {"tokens_per_pass_b", b->tokensPerPass()}};
    return print(options.json ? result.dump(2) + "\n" : forPeople(result)) ? kOk : kFailed;
}

}  // namespace trefoil::cli
