#include "engine/tokenizer/byte_pair_tokenizer.h"

#include "engine/checkpoint/input_file.h"
#include "engine/tokenizer/added_token_finder.h"
#include "engine/tokenizer/byte_pair_file.h"
#include "engine/tokenizer/byte_pair_model.h"
#include "engine/tokenizer/nfc.h"
#include "engine/tokenizer/split_pattern.h"
#include "engine/tokenizer/utf8.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <exception>
#include <functional>
#include <new>
#include <utility>

namespace trefoil {

namespace {

using Kind = BytePairModel::Kind;

constexpr std::uint64_t kLargestFile = 256U << 20;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Length of the beginning of `text`, which is not well formed, that one U+FFFD stands for: the longest that could have become a
// character (Unicode 15, section 3.9, the same as Rust's from_utf8_lossy).
std::size_t brokenLength(std::string_view text) {
    std::size_t length = std::min<std::size_t>(text.size(), 3);
    while (length > 1 && !isUtf8Prefix(text.substr(0, length))) --length;
    return length;
}

// Moves all characters that are complete from the front of `bytes` to `out`; what may still become one stays.
void takeCharacters(std::string& bytes, std::string& out) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        const std::string_view rest = std::string_view(bytes).substr(at);
        if (const std::size_t length = utf8SequenceLength(rest); length != 0) {
            out += rest.substr(0, length);
            at += length;
        } else if (isUtf8Prefix(rest)) {
            break;
        } else {
            out += kReplacement;
            at += brokenLength(rest);
        }
    }
    bytes.erase(0, at);
}

class Decoder final : public StreamDecoder {
public:
    explicit Decoder(std::shared_ptr<const BytePairModel> model) : m_model(std::move(model)) {}

    std::string push(std::span<const TokenId> ids) override {
        std::string out;
        for (const TokenId id : ids) {
            const Kind kind = m_model->kind(id);
            // Bytes on the two sides of a control piece are not one character.
            if (kind == Kind::Control || kind == Kind::None) giveUp(out);
            if (kind == Kind::Control) continue;
            m_bytes += m_model->bytes(id);
            takeCharacters(m_bytes, out);
        }
        return out;
    }
    std::string flush() override {
        std::string out;
        giveUp(out);
        return out;
    }

private:
    void giveUp(std::string& out) {
        if (!m_bytes.empty()) out += kReplacement;
        m_bytes.clear();
    }
    std::shared_ptr<const BytePairModel> m_model;
    std::string m_bytes;  // the beginning of one character
};

// Encodes stretches of one text after the other into one list. Repeated stretches, most of a longer text, are looked up in what
// the list already holds.
class Encoding {
public:
    Encoding(const BytePairModel& model, const std::vector<SplitPattern>& splits, std::size_t bytes)
        : m_model(model), m_splits(splits), m_seen(std::bit_ceil(std::clamp<std::size_t>(bytes / 8, 1, kMostSeen))) {}

    void append(TokenId id) { m_ids.push_back(id); }
    /// `text` must outlive this object.
    Status encode(std::string_view text) { return split(text, 0); }
    std::vector<TokenId> take() { return std::move(m_ids); }

private:
    static constexpr std::size_t kMostSeen = std::size_t{1} << 15;
    struct Seen {
        std::string_view text;
        std::size_t first = 0;
        std::size_t count = 0;
    };

    // Cuts by the expression `stage` and hands every match, and what stands between, to the next one.
    Status split(std::string_view text, std::size_t stage) {
        if (text.empty()) return {};
        if (stage == m_splits.size()) {
            encodeStretch(text);
            return {};
        }
        std::size_t done = 0;
        SplitPattern::Search search(m_splits[stage], text);
        for (;;) {
            const auto found = search.next();
            if (!found.ok()) return found.error();
            if (!*found) break;
            if (search.begin() < done) continue;
            if (const Status s = split(text.substr(done, search.begin() - done), stage + 1); !s.ok()) return s;
            if (const Status s = split(text.substr(search.begin(), search.end() - search.begin()), stage + 1); !s.ok()) return s;
            done = search.end();
        }
        return split(text.substr(done), stage + 1);
    }

    void encodeStretch(std::string_view text) {
        Seen& seen = m_seen[std::hash<std::string_view>()(text) & (m_seen.size() - 1)];
        if (seen.text == text) {
            for (std::size_t i = 0; i < seen.count; ++i) m_ids.push_back(m_ids[seen.first + i]);
            return;
        }
        const std::size_t first = m_ids.size();
        m_model.encode(text, m_ids);
        seen = {text, first, m_ids.size() - first};
    }

    const BytePairModel& m_model;
    const std::vector<SplitPattern>& m_splits;
    std::vector<TokenId> m_ids;
    std::vector<Seen> m_seen;
};

// How to find added tokens in a text: those that are looked for before normalisation, and those after it.
struct Finders {
    AddedTokenFinder asTyped;
    AddedTokenFinder normalised;
};

class Implementation final : public BytePairTokenizer {
public:
    Implementation(std::shared_ptr<const BytePairModel> model, const BytePairFile& file, std::vector<SplitPattern> splits)
        : m_model(std::move(model)), m_splits(std::move(splits)), m_nfc(file.nfc) {
        for (const BytePairFile::AddedToken& token : file.addedTokens) {
            addTo(m_all, token);
            if (m_model->kind(token.id) == Kind::Added) addTo(m_plain, token);
        }
    }

    [[nodiscard]] std::int64_t vocabSize() const override { return m_model->idCount(); }

    [[nodiscard]] std::string description() const override {
        return "byte-level BPE (" + std::to_string(m_model->pieceCount()) + " pieces)";
    }

    [[nodiscard]] std::vector<TokenId> encode(std::string_view text) const override {
        auto ids = checkedEncode(text);
        if (ids.ok()) return *std::move(ids);
        // Without the expression the text is one stretch: other ids, but of the same text.
        std::vector<TokenId> unsplit;
        m_model->encode(wellFormed(text), unsplit);
        return unsplit;
    }

    [[nodiscard]] Result<std::vector<TokenId>> checkedEncode(std::string_view text) const override {
        return encodeBy(m_plain, text);
    }
    [[nodiscard]] Result<std::vector<TokenId>> encodeWithControls(std::string_view text) const override {
        return encodeBy(m_all, text);
    }

    [[nodiscard]] std::string decode(std::span<const TokenId> ids) const override {
        Decoder decoder(m_model);
        std::string text = decoder.push(ids);
        return text + decoder.flush();
    }

    [[nodiscard]] std::string displayText(TokenId id) const override {
        if (m_model->kind(id) == Kind::None) return "<no piece " + std::to_string(id) + ">";
        static constexpr char kHex[] = "0123456789ABCDEF";
        const std::string_view bytes = m_model->bytes(id);
        std::string out;
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t length = utf8SequenceLength(bytes.substr(at));
            if (length != 0) {
                out += bytes.substr(at, length);
            } else {
                const auto byte = static_cast<unsigned char>(bytes[at]);
                out += std::string("<0x") + kHex[byte >> 4] + kHex[byte & 15] + ">";
            }
            at += std::max<std::size_t>(length, 1);
        }
        return out;
    }

    [[nodiscard]] bool isControl(TokenId id) const override { return m_model->kind(id) == Kind::Control; }
    [[nodiscard]] std::optional<TokenId> controlId(std::string_view name) const override { return m_model->controlId(name); }
    [[nodiscard]] std::unique_ptr<StreamDecoder> streamDecoder() const override { return std::make_unique<Decoder>(m_model); }

private:
    void addTo(Finders& finders, const BytePairFile::AddedToken& token) const {
        if (!token.normalized) return finders.asTyped.add(token, token.content);
        std::string buffer;
        finders.normalised.add(token, std::string(m_nfc ? toNfc(token.content, buffer) : token.content));
    }

    static std::string wellFormed(std::string_view text) {
        std::string bytes(text);
        std::string out;
        takeCharacters(bytes, out);
        if (!bytes.empty()) out += kReplacement;
        return out;
    }

    [[nodiscard]] Result<std::vector<TokenId>> encodeBy(const Finders& finders, std::string_view text) const {
        std::string repaired;
        if (!isValidUtf8(text)) {
            repaired = wellFormed(text);
            text = repaired;
        }
        Encoding encoding(*m_model, m_splits, text.size());
        std::deque<std::string> buffers;  // the encoding looks back into them
        for (const AddedTokenFinder::Stretch& outer : finders.asTyped.find(text)) {
            if (outer.id >= 0) {
                encoding.append(outer.id);
                continue;
            }
            std::string_view part = text.substr(outer.begin, outer.end - outer.begin);
            if (m_nfc) part = toNfc(part, buffers.emplace_back());
            for (const AddedTokenFinder::Stretch& inner : finders.normalised.find(part)) {
                if (inner.id >= 0)
                    encoding.append(inner.id);
                else if (const Status s = encoding.encode(part.substr(inner.begin, inner.end - inner.begin)); !s.ok())
                    return s.error();
            }
        }
        return encoding.take();
    }

    std::shared_ptr<const BytePairModel> m_model;
    std::vector<SplitPattern> m_splits;
    bool m_nfc;
    Finders m_all;    // every added token
    Finders m_plain;  // those that plain text may hold
};

}  // namespace

Result<std::unique_ptr<BytePairTokenizer>> makeBytePair(std::string_view json, const std::string& source,
                                                        std::vector<std::string>& warnings) try {
    const auto file = parseBytePairFile(json, source);
    if (!file.ok()) return file.error();
    auto model = BytePairModel::create(*file, source);
    if (!model.ok()) return model.error();
    std::vector<SplitPattern> splits;
    for (const std::string& expression : file->splits) {
        auto split = SplitPattern::compile(expression, source);
        if (!split.ok()) return split.error();
        splits.push_back(*std::move(split));
    }
    if (file->merges.empty())
        warnings.push_back(source +
                           " has no merges: every byte of a text becomes a token of its own, which is not what a model "
                           "was trained with; fetch the file again");
    return std::unique_ptr<BytePairTokenizer>(std::make_unique<Implementation>(*std::move(model), *file, std::move(splits)));
} catch (const std::bad_alloc&) {
    return makeError(ErrorKind::OutOfMemory, "not enough memory for " + source);
} catch (const std::exception& error) {
    return makeError(ErrorKind::Internal, source + ": " + printable(error.what()));
}

Result<std::unique_ptr<BytePairTokenizer>> openBytePair(const std::filesystem::path& file, std::vector<std::string>& warnings) {
    const auto text = readWholeFile(file, kLargestFile);
    if (!text.ok()) return text.error();
    return makeBytePair(*text, printablePath(file), warnings);
}

}  // namespace trefoil
