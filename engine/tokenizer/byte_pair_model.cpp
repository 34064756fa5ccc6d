#include "engine/tokenizer/byte_pair_model.h"

#include "engine/checkpoint/input_file.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/sentencepiece_model.h"
#include "engine/tokenizer/utf8.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>
#include <utility>

namespace trefoil {

namespace {

constexpr std::size_t kShort = 48;  // bytes up to which looking through all pairs beats a queue
constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

// Bytes that no UTF-8 text holds; a vocabulary may do without them.
bool isNeverInText(std::size_t byte) { return byte == 0xC0 || byte == 0xC1 || byte >= 0xF5; }

bool isMarkup(std::string_view name) { return name.size() > 2 && name.starts_with('<') && name.ends_with('>'); }

// Texts to ids; only while a model is built. Open addressing: half the time of std::unordered_map, which counts in a load.
class TextIndex {
public:
    explicit TextIndex(std::size_t count) : m_slots(std::bit_ceil(2 * count + 2)) {}

    /// False when `text` is there already.
    bool insert(std::string_view text, TokenId id) {
        Slot& slot = m_slots[find(text)];
        if (slot.id >= 0) return false;
        slot = {text, id};
        return true;
    }
    [[nodiscard]] TokenId operator[](std::string_view text) const { return m_slots[find(text)].id; }

private:
    struct Slot {
        std::string_view text;
        TokenId id = -1;
    };
    [[nodiscard]] std::size_t find(std::string_view text) const {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t at = std::hash<std::string_view>()(text) & mask;
        while (m_slots[at].id >= 0 && m_slots[at].text != text) at = (at + 1) & mask;
        return at;
    }
    std::vector<Slot> m_slots;
};

}  // namespace

void BytePairModel::MergeTable::reserve(std::size_t count) {
    const std::size_t slots = std::bit_ceil(std::max<std::size_t>(2 * count, 2));
    m_slots.assign(slots, Slot());
    m_shift = 64U - static_cast<unsigned>(std::countr_zero(slots));
}

void BytePairModel::MergeTable::set(TokenId left, TokenId right, Merged merged) {
    const std::uint64_t key = keyOf(left, right);
    std::size_t at = home(key);
    while (m_slots[at].key != kFree && m_slots[at].key != key) at = (at + 1) & (m_slots.size() - 1);
    m_slots[at] = {key, merged};
}

const BytePairModel::Merged* BytePairModel::MergeTable::find(TokenId left, TokenId right) const {
    const std::uint64_t key = keyOf(left, right);
    for (std::size_t at = home(key);; at = (at + 1) & (m_slots.size() - 1)) {
        if (m_slots[at].key == key) return &m_slots[at].merged;
        if (m_slots[at].key == kFree) return nullptr;
    }
}

class BytePairModel::Builder {
public:
    Builder(const BytePairFile& file, const std::string& source, BytePairModel& model)
        : m_file(file), m_source(source), m_model(model), m_index(file.pieces.size()) {}

    Status build() {
        m_model.m_ignoreMerges = m_file.ignoreMerges;
        if (const Status s = addPieces(); !s.ok()) return s;
        if (const Status s = findBytes(); !s.ok()) return s;
        if (const Status s = addAddedTokens(); !s.ok()) return s;
        if (const Status s = addMerges(); !s.ok()) return s;
        if (m_model.m_ignoreMerges) addWholePieces();
        return {};
    }

private:
    Error damaged(const std::string& what) const {
        return makeError(ErrorKind::Format, m_source + ": " + what, "fetch the model's tokenizer.json again");
    }

    Piece& slot(TokenId id) {
        const auto at = static_cast<std::size_t>(id);
        if (at >= m_model.m_pieces.size()) m_model.m_pieces.resize(at + 1);
        return m_model.m_pieces[at];
    }
    void store(Piece& piece, std::string_view bytes, Kind kind) {
        piece = {static_cast<std::uint32_t>(m_model.m_bytes.size()), static_cast<std::uint32_t>(bytes.size()), kind};
        m_model.m_bytes += bytes;
        ++m_model.m_pieceCount;
    }

    Status addPieces() {
        m_model.m_pieces.reserve(m_file.pieces.size() + m_file.addedTokens.size());
        for (const BytePairFile::Piece& entry : m_file.pieces) {
            const std::string_view text = m_file.text(entry.text);
            if (!m_index.insert(text, entry.id)) return damaged("model.vocab has \"" + printable(text) + "\" twice");
            Piece& piece = slot(entry.id);
            if (piece.kind != Kind::None)
                return damaged("model.vocab gives the id " + std::to_string(entry.id) + " twice, the second time to \"" +
                               printable(text) + "\"");
            // Names of control pieces are spelled out where they are not of the byte-level alphabet.
            const auto bytes = bytesOfAlphabet(text);
            store(piece, bytes ? std::string_view(*bytes) : text, looksLikeControl(text) ? Kind::Control : Kind::Normal);
            if (piece.kind == Kind::Control) m_model.m_controls.emplace(text, entry.id);
        }
        return {};
    }

    Status findBytes() {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const TokenId id = m_index[byteCharacter(static_cast<std::uint8_t>(byte))];
            m_model.m_byteIds[byte] = id;
            if (id < 0 && !isNeverInText(byte))
                return makeError(ErrorKind::Unsupported,
                                 m_source + ": model.vocab has no piece for the byte " + std::to_string(byte) + " (\"" +
                                     byteCharacter(static_cast<std::uint8_t>(byte)) + "\"); a byte-level vocabulary is expected",
                                 "only byte-level BPE tokenizers of the Qwen family can be used");
        }
        return {};
    }

    [[nodiscard]] bool isByte(TokenId id) const {
        return std::find(m_model.m_byteIds.begin(), m_model.m_byteIds.end(), id) != m_model.m_byteIds.end();
    }

    Status addAddedTokens() {
        std::unordered_map<std::string_view, TokenId> seen;
        for (const BytePairFile::AddedToken& token : m_file.addedTokens) {
            const std::string name = "added_tokens: \"" + printable(token.content) + "\"";
            if (!seen.emplace(token.content, token.id).second) return damaged(name + " stands there twice");
            const TokenId known = m_index[token.content];
            Piece& piece = slot(token.id);
            if ((known >= 0 && known != token.id) || (known < 0 && piece.kind != Kind::None))
                return damaged(name + " has the id " + std::to_string(token.id) + ", which is another piece's" +
                               (known >= 0 ? "; in model.vocab it is " + std::to_string(known) : ""));
            // A byte is needed to write text with, whatever else the file makes of it.
            if (isByte(token.id)) continue;
            const Kind kind = token.special || looksLikeControl(token.content) ? Kind::Control
                              : isMarkup(token.content)                        ? Kind::Markup
                                                                               : Kind::Added;
            if (piece.kind != Kind::None) --m_model.m_pieceCount;
            store(piece, token.content, kind);
            if (kind == Kind::Control) m_model.m_controls.emplace(token.content, token.id);
        }
        return {};
    }

    Status addMerges() {
        m_model.m_merges.reserve(m_file.merges.size());
        std::string joined;
        for (std::size_t i = 0; i < m_file.merges.size(); ++i) {
            const std::string_view left = m_file.text(m_file.merges[i].left);
            const std::string_view right = m_file.text(m_file.merges[i].right);
            joined.assign(left);
            joined += right;
            const TokenId leftId = m_index[left];
            const TokenId rightId = m_index[right];
            const TokenId id = m_index[joined];
            if (leftId < 0 || rightId < 0 || id < 0)
                return damaged("model.merges, entry " + std::to_string(i) + " (counted from 0): \"" +
                               printable(leftId < 0    ? left
                                         : rightId < 0 ? right
                                                       : std::string_view(joined)) +
                               "\" is not in model.vocab");
            // So that no spelling leads to a control piece. Where a pair stands twice, the later entry counts.
            const Kind kind = m_model.kind(id);
            if (kind == Kind::Control || kind == Kind::Markup) continue;
            m_model.m_merges.set(leftId, rightId, {static_cast<std::uint32_t>(i), id});
        }
        return {};
    }

    void addWholePieces() {
        for (std::size_t id = 0; id < m_model.m_pieces.size(); ++id) {
            const Piece& piece = m_model.m_pieces[id];
            if (piece.kind == Kind::Normal)
                m_model.m_whole.emplace(std::string_view(m_model.m_bytes).substr(piece.offset, piece.length),
                                        static_cast<TokenId>(id));
        }
    }

    const BytePairFile& m_file;
    const std::string& m_source;
    BytePairModel& m_model;
    TextIndex m_index;
};

Result<std::shared_ptr<const BytePairModel>> BytePairModel::create(const BytePairFile& file, const std::string& source) {
    const std::shared_ptr<BytePairModel> model(new BytePairModel);
    if (const Status s = Builder(file, source, *model).build(); !s.ok()) return s.error();
    return std::shared_ptr<const BytePairModel>(model);
}

std::string_view BytePairModel::bytes(TokenId id) const {
    if (kind(id) == Kind::None) return {};
    const Piece& piece = m_pieces[static_cast<std::size_t>(id)];
    return std::string_view(m_bytes).substr(piece.offset, piece.length);
}

std::optional<TokenId> BytePairModel::controlId(std::string_view name) const {
    const auto it = m_controls.find(std::string(name));
    if (it == m_controls.end()) return std::nullopt;
    return it->second;
}

void BytePairModel::encode(std::string_view bytes, std::vector<TokenId>& out) const {
    if (m_ignoreMerges) {
        if (const auto it = m_whole.find(bytes); it != m_whole.end()) {
            out.push_back(it->second);
            return;
        }
    }
    bytes.size() <= kShort ? encodeShort(bytes, out) : encodeLong(bytes, out);
}

void BytePairModel::encodeShort(std::string_view bytes, std::vector<TokenId>& out) const {
    std::array<TokenId, kShort> ids{};
    std::array<Merged, kShort> merged{};  // of ids i and i + 1
    std::size_t count = bytes.size();
    for (std::size_t i = 0; i < count; ++i) ids[i] = m_byteIds[static_cast<unsigned char>(bytes[i])];
    const auto look = [&](std::size_t i) {
        const Merged* found = m_merges.find(ids[i], ids[i + 1]);
        merged[i] = found == nullptr ? Merged{kNoRank, -1} : *found;
    };
    for (std::size_t i = 0; i + 1 < count; ++i) look(i);
    while (count > 1) {
        std::size_t best = 0;
        for (std::size_t i = 1; i + 1 < count; ++i)
            if (merged[i].rank < merged[best].rank) best = i;
        if (merged[best].rank == kNoRank) break;
        ids[best] = merged[best].id;
        --count;
        std::copy(ids.begin() + best + 2, ids.begin() + count + 1, ids.begin() + best + 1);
        // The pair (best, best + 1) and those at its sides change; the others move with their left id.
        if (best + 1 < count) std::copy(merged.begin() + best + 2, merged.begin() + count, merged.begin() + best + 1);
        if (best + 1 < count) look(best);
        if (best > 0) look(best - 1);
    }
    out.insert(out.end(), ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count));
}

void BytePairModel::encodeLong(std::string_view bytes, std::vector<TokenId>& out) const {
    struct Symbol {
        TokenId id;
        std::size_t previous;
        std::size_t next;
    };
    struct Candidate {
        std::uint32_t rank;
        std::size_t at;
        TokenId left;
        TokenId right;
        TokenId id;
        bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
    };
    const std::size_t end = bytes.size();
    std::vector<Symbol> symbols(end);
    std::priority_queue<Candidate> queue;
    const auto look = [&](std::size_t at) {
        const std::size_t next = symbols[at].next;
        if (next == end) return;
        if (const Merged* found = m_merges.find(symbols[at].id, symbols[next].id))
            queue.push({found->rank, at, symbols[at].id, symbols[next].id, found->id});
    };
    for (std::size_t i = 0; i < end; ++i)
        symbols[i] = {m_byteIds[static_cast<unsigned char>(bytes[i])], i == 0 ? end : i - 1, i + 1};
    for (std::size_t i = 0; i < end; ++i) look(i);
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = symbols[best.at];
        // A pair whose halves have been merged with others meanwhile is no pair any more. An absorbed symbol has the id -1.
        if (left.id != best.left || left.next == end || symbols[left.next].id != best.right) continue;
        const std::size_t absorbed = left.next;
        left.id = best.id;
        left.next = symbols[absorbed].next;
        symbols[absorbed].id = -1;
        if (left.next != end) symbols[left.next].previous = best.at;
        look(best.at);
        if (left.previous != end) look(left.previous);
    }
    for (std::size_t i = 0; i < end; i = symbols[i].next) out.push_back(symbols[i].id);
}

}  // namespace trefoil
