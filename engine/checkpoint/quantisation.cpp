#include "engine/checkpoint/quantisation.h"

#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/json_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace trefoil {
namespace {

using nlohmann::json;

constexpr const char* kWhatWorks =
    "use the BF16 checkpoint, one in FP8 (quant_method fp8, blocks of 128 × 128) or one in 4 bits (compressed-tensors, "
    "pack-quantized); trefoil-cli quantize makes both from BF16";
constexpr std::int64_t kLargestGroup = 1 << 20;

std::string valueText(const json& value) { return printable(value.dump(-1, ' ', false, json::error_handler_t::replace)); }

const json* find(const json& object, const char* key) {
    const auto it = object.find(key);
    return it == object.end() || it->is_null() ? nullptr : &*it;
}

/// The string under `key` in lower case; empty when there is none.
std::string lowerText(const json& object, const char* key) {
    const json* value = find(object, key);
    if (value == nullptr || !value->is_string()) return {};
    std::string text = value->get<std::string>();
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string inQuotes(std::string_view text) { return std::string(1, '"').append(printable(text)).append(1, '"'); }

/// How people call a method.
std::string methodTitle(const std::string& method) {
    constexpr std::array<std::pair<const char*, const char*>, 9> kTitles{{{"gptq", "GPTQ"},
                                                                          {"awq", "AWQ"},
                                                                          {"bitsandbytes", "bitsandbytes"},
                                                                          {"modelopt", "ModelOpt (NVFP4 or FP8)"},
                                                                          {"modelopt_fp4", "ModelOpt NVFP4"},
                                                                          {"mxfp4", "MXFP4"},
                                                                          {"gguf", "GGUF"},
                                                                          {"hqq", "HQQ"},
                                                                          {"auto-round", "AutoRound"}}};
    for (const auto& [name, title] : kTitles)
        if (method == name) return title;
    return inQuotes(method);
}

class Reader {
public:
    explicit Reader(std::string source) : m_source(std::move(source)) {}

    Result<Quantisation> read(const json& config) {
        const std::string method = lowerText(config, "quant_method");
        if (method == "fp8")
            readFp8(config);
        else if (method == "compressed-tensors")
            readCompressedTensors(config);
        else if (method.empty())
            format("gives no quant_method, so nobody can tell how the weights are stored");
        else
            unsupported("is " + methodTitle(method) + ", which this program does not read");
        if (m_error) return *m_error;
        return std::move(m_result);
    }

private:
    void fail(ErrorKind kind, const std::string& text) {
        if (!m_error) m_error = makeError(kind, m_source + ": quantization_config " + text, kWhatWorks);
    }
    void unsupported(const std::string& text) { fail(ErrorKind::Unsupported, text); }
    void format(const std::string& text) { fail(ErrorKind::Format, text); }

    std::vector<std::string> strings(const json& object, const char* key) {
        std::vector<std::string> out;
        const json* list = find(object, key);
        if (list == nullptr) return out;
        if (!list->is_array()) {
            format(std::string("has ") + key + " that is no list: " + valueText(*list));
            return out;
        }
        for (const json& item : *list) {
            if (!item.is_string() || item.get<std::string>().empty()) {
                format(std::string("has an entry in ") + key + " that is no name: " + valueText(item));
                return out;
            }
            out.push_back(item.get<std::string>());
        }
        return out;
    }

    NamePatterns patterns(std::span<const std::string> entries, const std::string& where) {
        auto compiled = NamePatterns::compile(entries, m_source + ": quantization_config, " + where);
        if (compiled.ok()) return *std::move(compiled);
        if (!m_error) m_error = compiled.error();
        return {};
    }

    void readFp8(const json& config) {
        m_result.format = QuantisedFormat::Fp8Blocks;
        if (const std::string fmt = lowerText(config, "fmt"); !fmt.empty() && fmt != "e4m3")
            unsupported("is FP8 of type " + printable(fmt) + "; e4m3 is read");
        if (lowerText(config, "activation_scheme") == "static")
            unsupported("is FP8 with stored scales for activations, which are never quantised here");
        const json* block = find(config, "weight_block_size");
        if (block == nullptr || *block != json::array({kScaleBlock, kScaleBlock}))
            unsupported("is FP8 with weight_block_size " + (block == nullptr ? std::string("missing") : valueText(*block)) +
                        "; [128, 128] is read");
        m_result.keptNames = strings(config, "modules_to_not_convert");
    }

    void readCompressedTensors(const json& config) {
        m_result.format = QuantisedFormat::Int4Groups;
        const std::string stored = lowerText(config, "format");
        if (stored != "pack-quantized")
            return unsupported("is compressed-tensors in the format " +
                               (stored.empty() ? std::string("none") : inQuotes(stored)) +
                               "; pack-quantized with 4 bits is read");
        if (const json* sparsity = find(config, "sparsity_config"); sparsity != nullptr && sparsity->is_object()) {
            const std::string sparse = lowerText(*sparsity, "format");
            if (!sparse.empty() && sparse != "dense") return unsupported("asks for sparse weights (" + printable(sparse) + ")");
        }
        if (find(config, "transform_config") != nullptr && !find(config, "transform_config")->empty())
            return unsupported("asks for transforms of activations (transform_config)");
        const json* groups = find(config, "config_groups");
        if (groups == nullptr || !groups->is_object() || groups->empty()) return format("has no config_groups");
        for (const auto& item : groups->items()) readGroup(item.key(), item.value());
        m_result.kept = patterns(strings(config, "ignore"), "ignore");
    }

    void readGroup(const std::string& name, const json& group) {
        const std::string where = "config_groups." + printable(name);
        if (!group.is_object()) return format("has " + where + " that is no object");
        if (const std::string own = lowerText(group, "format"); !own.empty() && own != "pack-quantized")
            return unsupported("has " + where + " in the format \"" + printable(own) + "\"; pack-quantized is read");
        for (const char* activations : {"input_activations", "output_activations"})
            if (find(group, activations) != nullptr)
                return unsupported("has " + where + " with " + activations + "; activations are never quantised here");
        const json* weights = find(group, "weights");
        if (weights == nullptr || !weights->is_object()) return format("has " + where + " without weights");
        const json* bits = find(*weights, "num_bits");
        if (bits == nullptr || *bits != 4)
            return unsupported("has " + where + " with num_bits " + (bits == nullptr ? "missing" : valueText(*bits)) +
                               "; 4 is read");
        if (const std::string type = lowerText(*weights, "type"); !type.empty() && type != "int")
            return unsupported("has " + where + " with values of type " + printable(type) + "; int is read");
        const json* size = find(*weights, "group_size");
        const std::string strategy = lowerText(*weights, "strategy");
        if ((!strategy.empty() && strategy != "group") || size == nullptr)
            return unsupported("has " + where + " with strategy " + (strategy.empty() ? "none" : printable(strategy)) +
                               "; scales per group (strategy group and a group_size) are read");
        if (!size->is_number_integer() || size->is_number_float() || *size < 1 || *size > kLargestGroup)
            return format("has " + where + " with group_size " + valueText(*size) +
                          "; a number of columns such as 32 is expected");
        QuantisedGroup out;
        out.name = name;
        out.size = size->get<std::int64_t>();
        if (const json* symmetric = find(*weights, "symmetric"); symmetric != nullptr) {
            if (!symmetric->is_boolean()) return format("has " + where + " with symmetric " + valueText(*symmetric));
            out.symmetric = symmetric->get<bool>();
        }
        out.targets = patterns(strings(group, "targets"), where + ".targets");
        if (out.targets.empty()) return format("has " + where + " without targets");
        m_result.groups.push_back(std::move(out));
    }

    std::string m_source;
    Quantisation m_result;
    std::optional<Error> m_error;
};

}  // namespace

Result<bool> Quantisation::keeps(std::string_view module) const {
    for (const std::string& entry : keptNames) {
        const bool whole = module == entry;
        const bool below = module.size() > entry.size() && module.starts_with(entry) && module[entry.size()] == '.';
        const bool end =
            module.size() > entry.size() && module.ends_with(entry) && module[module.size() - entry.size() - 1] == '.';
        if (whole || below || end) return true;
    }
    if (kept.lists("Linear")) return true;
    return kept.matches(module);
}

Result<const QuantisedGroup*> Quantisation::groupOf(std::string_view module) const {
    for (const QuantisedGroup& group : groups) {
        const auto found = group.targets.matches(module);
        if (!found.ok()) return found.error();
        if (*found) return &group;
    }
    for (const QuantisedGroup& group : groups)
        if (group.targets.lists("Linear")) return &group;
    return static_cast<const QuantisedGroup*>(nullptr);
}

Result<Quantisation> parseQuantisation(std::string_view configJson, const std::string& source) {
    auto root = parseJsonObject(configJson, source);
    if (!root.ok()) return root.error();
    const json* text = find(*root, "text_config");
    for (const json* level : {text, static_cast<const json*>(&*root)}) {
        if (level == nullptr || !level->is_object()) continue;
        for (const char* key : {"quantization_config", "compression_config"}) {
            const json* config = find(*level, key);
            if (config == nullptr) continue;
            if (!config->is_object())
                return makeError(ErrorKind::Format, source + ": " + key + " must be an object, found " + valueText(*config));
            return Reader(source).read(*config);
        }
    }
    return Quantisation{};
}

}  // namespace trefoil
