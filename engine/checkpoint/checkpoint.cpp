#include "engine/checkpoint/checkpoint.h"

#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/model_config_reader.h"
#include "engine/checkpoint/quantisation.h"
#include "engine/checkpoint/quantised_reader.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/tensor_catalogue.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

namespace trefoil {

namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigName = "config.json";
constexpr const char* kGenerationName = "generation_config.json";
constexpr const char* kSingleName = "model.safetensors";
constexpr const char* kIndexName = "model.safetensors.index.json";
constexpr std::uint64_t kLargestConfig = 16U << 20;
constexpr std::uint64_t kLargestIndex = 256U << 20;

// True also for a link that leads nowhere: opening it then says what is wrong.
bool isThere(const fs::path& path) {
    std::error_code ignored;
    return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

// Names of the folder's entries that end in `suffix`, sorted.
std::vector<std::string> entriesEndingIn(const fs::path& folder, std::string_view suffix) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::string name = it->path().filename().native();
        if (name.ends_with(suffix)) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string counted(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

Error noModel(const fs::path& folder, const std::string& lack) {
    std::string hint =
        "choose a folder that holds config.json and model.safetensors (or model.safetensors.index.json with its shards)";
    if (!entriesEndingIn(folder, ".gguf").empty())
        hint = "it holds GGUF files, which cannot be loaded: use the model's safetensors";
    else if (!entriesEndingIn(folder, ".bin").empty())
        hint = "it holds .bin files, which cannot be loaded: use the model's safetensors";
    return makeError(ErrorKind::NotFound, printablePath(folder) + " is no model folder: " + lack, std::move(hint));
}

Status checkFolder(const fs::path& folder) {
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (status.type() == fs::file_type::not_found)
        return makeError(ErrorKind::NotFound, "there is no folder " + printablePath(folder), "check the path");
    if (error) return makeError(ErrorKind::Io, printablePath(folder) + " cannot be examined: " + error.message());
    if (status.type() != fs::file_type::directory)
        return makeError(ErrorKind::InvalidArgument, printablePath(folder) + " is not a folder",
                         "choose the folder that holds config.json");
    if (!isThere(folder / kConfigName)) return noModel(folder, std::string(kConfigName) + " is not there");
    return {};
}

float toFloat(DType type, const std::byte* source) {
    if (type == DType::F32) {
        float value = 0;
        std::memcpy(&value, source, sizeof value);
        return value;
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, source, sizeof bits);
    if (type == DType::BF16) return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    const std::uint32_t sign = (bits & 0x8000U) << 16;
    const std::uint32_t exponent = (bits >> 10) & 31U;
    const std::uint32_t fraction = bits & 1023U;
    if (exponent == 0) {  // zero or subnormal: fraction · 2^-24, exact in float32
        const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
    }
    const std::uint32_t wide = exponent == 31 ? 255U : exponent + 112U;
    return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

}  // namespace

std::string_view dtypeName(DType t) {
    switch (t) {
        case DType::F32:
            return "F32";
        case DType::F16:
            return "F16";
        case DType::BF16:
            return "BF16";
    }
    return "?";
}

void toFloat32(DType type, std::span<const std::byte> source, std::span<float> destination) {
    const std::size_t width = dtypeSize(type);
    for (std::size_t i = 0; i < destination.size() && (i + 1) * width <= source.size(); ++i)
        destination[i] = toFloat(type, source.data() + i * width);
}

struct Checkpoint::Impl {
    fs::path folder;
    ModelConfig config;
    Quantisation quantisation;
    std::string generationJson;
    CheckpointSummary summary;
    std::vector<SafetensorsFile> files;
    TensorCatalogue catalogue;
    std::unordered_map<std::string_view, std::size_t> byName;  // keys view into catalogue.tensors

    Status readConfigs();
    Status openWeights();
    Status openShards(const std::map<std::string, std::string>& shards);
    Status openOne(const std::string& name);
    Status match();
    [[nodiscard]] Status checkShapes() const;
    void describeFormat();
    void noteStrayFiles();
};

Status Checkpoint::Impl::readConfigs() {
    auto text = readWholeFile(folder / kConfigName, kLargestConfig);
    if (!text.ok()) return text.error();
    auto parsed = parseModelConfig(*text, printablePath(folder / kConfigName));
    if (!parsed.ok()) return parsed.error();
    config = *std::move(parsed);
    auto stored = parseQuantisation(*text, printablePath(folder / kConfigName));
    if (!stored.ok()) return stored.error();
    quantisation = *std::move(stored);
    const fs::path generation = folder / kGenerationName;
    if (!isThere(generation)) return {};
    auto generationText = readWholeFile(generation, kLargestConfig);
    if (!generationText.ok()) return generationText.error();
    generationJson = *std::move(generationText);
    auto eos = parseGenerationEos(generationJson, printablePath(generation));
    if (!eos.ok()) return eos.error();
    if (eos->has_value()) return applyEosIds(config, **eos, kGenerationName);
    return {};
}

Status Checkpoint::Impl::openOne(const std::string& name) {
    auto file = SafetensorsFile::open(folder / name);
    if (!file.ok()) return file.error();
    files.push_back(*std::move(file));
    summary.files.push_back(name);
    return {};
}

Status Checkpoint::Impl::openShards(const std::map<std::string, std::string>& shards) {
    const std::string index = printablePath(folder / kIndexName);
    std::map<std::string, std::vector<std::string>> byShard;
    for (const auto& entry : shards) byShard[entry.second].push_back(entry.first);
    std::vector<std::string> absent;
    for (const auto& shard : byShard)
        if (!isThere(folder / shard.first)) absent.push_back(shard.first);
    if (!absent.empty())
        return makeError(ErrorKind::NotFound,
                         index + " names " + std::to_string(absent.size()) + " of " + std::to_string(byShard.size()) +
                             " weight files that are not there: " + firstTen(absent) +
                             " (tensors of the first: " + firstTen(byShard[absent.front()]) + ")",
                         "fetch the missing files");
    for (const auto& shard : byShard) {
        if (auto ok = openOne(shard.first); !ok.ok()) return ok;
        const SafetensorsFile& file = files.back();
        std::vector<std::string> lacking;
        for (const std::string& name : shard.second)
            if (file.find(name) == nullptr) lacking.push_back(name);
        if (!lacking.empty())
            return makeError(ErrorKind::Format,
                             index + " places " + counted(lacking.size(), "tensor") + " in " + printable(shard.first) +
                                 ", which lacks them: " + firstTen(lacking),
                             "index and shards must be of the same model: fetch both again");
        // The index is the list of what belongs to the model. A shard that holds more contradicts it, and is not used in part.
        std::vector<std::string> unlisted;
        for (const SafetensorsEntry& entry : file.entries()) {
            const auto it = shards.find(entry.name);
            if (it == shards.end() || it->second != shard.first) unlisted.push_back(entry.name);
        }
        if (!unlisted.empty())
            return makeError(ErrorKind::Format,
                             printablePath(folder / shard.first) + " holds " + counted(unlisted.size(), "tensor") +
                                 " that the index does not place there: " + firstTen(unlisted),
                             "index and shards must be of the same model: fetch both again");
    }
    return {};
}

Status Checkpoint::Impl::openWeights() {
    if (isThere(folder / kIndexName)) {
        auto text = readWholeFile(folder / kIndexName, kLargestIndex);
        if (!text.ok()) return text.error();
        auto shards = parseSafetensorsIndex(*text, printablePath(folder / kIndexName));
        if (!shards.ok()) return shards.error();
        return openShards(*shards);
    }
    if (!isThere(folder / kSingleName))
        return noModel(folder, std::string("neither ") + kSingleName + " nor " + kIndexName + " is there");
    return openOne(kSingleName);
}

Status Checkpoint::Impl::match() {
    std::vector<StoredTensor> stored;
    for (std::size_t i = 0; i < files.size(); ++i)
        for (const SafetensorsEntry& entry : files[i].entries())
            stored.push_back({entry.name, entry.dtype, entry.shape, entry.elements, i, files[i].fileOffset(entry)});
    const std::string source = printablePath(files.size() == 1 ? folder / summary.files.front() : folder);
    auto built = buildCatalogue(config, quantisation, stored, source);
    if (!built.ok()) return built.error();
    catalogue = *std::move(built);
    for (std::size_t i = 0; i < catalogue.tensors.size(); ++i) byName.emplace(catalogue.tensors[i].name, i);
    return checkShapes();
}

Status Checkpoint::Impl::checkShapes() const {
    for (const ShapeCheck& check : catalogue.shapeChecks) {
        std::array<std::int64_t, 2> found{};
        std::array<std::int32_t, 2> narrow{};
        const std::span<std::byte> bytes = check.wide ? std::span<std::byte>(std::as_writable_bytes(std::span(found)))
                                                      : std::span<std::byte>(std::as_writable_bytes(std::span(narrow)));
        if (auto ok = files[check.place.file].file().readAt(check.place.offset, bytes); !ok.ok()) return ok;
        if (!check.wide) found = {narrow[0], narrow[1]};
        if (found[0] != check.rows || found[1] != check.columns)
            return makeError(ErrorKind::Format,
                             printablePath(folder) + ": " + printable(check.name) + " says " + describeShape(found) +
                                 ", expected " + describeShape(std::array{check.rows, check.columns}),
                             "config.json and the weights must be of the same model");
    }
    return {};
}

void Checkpoint::Impl::describeFormat() {
    std::map<std::string_view, std::int64_t> types;  // parameters of each type that are not quantised
    std::string zeroPoints;
    std::int64_t group = 0;
    for (const auto& segments : catalogue.segments)
        for (const TensorSegment& segment : segments) {
            if (!segment.quantised)
                types[dtypeName(segment.dtype)] += segment.elements;
            else if (segment.quantised->form.hasZeroPoints)
                zeroPoints = " with zero points";
            if (segment.quantised) group = segment.quantised->form.groupSize;
        }
    std::string_view main = types.empty() ? "" : types.begin()->first;
    for (const auto& type : types)
        if (type.second > types[main]) main = type.first;
    summary.quantised = catalogue.quantisedParameters > 0;
    if (!summary.quantised) {
        summary.format = main;
        return;
    }
    const double share = 100.0 * static_cast<double>(catalogue.quantisedParameters) / static_cast<double>(catalogue.parameters);
    std::array<char, 32> percent{};
    std::snprintf(percent.data(), percent.size(), "%.0f%%", share);
    summary.format =
        (quantisation.format == QuantisedFormat::Fp8Blocks ? std::string("FP8 in blocks of 128 × 128")
                                                           : "4 bits in groups of " + std::to_string(group) + zeroPoints) +
        " (" + percent.data() + " of the parameters), " + std::string(main);
}

void Checkpoint::Impl::noteStrayFiles() {
    std::vector<std::string> stray;
    for (std::string& name : entriesEndingIn(folder, ".safetensors"))
        if (std::find(summary.files.begin(), summary.files.end(), name) == summary.files.end()) stray.push_back(std::move(name));
    if (!stray.empty())
        summary.notes.push_back("not part of the model and not used: " + firstTen(stray) +
                                (isThere(folder / kIndexName) ? " (the index does not name them)" : ""));
}

Result<Checkpoint> Checkpoint::open(const fs::path& folder) try {
    if (auto ok = checkFolder(folder); !ok.ok()) return ok.error();
    auto impl = std::make_unique<Impl>();
    impl->folder = folder;
    if (auto ok = impl->readConfigs(); !ok.ok()) return ok.error();
    if (auto ok = impl->openWeights(); !ok.ok()) return ok.error();
    if (auto ok = impl->match(); !ok.ok()) return ok.error();
    CheckpointSummary& summary = impl->summary;
    summary.folder = folder.native();
    summary.parameters = impl->catalogue.parameters;
    summary.weightBytes = impl->catalogue.weightBytes;
    summary.layout = (impl->files.size() == 1 ? "single file, " : std::to_string(impl->files.size()) + " shards, ") +
                     impl->catalogue.expertLayout;
    impl->describeFormat();
    summary.notes = impl->config.notes;
    summary.notes.insert(summary.notes.end(), impl->catalogue.notes.begin(), impl->catalogue.notes.end());
    impl->noteStrayFiles();
    return Checkpoint(std::move(impl));
} catch (const std::bad_alloc&) {
    return makeError(ErrorKind::OutOfMemory, "not enough memory to read the headers of " + printablePath(folder));
} catch (const std::exception& error) {
    return makeError(ErrorKind::Internal, printablePath(folder) + ": " + printable(error.what()));
}

Checkpoint::Checkpoint(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;
Checkpoint::~Checkpoint() = default;

const fs::path& Checkpoint::folder() const { return m_impl->folder; }
const ModelConfig& Checkpoint::config() const { return m_impl->config; }
void Checkpoint::setMaskTokenId(TokenId id) { m_impl->config.maskTokenId = id; }
void Checkpoint::setCompatibility(const Compatibility& c) { m_impl->config.compatibility = c; }
void Checkpoint::limitContext(std::int64_t positions) {
    m_impl->config.maxPositionEmbeddings = std::min(m_impl->config.maxPositionEmbeddings, positions);
}
const std::string& Checkpoint::generationConfigJson() const { return m_impl->generationJson; }
const CheckpointSummary& Checkpoint::summary() const { return m_impl->summary; }
const std::vector<TensorInfo>& Checkpoint::tensors() const { return m_impl->catalogue.tensors; }

const TensorInfo* Checkpoint::find(std::string_view canonicalName) const {
    const auto it = m_impl->byName.find(canonicalName);
    return it == m_impl->byName.end() ? nullptr : &m_impl->catalogue.tensors[it->second];
}

Status Checkpoint::read(const TensorInfo& tensor, std::int64_t first, std::int64_t count,
                        std::span<std::byte> destination) const {
    const auto it = m_impl->byName.find(tensor.name);
    if (it == m_impl->byName.end())
        return makeError(ErrorKind::InvalidArgument, "this checkpoint has no tensor " + printable(tensor.name));
    const TensorInfo& own = m_impl->catalogue.tensors[it->second];
    const std::size_t size = dtypeSize(own.dtype);
    if (first < 0 || count < 0 || first > own.elements || count > own.elements - first ||
        destination.size() != static_cast<std::size_t>(count) * size)
        return makeError(ErrorKind::InvalidArgument, "reading " + own.name + ": elements " + std::to_string(first) +
                                                         " and the next " + std::to_string(count) + " of " +
                                                         std::to_string(own.elements) + " into " +
                                                         std::to_string(destination.size()) + " bytes");
    // Converted in pieces of this many elements where a fused view joins tensors of several types.
    static constexpr std::size_t kPiece = 4096;
    std::array<std::byte, kPiece * sizeof(float)> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled before use
    std::array<float, kPiece> floats;                     // NOLINT(cppcoreguidelines-pro-type-member-init): filled before use
    std::int64_t segmentFirst = 0;
    for (const TensorSegment& segment : m_impl->catalogue.segments[it->second]) {
        const std::int64_t segmentEnd = segmentFirst + segment.elements;
        const std::int64_t from = std::max(first, segmentFirst);
        std::int64_t left = std::min(first + count, segmentEnd) - from;
        const InputFile& file = m_impl->files[segment.file].file();
        std::uint64_t offset = segment.offset + static_cast<std::uint64_t>(from - segmentFirst) * dtypeSize(segment.dtype);
        const std::int64_t inSegment = from - segmentFirst;
        segmentFirst = segmentEnd;
        if (left <= 0) continue;
        if (segment.quantised && segment.dtype == own.dtype) {
            const std::size_t bytes = static_cast<std::size_t>(left) * size;
            if (auto ok = readQuantised(segment, m_impl->files, inSegment, left, destination.first(bytes)); !ok.ok()) return ok;
            destination = destination.subspan(bytes);
            continue;
        }
        if (segment.dtype == own.dtype) {
            const std::size_t bytes = static_cast<std::size_t>(left) * size;
            if (auto ok = file.readAt(offset, destination.first(bytes)); !ok.ok()) return ok;
            destination = destination.subspan(bytes);
            continue;
        }
        const std::size_t width = dtypeSize(segment.dtype);
        std::int64_t done = inSegment;
        while (left > 0) {
            const std::size_t n = std::min(static_cast<std::size_t>(left), kPiece);
            const auto bytes = std::span(piece).first(n * width);
            const auto many = static_cast<std::int64_t>(n);
            if (auto ok =
                    segment.quantised ? readQuantised(segment, m_impl->files, done, many, bytes) : file.readAt(offset, bytes);
                !ok.ok())
                return ok;
            done += many;
            toFloat32(segment.dtype, std::span(piece).first(n * width), std::span(floats).first(n));
            std::memcpy(destination.data(), floats.data(), n * sizeof(float));
            destination = destination.subspan(n * sizeof(float));
            offset += n * width;
            left -= static_cast<std::int64_t>(n);
        }
    }
    return {};
}

Status Checkpoint::readRows(const TensorInfo& tensor, std::int64_t first, std::int64_t count, QuantisedRows& rows) const {
    const auto it = m_impl->byName.find(tensor.name);
    const TensorInfo* own = it == m_impl->byName.end() ? nullptr : &m_impl->catalogue.tensors[it->second];
    if (own == nullptr || !own->quantised)
        return makeError(ErrorKind::InvalidArgument, printable(tensor.name) + " is not quantised in one way in this checkpoint");
    const std::int64_t columns = own->quantised->columns;
    if (first < 0 || count < 0 || first > own->elements / columns || count > own->elements / columns - first)
        return makeError(ErrorKind::InvalidArgument, "reading " + own->name + ": there are no rows " + std::to_string(first) +
                                                         " and the next " + std::to_string(count));
    rows.codes.clear();
    rows.scales.clear();
    rows.zeroPoints.clear();
    std::int64_t segmentFirst = 0;
    for (const TensorSegment& segment : m_impl->catalogue.segments[it->second]) {
        const std::int64_t segmentRows = segment.elements / columns;
        const std::int64_t from = std::max(first, segmentFirst);
        const std::int64_t here = std::min(first + count, segmentFirst + segmentRows) - from;
        if (here > 0)
            if (auto ok = appendQuantisedRows(segment, m_impl->files, from - segmentFirst, here, rows); !ok.ok()) return ok;
        segmentFirst += segmentRows;
    }
    return {};
}

Result<std::string> normWeightWarning(const Checkpoint& checkpoint) {
    double sum = 0;
    std::int64_t count = 0;
    for (const TensorInfo& tensor : checkpoint.tensors()) {
        // linear_attn.norm is plain in any checkpoint and says nothing.
        if (!tensor.name.ends_with("layernorm.weight") && tensor.name != "model.norm.weight") continue;
        std::vector<std::byte> stored(tensor.bytes());
        if (auto ok = checkpoint.read(tensor, 0, tensor.elements, stored); !ok.ok()) return ok.error();
        std::vector<float> weights(static_cast<std::size_t>(tensor.elements));
        toFloat32(tensor.dtype, stored, weights);
        for (const float weight : weights) sum += static_cast<double>(weight);
        count += tensor.elements;
    }
    const double mean = count == 0 ? 0.0 : sum / static_cast<double>(count);
    if (!(mean > 0.5)) return std::string();
    std::array<char, 160> text{};
    std::snprintf(
        text.data(), text.size(),
        "the norms' weights are %.2f on average: this checkpoint may store them plain, not zero-centred, and answer nonsense",
        mean);
    return std::string(text.data());
}

}  // namespace trefoil
