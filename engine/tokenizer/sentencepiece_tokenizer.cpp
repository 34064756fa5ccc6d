#include "engine/tokenizer/sentencepiece_tokenizer.h"

#include "engine/checkpoint/input_file.h"
#include "engine/tokenizer/sentencepiece_model.h"
#include "engine/tokenizer/utf8.h"

#include <sentencepiece_processor.h>

#include <array>
#include <cstdint>
#include <new>
#include <unordered_map>
#include <utility>

namespace trefoil {

namespace {

constexpr std::uint64_t kLargestModel = 256U << 20;
constexpr std::string_view kSpaceSign = "\xE2\x96\x81";    // U+2581 stands for a space inside pieces
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::string withSpaces(std::string_view piece) {
    std::string out;
    for (std::size_t at = 0; at < piece.size();) {
        if (piece.substr(at).starts_with(kSpaceSign)) {
            out += ' ';
            at += kSpaceSign.size();
        } else {
            out += piece[at++];
        }
    }
    return out;
}

// Decoding by the library's rules (its Decode over all ids gives the same text), one id after the other.
class Decoder final : public StreamDecoder {
public:
    explicit Decoder(std::shared_ptr<const SentencePieceModel> model) : m_model(std::move(model)) {}

    std::string push(std::span<const TokenId> ids) override {
        std::string out;
        for (const TokenId id : ids) pushOne(id, out);
        m_anyText = m_anyText || !out.empty();
        return out;
    }

    std::string flush() override {
        std::string out;
        giveUpBytes(out);
        m_expectPrefix = true;
        m_prefixSeen = false;
        m_anyText = false;
        return out;
    }

private:
    void pushOne(TokenId id, std::string& out) {
        if (id < 0 || static_cast<std::size_t>(id) >= m_model->pieces.size()) return giveUpBytes(out);
        const SentencePieceModel::Piece& piece = m_model->pieces[static_cast<std::size_t>(id)];
        if (piece.type == PieceType::Byte) return pushByte(piece.byte, out);
        giveUpBytes(out);
        if (m_prefixSeen || m_anyText || !out.empty()) m_expectPrefix = false;
        m_prefixSeen = false;
        if (piece.type == PieceType::Control) return;
        if (piece.type == PieceType::Unknown) {
            out += m_model->unknownSurface;
            return;
        }
        std::string_view text = piece.text;
        if (m_expectPrefix && (m_model->addDummyPrefix || m_model->removeExtraWhitespaces) && text.starts_with(kSpaceSign)) {
            text.remove_prefix(kSpaceSign.size());
            m_prefixSeen = !m_model->removeExtraWhitespaces;  // where extra spaces are removed, all leading ones are
        }
        out += withSpaces(text);
    }

    void pushByte(std::uint8_t byte, std::string& out) {
        m_bytes += static_cast<char>(byte);
        while (!m_bytes.empty()) {
            const std::size_t length = utf8SequenceLength(m_bytes);
            if (length != 0) {
                out.append(m_bytes, 0, length);
                m_bytes.erase(0, length);
            } else if (isUtf8Prefix(m_bytes)) {
                return;  // the rest may follow, in this block or the next
            } else {
                out += kReplacement;
                m_bytes.erase(0, 1);
            }
        }
    }

    // Something else than a byte follows, or nothing: what is left of a sequence will not become one any more.
    void giveUpBytes(std::string& out) {
        for (std::size_t i = 0; i < m_bytes.size(); ++i) out += kReplacement;
        m_bytes.clear();
    }

    std::shared_ptr<const SentencePieceModel> m_model;
    std::string m_bytes;  // the beginning of one UTF-8 sequence
    bool m_expectPrefix = true;
    bool m_prefixSeen = false;
    bool m_anyText = false;
};

class SentencePieceTokenizer final : public Tokenizer {
public:
    SentencePieceTokenizer(std::unique_ptr<sentencepiece::SentencePieceProcessor> library, SentencePieceModel model)
        : m_library(std::move(library)), m_model(std::make_shared<const SentencePieceModel>(std::move(model))) {
        for (std::size_t i = 0; i < m_model->pieces.size(); ++i)
            if (m_model->pieces[i].type == PieceType::Control)
                m_controls.emplace(m_model->pieces[i].text, static_cast<TokenId>(i));
    }

    [[nodiscard]] std::int64_t vocabSize() const override { return static_cast<std::int64_t>(m_model->pieces.size()); }

    [[nodiscard]] std::string description() const override {
        return "SentencePiece (" + m_model->algorithm + ", " + std::to_string(m_model->pieces.size()) + " pieces)";
    }

    [[nodiscard]] std::vector<TokenId> encode(std::string_view text) const override {
        std::vector<int> ids;
        const auto status = m_library->Encode({text.data(), text.size()}, &ids);
        if (!status.ok()) return {};
        return {ids.begin(), ids.end()};
    }

    [[nodiscard]] std::string decode(std::span<const TokenId> ids) const override {
        Decoder decoder(m_model);
        std::string text = decoder.push(ids);
        return text + decoder.flush();
    }

    [[nodiscard]] std::string displayText(TokenId id) const override {
        if (id < 0 || id >= vocabSize()) return "<no piece " + std::to_string(id) + ">";
        const SentencePieceModel::Piece& piece = m_model->pieces[static_cast<std::size_t>(id)];
        if (piece.type == PieceType::Byte && piece.byte < 0x80) return std::string(1, static_cast<char>(piece.byte));
        if (piece.type == PieceType::Byte || piece.type == PieceType::Control) return piece.text;
        return withSpaces(piece.text);
    }

    [[nodiscard]] bool isControl(TokenId id) const override {
        return id >= 0 && id < vocabSize() && m_model->pieces[static_cast<std::size_t>(id)].type == PieceType::Control;
    }

    [[nodiscard]] std::optional<TokenId> controlId(std::string_view name) const override {
        const auto it = m_controls.find(name);
        if (it == m_controls.end()) return std::nullopt;
        return it->second;
    }

    [[nodiscard]] std::unique_ptr<StreamDecoder> streamDecoder() const override { return std::make_unique<Decoder>(m_model); }

private:
    std::unique_ptr<sentencepiece::SentencePieceProcessor> m_library;
    std::shared_ptr<const SentencePieceModel> m_model;
    std::unordered_map<std::string_view, TokenId> m_controls;  // keys view into m_model
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> makeSentencePiece(std::string_view bytes, const std::string& source) try {
    auto model = parseSentencePieceModel(bytes, source);
    if (!model.ok()) return model.error();
    if (model->hasDenormalizer)
        return makeError(ErrorKind::Unsupported, source + ": SentencePiece models with a denormaliser cannot be used");
    auto library = std::make_unique<sentencepiece::SentencePieceProcessor>();
    const auto status = library->LoadFromSerializedProto(model->serialized);
    if (!status.ok())
        return makeError(ErrorKind::Format, source + ": " + printable(status.message()),
                         "fetch the model's tokenizer.model again");
    if (static_cast<std::size_t>(library->GetPieceSize()) != model->pieces.size())
        return makeError(ErrorKind::Format, source + ": " + std::to_string(model->pieces.size()) + " pieces expected, found " +
                                                std::to_string(library->GetPieceSize()));
    model->serialized = {};
    return std::unique_ptr<Tokenizer>(std::make_unique<SentencePieceTokenizer>(std::move(library), *std::move(model)));
} catch (const std::bad_alloc&) {
    return makeError(ErrorKind::OutOfMemory, "not enough memory for " + source);
} catch (const std::exception& error) {
    return makeError(ErrorKind::Internal, source + ": " + printable(error.what()));
}

Result<std::unique_ptr<Tokenizer>> openSentencePiece(const std::filesystem::path& file) {
    auto bytes = readWholeFile(file, kLargestModel);
    if (!bytes.ok()) return bytes.error();
    return makeSentencePiece(*bytes, printablePath(file));
}

}  // namespace trefoil
