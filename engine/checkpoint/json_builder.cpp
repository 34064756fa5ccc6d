#include "engine/checkpoint/json_builder.h"

#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/json_reader.h"

#include <utility>

namespace trefoil {

bool StrictJsonBuilder::key(string_t& name) {
    if (m_open.back()->contains(name)) return fail("the key \"" + printable(name) + "\" stands twice in one object");
    m_slot = &(*m_open.back())[name];
    return true;
}

bool StrictJsonBuilder::parse_error(std::size_t position, const std::string& /*token*/, const json::exception& error) {
    std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …" → the part for people
    if (const std::size_t end = what.find("] "); what.starts_with('[') && end != std::string::npos) what.erase(0, end + 2);
    if (const std::size_t colon = what.find(": "); what.starts_with("parse error at") && colon != std::string::npos)
        what.erase(0, colon + 2);
    return fail("no valid JSON at byte " + std::to_string(position) + ": " + printable(what));
}

bool StrictJsonBuilder::fail(std::string text) {
    m_fault = std::move(text);
    return false;
}

StrictJsonBuilder::json* StrictJsonBuilder::place(json value) {
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

bool StrictJsonBuilder::put(json value) {
    place(std::move(value));
    return true;
}

bool StrictJsonBuilder::open(json value) {
    if (m_open.size() >= kDeepestJson) return fail("JSON nested more than " + std::to_string(kDeepestJson) + " deep");
    m_open.push_back(place(std::move(value)));
    return true;
}

bool StrictJsonBuilder::close() {
    m_open.pop_back();
    return true;
}

}  // namespace trefoil
