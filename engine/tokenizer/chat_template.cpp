#include "engine/tokenizer/chat_template.h"

#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/json_reader.h"
#include "engine/tokenizer/jinja/renderer.h"
#include "engine/tokenizer/sha256.h"
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace trefoil {

namespace {

using nlohmann::json;
using Verdict = ChatTemplateCheck::Verdict;
using jinja::Value;

constexpr std::uint64_t kLargestTemplateFile = 1U << 20;
constexpr std::uint64_t kLargestConfigFile = 64U << 20;

// Of normalised text. Each was rendered with Jinja2 for the conversations below and gave section 8's prompts.
constexpr std::array<std::string_view, 2> kKnown = {"f64d291f5518e8e31d6e2b8510c36315f25fa46ed4459c769bde60cf6ec781e2",
                                                    "a4aee8afcf2e0711942cf848899be66016f8d14a889ff9ede07bca099c28f715"};

struct Turn {
    const char* role;
    const char* content;
    const char* thinking;  // of an assistant's turn in the history, which prompts do not carry
};
using Conversation = std::vector<Turn>;

const std::vector<Conversation>& conversations() {
    static const std::vector<Conversation> kAll = {
        {{"user", "What is a clover?", nullptr}},
        {{"system", "Answer in one word.", nullptr}, {"user", "Two lines:\nand a {{ brace }}", nullptr}},
        {{"system", "Be brief.", nullptr},
         {"user", "Name a leaf.", nullptr},
         {"assistant", "Clover.", "A leaf is asked for."},
         {"user", "And how many parts has it?", nullptr}}};
    return kAll;
}

std::string expectedPrompt(const Conversation& conversation, bool thinking, bool thinks) {
    std::string out;
    for (const Turn& turn : conversation) out += std::string("<|im_start|>") + turn.role + "\n" + turn.content + "<|im_end|>\n";
    out += "<|im_start|>assistant\n";
    if (thinks) out += thinking ? "<think>\n" : "<think>\n\n</think>\n\n";
    return out;
}

Value::Dict variables(const Conversation& conversation, bool thinking) {
    Value::List messages;
    for (const Turn& turn : conversation) {
        Value::Dict message{{"role", Value::of(turn.role)}, {"content", Value::of(turn.content)}};
        if (turn.thinking != nullptr) message.emplace_back("reasoning_content", Value::of(turn.thinking));
        messages.push_back(Value::of(std::move(message)));
    }
    return {{"messages", Value::of(std::move(messages))},
            {"tools", Value::none()},
            {"documents", Value::none()},
            {"add_generation_prompt", Value::of(true)},
            {"enable_thinking", Value::of(thinking)}};
}

std::string normalised(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
    out.resize(out.find_last_not_of(" \t\r\n") + 1);
    return out;
}

// The part of two texts from shortly before their first difference.
std::string aroundDifference(const std::string& text, const std::string& other) {
    const auto at =
        static_cast<std::size_t>(std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first - text.begin());
    const std::size_t from = at < 24 ? 0 : at - 24;
    std::string out = "\"";
    out += printable(text.substr(from, 60));
    out += '"';
    return out;
}

constexpr const char* kGoOn = "; prompts are written as ChatML all the same, and answers may be worse than they could be";

ChatTemplateCheck notUnderstood(const std::string& reason) {
    return {Verdict::NotUnderstood, "the chat template is not recognised: " + reason + kGoOn};
}

// The template in tokenizer_config.json; nothing when there is none.
std::optional<std::string> templateOf(const json& config, std::string& fault) {
    const auto it = config.find("chat_template");
    if (it == config.end() || it->is_null()) return std::nullopt;
    if (it->is_string()) return it->get<std::string>();
    if (it->is_array())
        for (const json& entry : *it)
            if (entry.is_object() && entry.value("name", json()) == "default" && entry.value("template", json()).is_string())
                return entry["template"].get<std::string>();
    fault = "chat_template is neither a text nor a list with a template named \"default\"";
    return std::nullopt;
}

}  // namespace

const char* ChatTemplateCheck::name() const {
    switch (verdict) {
        case Verdict::Missing:
            return "none";
        case Verdict::Known:
        case Verdict::SamePrompts:
            return "recognised";
        case Verdict::OtherPrompts:
            return "other prompts";
        case Verdict::NotUnderstood:
            return "not understood";
    }
    return "";
}

ChatTemplateCheck judgeChatTemplate(std::string_view text, const std::string& source, bool thinks) {
    if (!isValidUtf8(text)) return notUnderstood(source + " is not valid UTF-8");
    const std::string plain = normalised(text);
    // What is known was compared with thinking.
    if (thinks && std::find(kKnown.begin(), kKnown.end(), sha256(plain)) != kKnown.end()) return {Verdict::Known, {}};
    for (const Conversation& conversation : conversations()) {
        for (const bool thinking : {true, false}) {
            const auto prompt = jinja::renderTemplate(plain, variables(conversation, thinking));
            if (!prompt.ok()) return notUnderstood(source + ": " + prompt.error().message);
            const std::string expected = expectedPrompt(conversation, thinking, thinks);
            if (*prompt == expected) continue;
            return {Verdict::OtherPrompts, source + ": the chat template is not the ChatML that is written here; with thinking " +
                                               (thinking ? "on" : "off") + " it has " + aroundDifference(*prompt, expected) +
                                               " where " + aroundDifference(expected, *prompt) + " is expected" + kGoOn};
        }
    }
    return {Verdict::SamePrompts, {}};
}

ChatTemplateCheck checkChatTemplate(const std::filesystem::path& folder, bool thinks) {
    const auto file = readWholeFile(folder / "chat_template.jinja", kLargestTemplateFile);
    if (file.ok()) return judgeChatTemplate(*file, "chat_template.jinja", thinks);
    if (file.error().kind != ErrorKind::NotFound) return notUnderstood(file.error().message);
    const auto text = readWholeFile(folder / "tokenizer_config.json", kLargestConfigFile);
    if (!text.ok()) return text.error().kind == ErrorKind::NotFound ? ChatTemplateCheck() : notUnderstood(text.error().message);
    const auto config = parseJsonObject(*text, "tokenizer_config.json");
    if (!config.ok()) return notUnderstood(config.error().message);
    std::string fault;
    const auto found = templateOf(*config, fault);
    if (!fault.empty()) return notUnderstood("tokenizer_config.json: " + fault);
    return found ? judgeChatTemplate(*found, "tokenizer_config.json", thinks) : ChatTemplateCheck();
}

}  // namespace trefoil
