#include "engine/tokenizer/added_token_finder.h"

#include "engine/tokenizer/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <utility>

namespace trefoil {

namespace {

// Bytes of white space at the end of `text`, and at its start.
std::size_t whiteSpaceBefore(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0) {
        std::size_t last = begin - 1;
        while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0U) == 0x80U) --last;
        if (!isWhiteSpace(text.substr(last, begin - last))) break;
        begin = last;
    }
    return text.size() - begin;
}

std::size_t whiteSpaceAfter(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size()) {
        const std::size_t length = utf8SequenceLength(text.substr(end));
        if (length == 0 || !isWhiteSpace(text.substr(end, length))) break;
        end += length;
    }
    return end;
}

// \w as Rust's regular expressions have it: letters, marks, digits, connecting punctuation, the two joiners.
bool isWordCharacter(std::string_view character) {
    utf8proc_int32_t c = 0;
    if (utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(character.data()),
                         static_cast<utf8proc_ssize_t>(character.size()), &c) <= 0)
        return false;
    if (c == 0x200C || c == 0x200D) return true;
    switch (utf8proc_category(c)) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
        case UTF8PROC_CATEGORY_ME:
        case UTF8PROC_CATEGORY_ND:
        case UTF8PROC_CATEGORY_NL:
        case UTF8PROC_CATEGORY_PC:
            return true;
        default:
            return false;
    }
}

bool endsWithWord(std::string_view text) {
    std::size_t last = text.size();
    while (last > 0 && (static_cast<unsigned char>(text[--last]) & 0xC0U) == 0x80U) {
    }
    return !text.empty() && isWordCharacter(text.substr(last));
}

bool startsWithWord(std::string_view text) { return isWordCharacter(text.substr(0, utf8SequenceLength(text))); }

}  // namespace

void AddedTokenFinder::add(const BytePairFile::AddedToken& token, std::string content) {
    if (content.empty()) return;
    auto& bucket = m_byFirstByte[static_cast<unsigned char>(content[0])];
    const auto place =
        std::find_if(bucket.begin(), bucket.end(), [&](std::size_t i) { return m_tokens[i].content.size() < content.size(); });
    bucket.insert(place, m_tokens.size());
    m_tokens.push_back({std::move(content), token.id, token.lstrip, token.rstrip, token.singleWord});
}

const AddedTokenFinder::Entry* AddedTokenFinder::longestAt(std::string_view rest) const {
    for (const std::size_t i : m_byFirstByte[static_cast<unsigned char>(rest[0])])
        if (rest.starts_with(m_tokens[i].content)) return &m_tokens[i];
    return nullptr;
}

std::vector<AddedTokenFinder::Stretch> AddedTokenFinder::find(std::string_view text) const {
    std::vector<Stretch> out;
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size() && !m_tokens.empty();) {
        const Entry* token = longestAt(text.substr(at));
        if (token == nullptr) {
            ++at;
            continue;
        }
        std::size_t begin = at;
        std::size_t end = at + token->content.size();
        at = end;
        if (token->singleWord && (endsWithWord(text.substr(0, begin)) || startsWithWord(text.substr(end)))) continue;
        // White space that an earlier piece took belongs to it.
        if (token->lstrip) begin = std::max(begin - whiteSpaceBefore(text.substr(0, begin)), done);
        if (token->rstrip) end += whiteSpaceAfter(text.substr(end));
        if (begin < done) continue;
        if (done < begin) out.push_back({done, begin, -1});
        out.push_back({begin, end, token->id});
        done = end;
    }
    if (done < text.size()) out.push_back({done, text.size(), -1});
    return out;
}

}  // namespace trefoil
