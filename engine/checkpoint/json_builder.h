// StrictJsonBuilder: the handler behind parseJsonObject, for readers that take the large parts of a file before they become
// json values. Private to the engine: includes nlohmann_json.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace trefoil {

/// Builds the value itself instead of using json::parse, which keeps the last of two equal keys without a word and would first
/// build any depth of nesting. A handler returns false to stop; fault() then says why, in one line.
class StrictJsonBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
    using json = nlohmann::json;

    /// Builds into `root`, which must outlive the builder.
    explicit StrictJsonBuilder(json& root) : m_root(root) {}

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

    bool key(string_t& name) override;
    bool parse_error(std::size_t position, const std::string& token, const json::exception& error) override;

    [[nodiscard]] const std::string& fault() const { return m_fault; }

protected:
    bool fail(std::string text);
    /// Objects and arrays that are open at this point.
    [[nodiscard]] std::size_t depth() const { return m_open.size(); }

private:
    json* place(json value);
    bool put(json value);
    bool open(json value);
    bool close();

    json& m_root;
    std::vector<json*> m_open;  // stable: a parent does not grow while one of its children is open
    json* m_slot = nullptr;
    std::string m_fault;
};

}  // namespace trefoil
