// ChatTemplate: whether a checkpoint's own chat_template asks for the prompts that ChatFormat writes (model-contract.md, section
// 8). Prompts are never made with the template: it is only compared.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace trefoil {

struct ChatTemplateCheck {
    enum class Verdict {
        Missing,        ///< the checkpoint has none
        Known,          ///< one that is known by its hash
        SamePrompts,    ///< gives the expected text for the fixed conversations
        OtherPrompts,   ///< gives another text
        NotUnderstood,  ///< damaged, or outside the part of Jinja that is read here
    };
    Verdict verdict = Verdict::Missing;
    /// For people, one line: what is different, or why it was not understood, and what is done. Empty for the first three.
    std::string note;

    [[nodiscard]] bool recognised() const { return verdict == Verdict::Known || verdict == Verdict::SamePrompts; }
    /// "none", "recognised", "other prompts", "not understood".
    [[nodiscard]] const char* name() const;
};

/// Reads `chat_template.jinja` of a model folder, otherwise `chat_template` of its `tokenizer_config.json` (a string, or a list
/// of named templates, of which "default" counts), and judges it. `thinks`: the tokenizer has `<think>` and `</think>`.
[[nodiscard]] ChatTemplateCheck checkChatTemplate(const std::filesystem::path& folder, bool thinks);

/// Judges a template's text; `source` names it in the note.
[[nodiscard]] ChatTemplateCheck judgeChatTemplate(std::string_view text, const std::string& source, bool thinks);

}  // namespace trefoil
