#include "tests/fuzz/fuzz_targets.h"

#include "app/serve/chat_request.h"
#include "engine/checkpoint/model_config.h"
#include "engine/checkpoint/model_config_reader.h"
#include "engine/checkpoint/quantisation.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/decode/generation_config.h"
#include "engine/tokenizer/byte_pair_tokenizer.h"
#include "engine/tokenizer/chat_template.h"
#include "engine/tokenizer/sentencepiece_model.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/verify/golden_cases.h"
#include "tests/fuzz/require.h"

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

namespace trefoil::fuzz {

namespace {

std::string_view asText(std::span<const std::uint8_t> input) {
    return {reinterpret_cast<const char*>(input.data()), input.size()};
}

// A file in memory, reachable by a path.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes) : m_descriptor(::memfd_create("fuzz", MFD_CLOEXEC)) {
        require(m_descriptor >= 0, "memfd_create works");
        require(::write(m_descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
                "a memory file can be written");
    }
    ~MemoryFile() { ::close(m_descriptor); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(m_descriptor); }

private:
    int m_descriptor;
};

}  // namespace

void safetensorsFile(std::span<const std::uint8_t> input) {
    const MemoryFile memory(asText(input));
    const auto file = SafetensorsFile::open(memory.path());
    if (!file.ok()) return requireMessage(file.error());
    for (const SafetensorsEntry& entry : file->entries()) {
        require(entry.end <= input.size() && entry.begin <= entry.end, "a tensor lies inside its file");
        std::vector<std::byte> bytes(static_cast<std::size_t>(entry.end - entry.begin));
        require(file->read(entry, bytes).ok(), "an accepted tensor can be read");
        require(file->find(entry.name) == &entry, "an accepted tensor is found");
    }
}

void configJson(std::span<const std::uint8_t> input) {
    const auto config = parseModelConfig(asText(input), "config.json");
    if (!config.ok()) return requireMessage(config.error());
    const ModelConfig& c = *config;
    std::int64_t elements = 0;
    std::int64_t bytes = 0;
    require(c.numLayers() > 0 && c.vocabSize > 0 && c.hiddenSize > 0 && c.headDim > 0 && !c.eosTokenIds.empty(),
            "sizes are positive");
    require(!__builtin_mul_overflow(c.numExperts * 2 * c.moeIntermediateSize, c.hiddenSize, &elements) &&
                !__builtin_mul_overflow(elements, 4 * c.numLayers(), &bytes),
            "all experts' bytes can be counted");
    require(!__builtin_mul_overflow(c.convChannels(), c.hiddenSize * 4, &bytes), "a projection's bytes can be counted");
    require(c.numAttentionHeads % c.numKeyValueHeads == 0 && c.linearNumValueHeads % c.linearNumKeyHeads == 0, "heads divide");
    require(c.numExpertsPerTok <= c.numExperts, "no more experts are chosen than there are");
    require(c.rotaryDim() % 2 == 0 && c.rotaryDim() <= c.headDim, "pairs are turned");
    require(c.maskTokenId < c.vocabSize && !c.isEos(c.maskTokenId), "the mask is a token and ends nothing");
    for (const TokenId id : c.eosTokenIds) require(id >= 0 && id < c.vocabSize, "an end token is a token");
    for (const std::string& note : c.notes)
        for (const char letter : note) require(static_cast<unsigned char>(letter) >= 0x20, "a note is one line");
}

void quantisationConfig(std::span<const std::uint8_t> input) {
    const auto quantisation = parseQuantisation(asText(input), "config.json");
    if (!quantisation.ok()) return requireMessage(quantisation.error());
    const bool grouped = quantisation->format == QuantisedFormat::Int4Groups;
    require(grouped != quantisation->groups.empty(), "groups are there where they are needed");
    require(quantisation->keptNames.empty() || quantisation->format == QuantisedFormat::Fp8Blocks, "only FP8 lists names");
    for (const QuantisedGroup& group : quantisation->groups)
        require(group.size > 0 && group.size <= 1 << 20 && !group.targets.empty(), "a group has columns and targets");
    const std::string longest = "model.layers.39.mlp.experts.255." + std::string(64, 'a') + ".down_proj";
    for (const std::string_view module : {std::string_view("lm_head"), std::string_view("model.layers.0.self_attn.q_proj"),
                                          std::string_view(longest), std::string_view()}) {
        if (const auto keeps = quantisation->keeps(module); !keeps.ok()) requireMessage(keeps.error());
        const auto group = quantisation->groupOf(module);
        if (!group.ok())
            requireMessage(group.error());
        else
            require(*group == nullptr || grouped, "a module's group is one of those that are there");
    }
}

void indexJson(std::span<const std::uint8_t> input) {
    const auto shards = parseSafetensorsIndex(asText(input), "model.safetensors.index.json");
    if (!shards.ok()) requireMessage(shards.error());
    if (shards.ok()) {
        require(!shards->empty(), "an index has tensors");
        for (const auto& entry : *shards)
            require(!entry.second.empty() && entry.second.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos &&
                        entry.second != "..",
                    "an index names files in its folder");
    }
    const auto ends = parseGenerationEos(asText(input), "generation_config.json");
    if (!ends.ok()) return requireMessage(ends.error());
    if (ends->has_value())
        for (const TokenId id : **ends) require(id >= 0, "an end token is a token");
}

void generationConfig(std::span<const std::uint8_t> input) {
    const GenerationConfig before;
    GenerationConfig config = before;
    if (const Status s = applyGenerationJson(config, asText(input), "generation_config.json"); !s.ok()) {
        requireMessage(s.error());
        require(config == before, "a refused file changes nothing");
    }
    for (const ControlSpec& spec : controlSpecs()) {
        const auto text = controlText(config, spec.name);
        GenerationConfig again = config;
        require(text.ok() && setControl(again, spec.name, *text).ok() && again == config, "every control is in its range");
    }
}

void goldenTraces(std::span<const std::uint8_t> input) {
    const auto cases = parseGoldenCases(asText(input), "traces.json", {});
    if (!cases.ok()) return requireMessage(cases.error());
    for (const GoldenCase& golden : *cases)
        if (golden.passes)
            for (const GoldenPass& pass : *golden.passes)
                require(pass.candidates.size() == pass.confidences.size(), "each candidate has its confidence");
}

void sentencePieceModel(std::span<const std::uint8_t> input) {
    const auto model = parseSentencePieceModel(asText(input), "tokenizer.model");
    if (!model.ok()) return requireMessage(model.error());
    const auto again = parseSentencePieceModel(model->serialized, "tokenizer.model");
    require(again.ok() && again->pieces.size() == model->pieces.size(), "the changed model has the same pieces");
    for (std::size_t i = 0; i < model->pieces.size(); ++i) {
        require(again->pieces[i].type == model->pieces[i].type && again->pieces[i].text == model->pieces[i].text,
                "the changed model says the same of each piece");
        require(!looksLikeControl(model->pieces[i].text) || model->pieces[i].type == PieceType::Control,
                "what looks like a control piece is one");
    }
}

void bytePairTokenizer(std::span<const std::uint8_t> input) {
    std::vector<std::string> notes;
    const auto tokenizer = makeBytePair(asText(input), "tokenizer.json", notes);
    if (!tokenizer.ok()) return requireMessage(tokenizer.error());
    const Tokenizer& t = **tokenizer;
    for (const std::string text : {"hello  wo\u00EBrld 12\n", "e\u0301 \u6C34</think><|im_end|> <tool_call>x", "a"}) {
        const auto ids = t.checkedEncode(text);
        if (!ids.ok()) {
            requireMessage(ids.error());
            continue;
        }
        require(!ids->empty(), "a text has ids");
        for (const TokenId id : *ids) require(id >= 0 && id < t.vocabSize() && !t.isControl(id), "text has no control pieces");
        const std::string back = t.decode(*ids);
        require(isValidUtf8(back), "decoded text is UTF-8");
        const auto decoder = t.streamDecoder();
        std::string streamed;
        for (const TokenId id : *ids) streamed += decoder->push(std::span(&id, 1));
        require(streamed + decoder->flush() == back, "streaming gives the same text");
        for (const TokenId id : *ids) require(isValidUtf8(t.displayText(id)), "a piece can be shown");
    }
}

void chatTemplate(std::span<const std::uint8_t> input) {
    const ChatTemplateCheck check = judgeChatTemplate(asText(input), "chat_template.jinja", true);
    require(check.verdict != ChatTemplateCheck::Verdict::Missing, "a template is there");
    require(check.recognised() == check.note.empty(), "what is not recognised has a note");
    require(isValidUtf8(check.note), "a note is UTF-8");
    for (const char c : check.note) require(static_cast<unsigned char>(c) >= 0x20, "a note is one line");
}

void chatRequest(std::span<const std::uint8_t> input) {
    serve::ServedModel model;
    model.name = "m";
    model.context = 4096;
    const auto parsed = serve::parseChatRequest(asText(input), model);
    if (const auto* error = std::get_if<serve::ApiError>(&parsed)) {
        require(error->status == 400 || error->status == 404, "a refusal is the client's to mend");
        requireMessage(makeError(ErrorKind::InvalidArgument, error->message));
        require(serve::toJson(*error).find('\n') == std::string::npos, "an error is one line");
        return;
    }
    const auto& taken = std::get<serve::ChatRequest>(parsed);
    require(!taken.request.messages.empty() && taken.stop.size() <= 4, "what is taken has messages");
    for (const std::string& stop : taken.stop) require(!stop.empty() && isValidUtf8(stop), "stop strings are text");
    for (const ChatMessage& message : taken.request.messages) require(isValidUtf8(message.content), "messages are text");
    for (const ControlSpec& spec : controlSpecs()) {
        const auto text = controlText(taken.request.config, spec.name);
        GenerationConfig again;
        require(text.ok() && setControl(again, spec.name, *text).ok(), "every control is in its range");
    }
}

}  // namespace trefoil::fuzz
