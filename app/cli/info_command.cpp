#include "app/cli/commands.h"
#include "app/cli/recommend_section.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <sstream>

namespace trefoil::cli {
namespace {

using Json = nlohmann::json;

Json dimensions(const ModelConfig& c) {
    std::int64_t attention = 0;
    for (const LayerKind kind : c.layers) attention += kind == LayerKind::FullAttention ? 1 : 0;
    return {{"vocab_size", c.vocabSize},
            {"hidden_size", c.hiddenSize},
            {"num_hidden_layers", c.numLayers()},
            {"attention_layers", attention},
            {"gated_deltanet_layers", c.numLayers() - attention},
            {"num_attention_heads", c.numAttentionHeads},
            {"num_key_value_heads", c.numKeyValueHeads},
            {"head_dim", c.headDim},
            {"linear_num_key_heads", c.linearNumKeyHeads},
            {"linear_num_value_heads", c.linearNumValueHeads},
            {"linear_key_head_dim", c.linearKeyHeadDim},
            {"linear_value_head_dim", c.linearValueHeadDim},
            {"linear_conv_kernel_dim", c.linearConvKernelDim},
            {"num_experts", c.numExperts},
            {"num_experts_per_tok", c.numExpertsPerTok},
            {"moe_intermediate_size", c.moeIntermediateSize},
            {"shared_expert_intermediate_size", c.sharedExpertIntermediateSize},
            {"max_position_embeddings", c.maxPositionEmbeddings},
            {"block_size", c.blockSize},
            {"rope_theta", c.ropeTheta},
            {"partial_rotary_factor", c.partialRotaryFactor},
            {"rms_norm_eps", c.rmsNormEps},
            {"tie_word_embeddings", c.tieWordEmbeddings},
            {"mask_token_id", c.maskTokenId},
            {"eos_token_id", c.eosTokenIds}};
}

Json planJson(const MemoryPlan& plan) {
    return {{"weights", plan.weights}, {"experts", plan.experts},     {"dense", plan.dense()}, {"key_value", plan.keyValue},
            {"states", plan.states},   {"workspace", plan.workspace}, {"total", plan.total()}, {"available", plan.available}};
}

/// The plan for one device, or why there is none.
Json devicePlan(const DevicePlan& entry) {
    const DeviceInfo& device = entry.device;
    Json out{{"id", device.id},
             {"name", device.name},
             {"usable", device.usable},
             {"reason", device.usable ? entry.problem : device.reason},
             {"memory_total", device.memoryTotal},
             {"memory_free", device.memoryFree},
             {"fits", entry.plan.has_value() && entry.fit == MemoryFit::Fits}};
    if (entry.plan) out["memory_plan"] = planJson(*entry.plan);
    for (const PartPlan& part : entry.parts)
        out["parts"].push_back({{"device", part.device},
                                {"first_layer", part.firstLayer},
                                {"layers", part.layers},
                                {"memory_plan", planJson(part.memory)}});
    return out;
}

const char* originName(SwitchOrigin origin) {
    return origin == SwitchOrigin::Config ? "config.json" : origin == SwitchOrigin::User ? "command line" : "default";
}

Json describe(const ModelExamination& model) {
    const CheckpointSummary& summary = model.summary;
    Json out{{"folder", summary.folder},
             {"complete", true},  // examineModel refuses everything else
             {"parameters", summary.parameters},
             {"weight_bytes", summary.weightBytes},
             {"format", summary.format},
             {"layout", summary.layout},
             {"files", summary.files},
             {"tokenizer", nullptr},
             {"chat_format", model.text->format ? Json("ChatML") : Json(nullptr)},
             {"chat_template", model.text->chatTemplate.name()},
             {"dimensions", dimensions(model.config)},
             {"defaults", Json::parse(toJson(model.defaults))},
             {"planned_context", model.config.maxPositionEmbeddings},
             {"devices", Json::array()},
             {"switches", Json::array()},
             {"warnings", summary.warnings},
             {"notes", summary.notes}};
    for (const SwitchState& state : model.switches)
        out["switches"].push_back({{"name", state.which->name},
                                   {"value", state.choice},
                                   {"choices", {state.which->standard, state.which->alternative}},
                                   {"origin", originName(state.origin)},
                                   {"explanation", state.which->explanation}});
    out["dimensions"]["max_position_embeddings"] = model.modelContext;
    if (model.text->tokenizer) out["tokenizer"] = model.text->tokenizer->description();
    for (const DevicePlan& device : model.devices) out["devices"].push_back(devicePlan(device));
    return out;
}

std::string scalar(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// A line for each part of a model on several GPUs.
std::string partLines(const Json& parts) {
    std::ostringstream out;
    for (const Json& part : parts) {
        const auto first = part["first_layer"].get<std::int64_t>();
        const Json& plan = part["memory_plan"];
        out << "    cuda:" << part["device"].dump() << ": layers " << first << " to "
            << first + part["layers"].get<std::int64_t>() - 1 << ", " << byteText(plan["total"].get<std::uint64_t>()) << "; free "
            << byteText(plan["available"].get<std::uint64_t>()) << "\n";
    }
    return out.str();
}

std::string forPeople(const Json& info) {
    std::ostringstream out;
    out << info["folder"].get<std::string>() << "\n"
        << "parameters   " << info["parameters"].dump() << ", " << byteText(info["weight_bytes"].get<std::uint64_t>())
        << " of weights, " << info["layout"].get<std::string>() << "\n"
        << "complete     all tensors are in its " << info["files"].size() << (info["files"].size() == 1 ? " file\n" : " files\n")
        << "format       " << info["format"].get<std::string>() << "\n"
        << "tokenizer    " << (info["tokenizer"].is_null() ? "none" : info["tokenizer"].get<std::string>()) << "\n"
        << "chat format  " << (info["chat_format"].is_null() ? "none" : info["chat_format"].get<std::string>())
        << "; the checkpoint's template: " << info["chat_template"].get<std::string>() << "\n\ndimensions\n";
    for (const auto& [key, value] : info["dimensions"].items()) out << "  " << key << " = " << scalar(value) << "\n";
    out << "\ndefaults of a generation\n";
    for (const auto& [key, value] : info["defaults"].items()) out << "  " << key << " = " << scalar(value) << "\n";
    out << "\ncompatibility switches\n";
    for (const Json& s : info["switches"])
        out << "  " << scalar(s["name"]) << " = " << scalar(s["value"]) << " (" << scalar(s["origin"]) << "; "
            << scalar(s["choices"][0]) << " or " << scalar(s["choices"][1]) << ")\n";
    out << "\nmemory plan for a context of " << info["planned_context"].dump() << " tokens\n";
    for (const Json& device : info["devices"]) {
        out << "  " << scalar(device["id"]) << " (" << scalar(device["name"]) << "): ";
        if (!device.contains("memory_plan")) {
            out << scalar(device["reason"]) << "\n";
            continue;
        }
        const Json& plan = device["memory_plan"];
        const auto part = [&plan](const char* key) { return byteText(plan[key].get<std::uint64_t>()); };
        out << (device["fits"].get<bool>() ? "fits: " : "does not fit: ") << part("total") << " = experts " << part("experts")
            << " + other weights " << part("dense") << " + keys and values " << part("key_value") << " + states "
            << part("states") << " + workspace " << part("workspace") << "; free " << part("available") << " of "
            << byteText(device["memory_total"].get<std::uint64_t>()) << "\n";
        if (device.contains("parts") && device["parts"].size() > 1) out << partLines(device["parts"]);
    }
    out << "  the coreset makes a pass read fewer experts; all of them stay in memory\n";
    if (info.contains("recommendation")) out << recommendationText(info["recommendation"]);
    for (const Json& warning : info["warnings"]) out << "warning: " << scalar(warning) << "\n";
    for (const Json& note : info["notes"]) out << "note: " << scalar(note) << "\n";
    return out.str();
}

}  // namespace

int runInfo(const InfoOptions& options) {
    LoadOptions load;
    load.requireTokenizer = false;
    auto switches = parseSwitches(options.switches);
    if (!switches.ok()) return fail(switches.error());
    load.compatibility = *std::move(switches);
    load.device.context = options.context;
    const auto model = examineModel(options.model, load);
    if (!model.ok()) return fail(model.error());
    Json info = describe(*model);
    if (options.recommend) {
        const auto prepared = prepareModel(options.model, load);
        if (!prepared.ok()) return fail(prepared.error());
        info["recommendation"] = recommendationJson(prepared->checkpoint, options.cardMemory, options.bandwidth, options.context);
    }
    return print(options.json ? info.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : forPeople(info)) ? kOk
                                                                                                                   : kFailed;
}

}  // namespace trefoil::cli
