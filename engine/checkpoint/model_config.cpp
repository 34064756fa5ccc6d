#include "engine/checkpoint/model_config.h"

#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/json_reader.h"
#include "engine/checkpoint/model_config_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

namespace trefoil {

namespace {

using nlohmann::json;

// Bounds far above any model of the family. Together they keep every product of dimensions (elements of a tensor, bytes of all
// layers) below 2^63, so that nothing behind parseModelConfig has to check again.
constexpr std::int64_t kMostVocabulary = std::int64_t{1} << 24;
constexpr std::int64_t kMostHidden = std::int64_t{1} << 17;
constexpr std::int64_t kMostLayers = 1024;
constexpr std::int64_t kMostHeads = 1024;
constexpr std::int64_t kMostHeadDim = 2048;
constexpr std::int64_t kMostExperts = 4096;
constexpr std::int64_t kMostPositions = std::int64_t{1} << 24;  // float32 counts positions exactly up to here
constexpr std::int64_t kMostTaps = 16;
constexpr std::int64_t kMostBlock = 128;  // section 7
constexpr std::size_t kMostEos = 1024;

std::string numberText(double value) {
    std::array<char, 40> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.10g", value);
    return buffer.data();
}

// Short text of any JSON value for a message. Never recurses deeper than parseJsonObject allows.
std::string valueText(const json& value) { return printable(value.dump(-1, ' ', false, json::error_handler_t::replace)); }

// Keeps the first fault; later reads then do nothing that matters.
class ConfigReader {
public:
    ConfigReader(const json& root, std::string source) : m_root(root), m_source(std::move(source)) {}

    Result<ModelConfig> read() {
        openNesting();
        checkArchitecture();
        readSizes();
        readRope();
        readTokens();
        readLayers();
        readSwitches();
        if (!m_error) checkTogether();
        if (m_error) return *m_error;
        return std::move(m_config);
    }

private:
    void fail(const std::string& text, std::string hint = {}, ErrorKind kind = ErrorKind::Format) {
        if (!m_error) m_error = makeError(kind, m_source + ": " + text, std::move(hint));
    }
    void note(std::string text) { m_config.notes.push_back(std::move(text)); }

    // The value of a key, the nested one first; nullptr when it is missing or null.
    [[nodiscard]] const json* find(const char* key) const {
        for (const json* level : {m_text, &m_root}) {
            if (level == nullptr) continue;
            const auto it = level->find(key);
            if (it != level->end() && !it->is_null()) return &*it;
        }
        return nullptr;
    }
    [[nodiscard]] static const json* findIn(const json* object, const char* key) {
        if (object == nullptr) return nullptr;
        const auto it = object->find(key);
        return it == object->end() || it->is_null() ? nullptr : &*it;
    }

    void openNesting() {
        const auto it = m_root.find("text_config");
        if (it == m_root.end() || it->is_null()) return;
        if (!it->is_object()) return fail("text_config must be an object, found " + valueText(*it));
        m_text = &*it;
    }

    void checkArchitecture() {
        static constexpr const char* kArchitecture = "CloverMoeModelLM";
        static constexpr const char* kType = "clover_moe";
        bool named = false;
        std::string found;
        for (const json* level : {m_text, &m_root}) {
            if (level == nullptr) continue;
            if (const json* list = findIn(level, "architectures"); list != nullptr && list->is_array()) {
                for (const json& item : *list) {
                    if (!item.is_string()) continue;
                    named = true;
                    if (item.get<std::string>() == kArchitecture) return;
                    found += (found.empty() ? "" : ", ") + printable(item.get<std::string>());
                }
            }
            if (const json* type = findIn(level, "model_type"); type != nullptr && type->is_string()) {
                named = true;
                if (type->get<std::string>() == kType) return;
                found += (found.empty() ? "model_type " : ", model_type ") + printable(type->get<std::string>());
            }
        }
        if (named)
            fail("this is a model of another kind (" + found + "); expected " + kArchitecture + ", model_type " + kType,
                 "open a Clover block-diffusion model", ErrorKind::Unsupported);
        else
            note(std::string("neither architectures nor model_type is given: assumed to be ") + kArchitecture);
    }

    // A whole number in [lowest, highest]; `fallback` below 0: required.
    std::int64_t integer(const char* key, std::int64_t lowest, std::int64_t highest, std::int64_t fallback = -1) {
        const json* value = find(key);
        if (value == nullptr) {
            if (fallback < 0) {
                fail(std::string(key) + " is missing", "a Clover model's config.json has it");
                return lowest;
            }
            note(std::string(key) + " is not given: " + std::to_string(fallback) + " is assumed");
            return fallback;
        }
        // Unsigned numbers beyond 2^63 are "integers" to the parser as well, hence both tests.
        const bool fitsSigned =
            value->is_number_integer() &&
            (!value->is_number_unsigned() || value->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
        if (!fitsSigned || value->get<std::int64_t>() < lowest || value->get<std::int64_t>() > highest) {
            fail(std::string(key) + " must be a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest) +
                 ", found " + valueText(*value));
            return lowest;
        }
        return value->get<std::int64_t>();
    }

    double real(const char* key, const json* value, double lowest, double highest, double fallback) {
        if (value == nullptr) {
            note(std::string(key) + " is not given: " + numberText(fallback) + " is assumed");
            return fallback;
        }
        if (!value->is_number() || !(value->get<double>() >= lowest && value->get<double>() <= highest)) {
            fail(std::string(key) + " must be a number from " + numberText(lowest) + " to " + numberText(highest) + ", found " +
                 valueText(*value));
            return fallback;
        }
        return value->get<double>();
    }

    void readSizes() {
        ModelConfig& c = m_config;
        c.vocabSize = integer("vocab_size", 1, kMostVocabulary);
        c.hiddenSize = integer("hidden_size", 1, kMostHidden);
        c.numAttentionHeads = integer("num_attention_heads", 1, kMostHeads);
        c.numKeyValueHeads = integer("num_key_value_heads", 1, kMostHeads);
        c.headDim = integer("head_dim", 1, kMostHeadDim);
        c.linearNumKeyHeads = integer("linear_num_key_heads", 1, kMostHeads);
        c.linearNumValueHeads = integer("linear_num_value_heads", 1, kMostHeads);
        c.linearKeyHeadDim = integer("linear_key_head_dim", 1, kMostHeadDim);
        c.linearValueHeadDim = integer("linear_value_head_dim", 1, kMostHeadDim);
        c.linearConvKernelDim = integer("linear_conv_kernel_dim", 2, kMostTaps, 4);
        c.numExperts = integer("num_experts", 1, kMostExperts);
        c.numExpertsPerTok = integer("num_experts_per_tok", 1, kMostExperts);
        c.moeIntermediateSize = integer("moe_intermediate_size", 1, kMostHidden);
        c.sharedExpertIntermediateSize = integer("shared_expert_intermediate_size", 1, kMostHidden);
        c.maxPositionEmbeddings = integer("max_position_embeddings", 1, kMostPositions, 131072);
        c.blockSize = integer("block_size", 1, kMostBlock, 32);
        c.rmsNormEps = real("rms_norm_eps", find("rms_norm_eps"), 1e-30, 1.0, 1e-6);
        if (const json* tied = find("tie_word_embeddings"); tied == nullptr)
            note("tie_word_embeddings is not given: false is assumed");
        else if (!tied->is_boolean())
            fail("tie_word_embeddings must be true or false, found " + valueText(*tied));
        else
            c.tieWordEmbeddings = tied->get<bool>();
    }

    // A scaling of the angles is refused rather than ignored: answers would decay with length.
    void checkRopeType(const json& rope, const std::string& where) {
        for (const char* key : {"rope_type", "type"}) {
            const json* type = findIn(&rope, key);
            if (type == nullptr) continue;
            if (!type->is_string() || type->get<std::string>() != "default")
                fail(where + "." + key + " " + valueText(*type) + " is not supported; expected \"default\"",
                     "this model needs scaled rotary positions, which this program does not compute", ErrorKind::Unsupported);
        }
        if (const json* factor = findIn(&rope, "factor");
            factor != nullptr && !(factor->is_number() && factor->get<double>() == 1.0))
            fail(where + ".factor " + valueText(*factor) + " asks for scaled rotary positions, which are not supported", "",
                 ErrorKind::Unsupported);
    }

    // The nested value if there is one, else the top level's; says so when they differ.
    const json* ropeValue(const char* key, const json* rope, const json* perLayer) {
        const json* value = find(key);
        for (const auto& [level, name] :
             {std::pair{rope, "rope_parameters"}, std::pair{perLayer, "rope_parameters.full_attention"}}) {
            const json* nested = findIn(level, key);
            if (nested == nullptr) continue;
            if (value != nullptr && *value != *nested)
                note(std::string(key) + ": " + name + " says " + valueText(*nested) + ", elsewhere it is " + valueText(*value) +
                     "; " + valueText(*nested) + " is used");
            value = nested;
        }
        return value;
    }

    void readRope() {
        const json* rope = find("rope_parameters");
        const json* perLayer = nullptr;
        if (rope != nullptr) {
            if (!rope->is_object()) return fail("rope_parameters must be an object, found " + valueText(*rope));
            checkRopeType(*rope, "rope_parameters");
            // Newer files give one set per kind of layer; only full attention turns its heads.
            perLayer = findIn(rope, "full_attention");
            if (perLayer != nullptr) {
                if (!perLayer->is_object())
                    return fail("rope_parameters.full_attention must be an object, found " + valueText(*perLayer));
                checkRopeType(*perLayer, "rope_parameters.full_attention");
                note("rope_parameters are given per kind of layer: those of full_attention are used");
            }
        }
        if (const json* scaling = find("rope_scaling"); scaling != nullptr) {
            if (!scaling->is_object()) return fail("rope_scaling must be an object, found " + valueText(*scaling));
            checkRopeType(*scaling, "rope_scaling");
        }
        m_config.ropeTheta = real("rope_theta", ropeValue("rope_theta", rope, perLayer), 1.0, 1e15, 1e7);
        m_config.partialRotaryFactor =
            real("partial_rotary_factor", ropeValue("partial_rotary_factor", rope, perLayer), 0.0, 1.0, 0.25);
    }

    void readTokens() {
        if (const json* mask = find("mask_token_id"); mask == nullptr)
            note("mask_token_id is not given: it is looked up in the tokenizer");
        else
            m_config.maskTokenId = static_cast<TokenId>(integer("mask_token_id", 0, m_config.vocabSize - 1));
        const json* eos = find("eos_token_id");
        if (eos == nullptr) return fail("eos_token_id is missing", "a Clover model's config.json has it");
        std::vector<TokenId> ids;
        if (!readIds(*eos, ids)) return fail("eos_token_id must be a token id or a list of them, found " + valueText(*eos));
        if (auto ok = applyEosIds(m_config, ids, m_source); !ok.ok() && !m_error) m_error = ok.error();
    }

public:
    /// One id or a list of ids, each from 0 to 2^31 - 1.
    static bool readIds(const json& value, std::vector<TokenId>& ids) {
        const auto one = [&ids](const json& item) {
            if (!item.is_number_unsigned() || item.get<std::uint64_t>() > 0x7FFFFFFFU) return false;
            ids.push_back(static_cast<TokenId>(item.get<std::uint64_t>()));
            return true;
        };
        if (!value.is_array()) return one(value);
        return !value.empty() && value.size() <= kMostEos && std::all_of(value.begin(), value.end(), one);
    }

private:
    void readLayers() {
        const std::int64_t count = integer("num_hidden_layers", 1, kMostLayers);
        const json* types = find("layer_types");
        const bool hasInterval = find("full_attention_interval") != nullptr;
        // Without layer_types the interval decides, and its default is worth a note; with them it is only compared.
        const std::int64_t interval =
            types != nullptr && !hasInterval ? 0 : integer("full_attention_interval", 1, kMostLayers, 4);
        const auto byInterval = [interval](std::int64_t i) {
            return (i + 1) % interval == 0 ? LayerKind::FullAttention : LayerKind::GatedDeltaNet;
        };
        if (types == nullptr) {
            for (std::int64_t i = 0; i < count; ++i) m_config.layers.push_back(byInterval(i));
            return;
        }
        if (!types->is_array() || types->size() != static_cast<std::size_t>(count))
            return fail("layer_types must be a list of " + std::to_string(count) + " strings (num_hidden_layers), found " +
                        (types->is_array() ? std::to_string(types->size()) + " entries" : valueText(*types)));
        bool differs = false;
        for (const json& type : *types) {
            const auto i = static_cast<std::int64_t>(m_config.layers.size());
            if (type == "linear_attention")
                m_config.layers.push_back(LayerKind::GatedDeltaNet);
            else if (type == "full_attention")
                m_config.layers.push_back(LayerKind::FullAttention);
            else
                return fail("layer_types[" + std::to_string(i) + "] is " + valueText(type) +
                                "; expected linear_attention or full_attention",
                            "", ErrorKind::Unsupported);
            differs = differs || (interval > 0 && byInterval(i) != m_config.layers.back());
        }
        if (differs)
            note("layer_types and full_attention_interval " + std::to_string(interval) +
                 " contradict each other: layer_types are used");
    }

    // Section 9's overrides, written by a person for this program: a typing error is a fault here, unlike an unknown key
    // elsewhere.
    void readSwitches() {
        const json* own = find("trefoil");
        if (own == nullptr) return;
        if (!own->is_object()) return fail("trefoil must be an object of compatibility switches, found " + valueText(*own));
        for (const auto& item : own->items()) {
            if (!item.value().is_string())
                return fail("trefoil." + printable(item.key()) + " must be a string, found " + valueText(item.value()));
            const auto choice = item.value().get<std::string>();
            if (const Status s = setCompatibility(m_config.compatibility, item.key(), choice); !s.ok())
                return fail("trefoil: " + s.error().message, s.error().hint);
            m_config.configSwitches[item.key()] = choice;
        }
    }

    void checkTogether() {
        const ModelConfig& c = m_config;
        const auto divides = [this](std::int64_t whole, const char* wholeName, std::int64_t part, const char* partName) {
            if (whole % part != 0)
                fail(std::string(wholeName) + " (" + std::to_string(whole) + ") must be a multiple of " + partName + " (" +
                     std::to_string(part) + ")");
        };
        divides(c.numAttentionHeads, "num_attention_heads", c.numKeyValueHeads, "num_key_value_heads");
        divides(c.linearNumValueHeads, "linear_num_value_heads", c.linearNumKeyHeads, "linear_num_key_heads");
        if (c.numExpertsPerTok > c.numExperts)
            fail("num_experts_per_tok (" + std::to_string(c.numExpertsPerTok) + ") must not exceed num_experts (" +
                 std::to_string(c.numExperts) + ")");
        if (c.rotaryDim() % 2 != 0)
            fail("head_dim (" + std::to_string(c.headDim) + ") times partial_rotary_factor (" +
                 numberText(c.partialRotaryFactor) + ") turns " + std::to_string(c.rotaryDim()) +
                 " dimensions; an even number is expected");
    }

    const json& m_root;
    const json* m_text = nullptr;
    std::string m_source;
    ModelConfig m_config;
    std::optional<Error> m_error;
};

std::string idsText(const std::vector<TokenId>& ids) {
    std::string out = "[";
    for (const TokenId id : ids) out += (out.size() > 1 ? ", " : "") + std::to_string(id);
    return out + "]";
}

}  // namespace

Result<ModelConfig> parseModelConfig(std::string_view text, const std::string& source) {
    auto root = parseJsonObject(text, source);
    if (!root.ok()) return root.error();
    return ConfigReader(*root, source).read();
}

Result<std::optional<std::vector<TokenId>>> parseGenerationEos(std::string_view text, const std::string& source) {
    auto root = parseJsonObject(text, source);
    if (!root.ok()) return root.error();
    const auto it = root->find("eos_token_id");
    if (it == root->end() || it->is_null()) return std::optional<std::vector<TokenId>>();
    std::vector<TokenId> ids;
    if (!ConfigReader::readIds(*it, ids))
        return makeError(ErrorKind::Format,
                         source + ": eos_token_id must be a token id or a list of them, found " + valueText(*it));
    return std::optional<std::vector<TokenId>>(std::move(ids));
}

Status applyEosIds(ModelConfig& config, const std::vector<TokenId>& ids, const std::string& source) {
    std::vector<TokenId> distinct;
    for (const TokenId id : ids) {
        if (id < 0 || id >= config.vocabSize)
            return makeError(ErrorKind::Format, source + ": eos_token_id " + std::to_string(id) +
                                                    " is outside the vocabulary of " + std::to_string(config.vocabSize) +
                                                    " tokens");
        if (id == config.maskTokenId)
            return makeError(ErrorKind::Format,
                             source + ": token " + std::to_string(id) + " is both mask_token_id and an eos_token_id");
        if (std::find(distinct.begin(), distinct.end(), id) == distinct.end()) distinct.push_back(id);
    }
    if (distinct.empty()) return makeError(ErrorKind::Format, source + ": eos_token_id is an empty list");
    if (!config.eosTokenIds.empty() && config.eosTokenIds != distinct)
        config.notes.push_back("eos_token_id: " + source + " says " + idsText(distinct) + ", config.json " +
                               idsText(config.eosTokenIds) + "; " + idsText(distinct) + " is used");
    config.eosTokenIds = std::move(distinct);
    return {};
}

}  // namespace trefoil
