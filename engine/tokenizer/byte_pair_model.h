// BytePairModel: pieces and merges of a byte-level BPE tokenizer, ready to encode. Immutable; safe to use from several threads.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/tokenizer/byte_pair_file.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trefoil {

class BytePairModel {
public:
    BytePairModel(const BytePairModel&) = delete;
    BytePairModel& operator=(const BytePairModel&) = delete;

    enum class Kind : std::uint8_t {
        None,     ///< no piece has this id
        Normal,   ///< made by merges
        Added,    ///< found in text as a whole
        Markup,   ///< an added piece named <…> that is not special: text never makes one, but it is shown
        Control,  ///< special, or named like a control piece: text never makes one, and it is not shown
    };

    /// Format, naming the entry, where vocabulary, merges and added tokens do not fit together.
    static Result<std::shared_ptr<const BytePairModel>> create(const BytePairFile& file, const std::string& source);

    /// Appends the ids of one stretch of bytes, by the merges' ranks (the leftmost first among equal ones). The stretch must not
    /// hold bytes that UTF-8 never has. Never a Control or Markup id.
    void encode(std::string_view bytes, std::vector<TokenId>& out) const;

    [[nodiscard]] std::int64_t idCount() const { return static_cast<std::int64_t>(m_pieces.size()); }
    [[nodiscard]] std::size_t pieceCount() const { return m_pieceCount; }
    [[nodiscard]] Kind kind(TokenId id) const {
        return id < 0 || id >= idCount() ? Kind::None : m_pieces[static_cast<std::size_t>(id)].kind;
    }
    /// Bytes of a piece, for an added one its name; empty for ids that have none.
    [[nodiscard]] std::string_view bytes(TokenId id) const;
    [[nodiscard]] std::optional<TokenId> controlId(std::string_view name) const;

private:
    struct Piece {
        std::uint32_t offset = 0;
        std::uint32_t length = 0;
        Kind kind = Kind::None;
    };
    struct Merged {
        std::uint32_t rank = 0;
        TokenId id = -1;
    };
    // The merges by their two ids: open addressing, so that a search touches one cache line.
    class MergeTable {
    public:
        void reserve(std::size_t count);
        void set(TokenId left, TokenId right, Merged merged);
        [[nodiscard]] const Merged* find(TokenId left, TokenId right) const;

    private:
        struct Slot {
            std::uint64_t key = kFree;
            Merged merged;
        };
        static constexpr std::uint64_t kFree = ~std::uint64_t{0};
        static std::uint64_t keyOf(TokenId left, TokenId right) {
            return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
        }
        [[nodiscard]] std::size_t home(std::uint64_t key) const {
            return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> m_shift);
        }
        std::vector<Slot> m_slots;
        unsigned m_shift = 64;
    };

    class Builder;
    BytePairModel() = default;
    void encodeShort(std::string_view bytes, std::vector<TokenId>& out) const;
    void encodeLong(std::string_view bytes, std::vector<TokenId>& out) const;

    std::string m_bytes;
    std::vector<Piece> m_pieces;  // by id
    std::size_t m_pieceCount = 0;
    std::array<TokenId, 256> m_byteIds{};
    MergeTable m_merges;
    bool m_ignoreMerges = false;
    std::unordered_map<std::string_view, TokenId> m_whole;  // pieces by their bytes (views into m_bytes), for ignoreMerges
    std::unordered_map<std::string, TokenId> m_controls;
};

}  // namespace trefoil
