#include "engine/checkpoint/quantise_plan.h"

#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/shard_writing.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

namespace trefoil {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::int64_t>;

constexpr std::string_view kWeight = ".weight";

/// Modules of which the weight may be quantised at all.
bool isCandidate(std::string_view module, bool head) {
    if (module == "lm_head") return head;
    constexpr std::array<std::string_view, 10> kEnds{".in_proj_qkv", ".in_proj_z", ".out_proj",  ".q_proj",  ".k_proj",
                                                     ".v_proj",      ".o_proj",    ".gate_proj", ".up_proj", ".down_proj"};
    return std::any_of(kEnds.begin(), kEnds.end(), [module](std::string_view end) { return module.ends_with(end); });
}

/// Whether a tensor of the catalogue holds matrices that may be quantised.
bool isCandidateTensor(const TensorInfo& tensor, bool head) {
    if (tensor.shape.size() < 2) return false;
    if (tensor.name.ends_with(".experts.gate_up_proj") || tensor.name.ends_with(".experts.down_proj")) return true;
    return tensor.name.ends_with(kWeight) && isCandidate(tensor.name.substr(0, tensor.name.size() - kWeight.size()), head);
}

class Planner {
public:
    Planner(const Checkpoint& checkpoint, const QuantiseOptions& options, const NamePatterns& keep)
        : m_checkpoint(checkpoint), m_options(options), m_keep(keep) {}

    Result<QuantisePlan> run() {
        for (const TensorInfo& tensor : m_checkpoint.tensors()) {
            const bool gateUp = tensor.name.ends_with(".experts.gate_up_proj");
            const bool down = tensor.name.ends_with(".experts.down_proj");
            Status added = gateUp || down ? addExperts(tensor, gateUp) : addTensor(tensor);
            if (!added.ok()) return added.error();
        }
        if (m_undivided > 0)
            m_plan.report.notes.push_back(
                std::to_string(m_undivided) + (m_undivided == 1 ? " matrix keeps its" : " matrices keep their") +
                " type: rows of " + m_undividedRows + " columns hold no whole groups of " + std::to_string(m_options.groupSize));
        cut();
        return std::move(m_plan);
    }

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
        QuantiseUnit unit{&source, first, 1, elements, QuantisedFormat::None, {}, {}};
        const std::uint64_t bytes = static_cast<std::uint64_t>(elements) * dtypeSize(source.dtype);
        unit.tensors.push_back({std::move(name), std::string(dtypeName(source.dtype)), std::move(shape), bytes, 0});
        m_units.push_back(std::move(unit));
        m_plan.report.parameters += elements;
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
            m_plan.kept.push_back(module);
            addPlain(source, module + std::string(kWeight), first, shape, elements);
            return {};
        }
        QuantiseUnit unit{&source, first, shape[0], shape[1], m_options.format, module, {}};
        const std::string name = module + std::string(kWeight);
        if (isInt4) {
            if (m_options.importance != nullptr) {
                const std::int64_t item = source.shape.size() == 3 ? first / (source.shape[1] * source.shape[2]) : 0;
                const auto importance = m_options.importance->of(source.name, item, shape[1]);
                if (!importance.ok()) return importance.error();
                unit.importance = *importance;
            }
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
        m_plan.report.parameters += elements;
        m_plan.report.quantised += elements;
        return {};
    }

    /// Units into shards, and each tensor's place in its shard. Wide elements first, so that every tensor is aligned.
    void cut() {
        for (QuantiseUnit& unit : m_units) {
            std::uint64_t bytes = 0;
            for (const OutputTensor& t : unit.tensors) bytes += t.bytes;
            if (m_plan.shards.empty() ||
                (m_plan.shards.back().bytes > 0 && m_plan.shards.back().bytes + bytes > m_options.shardBytes))
                m_plan.shards.emplace_back();
            m_plan.shards.back().bytes += bytes;
            m_plan.shards.back().units.push_back(std::move(unit));
        }
        const std::string source = fingerprint();
        for (std::size_t i = 0; i < m_plan.shards.size(); ++i) {
            std::array<char, 64> name{};
            std::snprintf(name.data(), name.size(), "model-%05zu-of-%05zu.safetensors", i + 1, m_plan.shards.size());
            m_plan.shards[i].name = name.data();
            layOut(m_plan.shards[i], source);
            m_plan.report.bytes += m_plan.shards[i].header.size() + m_plan.shards[i].bytes;
        }
        m_plan.report.shards = m_plan.shards.size();
        std::sort(m_plan.kept.begin(), m_plan.kept.end());
    }

    /// Differs where the weights to be written would: a shard of another model or of other options is not gone on from.
    [[nodiscard]] std::string fingerprint() const {
        std::string text = std::to_string(m_options.groupSize) + m_checkpoint.summary().format;
        for (const std::string& pattern : m_options.keep) text += '|' + pattern;
        if (m_options.importance != nullptr) text += "|importance " + std::to_string(m_options.importance->fingerprint());
        for (const std::string& name : m_checkpoint.summary().files) {
            const fs::path file = m_checkpoint.folder() / name;
            text += '|' + name + ' ' + std::to_string(fs::file_size(file)) + ' ' +
                    std::to_string(fs::last_write_time(file).time_since_epoch().count());
        }
        std::uint64_t hash = 0xCBF29CE484222325ULL;
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
        return std::to_string(hash);
    }

    static void layOut(QuantiseShard& shard, const std::string& fingerprint) {
        nlohmann::ordered_json header;
        header["__metadata__"] = {{"format", "pt"}, {"made_from", fingerprint}};
        std::uint64_t offset = 0;
        for (const int width : {64, 32, 16, 8})
            for (QuantiseUnit& unit : shard.units)
                for (OutputTensor& t : unit.tensors) {
                    if (safetensorsTypeBits(t.dtype) != width) continue;
                    t.offset = offset;
                    header[t.name] = {{"dtype", t.dtype}, {"shape", t.shape}, {"data_offsets", {offset, offset + t.bytes}}};
                    offset += t.bytes;
                }
        shard.header = safetensorsHeader(header.dump());
    }

    const Checkpoint& m_checkpoint;
    const QuantiseOptions& m_options;
    const NamePatterns& m_keep;
    QuantisePlan m_plan;
    std::vector<QuantiseUnit> m_units;
    std::int64_t m_undivided = 0;
    std::string m_undividedRows;
};

}  // namespace

Result<QuantisePlan> planQuantisation(const Checkpoint& checkpoint, const QuantiseOptions& options, const NamePatterns& keep) {
    return Planner(checkpoint, options, keep).run();
}

std::vector<TensorInfo> catalogueAfterQuantising(std::span<const TensorInfo> tensors, const QuantiseOptions& options) {
    const bool isInt4 = options.format == QuantisedFormat::Int4Groups;
    std::vector<TensorInfo> out(tensors.begin(), tensors.end());
    for (TensorInfo& tensor : out) {
        tensor.quantised.reset();
        if (options.format == QuantisedFormat::None || !isCandidateTensor(tensor, options.quantiseHead)) continue;
        const std::int64_t columns = tensor.shape.back();
        if (isInt4 && columns % options.groupSize != 0) continue;
        tensor.quantised = QuantisedForm{options.format, columns, isInt4 ? options.groupSize : kScaleBlock,
                                         isInt4 ? DType::BF16 : DType::F32, false};
    }
    return out;
}

bool formDividesRows(std::span<const TensorInfo> tensors, const QuantiseOptions& options) {
    return options.format != QuantisedFormat::Int4Groups ||
           std::none_of(tensors.begin(), tensors.end(), [&](const TensorInfo& tensor) {
               return isCandidateTensor(tensor, options.quantiseHead) && tensor.shape.back() % options.groupSize != 0;
           });
}

}  // namespace trefoil
