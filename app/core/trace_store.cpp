#include "app/core/trace_store.h"

#include <zstd.h>

#include <QCoreApplication>
#include <QDataStream>
#include <QHash>
#include <QIODevice>

#include <algorithm>
#include <cstring>

namespace trefoil {

namespace {

// A packed piece: magic (4 bytes), format version (1), unpacked size (4, little endian), then one zstd frame.
constexpr char kMagic[] = {'T', 'R', 'P', 'S'};
constexpr quint8 kFormat = 2;
/// Without what follows the means of a pass: changed controls, choice of the mode, cost per layer. Still read.
constexpr quint8 kFirstFormat = 1;
constexpr qsizetype kHeaderBytes = 9;
/// A piece is closed when it is larger than this, so that no reader has to hold more than the limit below.
constexpr qsizetype kPieceBytes = 16 * 1024 * 1024;
constexpr quint32 kMaxUnpacked = 64U * 1024U * 1024U;
constexpr int kLevel = 3;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(TraceStore)
};

StoreProblem damaged() {
    return {StoreProblemKind::Damaged, Text::tr("The record of this answer's passes is damaged."),
            Text::tr("The text is not affected; only the replay is missing.")};
}

/// Texts repeat from pass to pass: each is written once and then named by its number.
class Writer {
public:
    explicit Writer(QByteArray* bytes) : m_stream(bytes, QIODevice::WriteOnly) {
        m_stream.setVersion(QDataStream::Qt_6_4);
        m_stream.setByteOrder(QDataStream::LittleEndian);
    }
    void i32(qint32 value) { m_stream << value; }
    void i64(qint64 value) { m_stream << value; }
    void u8(quint8 value) { m_stream << value; }
    void real(double value) {
        quint64 bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        m_stream << bits;
    }
    void real32(float value) {
        quint32 bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        m_stream << bits;
    }
    void count(qsizetype value) { m_stream << static_cast<quint32>(value); }
    void text(const QString& value) {
        const auto it = m_numbers.constFind(value);
        if (it != m_numbers.cend()) {
            m_stream << *it;
            return;
        }
        const auto number = static_cast<quint32>(m_numbers.size());
        m_numbers.insert(value, number);
        m_stream << number << value.toUtf8();
    }
    void choice(const TokenChoice& value) {
        i32(value.token);
        real32(value.probability);
        text(value.text);
    }

private:
    QDataStream m_stream;
    QHash<QString, quint32> m_numbers;
};

/// The counterpart. After anything implausible `good` is false and every further value is 0.
class Reader {
public:
    explicit Reader(const QByteArray& bytes) : m_stream(bytes), m_size(bytes.size()) {
        m_stream.setVersion(QDataStream::Qt_6_4);
        m_stream.setByteOrder(QDataStream::LittleEndian);
    }
    [[nodiscard]] bool good() const { return m_good && m_stream.status() == QDataStream::Ok; }
    [[nodiscard]] bool atEnd() const { return m_stream.atEnd(); }
    qint32 i32() { return number<qint32>(); }
    qint64 i64() { return number<qint64>(); }
    quint8 u8() { return number<quint8>(); }
    double real() {
        const auto bits = number<quint64>();
        double value = 0.0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    float real32() {
        const auto bits = number<quint32>();
        float value = 0.0F;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    /// A number of entries of at least `entryBytes` each: more than the rest of the input can hold is damage, found before
    /// anything is allocated.
    qsizetype count(qsizetype entryBytes) {
        const auto value = qsizetype{number<quint32>()};
        if (value > (m_size - m_stream.device()->pos()) / entryBytes) m_good = false;
        return good() ? value : 0;
    }
    QString text() {
        const auto index = qsizetype{number<quint32>()};
        if (!good()) return {};
        if (index < m_texts.size()) return m_texts[index];
        QByteArray utf8;
        if (index == m_texts.size()) m_stream >> utf8;
        if (index != m_texts.size() || !good()) {
            m_good = false;
            return {};
        }
        m_texts.append(QString::fromUtf8(utf8));
        return m_texts.last();
    }
    TokenChoice choice() {
        TokenChoice value;
        value.token = i32();
        value.probability = real32();
        value.text = text();
        return value;
    }
    void fail() { m_good = false; }

private:
    template <class T>
    T number() {
        T value = 0;
        if (good()) m_stream >> value;
        return good() ? value : T{0};
    }

    QDataStream m_stream;
    qsizetype m_size;
    QList<QString> m_texts;
    bool m_good = true;
};

constexpr quint8 kNoMorePasses = 0;
constexpr quint8 kAnotherPass = 1;

// Smallest sizes of an entry, for Reader::count.
constexpr qsizetype kNumberBytes = 4;
constexpr qsizetype kTextBytes = 4;
constexpr qsizetype kChoiceBytes = 12;
constexpr qsizetype kRowBytes = kChoiceBytes + 4;
constexpr qsizetype kLayerBytes = 24;

void writePass(Writer& out, const PassView& pass) {
    out.u8(static_cast<quint8>(pass.type));
    out.i32(pass.block);
    out.i32(pass.step);
    out.i64(pass.firstPosition);
    out.i32(pass.promptRows);
    out.count(pass.tokens.size());
    for (const qint32 token : pass.tokens) out.i32(token);
    out.count(pass.texts.size());
    for (const QString& text : pass.texts) out.text(text);
    out.count(pass.rows.size());
    for (const RowView& row : pass.rows) {
        out.choice(row.choice);
        out.count(row.top.size());
        for (const TokenChoice& choice : row.top) out.choice(choice);
    }
    out.count(pass.resolved.size());
    for (const qint32 row : pass.resolved) out.i32(row);
    out.i32(pass.accepted);
    out.i32(pass.droppedFrom);
    out.real(pass.milliseconds);
    out.real(pass.meanDistinctExperts);
    out.real(pass.meanCoresetSize);
    out.text(pass.changed.isEmpty() ? QString() : QString::fromUtf8(controlsToJson(pass.changed)));
    out.text(pass.choice.mode);
    if (!pass.choice.mode.isEmpty()) {
        out.u8(static_cast<quint8>(pass.choice.reason));
        out.real(pass.choice.lowConfidenceRate);
        out.real(pass.choice.selfSpeculativeRate);
        out.real(pass.choice.autoregressiveRate);
    }
    out.i64(static_cast<qint64>(pass.weightBytes));
    out.count(pass.layers.size());
    for (const LayerView& layer : pass.layers) {
        out.i32(layer.distinctExperts);
        out.i32(layer.coresetSize);
        out.real32(layer.coresetShare);
        out.i32(layer.freeExperts);
        out.i64(static_cast<qint64>(layer.expertBytes));
    }
}

QList<qint32> readNumbers(Reader& in) {
    QList<qint32> numbers;
    const qsizetype count = in.count(kNumberBytes);
    numbers.reserve(count);
    for (qsizetype i = 0; i < count; ++i) numbers.append(in.i32());
    return numbers;
}

/// What format 2 added behind the changed controls.
void readCosts(Reader& in, PassView& pass) {
    pass.choice.mode = in.text();
    if (!pass.choice.mode.isEmpty()) {
        const quint8 reason = in.u8();
        if (reason > static_cast<quint8>(ModeChoiceView::Reason::Retrial)) in.fail();
        pass.choice.reason = static_cast<ModeChoiceView::Reason>(reason);
        pass.choice.lowConfidenceRate = in.real();
        pass.choice.selfSpeculativeRate = in.real();
        pass.choice.autoregressiveRate = in.real();
    }
    pass.weightBytes = static_cast<quint64>(in.i64());
    const qsizetype layers = in.count(kLayerBytes);
    for (qsizetype i = 0; i < layers && in.good(); ++i) {
        LayerView layer;
        layer.distinctExperts = in.i32();
        layer.coresetSize = in.i32();
        layer.coresetShare = in.real32();
        layer.freeExperts = in.i32();
        layer.expertBytes = static_cast<quint64>(in.i64());
        pass.layers.append(layer);
    }
}

PassView readPass(Reader& in, quint8 format) {
    PassView pass;
    const quint8 type = in.u8();
    if (type > static_cast<quint8>(format == kFirstFormat ? PassType::Token : PassType::Edit)) in.fail();
    pass.type = static_cast<PassType>(type);
    pass.block = in.i32();
    pass.step = in.i32();
    pass.firstPosition = in.i64();
    pass.promptRows = in.i32();
    pass.tokens = readNumbers(in);
    const qsizetype texts = in.count(kTextBytes);
    for (qsizetype i = 0; i < texts && in.good(); ++i) pass.texts.append(in.text());
    const qsizetype rows = in.count(kRowBytes);
    for (qsizetype i = 0; i < rows && in.good(); ++i) {
        RowView row;
        row.choice = in.choice();
        const qsizetype top = in.count(kChoiceBytes);
        for (qsizetype k = 0; k < top && in.good(); ++k) row.top.append(in.choice());
        pass.rows.append(row);
    }
    pass.resolved = readNumbers(in);
    pass.accepted = in.i32();
    pass.droppedFrom = in.i32();
    pass.milliseconds = in.real();
    pass.meanDistinctExperts = in.real();
    pass.meanCoresetSize = in.real();
    if (format == kFirstFormat) return pass;
    const QString changed = in.text();
    if (!changed.isEmpty() && !controlsFromJson(changed.toUtf8(), &pass.changed)) in.fail();
    readCosts(in, pass);
    return pass;
}

QByteArray compress(const QByteArray& bytes) {
    const auto size = static_cast<size_t>(bytes.size());
    QByteArray packed(kHeaderBytes + static_cast<qsizetype>(ZSTD_compressBound(size)), Qt::Uninitialized);
    std::memcpy(packed.data(), kMagic, sizeof kMagic);
    packed[4] = static_cast<char>(kFormat);
    for (int i = 0; i < 4; ++i) packed[5 + i] = static_cast<char>((size >> (8 * i)) & 0xFFU);
    const size_t written = ZSTD_compress(packed.data() + kHeaderBytes, static_cast<size_t>(packed.size() - kHeaderBytes),
                                         bytes.constData(), size, kLevel);
    // Only a lack of memory can fail here; the reader then reports the piece as damaged.
    packed.truncate(ZSTD_isError(written) != 0U ? 0 : kHeaderBytes + static_cast<qsizetype>(written));
    return packed;
}

/// The bytes inside a packed piece; empty when it is damaged.
QByteArray decompress(const QByteArray& packed) {
    if (packed.size() <= kHeaderBytes || std::memcmp(packed.constData(), kMagic, sizeof kMagic) != 0) return {};
    const auto format = static_cast<quint8>(packed[4]);
    if (format != kFormat && format != kFirstFormat) return {};
    quint32 size = 0;
    for (int i = 0; i < 4; ++i) size |= quint32{static_cast<quint8>(packed[5 + i])} << (8 * i);
    if (size == 0 || size > kMaxUnpacked) return {};
    // The frame says its own size as well: both must agree before anything of that size is allocated.
    const char* frame = packed.constData() + kHeaderBytes;
    const auto frameBytes = static_cast<size_t>(packed.size() - kHeaderBytes);
    if (ZSTD_getFrameContentSize(frame, frameBytes) != size) return {};
    QByteArray bytes(static_cast<qsizetype>(size), Qt::Uninitialized);
    const size_t got = ZSTD_decompress(bytes.data(), size, frame, frameBytes);
    if (ZSTD_isError(got) != 0U || got != size) return {};
    return bytes;
}

}  // namespace

QList<QByteArray> packTrace(const TraceView& trace) {
    QList<QByteArray> pieces;
    qsizetype next = 0;
    do {
        QByteArray bytes;
        Writer out(&bytes);
        out.i32(trace.maskId);
        out.i32(trace.blockSize);
        out.real(trace.threshold);
        while (next < trace.passes.size() && bytes.size() < kPieceBytes) {
            out.u8(kAnotherPass);
            writePass(out, trace.passes[next++]);
        }
        out.u8(kNoMorePasses);
        pieces.append(compress(bytes));
    } while (next < trace.passes.size());
    return pieces;
}

StoreResult<TraceView> unpackTrace(const QByteArray& packed) {
    const QByteArray bytes = decompress(packed);
    if (bytes.isEmpty()) return {{}, damaged()};
    Reader in(bytes);
    TraceView trace;
    trace.maskId = in.i32();
    trace.blockSize = in.i32();
    trace.threshold = in.real();
    quint8 mark = in.u8();
    while (mark == kAnotherPass && in.good()) {
        trace.passes.append(readPass(in, static_cast<quint8>(packed[4])));
        mark = in.u8();
    }
    if (mark != kNoMorePasses || !in.good() || !in.atEnd()) return {{}, damaged()};
    return {trace, {}};
}

StoreResult<TraceView> unpackTraces(const QList<QByteArray>& pieces) {
    StoreResult<TraceView> whole;
    bool first = true;
    for (const QByteArray& piece : pieces) {
        const StoreResult<TraceView> part = unpackTrace(piece);
        if (!part.ok()) {
            whole.problem = part.problem;
            return whole;
        }
        if (first) {
            whole.value = part.value;
        } else {
            whole.value.passes += part.value.passes;
        }
        first = false;
    }
    return whole;
}

}  // namespace trefoil
