#include "engine/checkpoint/quantise.h"

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/output_file.h"
#include "engine/checkpoint/quantise_pieces.h"
#include "engine/checkpoint/quantise_plan.h"
#include "engine/checkpoint/shard_writing.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <memory>
#include <new>
#include <utility>

namespace trefoil {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigName = "config.json";
constexpr const char* kIndexName = "model.safetensors.index.json";
constexpr std::uint64_t kLargestConfig = 16U << 20;

class Job {
public:
    Job(const Checkpoint& checkpoint, fs::path out, const QuantiseOptions& options, QuantisePlan& plan)
        : m_checkpoint(checkpoint), m_out(std::move(out)), m_options(options), m_plan(plan) {
        for (const QuantiseShard& shard : m_plan.shards) m_total += shard.bytes;
    }

    Status run() {
        if (auto ok = prepareFolder(); !ok.ok()) return ok;
        for (const QuantiseShard& shard : m_plan.shards) {
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
                std::find_if(m_plan.shards.begin(), m_plan.shards.end(), [&](const QuantiseShard& s) { return s.name == name; });
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
    [[nodiscard]] bool isWhole(const QuantiseShard& shard) const {
        auto file = InputFile::open(m_out / shard.name);
        if (!file.ok() || file->size() != shard.header.size() + shard.bytes) return false;
        std::string header(shard.header.size(), '\0');
        return file->readAt(0, std::as_writable_bytes(std::span(header))).ok() && header == shard.header;
    }

    Status writeShard(const QuantiseShard& shard) {
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

    Status writePieces(const QuantiseShard& shard, const OutputFile& file) {
        const std::vector<QuantisePiece> pieces = piecesOf(shard);
        const auto makeWorker = [&]() -> PieceWork {
            auto writer = std::make_shared<PieceWriter>(m_checkpoint, m_options, file, shard.header.size());
            return [&pieces, writer](std::size_t i) { return writer->write(pieces[i]); };
        };
        const auto written =
            runPieces({pieces.size(), m_options.threads, m_done, m_total, m_options.progress, m_options.cancel}, makeWorker);
        if (!written.ok()) return written.error().kind == ErrorKind::Cancelled ? stopped() : written.error();
        m_done += *written;
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
        for (const QuantiseShard& shard : m_plan.shards)
            for (const QuantiseUnit& unit : shard.units)
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
    QuantisePlan& m_plan;
    std::uint64_t m_total = 0;
    std::uint64_t m_done = 0;
};

}  // namespace

Result<QuantiseReport> quantiseCheckpoint(const fs::path& model, const fs::path& out, const QuantiseOptions& options) try {
    if (options.format == QuantisedFormat::None ||
        (options.format == QuantisedFormat::Int4Groups && options.groupSize != 32 && options.groupSize != 128))
        return makeError(ErrorKind::InvalidArgument, "the formats are fp8, and int4 in groups of 32 or 128");
    if (options.importance != nullptr && options.format != QuantisedFormat::Int4Groups)
        return makeError(ErrorKind::InvalidArgument,
                         "importance weighs the scales of int4; fp8 takes the largest value of a block");
    auto checkpoint = Checkpoint::open(model);
    if (!checkpoint.ok()) return checkpoint.error();
    if (checkpoint->summary().quantised)
        return makeError(ErrorKind::InvalidArgument,
                         printablePath(model) + " is quantised already (" + checkpoint->summary().format + ")",
                         "start from the BF16 checkpoint");
    auto keep = NamePatterns::compile(options.keep, "--keep");
    if (!keep.ok()) return keep.error();
    auto plan = planQuantisation(*checkpoint, options, *keep);
    if (!plan.ok()) return plan.error();
    if (plan->report.quantised == 0)
        return makeError(ErrorKind::InvalidArgument, "nothing would be quantised",
                         "give fewer --keep patterns or another group size");
    Job job(*checkpoint, out, options, *plan);
    if (auto ok = job.run(); !ok.ok()) return ok.error();
    return std::move(plan->report);
} catch (const std::bad_alloc&) {
    return makeError(ErrorKind::OutOfMemory, "not enough memory to quantise", "close other programs");
} catch (const std::exception& error) {
    return makeError(ErrorKind::Internal, printable(error.what()));
}

}  // namespace trefoil
