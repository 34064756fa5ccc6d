#include "engine/tokenizer/byte_pair_file.h"

#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/json_builder.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace trefoil {

namespace {

using nlohmann::json;

constexpr std::size_t kMostPieces = std::size_t{1} << 22;
constexpr std::size_t kMostAddedTokens = std::size_t{1} << 16;
constexpr std::size_t kMostSplits = 16;
// ByteLevel's own expression, used where the file says use_regex.
constexpr const char* kByteLevelSplit = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kFetchAgain = "fetch the model's tokenizer.json again";

// Takes model.vocab and model.merges, which are nearly all of the file, as they come; the rest becomes a json value.
class FileReader final : public StrictJsonBuilder {
public:
    FileReader(json& root, BytePairFile& file) : StrictJsonBuilder(root), m_file(file) {}

    bool start_object(std::size_t count) override {
        if (m_part == Part::Other && depth() == 2 && m_inModel && m_key == "vocab") {
            m_part = Part::Vocab;
            return true;
        }
        if (m_part != Part::Other) return unexpected("an object");
        if (depth() == 1) m_inModel = m_key == "model";
        return StrictJsonBuilder::start_object(count);
    }
    bool end_object() override {
        if (m_part == Part::Other) return StrictJsonBuilder::end_object();
        m_part = Part::Other;
        return true;
    }
    bool start_array(std::size_t count) override {
        if (m_part == Part::Other && depth() == 2 && m_inModel && m_key == "merges") {
            m_part = Part::Merges;
            return true;
        }
        if (m_part == Part::Merges) {
            m_part = Part::Pair;
            m_parts = 0;
            return true;
        }
        if (m_part != Part::Other) return unexpected("an array");
        if (depth() == 1) m_inModel = false;
        return StrictJsonBuilder::start_array(count);
    }
    bool end_array() override {
        switch (m_part) {
            case Part::Merges:
                m_part = Part::Other;
                return true;
            case Part::Pair:
                m_part = Part::Merges;
                return m_parts == 2 ? addMerge() : wrongParts(m_parts);
            default:
                return StrictJsonBuilder::end_array();
        }
    }
    bool key(string_t& name) override {
        if (m_part == Part::Vocab) {
            m_piece.text = store(name);
            return true;
        }
        if (depth() <= 2) m_key = name;
        return StrictJsonBuilder::key(name);
    }
    bool string(string_t& value) override {
        if (m_part == Part::Other) return StrictJsonBuilder::string(value);
        if (m_part == Part::Vocab) return unexpected("a string");
        if (m_part == Part::Merges) return splitMerge(value);
        if (m_parts < 2) (m_parts == 0 ? m_merge.left : m_merge.right) = store(value);
        ++m_parts;
        return true;
    }
    bool number_unsigned(number_unsigned_t value) override {
        if (m_part == Part::Other) return StrictJsonBuilder::number_unsigned(value);
        if (m_part != Part::Vocab) return unexpected("a number");
        if (value >= kMostPieces || m_file.pieces.size() >= kMostPieces)
            return fail("model.vocab: more than " + std::to_string(kMostPieces) + " pieces, or an id beyond that (" +
                        std::to_string(value) + ")");
        m_piece.id = static_cast<TokenId>(value);
        m_file.pieces.push_back(m_piece);
        return true;
    }
    bool number_integer(number_integer_t value) override {
        return m_part == Part::Other ? StrictJsonBuilder::number_integer(value) : unexpected("a negative number");
    }
    bool number_float(number_float_t value, const string_t& text) override {
        return m_part == Part::Other ? StrictJsonBuilder::number_float(value, text) : unexpected("a number with a fraction");
    }
    bool boolean(bool value) override {
        return m_part == Part::Other ? StrictJsonBuilder::boolean(value) : unexpected("true or false");
    }
    bool null() override { return m_part == Part::Other ? StrictJsonBuilder::null() : unexpected("null"); }

private:
    enum class Part { Other, Vocab, Merges, Pair };

    BytePairFile::Text store(std::string_view text) {
        const BytePairFile::Text range{static_cast<std::uint32_t>(m_file.texts.size()), static_cast<std::uint32_t>(text.size())};
        m_file.texts += text;
        return range;
    }
    bool addMerge() {
        if (m_file.merges.size() >= 2 * kMostPieces) return fail("model.merges: more entries than any vocabulary needs");
        m_file.merges.push_back(m_merge);
        return true;
    }
    bool splitMerge(const std::string& line) {
        const std::size_t space = line.find(' ');
        if (space == std::string::npos) return wrongParts(1);
        const std::size_t further = line.find(' ', space + 1);
        if (further != std::string::npos) return wrongParts(3);
        m_merge.left = store(std::string_view(line).substr(0, space));
        m_merge.right = store(std::string_view(line).substr(space + 1));
        return addMerge();
    }
    std::string entry() const { return "model.merges, entry " + std::to_string(m_file.merges.size()) + " (counted from 0)"; }
    bool wrongParts(std::size_t parts) {
        return fail(entry() + ": two pieces are expected, found " + (parts >= 3 ? "3 or more" : std::to_string(parts)));
    }
    bool unexpected(const char* found) {
        if (m_part == Part::Vocab)
            return fail("model.vocab: \"" + printable(m_file.text(m_piece.text)) + "\" has " + found +
                        " where its id is expected");
        return fail(entry() + ": a pair of strings or \"left right\" is expected, found " + found);
    }

    BytePairFile& m_file;
    Part m_part = Part::Other;
    bool m_inModel = false;
    std::string m_key;  // the last one of the two outer levels
    BytePairFile::Piece m_piece;
    BytePairFile::Merge m_merge;
    std::size_t m_parts = 0;
};

// What stands around vocabulary and merges. Each check returns an error or nothing.
class SettingsReader {
public:
    SettingsReader(const json& root, std::string source, BytePairFile& file)
        : m_root(root), m_source(std::move(source)), m_file(file) {}

    Status read() {
        if (const Status s = readModel(); !s.ok()) return s;
        if (const Status s = readNormalizer(member(m_root, "normalizer")); !s.ok()) return s;
        const json& preTokenizer = member(m_root, "pre_tokenizer");
        if (const Status s = readPreTokenizer(preTokenizer); !s.ok()) return s;
        if (!m_byteLevel) return unsupported("pre_tokenizer", preTokenizer, "one that ends with ByteLevel");
        if (const Status s = readDecoder(member(m_root, "decoder")); !s.ok()) return s;
        return readAddedTokens();
    }

private:
    static const json& member(const json& object, const char* key) {
        static const json kNone;
        if (!object.is_object()) return kNone;
        const auto it = object.find(key);
        return it == object.end() ? kNone : *it;
    }
    static bool isTrue(const json& value) { return value.is_boolean() && value.get<bool>(); }
    static std::string typeOf(const json& value) {
        const json& type = member(value, "type");
        if (type.is_string()) return type.get<std::string>();
        return value.is_null() ? "none" : "one without a type";
    }
    Error damaged(const std::string& what) const { return makeError(ErrorKind::Format, m_source + ": " + what, kFetchAgain); }
    Error unsupported(const std::string& key, const json& found, const std::string& wanted) const {
        return unsupported(key + " is " + printable(typeOf(found)) + "; " + wanted + " is expected");
    }
    Error unsupported(const std::string& what) const {
        return makeError(
            ErrorKind::Unsupported, m_source + ": " + what,
            "only byte-level BPE tokenizers of the Qwen family can be used; prompts given as token ids work without one");
    }

    Status readModel() {
        const json& model = member(m_root, "model");
        if (!model.is_object()) return damaged("the key \"model\" is missing");
        // Early files name no type; they hold vocabulary and merges.
        if (const json& type = member(model, "type"); !type.is_null() && typeOf(model) != "BPE")
            return unsupported("model.type is " + printable(typeOf(model)) + "; BPE is expected");
        if (const json& dropout = member(model, "dropout"); !dropout.is_null() && !(dropout.is_number() && dropout == 0))
            return unsupported("model.dropout is " + printable(dropout.dump(-1, ' ', true)) +
                               "; merging by chance cannot be used");
        for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
            if (const json& value = member(model, key);
                !value.is_null() && !(value.is_string() && value.get_ref<const std::string&>().empty()))
                return unsupported(std::string("model.") + key + " is not empty");
        if (isTrue(member(model, "byte_fallback")))
            return unsupported("model.byte_fallback is true; a vocabulary of bytes in the byte-level alphabet is expected");
        const json& vocab = member(model, "vocab");
        if (m_file.pieces.empty()) return damaged(vocab.is_null() ? "model.vocab has no pieces" : "model.vocab is not an object");
        // Taken as they came, or missing: both leave null. What is left here is neither a list of entries nor nothing.
        if (!member(model, "merges").is_null()) return damaged("model.merges is not a list");
        m_file.ignoreMerges = isTrue(member(model, "ignore_merges"));
        return {};
    }

    Status readNormalizer(const json& value) {
        if (value.is_null()) return {};
        const std::string type = typeOf(value);
        if (type == "NFC") {
            m_file.nfc = true;
            return {};
        }
        if (type == "Sequence" && member(value, "normalizers").is_array()) {
            for (const json& part : member(value, "normalizers"))
                if (const Status s = readNormalizer(part); !s.ok()) return s;
            return {};
        }
        return unsupported("normalizer", value, "NFC or none");
    }

    Status readPreTokenizer(const json& value) {
        const std::string type = typeOf(value);
        if (m_byteLevel) return unsupported("pre_tokenizer has " + printable(type) + " after ByteLevel");
        if (type == "Sequence" && member(value, "pretokenizers").is_array()) {
            for (const json& part : member(value, "pretokenizers"))
                if (const Status s = readPreTokenizer(part); !s.ok()) return s;
            return {};
        }
        if (type == "ByteLevel") {
            if (isTrue(member(value, "add_prefix_space")))
                return unsupported("pre_tokenizer ByteLevel has add_prefix_space, which cannot be used");
            m_byteLevel = true;
            const json& useRegex = member(value, "use_regex");  // the library takes it as true where it is missing
            return useRegex.is_null() || isTrue(useRegex) ? addSplit(kByteLevelSplit) : Status();
        }
        if (type != "Split") return unsupported("pre_tokenizer", value, "Split, then ByteLevel,");
        const json& behavior = member(value, "behavior");
        if (behavior != "Isolated")
            return unsupported("pre_tokenizer Split has the behavior " + printable(behavior.dump(-1, ' ', true)) +
                               "; \"Isolated\" is expected");
        const json& expression = member(member(value, "pattern"), "Regex");
        if (!expression.is_string()) return unsupported("pre_tokenizer Split has no pattern of the kind Regex");
        return addSplit(expression.get<std::string>());
    }

    Status addSplit(std::string expression) {
        if (m_file.splits.size() >= kMostSplits)
            return unsupported("pre_tokenizer has more than " + std::to_string(kMostSplits) + " split patterns");
        m_file.splits.push_back(std::move(expression));
        return {};
    }

    Status readDecoder(const json& value) const {
        if (typeOf(value) == "ByteLevel") return {};
        const json& parts = member(value, "decoders");
        if (typeOf(value) == "Sequence" && parts.is_array() && parts.size() == 1) return readDecoder(parts[0]);
        return unsupported("decoder", value, "ByteLevel");
    }

    Status readAddedTokens() {
        const json& list = member(m_root, "added_tokens");
        if (list.is_null()) return {};
        if (!list.is_array() || list.size() > kMostAddedTokens)
            return damaged("added_tokens is not a list of at most " + std::to_string(kMostAddedTokens) + " tokens");
        for (std::size_t i = 0; i < list.size(); ++i) {
            const json& content = member(list[i], "content");
            const json& id = member(list[i], "id");
            const std::string where = "added_tokens, entry " + std::to_string(i);
            if (!content.is_string() || content.get_ref<const std::string&>().empty())
                return damaged(where + ": \"content\" is missing or empty");
            if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= kMostPieces)
                return damaged(where + " (" + printable(content.get_ref<const std::string&>()) +
                               "): \"id\" is missing or out of range");
            BytePairFile::AddedToken token;
            token.content = content.get<std::string>();
            token.id = id.get<TokenId>();
            token.special = isTrue(member(list[i], "special"));
            const json& normalized = member(list[i], "normalized");
            token.normalized = normalized.is_null() ? !token.special : isTrue(normalized);
            token.lstrip = isTrue(member(list[i], "lstrip"));
            token.rstrip = isTrue(member(list[i], "rstrip"));
            token.singleWord = isTrue(member(list[i], "single_word"));
            m_file.addedTokens.push_back(std::move(token));
        }
        return {};
    }

    const json& m_root;
    std::string m_source;
    BytePairFile& m_file;
    bool m_byteLevel = false;
};

}  // namespace

Result<BytePairFile> parseBytePairFile(std::string_view text, const std::string& source) {
    if (text.size() > std::numeric_limits<std::uint32_t>::max())
        return makeError(ErrorKind::Format, source + ": larger than any tokenizer.json");
    BytePairFile file;
    file.texts.reserve(text.size() / 2);
    json root;
    FileReader reader(root, file);
    if (!json::sax_parse(text.begin(), text.end(), &reader))
        return makeError(ErrorKind::Format, source + ": " + reader.fault(), kFetchAgain);
    if (!root.is_object())
        return makeError(ErrorKind::Format, source + ": a JSON object was expected, found " + root.type_name(), kFetchAgain);
    if (const Status s = SettingsReader(root, source, file).read(); !s.ok()) return s.error();
    return file;
}

}  // namespace trefoil
