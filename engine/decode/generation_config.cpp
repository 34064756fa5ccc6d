#include "engine/decode/generation_config.h"

#include "engine/base/excerpt.h"
#include "engine/checkpoint/json_reader.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <variant>

namespace trefoil {
namespace {

using Json = nlohmann::json;

using Member = std::variant<std::int64_t GenerationConfig::*, std::uint64_t GenerationConfig::*, double GenerationConfig::*,
                            bool GenerationConfig::*, DecodingMode GenerationConfig::*>;

constexpr std::string_view kDecodingModes = "low_confidence,self_speculative,autoregressive,auto";
constexpr double kMaxInt31 = 2147483647.0;
constexpr double kMaxRampTokens = 1048576.0;  // 2^20
constexpr double kMaxNewTokens = 1048576.0;   // a model's context is checked per request
constexpr double kMaxSeed = 18446744073709551615.0;

struct Control {
    ControlSpec spec;
    Member member;
};

using C = GenerationConfig;
using T = ControlType;

const std::array<Control, 22>& controls() {
    static const std::array<Control, 22> table{{
        {{"block_size", T::Integer, 1, 128, {}}, &C::blockSize},
        {{"threshold", T::Real, 0, 1, {}}, &C::threshold},
        {{"max_new_tokens", T::Integer, 1, kMaxNewTokens, {}}, &C::maxNewTokens},
        {{"enable_thinking", T::Boolean, 0, 1, {}}, &C::enableThinking},
        {{"decoding", T::Choice, 0, 0, kDecodingModes}, &C::decoding},
        {{"align_blocks", T::Boolean, 0, 1, {}}, &C::alignBlocks},
        {{"do_sample", T::Boolean, 0, 1, {}}, &C::doSample},
        {{"temperature", T::Real, 0, 100, {}}, &C::temperature},
        {{"top_p", T::Real, 0, 1, {}}, &C::topP},
        {{"top_k", T::Integer, 0, kMaxInt31, {}}, &C::topK},
        {{"seed", T::Unsigned64, 0, kMaxSeed, {}}, &C::seed},
        {{"repetition_penalty", T::Real, 0.1, 10, {}}, &C::repetitionPenalty},
        {{"presence_penalty", T::Real, -2, 10, {}}, &C::presencePenalty},
        {{"frequency_penalty", T::Real, -2, 10, {}}, &C::frequencyPenalty},
        {{"dllm_length_penalty", T::Real, 0, 1000, {}}, &C::lengthPenalty},
        {{"dllm_length_penalty_start", T::Integer, 0, kMaxRampTokens, {}}, &C::lengthPenaltyStart},
        {{"dllm_length_penalty_window", T::Integer, 0, kMaxRampTokens, {}}, &C::lengthPenaltyWindow},
        {{"dllm_think_end_bias", T::Real, 0, 1000, {}}, &C::thinkEndBias},
        {{"dllm_think_end_start", T::Integer, 0, kMaxRampTokens, {}}, &C::thinkEndStart},
        {{"dllm_think_end_window", T::Integer, 0, kMaxRampTokens, {}}, &C::thinkEndWindow},
        {{"moe_block_coreset_enabled", T::Boolean, 0, 1, {}}, &C::coresetEnabled},
        {{"moe_block_coreset_top_p", T::Real, 0, 1, {}}, &C::coresetTopP},
    }};
    return table;
}

const Control* findControl(std::string_view name) {
    for (const Control& c : controls())
        if (c.spec.name == name) return &c;
    return nullptr;
}

std::string realText(double v) {
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), v).ptr;
    return {buffer.data(), end};
}

std::string rangeText(const ControlSpec& spec) {
    switch (spec.type) {
        case T::Boolean:
            return "true or false";
        case T::Choice:
            return "one of " + std::string(spec.choices);
        case T::Unsigned64:
            return "a whole number from 0 to 18446744073709551615";
        case T::Integer:
            return "a whole number from " + std::to_string(static_cast<std::int64_t>(spec.minimum)) + " to " +
                   std::to_string(static_cast<std::int64_t>(spec.maximum));
        case T::Real:
            return "a number from " + realText(spec.minimum) + " to " + realText(spec.maximum) + ", with a full stop";
    }
    return {};
}

Error refuse(const ControlSpec& spec, std::string_view found) {
    return makeError(ErrorKind::InvalidArgument,
                     std::string(spec.name) + " takes " + rangeText(spec) + ", not '" + std::string(found) + "'");
}

/// The whole of `text` as a number, always with the C locale's full stop.
template <class Number>
bool parseNumber(std::string_view text, Number& value) {
    const char* end = text.data() + text.size();
    const auto [ptr, ec] = std::from_chars(text.data(), end, value);
    return ec == std::errc() && ptr == end;
}

bool parseBool(std::string_view text, bool& value) {
    if (text == "true" || text == "1" || text == "on" || text == "yes") return value = true, true;
    if (text == "false" || text == "0" || text == "off" || text == "no") return value = false, true;
    return false;
}

bool parseMode(std::string_view text, DecodingMode& mode) {
    for (const DecodingMode m :
         {DecodingMode::LowConfidence, DecodingMode::SelfSpeculative, DecodingMode::Autoregressive, DecodingMode::Auto})
        if (decodingModeName(m) == text) return mode = m, true;
    return false;
}

bool inRange(const ControlSpec& spec, double v) { return v >= spec.minimum && v <= spec.maximum; }  // false for NaN

/// Parses text into the member that the control names; false when it is malformed or out of range.
bool assign(GenerationConfig& config, const Control& control, std::string_view text) {
    if (const auto* m = std::get_if<std::int64_t C::*>(&control.member)) {
        std::int64_t v = 0;
        return parseNumber(text, v) && inRange(control.spec, static_cast<double>(v)) && (config.*(*m) = v, true);
    }
    if (const auto* m = std::get_if<std::uint64_t C::*>(&control.member)) return parseNumber(text, config.*(*m));
    if (const auto* m = std::get_if<double C::*>(&control.member)) {
        double v = 0;
        return parseNumber(text, v) && inRange(control.spec, v) && (config.*(*m) = v, true);
    }
    if (const auto* m = std::get_if<bool C::*>(&control.member)) return parseBool(text, config.*(*m));
    return parseMode(text, config.*std::get<DecodingMode C::*>(control.member));
}

/// A JSON value as the text that assign() takes; empty when it is of the wrong type.
std::string jsonText(const ControlSpec& spec, const Json& value) {
    switch (spec.type) {
        case T::Boolean:
            return value.is_boolean() ? (value.get<bool>() ? "true" : "false") : "";
        case T::Choice:
            return value.is_string() ? value.get<std::string>() : "";
        case T::Real:
            return value.is_number() ? realText(value.get<double>()) : "";
        case T::Integer:
        case T::Unsigned64:
            break;
    }
    if (value.is_number_integer()) return value.dump();
    if (value.is_number_float()) {  // 32.0, as some writers put whole numbers
        const double v = value.get<double>();
        if (std::floor(v) == v && std::fabs(v) < 9.0e15) return std::to_string(static_cast<std::int64_t>(v));
    }
    return "";
}

}  // namespace

std::string_view decodingModeName(DecodingMode mode) {
    switch (mode) {
        case DecodingMode::LowConfidence:
            return "low_confidence";
        case DecodingMode::SelfSpeculative:
            return "self_speculative";
        case DecodingMode::Autoregressive:
            return "autoregressive";
        case DecodingMode::Auto:
            return "auto";
    }
    return {};
}

std::span<const ControlSpec> controlSpecs() {
    static const auto specs = [] {
        std::array<ControlSpec, std::tuple_size_v<std::remove_cvref_t<decltype(controls())>>> out{};
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = controls()[i].spec;
        return out;
    }();
    return specs;
}

Status setControl(GenerationConfig& config, std::string_view name, std::string_view text) {
    const Control* control = findControl(name);
    if (control == nullptr) {
        std::string known;
        for (const Control& c : controls()) known += (known.empty() ? "" : ", ") + std::string(c.spec.name);
        return makeError(ErrorKind::InvalidArgument, "there is no control named '" + std::string(name) + "'",
                         "the controls are " + known);
    }
    if (!assign(config, *control, text)) return refuse(control->spec, text);
    return {};
}

Result<std::string> controlText(const GenerationConfig& config, std::string_view name) {
    const Control* control = findControl(name);
    if (control == nullptr) return makeError(ErrorKind::InvalidArgument, "there is no control named '" + std::string(name) + "'");
    if (const auto* m = std::get_if<std::int64_t C::*>(&control->member)) return std::to_string(config.*(*m));
    if (const auto* m = std::get_if<std::uint64_t C::*>(&control->member)) return std::to_string(config.*(*m));
    if (const auto* m = std::get_if<double C::*>(&control->member)) return realText(config.*(*m));
    if (const auto* m = std::get_if<bool C::*>(&control->member)) return std::string(config.*(*m) ? "true" : "false");
    return std::string(decodingModeName(config.*std::get<DecodingMode C::*>(control->member)));
}

Status applyGenerationJson(GenerationConfig& config, std::string_view json, const std::string& source) {
    const auto object = parseJsonObject(json, source);
    if (!object.ok()) return object.error();
    const Json& parsed = *object;
    GenerationConfig changed = config;
    for (const Control& control : controls()) {
        const auto it = parsed.find(std::string(control.spec.name));
        if (it == parsed.end() || it->is_null()) continue;
        if (!assign(changed, control, jsonText(control.spec, *it))) {
            Error error = refuse(control.spec, startOf(it->dump(-1, ' ', false, Json::error_handler_t::replace), 60));
            error.kind = ErrorKind::Format;
            error.message = source + ": " + error.message;
            return error;
        }
    }
    config = changed;
    return {};
}

std::string toJson(const GenerationConfig& config) {
    Json out = Json::object();
    for (const Control& control : controls()) {
        const std::string name(control.spec.name);
        if (const auto* m = std::get_if<std::int64_t C::*>(&control.member))
            out[name] = config.*(*m);
        else if (const auto* u = std::get_if<std::uint64_t C::*>(&control.member))
            out[name] = config.*(*u);
        else if (const auto* d = std::get_if<double C::*>(&control.member))
            out[name] = config.*(*d);
        else if (const auto* b = std::get_if<bool C::*>(&control.member))
            out[name] = config.*(*b);
        else
            out[name] = std::string(decodingModeName(config.*std::get<DecodingMode C::*>(control.member)));
    }
    return out.dump();
}

}  // namespace trefoil
