// AddedTokenFinder: where in a text the pieces of added_tokens stand.
#pragma once

#include "engine/base/types.h"
#include "engine/tokenizer/byte_pair_file.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

class AddedTokenFinder {
public:
    /// A stretch of the text: a piece, or with id -1 what stands between.
    struct Stretch {
        std::size_t begin = 0;
        std::size_t end = 0;
        TokenId id = -1;
    };

    /// Looks for `content` as well; the token's own content may be in another form (NFC).
    void add(const BytePairFile::AddedToken& token, std::string content);
    [[nodiscard]] bool empty() const { return m_tokens.empty(); }

    /// The stretches of `text` in order, none empty; together they are the text. Leftmost and longest first, as Hugging Face's
    /// library does it.
    [[nodiscard]] std::vector<Stretch> find(std::string_view text) const;

private:
    struct Entry {
        std::string content;
        TokenId id = -1;
        bool lstrip = false;
        bool rstrip = false;
        bool singleWord = false;
    };
    [[nodiscard]] const Entry* longestAt(std::string_view rest) const;

    std::vector<Entry> m_tokens;
    std::array<std::vector<std::size_t>, 256> m_byFirstByte;  // the longest first
};

}  // namespace trefoil
