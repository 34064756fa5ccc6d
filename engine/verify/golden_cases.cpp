#include "engine/verify/golden_cases.h"

#include "engine/checkpoint/json_reader.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace trefoil {
namespace {

using Json = nlohmann::json;

/// Takes members of one object; remembers the first one that is not what it should be.
class Reader {
public:
    explicit Reader(const Json& object) : m_object(object) {}

    [[nodiscard]] bool has(const char* key) const { return m_object.contains(key) && !m_object[key].is_null(); }
    [[nodiscard]] const std::string& fault() const { return m_fault; }

    template <class T>
    void integer(const char* key, T& out) {
        if (has(key) && !whole(m_object[key], out)) note(key, "a whole number");
    }
    void boolean(const char* key, bool& out) {
        if (!has(key)) return;
        if (!m_object[key].is_boolean()) return note(key, "true or false");
        out = m_object[key].get<bool>();
    }
    void text(const char* key, std::string& out) {
        if (!has(key)) return;
        if (!m_object[key].is_string()) return note(key, "a string");
        out = m_object[key].get<std::string>();
    }
    template <class T>
    void integers(const char* key, std::vector<T>& out) {
        if (!has(key)) return;
        const Json& list = m_object[key];
        if (!list.is_array()) return note(key, "a list of whole numbers");
        out.reserve(list.size());
        for (const Json& entry : list) {
            T value{};
            if (!whole(entry, value)) return note(key, "a list of whole numbers");
            out.push_back(value);
        }
    }
    void reals(const char* key, std::vector<double>& out) {
        if (!has(key)) return;
        const Json& list = m_object[key];
        if (!list.is_array()) return note(key, "a list of numbers");
        out.reserve(list.size());
        for (const Json& entry : list) {
            if (!entry.is_number()) return note(key, "a list of numbers");
            out.push_back(entry.get<double>());
        }
    }
    void note(const std::string& key, const std::string& expected) {
        if (m_fault.empty()) m_fault = key + " is not " + expected;
    }

private:
    template <class T>
    static bool whole(const Json& value, T& out) {
        if (!value.is_number_integer()) return false;
        if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
            return false;
        const auto wide = value.get<std::int64_t>();
        if (wide < static_cast<std::int64_t>(std::numeric_limits<T>::min())) return false;
        out = static_cast<T>(wide);
        return true;
    }

    const Json& m_object;
    std::string m_fault;
};

std::string readPass(const Json& json, GoldenPass& pass) {
    if (!json.is_object()) return "it is no object";
    Reader reader(json);
    reader.text("kind", pass.kind);
    reader.integer("block", pass.block);
    reader.integer("step", pass.step);
    reader.integers("tokens", pass.tokens);
    reader.integers("resolved", pass.resolved);
    reader.integers("candidates", pass.candidates);
    reader.reals("confidences", pass.confidences);
    reader.integer("accepted", pass.accepted);
    if (pass.candidates.size() != pass.confidences.size()) reader.note("confidences", "as long as candidates");
    return reader.fault();
}

std::string readCase(const Json& json, GoldenCase& out, const std::string& where) {
    if (!json.is_object()) return "it is no object";
    for (const char* key : {"controls", "prompt", "response", "passes"})
        if (!json.contains(key)) return std::string(key) + " is missing";
    if (const Status s =
            applyGenerationJson(out.config, json["controls"].dump(-1, ' ', false, Json::error_handler_t::replace), where);
        !s.ok())
        return s.error().message;
    Reader reader(json);
    reader.integers("prompt", out.prompt);
    reader.integers("response", out.response);
    reader.boolean("thinking", out.thinking);
    reader.boolean("bf16", out.bf16);
    out.hasMessages = reader.has("messages");
    if (reader.has("think_end_id")) {
        out.thinkEndId.emplace();
        reader.integer("think_end_id", *out.thinkEndId);
    }
    if (!reader.fault().empty() || !reader.has("passes")) return reader.fault();
    if (!json["passes"].is_array()) return "passes is not a list";
    out.passes.emplace();
    for (const Json& entry : json["passes"]) {
        GoldenPass pass;
        if (const std::string fault = readPass(entry, pass); !fault.empty())
            return "pass " + std::to_string(out.passes->size()) + ": " + fault;
        out.passes->push_back(std::move(pass));
    }
    return {};
}

}  // namespace

Result<std::vector<GoldenCase>> parseGoldenCases(std::string_view json, const std::string& source, const GenerationConfig& base) {
    const auto list = parseJsonArray(json, source);
    if (!list.ok()) return list.error();
    std::vector<GoldenCase> cases;
    for (const Json& entry : *list) {
        const std::string where = "case " + std::to_string(cases.size());
        GoldenCase out;
        out.config = base;
        if (const std::string fault = readCase(entry, out, where); !fault.empty()) {
            std::string message = source;
            message.append(": ").append(where).append(": ").append(fault);
            return makeError(ErrorKind::Format, message, "make the file anew with the reference");
        }
        cases.push_back(std::move(out));
    }
    return cases;
}

}  // namespace trefoil
