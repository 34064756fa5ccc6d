#include "engine/checkpoint/json_reader.h"

#include "engine/checkpoint/input_file.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace trefoil {

namespace {

using nlohmann::json;

// Builds the value itself instead of using json::parse, which keeps the last of two equal keys without a word and would first
// build any depth of nesting.
class StrictBuilder final : public nlohmann::json_sax<json> {
public:
    /// Builds into `root`, which must outlive the builder.
    explicit StrictBuilder(json& root) : m_root(root) {}

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t& /*text*/) override { return put(value); }
    bool string(string_t& value) override { return put(std::move(value)); }
    bool binary(binary_t& /*value*/) override { return fail("binary data"); }

    bool start_object(std::size_t /*count*/) override { return open(json::object()); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t /*count*/) override { return open(json::array()); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        if (m_open.back()->contains(name)) return fail("the key \"" + printable(name) + "\" stands twice in one object");
        m_slot = &(*m_open.back())[name];
        return true;
    }

    bool parse_error(std::size_t position, const std::string& /*token*/, const json::exception& error) override {
        std::string what = error.what();
        // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …" → the part for people
        if (const std::size_t end = what.find("] "); what.starts_with('[') && end != std::string::npos) what.erase(0, end + 2);
        if (const std::size_t colon = what.find(": "); what.starts_with("parse error at") && colon != std::string::npos)
            what.erase(0, colon + 2);
        return fail("no valid JSON at byte " + std::to_string(position) + ": " + printable(what));
    }

    [[nodiscard]] const std::string& fault() const { return m_fault; }

private:
    json* place(json value) {
        if (m_open.empty()) {
            m_root = std::move(value);
            return &m_root;
        }
        json& parent = *m_open.back();
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        *m_slot = std::move(value);
        return m_slot;
    }
    bool put(json value) {
        place(std::move(value));
        return true;
    }
    bool open(json value) {
        if (m_open.size() >= kDeepestJson) return fail("JSON nested more than " + std::to_string(kDeepestJson) + " deep");
        m_open.push_back(place(std::move(value)));
        return true;
    }
    bool close() {
        m_open.pop_back();
        return true;
    }
    bool fail(std::string text) {
        m_fault = std::move(text);
        return false;
    }

    json& m_root;
    std::vector<json*> m_open;  // stable: a parent does not grow while one of its children is open
    json* m_slot = nullptr;
    std::string m_fault;
};

}  // namespace

Result<json> parseJsonObject(std::string_view text, const std::string& source) {
    json value;
    StrictBuilder builder(value);
    if (!json::sax_parse(text.begin(), text.end(), &builder))
        return makeError(ErrorKind::Format, source + ": " + builder.fault(), "the file is damaged or not what its name says");
    if (!value.is_object())
        return makeError(ErrorKind::Format, source + ": a JSON object was expected, found " + value.type_name());
    return value;
}

}  // namespace trefoil
