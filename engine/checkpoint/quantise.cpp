#include "engine/checkpoint/quantise.h"

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/number_formats.h"
#include "engine/checkpoint/output_file.h"
#include "engine/checkpoint/safetensors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace trefoil {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::int64_t>;

constexpr const char* kConfigName = "config.json";
constexpr const char* kIndexName = "model.safetensors.index.json";
constexpr std::string_view kWeight = ".weight";
constexpr std::int64_t kPieceElements = std::int64_t{1} << 20;
constexpr std::uint64_t kLargestConfig = 16U << 20;

/// One tensor of a file to be written.
struct OutputTensor {
    std::string name;
    std::string dtype;
    Shape shape;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  ///< in its shard's data
};

/// What becomes of a matrix, or of any run of elements, of the source: one, two or three tensors side by side in one shard.
struct Unit {
    const TensorInfo* source = nullptr;
    std::int64_t first = 0;  ///< element of the source
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    QuantisedFormat format = QuantisedFormat::None;
    std::string module;                 ///< name without ".weight"
    std::vector<OutputTensor> tensors;  ///< weights; then scales; then the shape
};

struct Shard {
    std::string name;
    std::vector<Unit> units;
    std::uint64_t bytes = 0;
    std::string header;  ///< length, JSON, padding
};

/// Modules of which the weight may be quantised at all.
bool isCandidate(std::string_view module, bool head) {
    if (module == "lm_head") return head;
    constexpr std::array<std::string_view, 10> kEnds{".in_proj_qkv", ".in_proj_z", ".out_proj",  ".q_proj",  ".k_proj",
                                                     ".v_proj",      ".o_proj",    ".gate_proj", ".up_proj", ".down_proj"};
    return std::any_of(kEnds.begin(), kEnds.end(), [module](std::string_view end) { return module.ends_with(end); });
}

class Planner {
public:
    Planner(const Checkpoint& checkpoint, const QuantiseOptions& options, NamePatterns keep)
        : m_checkpoint(checkpoint), m_options(options), m_keep(std::move(keep)) {}

    Status run() {
        for (const TensorInfo& tensor : m_checkpoint.tensors()) {
            const bool gateUp = tensor.name.ends_with(".experts.gate_up_proj");
            const bool down = tensor.name.ends_with(".experts.down_proj");
            Status added = gateUp || down ? addExperts(tensor, gateUp) : addTensor(tensor);
            if (!added.ok()) return added;
        }
        if (m_undivided > 0)
            report.notes.push_back(std::to_string(m_undivided) +
                                   (m_undivided == 1 ? " matrix keeps its" : " matrices keep their") + " type: rows of " +
                                   m_undividedRows + " columns hold no whole groups of " + std::to_string(m_options.groupSize));
        cut();
        return {};
    }

    std::vector<Shard> shards;
    std::vector<std::string> kept;  ///< candidates that keep their type, sorted
    QuantiseReport report;

private:
    Status addTensor(const TensorInfo& tensor) {
        const bool matrix = tensor.shape.size() == 2 && tensor.name.ends_with(kWeight);
        const std::string module = matrix ? tensor.name.substr(0, tensor.name.size() - kWeight.size()) : tensor.name;
        if (matrix && !tensor.name.ends_with(".conv1d.weight")) return addMatrix(tensor, module, 0, tensor.shape);
        Shape shape = tensor.shape;
        if (tensor.name.ends_with(".conv1d.weight")) shape.insert(shape.begin() + 1, 1);
        addPlain(tensor, tensor.name, 0, std::move(shape), tensor.elements);
        return {};
    }

    Status addExperts(const TensorInfo& tensor, bool gateUp) {
        const std::string base = tensor.name.substr(0, tensor.name.rfind('.') + 1);
        const std::int64_t rows = gateUp ? tensor.shape[1] / 2 : tensor.shape[1];
        const Shape shape{rows, tensor.shape[2]};
        std::int64_t first = 0;
        for (std::int64_t e = 0; e < tensor.shape[0]; ++e) {
            const std::string expert = base + std::to_string(e) + '.';
            for (const char* part :
                 gateUp ? std::vector<const char*>{"gate_proj", "up_proj"} : std::vector<const char*>{"down_proj"}) {
                if (auto ok = addMatrix(tensor, expert + part, first, shape); !ok.ok()) return ok;
                first += rows * shape[1];
            }
        }
        return {};
    }

    void addPlain(const TensorInfo& source, std::string name, std::int64_t first, Shape shape, std::int64_t elements) {
        Unit unit{&source, first, 1, elements, QuantisedFormat::None, {}, {}};
        const std::uint64_t bytes = static_cast<std::uint64_t>(elements) * dtypeSize(source.dtype);
        unit.tensors.push_back({std::move(name), std::string(dtypeName(source.dtype)), std::move(shape), bytes, 0});
        m_units.push_back(std::move(unit));
        report.parameters += elements;
    }

    Status addMatrix(const TensorInfo& source, const std::string& module, std::int64_t first, const Shape& shape) {
        const std::int64_t elements = shape[0] * shape[1];
        bool quantise = isCandidate(module, m_options.quantiseHead);
        const bool isInt4 = m_options.format == QuantisedFormat::Int4Groups;
        if (quantise) {
            const auto keep = m_keep.matches(module);
            if (!keep.ok()) return keep.error();
            quantise = !*keep;
            if (quantise && isInt4 && shape[1] % m_options.groupSize != 0) {
                quantise = false;
                ++m_undivided;
                const std::string columns = std::to_string(shape[1]);
                if (m_undividedRows.find(columns) == std::string::npos)
                    m_undividedRows += (m_undividedRows.empty() ? "" : ", ") + columns;
            }
        }
        if (!quantise) {
            kept.push_back(module);
            addPlain(source, module + std::string(kWeight), first, shape, elements);
            return {};
        }
        Unit unit{&source, first, shape[0], shape[1], m_options.format, module, {}};
        const std::string name = module + std::string(kWeight);
        if (isInt4) {
            const std::int64_t words = piecesFor(shape[1], kNibblesPerWord);
            const std::int64_t groups = shape[1] / m_options.groupSize;
            unit.tensors.push_back(
                {name + "_packed", "I32", {shape[0], words}, static_cast<std::uint64_t>(shape[0] * words * 4), 0});
            unit.tensors.push_back(
                {name + "_scale", "BF16", {shape[0], groups}, static_cast<std::uint64_t>(shape[0] * groups * 2), 0});
            unit.tensors.push_back({name + "_shape", "I64", {2}, 16, 0});
        } else {
            const Shape scales{piecesFor(shape[0], kScaleBlock), piecesFor(shape[1], kScaleBlock)};
            unit.tensors.push_back({name, "F8_E4M3", shape, static_cast<std::uint64_t>(elements), 0});
            unit.tensors.push_back(
                {name + "_scale_inv", "F32", scales, static_cast<std::uint64_t>(scales[0] * scales[1] * 4), 0});
        }
        m_units.push_back(std::move(unit));
        report.parameters += elements;
        report.quantised += elements;
        return {};
    }

    /// Units into shards, and each tensor's place in its shard. Wide elements first, so that every tensor is aligned.
    void cut() {
        for (Unit& unit : m_units) {
            std::uint64_t bytes = 0;
            for (const OutputTensor& t : unit.tensors) bytes += t.bytes;
            if (shards.empty() || (shards.back().bytes > 0 && shards.back().bytes + bytes > m_options.shardBytes))
                shards.emplace_back();
            shards.back().bytes += bytes;
            shards.back().units.push_back(std::move(unit));
        }
        const std::string source = fingerprint();
        for (std::size_t i = 0; i < shards.size(); ++i) {
            std::array<char, 64> name{};
            std::snprintf(name.data(), name.size(), "model-%05zu-of-%05zu.safetensors", i + 1, shards.size());
            shards[i].name = name.data();
            layOut(shards[i], source);
            report.bytes += shards[i].header.size() + shards[i].bytes;
        }
        report.shards = shards.size();
        std::sort(kept.begin(), kept.end());
    }

    /// Differs where the weights to be written would: a shard of another model or of other options is not gone on from.
    [[nodiscard]] std::string fingerprint() const {
        std::string text = std::to_string(m_options.groupSize) + m_checkpoint.summary().format;
        for (const std::string& pattern : m_options.keep) text += '|' + pattern;
        for (const std::string& name : m_checkpoint.summary().files) {
            const fs::path file = m_checkpoint.folder() / name;
            text += '|' + name + ' ' + std::to_string(fs::file_size(file)) + ' ' +
                    std::to_string(fs::last_write_time(file).time_since_epoch().count());
        }
        std::uint64_t hash = 0xCBF29CE484222325ULL;
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
        return std::to_string(hash);
    }

    static void layOut(Shard& shard, const std::string& fingerprint) {
        nlohmann::ordered_json header;
        header["__metadata__"] = {{"format", "pt"}, {"made_from", fingerprint}};
        std::uint64_t offset = 0;
        for (const int width : {64, 32, 16, 8})
            for (Unit& unit : shard.units)
                for (OutputTensor& t : unit.tensors) {
                    if (safetensorsTypeBits(t.dtype) != width) continue;
                    t.offset = offset;
                    header[t.name] = {{"dtype", t.dtype}, {"shape", t.shape}, {"data_offsets", {offset, offset + t.bytes}}};
                    offset += t.bytes;
                }
        std::string text = header.dump();
        text.append((8 - text.size() % 8) % 8, ' ');
        for (std::size_t i = 0; i < 8; ++i) shard.header += static_cast<char>(text.size() >> (8 * i) & 0xFF);
        shard.header += text;
    }

    const Checkpoint& m_checkpoint;
    const QuantiseOptions& m_options;
    NamePatterns m_keep;
    std::vector<Unit> m_units;
    std::int64_t m_undivided = 0;
    std::string m_undividedRows;
};

/// Rows [firstRow, firstRow + count) of a unit.
struct Piece {
    const Unit* unit = nullptr;
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
};

/// Writes one piece. One object a thread: it keeps the buffers.
class PieceWriter {
public:
    PieceWriter(const Checkpoint& checkpoint, const QuantiseOptions& options, const OutputFile& file, std::uint64_t dataStart)
        : m_checkpoint(checkpoint), m_options(options), m_file(file), m_dataStart(dataStart) {}

    Status write(const Piece& piece, std::uint64_t& bytes) {
        const Unit& unit = *piece.unit;
        if (unit.format == QuantisedFormat::None) return copy(piece, bytes);
        const std::int64_t count = piece.rows * unit.columns;
        m_stored.resize(static_cast<std::size_t>(count) * dtypeSize(unit.source->dtype));
        const std::int64_t first = unit.first + piece.firstRow * unit.columns;
        if (auto ok = m_checkpoint.read(*unit.source, first, count, m_stored); !ok.ok()) return ok;
        m_values.resize(static_cast<std::size_t>(count));
        toFloat32(unit.source->dtype, m_stored, m_values);
        for (const float v : m_values)
            if (!std::isfinite(v))
                return makeError(ErrorKind::Format, unit.module + " holds a weight that is no finite number",
                                 "fetch the checkpoint again");
        return unit.format == QuantisedFormat::Fp8Blocks ? writeFp8(piece, bytes) : writeInt4(piece, bytes);
    }

private:
    Status put(const void* data, std::size_t size, const OutputTensor& tensor, std::uint64_t skip, std::uint64_t& bytes) {
        bytes += size;
        if (m_file.write(data, size, m_dataStart + tensor.offset + skip)) return {};
        return ioError("writing the weights failed");
    }

    Status copy(const Piece& piece, std::uint64_t& bytes) {
        const Unit& unit = *piece.unit;  // one row of all elements; a piece's "rows" are elements of it
        const std::size_t size = dtypeSize(unit.source->dtype);
        m_stored.resize(static_cast<std::size_t>(piece.rows) * size);
        if (auto ok = m_checkpoint.read(*unit.source, unit.first + piece.firstRow, piece.rows, m_stored); !ok.ok()) return ok;
        return put(m_stored.data(), m_stored.size(), unit.tensors[0], static_cast<std::uint64_t>(piece.firstRow) * size, bytes);
    }

    Status writeFp8(const Piece& piece, std::uint64_t& bytes) {
        const std::int64_t columns = piece.unit->columns;
        const std::int64_t across = piecesFor(columns, kScaleBlock);
        std::vector<float> scales(static_cast<std::size_t>(piecesFor(piece.rows, kScaleBlock) * across), 0.0F);
        const auto scaleOf = [&](std::int64_t r, std::int64_t c) -> float& {
            return scales[static_cast<std::size_t>(r / kScaleBlock * across + c / kScaleBlock)];
        };
        for (std::int64_t r = 0; r < piece.rows; ++r)
            for (std::int64_t c = 0; c < columns; ++c)
                scaleOf(r, c) = std::max(scaleOf(r, c), std::fabs(m_values[static_cast<std::size_t>(r * columns + c)]));
        for (float& s : scales) s = s / kLargestFp8 > 0x1p-120F ? s / kLargestFp8 : 1.0F;
        m_codes.resize(m_values.size());
        for (std::int64_t r = 0; r < piece.rows; ++r)
            for (std::int64_t c = 0; c < columns; ++c) {
                const auto i = static_cast<std::size_t>(r * columns + c);
                m_codes[i] = toFp8(m_values[i] / scaleOf(r, c));
            }
        const auto& tensors = piece.unit->tensors;
        const auto skip = static_cast<std::uint64_t>(piece.firstRow * columns);
        if (auto ok = put(m_codes.data(), m_codes.size(), tensors[0], skip, bytes); !ok.ok()) return ok;
        const auto skipScales = static_cast<std::uint64_t>(piece.firstRow / kScaleBlock * across) * sizeof(float);
        return put(scales.data(), scales.size() * sizeof(float), tensors[1], skipScales, bytes);
    }

    Status writeInt4(const Piece& piece, std::uint64_t& bytes) {
        const std::int64_t columns = piece.unit->columns;
        const std::int64_t size = m_options.groupSize;
        const std::int64_t groups = columns / size;
        const std::int64_t rowBytes = piecesFor(columns, kNibblesPerWord) * 4;
        m_codes.assign(static_cast<std::size_t>(piece.rows * rowBytes), 0);
        std::vector<std::uint16_t> scales(static_cast<std::size_t>(piece.rows * groups));
        for (std::int64_t r = 0; r < piece.rows; ++r)
            for (std::int64_t g = 0; g < groups; ++g) {
                const std::span<const float> group(m_values.data() + r * columns + g * size, static_cast<std::size_t>(size));
                const float scale = int4Scale(group);
                scales[static_cast<std::size_t>(r * groups + g)] = toBrain(scale);
                for (std::int64_t i = 0; i < size; ++i) {
                    const std::int64_t c = g * size + i;
                    const float q = std::clamp(std::nearbyint(group[static_cast<std::size_t>(i)] / scale), -8.0F, 7.0F);
                    const auto nibble = static_cast<unsigned>(static_cast<int>(q) + 8);
                    std::uint8_t& byte = m_codes[static_cast<std::size_t>(r * rowBytes + c / 2)];
                    byte = static_cast<std::uint8_t>(byte | nibble << (4 * (c % 2)));
                }
            }
        const auto& tensors = piece.unit->tensors;
        const auto skip = static_cast<std::uint64_t>(piece.firstRow * rowBytes);
        if (auto ok = put(m_codes.data(), m_codes.size(), tensors[0], skip, bytes); !ok.ok()) return ok;
        const auto skipScales = static_cast<std::uint64_t>(piece.firstRow * groups) * sizeof(std::uint16_t);
        if (auto ok = put(scales.data(), scales.size() * sizeof(std::uint16_t), tensors[1], skipScales, bytes); !ok.ok())
            return ok;
        if (piece.firstRow != 0) return {};
        const std::array<std::int64_t, 2> shape{piece.unit->rows, columns};
        return put(shape.data(), sizeof shape, tensors[2], 0, bytes);
    }

    const Checkpoint& m_checkpoint;
    const QuantiseOptions& m_options;
    const OutputFile& m_file;
    const std::uint64_t m_dataStart;
    std::vector<std::byte> m_stored;
    std::vector<float> m_values;
    std::vector<std::uint8_t> m_codes;
};

std::vector<Piece> piecesOf(const Shard& shard) {
    std::vector<Piece> pieces;
    for (const Unit& unit : shard.units) {
        const bool plain = unit.format == QuantisedFormat::None;
        const std::int64_t rows = plain ? unit.columns : unit.rows;  // plain units are cut anywhere
        std::int64_t step = plain ? kPieceElements : std::max<std::int64_t>(1, kPieceElements / unit.columns);
        if (unit.format == QuantisedFormat::Fp8Blocks) step = std::max<std::int64_t>(1, step / kScaleBlock) * kScaleBlock;
        for (std::int64_t at = 0; at < rows; at += step) pieces.push_back({&unit, at, std::min(step, rows - at)});
    }
    return pieces;
}

class Job {
public:
    Job(const Checkpoint& checkpoint, fs::path out, const QuantiseOptions& options, Planner& plan)
        : m_checkpoint(checkpoint), m_out(std::move(out)), m_options(options), m_plan(plan) {
        for (const Shard& shard : m_plan.shards) m_total += shard.bytes;
    }

    Status run() {
        if (auto ok = prepareFolder(); !ok.ok()) return ok;
        for (const Shard& shard : m_plan.shards) {
            if (isWhole(shard)) {
                ++m_plan.report.shardsFound;
                m_done += shard.bytes;
                continue;
            }
            if (m_options.cancel != nullptr && m_options.cancel->requested()) return stopped();
            if (auto ok = writeShard(shard); !ok.ok()) return ok;
        }
        if (auto ok = writeIndex(); !ok.ok()) return ok;
        if (auto ok = copyOthers(); !ok.ok()) return ok;
        return writeConfig();
    }

private:
    /// Makes the folder, or sees that it holds nothing but what an earlier run of the same job left.
    Status prepareFolder() {
        std::error_code error;
        fs::create_directories(m_out, error);
        if (error) return makeError(ErrorKind::Io, printablePath(m_out) + " cannot be made: " + error.message());
        if (fs::equivalent(m_out, m_checkpoint.folder(), error))
            return makeError(ErrorKind::InvalidArgument, "the quantised model cannot be written into the model's own folder",
                             "name another folder");
        if (fs::exists(m_out / kConfigName, error))
            return makeError(ErrorKind::InvalidArgument, printablePath(m_out) + " holds a complete model already",
                             "nothing is overwritten: name another folder");
        std::uint64_t there = 0;
        for (fs::directory_iterator it(m_out, error), end; !error && it != end; it.increment(error)) {
            const std::string name = it->path().filename().native();
            const bool part =
                name.ends_with(".part") || name == kIndexName || (isOther(name) && fs::exists(m_checkpoint.folder() / name));
            const auto shard =
                std::find_if(m_plan.shards.begin(), m_plan.shards.end(), [&](const Shard& s) { return s.name == name; });
            if (shard != m_plan.shards.end()) {
                if (!isWhole(*shard)) return foreign(name);
                there += shard->bytes;
            } else if (!part) {
                return foreign(name);
            }
        }
        const fs::space_info space = fs::space(m_out, error);
        if (!error && space.available < m_total - there)
            return makeError(ErrorKind::Io,
                             printablePath(m_out) + " has room for " + std::to_string(space.available / 1'000'000) + " MB, and " +
                                 std::to_string((m_total - there) / 1'000'000) + " MB are needed",
                             "free some space or name another folder");
        return {};
    }

    [[nodiscard]] static Error stopped() {
        return makeError(ErrorKind::Cancelled, "quantising was stopped", "the same command goes on after the last whole shard");
    }

    [[nodiscard]] Error foreign(const std::string& name) const {
        return makeError(
            ErrorKind::InvalidArgument,
            printablePath(m_out) + " holds " + printable(name) + ", which this model with these options does not have",
            "nothing is overwritten: name another folder");
    }

    /// Shards are renamed when they are whole, so one of the right header and size is.
    [[nodiscard]] bool isWhole(const Shard& shard) const {
        auto file = InputFile::open(m_out / shard.name);
        if (!file.ok() || file->size() != shard.header.size() + shard.bytes) return false;
        std::string header(shard.header.size(), '\0');
        return file->readAt(0, std::as_writable_bytes(std::span(header))).ok() && header == shard.header;
    }

    Status writeShard(const Shard& shard) {
        const fs::path part = m_out / (shard.name + ".part");
        std::error_code ignored;
        fs::remove(part, ignored);
        {
            const OutputFile file(part);
            if (!file.isOpen() || !file.resize(shard.header.size() + shard.bytes) ||
                !file.write(shard.header.data(), shard.header.size(), 0))
                return ioError(printablePath(part) + " cannot be written");
            if (auto ok = writePieces(shard, file); !ok.ok()) return ok;
            if (!file.flush()) return ioError(printablePath(part) + " cannot be written");
        }
        std::error_code error;
        fs::rename(part, m_out / shard.name, error);
        if (error) return makeError(ErrorKind::Io, printablePath(part) + " cannot be renamed: " + error.message());
        return {};
    }

    Status writePieces(const Shard& shard, const OutputFile& file) {
        const std::vector<Piece> pieces = piecesOf(shard);
        std::atomic<std::size_t> next{0};
        std::atomic<std::uint64_t> written{0};
        std::atomic<bool> stop{false};
        std::atomic<std::size_t> running{0};
        std::mutex mutex;
        std::optional<Error> error;
        const auto work = [&] {
            try {
                PieceWriter writer(m_checkpoint, m_options, file, shard.header.size());
                for (std::size_t i = next.fetch_add(1); i < pieces.size() && !stop; i = next.fetch_add(1)) {
                    std::uint64_t bytes = 0;
                    const Status ok = writer.write(pieces[i], bytes);
                    written += bytes;
                    if (ok.ok()) continue;
                    const std::lock_guard lock(mutex);
                    if (!error) error = ok.error();
                    stop = true;
                }
            } catch (const std::bad_alloc&) {
                const std::lock_guard lock(mutex);
                if (!error) error = makeError(ErrorKind::OutOfMemory, "not enough memory to quantise", "close other programs");
                stop = true;
            }
            --running;
        };
        const int wanted = m_options.threads > 0 ? m_options.threads : static_cast<int>(std::thread::hardware_concurrency());
        std::vector<std::thread> threads;
        running = static_cast<std::size_t>(std::max(1, wanted));
        for (int i = 0; i < std::max(1, wanted); ++i) threads.emplace_back(work);
        bool cancelled = false;
        while (running > 0) {
            if (m_options.cancel != nullptr && m_options.cancel->requested()) stop = cancelled = true;
            if (m_options.progress) m_options.progress(m_done + written, m_total);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        for (std::thread& t : threads) t.join();
        if (error) return *error;
        if (cancelled) return stopped();
        m_done += written;
        if (m_options.progress) m_options.progress(m_done, m_total);
        return {};
    }

    Status writeText(const char* name, const std::string& text) const {
        const fs::path part = m_out / (std::string(name) + ".part");
        std::ofstream file(part, std::ios::binary | std::ios::trunc);
        file << text;
        file.close();
        std::error_code error;
        if (file) fs::rename(part, m_out / name, error);
        if (!file || error) return makeError(ErrorKind::Io, printablePath(m_out / name) + " cannot be written");
        return {};
    }

    Status writeIndex() const {
        nlohmann::json index = {{"metadata", {{"total_size", m_total}}}, {"weight_map", nlohmann::json::object()}};
        for (const Shard& shard : m_plan.shards)
            for (const Unit& unit : shard.units)
                for (const OutputTensor& t : unit.tensors) index["weight_map"][t.name] = shard.name;
        return writeText(kIndexName, index.dump(1) + "\n");
    }

    /// Whether a file of the model's folder is taken along: no weights of any kind, and not what is written anew.
    static bool isOther(const std::string& name) {
        for (const char* end :
             {".safetensors", ".safetensors.index.json", ".bin", ".pt", ".pth", ".gguf", ".h5", ".onnx", ".part"})
            if (name.ends_with(end)) return false;
        return name != kConfigName;
    }

    Status copyOthers() const {
        std::error_code error;
        for (fs::directory_iterator it(m_checkpoint.folder(), error), end; !error && it != end; it.increment(error)) {
            const std::string name = it->path().filename().native();
            if (!isOther(name) || !it->is_regular_file() || fs::exists(m_out / name)) continue;
            std::error_code failed;
            const fs::path part = m_out / (name + ".part");
            fs::copy_file(it->path(), part, fs::copy_options::overwrite_existing, failed);
            if (!failed) fs::rename(part, m_out / name, failed);
            if (failed) return makeError(ErrorKind::Io, printablePath(m_out / name) + " cannot be written: " + failed.message());
        }
        if (error) return makeError(ErrorKind::Io, printablePath(m_checkpoint.folder()) + " cannot be read: " + error.message());
        return {};
    }

    Status writeConfig() const {
        auto text = readWholeFile(m_checkpoint.folder() / kConfigName, kLargestConfig);
        if (!text.ok()) return text.error();
        nlohmann::ordered_json config = nlohmann::ordered_json::parse(*text, nullptr, false);
        if (!config.is_object()) return makeError(ErrorKind::Format, "config.json changed while the model was quantised");
        if (m_options.format == QuantisedFormat::Fp8Blocks) {
            config["quantization_config"] = {{"quant_method", "fp8"},
                                             {"fmt", "e4m3"},
                                             {"activation_scheme", "dynamic"},
                                             {"weight_block_size", {kScaleBlock, kScaleBlock}},
                                             {"modules_to_not_convert", m_plan.kept}};
        } else {
            nlohmann::ordered_json weights = {{"num_bits", 4},
                                              {"type", "int"},
                                              {"symmetric", true},
                                              {"strategy", "group"},
                                              {"group_size", m_options.groupSize},
                                              {"dynamic", false}};
            nlohmann::ordered_json group = {{"targets", {"Linear"}},
                                            {"weights", std::move(weights)},
                                            {"input_activations", nullptr},
                                            {"output_activations", nullptr}};
            config["quantization_config"] = {{"quant_method", "compressed-tensors"},
                                             {"format", "pack-quantized"},
                                             {"quantization_status", "compressed"},
                                             {"config_groups", {{"group_0", std::move(group)}}},
                                             {"ignore", m_plan.kept},
                                             {"kv_cache_scheme", nullptr}};
        }
        return writeText(kConfigName, config.dump(2) + "\n");
    }

    const Checkpoint& m_checkpoint;
    const fs::path m_out;
    const QuantiseOptions& m_options;
    Planner& m_plan;
    std::uint64_t m_total = 0;
    std::uint64_t m_done = 0;
};

/// For one scale: the sum of squares that remains, and the scale that would be best for the values that it leads to.
struct Trial {
    double error = 0;
    float best = 0;
};
Trial tryScale(std::span<const float> weights, float scale) {
    double products = 0;
    double squares = 0;
    double error = 0;
    const float inverse = 1.0F / scale;
    for (const float w : weights) {
        const float q = std::clamp(std::nearbyint(w * inverse), -8.0F, 7.0F);
        const double rest = static_cast<double>(w) - static_cast<double>(q) * static_cast<double>(scale);
        error += rest * rest;
        products += static_cast<double>(w) * static_cast<double>(q);
        squares += static_cast<double>(q) * static_cast<double>(q);
    }
    return {error, squares > 0 ? static_cast<float>(products / squares) : scale};
}

}  // namespace

float int4Scale(std::span<const float> weights) {
    float largest = 0.0F;
    for (const float w : weights) largest = std::max(largest, std::fabs(w));
    if (!(largest > 0x1p-100F)) return 1.0F;
    float chosen = fromBrain(toBrain(largest / 7.0F));
    double least = tryScale(weights, chosen).error;
    // From where the largest weight is cut a little to where it is well inside; each time also the least-squares scale of the
    // values that come out, so that a scale is judged as it will be stored.
    for (int step = 0; step <= 10; ++step) {
        const float start = largest / (6.5F + 0.3F * static_cast<float>(step));
        const float refined = tryScale(weights, start).best;
        for (const float candidate : {start, refined}) {
            const float stored = fromBrain(toBrain(candidate));
            if (!(stored > 0.0F)) continue;
            const double error = tryScale(weights, stored).error;
            if (error < least) {
                least = error;
                chosen = stored;
            }
        }
    }
    return chosen;
}

Result<QuantiseReport> quantiseCheckpoint(const fs::path& model, const fs::path& out, const QuantiseOptions& options) try {
    if (options.format == QuantisedFormat::None ||
        (options.format == QuantisedFormat::Int4Groups && options.groupSize != 32 && options.groupSize != 128))
        return makeError(ErrorKind::InvalidArgument, "the formats are fp8, and int4 in groups of 32 or 128");
    auto checkpoint = Checkpoint::open(model);
    if (!checkpoint.ok()) return checkpoint.error();
    if (checkpoint->summary().quantised)
        return makeError(ErrorKind::InvalidArgument,
                         printablePath(model) + " is quantised already (" + checkpoint->summary().format + ")",
                         "start from the BF16 checkpoint");
    auto keep = NamePatterns::compile(options.keep, "--keep");
    if (!keep.ok()) return keep.error();
    Planner plan(*checkpoint, options, *std::move(keep));
    if (auto ok = plan.run(); !ok.ok()) return ok.error();
    if (plan.report.quantised == 0)
        return makeError(ErrorKind::InvalidArgument, "nothing would be quantised",
                         "give fewer --keep patterns or another group size");
    Job job(*checkpoint, out, options, plan);
    if (auto ok = job.run(); !ok.ok()) return ok.error();
    return std::move(plan.report);
} catch (const std::bad_alloc&) {
    return makeError(ErrorKind::OutOfMemory, "not enough memory to quantise", "close other programs");
} catch (const std::exception& error) {
    return makeError(ErrorKind::Internal, printable(error.what()));
}

}  // namespace trefoil
