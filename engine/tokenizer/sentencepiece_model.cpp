#include "engine/tokenizer/sentencepiece_model.h"

#include "engine/checkpoint/input_file.h"

#include <optional>
#include <utility>

namespace trefoil {

namespace {

constexpr std::size_t kMostPieces = std::size_t{1} << 24;

// One field of a protocol buffer message: a number, or bytes (of length-delimited and fixed-size fields).
struct Field {
    std::uint32_t number = 0;
    std::uint32_t wireType = 0;
    std::uint64_t value = 0;  // wire type 0
    std::string_view bytes;   // the others
};

class MessageReader {
public:
    explicit MessageReader(std::string_view bytes) : m_rest(bytes) {}

    /// The next field; nullopt at the end, or where the bytes are no message (then `broken()`).
    std::optional<Field> next() {
        if (m_rest.empty() || m_broken) return std::nullopt;
        Field field;
        const std::uint64_t tag = varint();
        field.number = static_cast<std::uint32_t>(tag >> 3);
        field.wireType = static_cast<std::uint32_t>(tag & 7U);
        if (tag >> 32 != 0 || field.number == 0) m_broken = true;
        switch (field.wireType) {
            case 0:
                field.value = varint();
                break;
            case 1:
                field.bytes = take(8);
                break;
            case 2:
                field.bytes = take(varint());
                break;
            case 5:
                field.bytes = take(4);
                break;
            default:
                m_broken = true;  // groups: SentencePiece has none
        }
        if (m_broken) return std::nullopt;
        return field;
    }
    [[nodiscard]] bool broken() const { return m_broken; }

private:
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !m_rest.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(m_rest.front());
            m_rest.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80) return value;
        }
        m_broken = true;
        return 0;
    }
    std::string_view take(std::uint64_t count) {
        if (m_broken || count > m_rest.size()) {
            m_broken = true;
            return {};
        }
        const std::string_view bytes = m_rest.substr(0, static_cast<std::size_t>(count));
        m_rest.remove_prefix(static_cast<std::size_t>(count));
        return bytes;
    }

    std::string_view m_rest;
    bool m_broken = false;
};

void appendVarint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7FU) | 0x80U);
    out += static_cast<char>(value);
}

void appendBytesField(std::string& out, std::uint32_t number, std::string_view bytes) {
    appendVarint(out, (static_cast<std::uint64_t>(number) << 3) | 2U);
    appendVarint(out, bytes.size());
    out += bytes;
}

int hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// "<0xE6>" → 0xE6; -1 for anything else.
int byteOfName(std::string_view name) {
    if (name.size() != 6 || !name.starts_with("<0x") || name[5] != '>') return -1;
    const int high = hexDigit(name[3]);
    const int low = hexDigit(name[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

bool readPiece(std::string_view message, SentencePieceModel::Piece& piece) {
    MessageReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == 1 && field->wireType == 2) piece.text = field->bytes;
        if (field->number == 3 && field->wireType == 0) {
            if (field->value < 1 || field->value > 6) return false;
            piece.type = static_cast<PieceType>(field->value);
        }
    }
    if (reader.broken()) return false;
    if (piece.type != PieceType::Byte) return true;
    const int byte = byteOfName(piece.text);
    piece.byte = static_cast<std::uint8_t>(byte);
    return byte >= 0;
}

bool readTrainer(std::string_view message, SentencePieceModel& model) {
    MessageReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == 3 && field->wireType == 0)
            model.algorithm = field->value == 2 ? "BPE" : field->value == 3 ? "word" : field->value == 4 ? "char" : "unigram";
        if (field->number == 44 && field->wireType == 2) model.unknownSurface = field->bytes;
    }
    return !reader.broken();
}

bool readNormalizer(std::string_view message, SentencePieceModel& model) {
    MessageReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == 3 && field->wireType == 0) model.addDummyPrefix = field->value != 0;
        if (field->number == 4 && field->wireType == 0) model.removeExtraWhitespaces = field->value != 0;
    }
    return !reader.broken();
}

bool readDenormalizer(std::string_view message, SentencePieceModel& model) {
    MessageReader reader(message);
    while (const auto field = reader.next())
        if (field->number == 2 && field->wireType == 2) model.hasDenormalizer = !field->bytes.empty();
    return !reader.broken();
}

}  // namespace

bool looksLikeControl(std::string_view name) {
    if (name == "<think>" || name == "</think>" || name == "[MASK]") return true;
    return name.size() > 4 && name.starts_with("<|") && name.ends_with("|>");
}

Result<SentencePieceModel> parseSentencePieceModel(std::string_view bytes, const std::string& source) {
    const auto fault = [&source](const std::string& text) {
        return makeError(ErrorKind::Format, source + ": " + text, "fetch the model's tokenizer.model again");
    };
    SentencePieceModel model;
    model.serialized.reserve(bytes.size() + 64);
    MessageReader reader(bytes);
    bool good = true;
    while (const auto field = reader.next()) {
        if (field->wireType != 2) {
            // ModelProto has message fields only; what else is there belongs to a newer version and is not needed here.
            continue;
        }
        std::string message(field->bytes);
        switch (field->number) {
            case 1: {
                SentencePieceModel::Piece piece;
                if (!readPiece(message, piece))
                    return fault("piece " + std::to_string(model.pieces.size()) + " (" + printable(piece.text) +
                                 ") is not well formed");
                if (looksLikeControl(piece.text) && piece.type != PieceType::Control) {
                    piece.type = PieceType::Control;
                    message += "\x18\x03";  // field 3 (type) = CONTROL; the last value of a field counts
                }
                if (model.pieces.size() >= kMostPieces) return fault("more than " + std::to_string(kMostPieces) + " pieces");
                model.pieces.push_back(std::move(piece));
                break;
            }
            case 2:
                good = good && readTrainer(message, model);
                break;
            case 3:
                good = good && readNormalizer(message, model);
                break;
            case 5:
                good = good && readDenormalizer(message, model);
                break;
            default:
                break;
        }
        appendBytesField(model.serialized, field->number, message);
    }
    if (!good || reader.broken()) return fault("this is no SentencePiece model, or only a part of one");
    if (model.pieces.empty()) return fault("this SentencePiece model has no pieces");
    return model;
}

}  // namespace trefoil
