// Whether a text or an error says what a test expects.
#pragma once

#include "engine/base/result.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace trefoil::test {

/// Whether `part` is in `text`; the failure shows both.
inline testing::AssertionResult holds(const std::string& text, std::string_view part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess() << "\"" << part << "\" is in: " << text;
    return testing::AssertionFailure() << "\"" << part << "\" is not in: " << text;
}

/// Whether an error is one line that holds all parts.
inline testing::AssertionResult says(const Error& error, std::initializer_list<std::string_view> parts) {
    const std::string text = error.text();
    for (const std::string_view part : parts)
        if (auto found = holds(text, part); !found) return found;
    if (text.find('\n') != std::string::npos) return testing::AssertionFailure() << "several lines: " << text;
    return testing::AssertionSuccess();
}

}  // namespace trefoil::test
