// What is made of a checkpoint's chat_template, and the part of Jinja behind it.
#include "engine/tokenizer/chat_template.h"

#include "engine/session.h"
#include "engine/tokenizer/jinja/renderer.h"
#include "engine/tokenizer/sha256.h"
#include "tests/support/checkpoint_maker.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace trefoil {
namespace {

using nlohmann::json;
using Verdict = ChatTemplateCheck::Verdict;
using jinja::Value;

// ChatML with the rules of Qwen's thinking models, in the constructs that their templates use.
const std::string kThinking = R"({%- macro content_of(content, is_system=false) %}
    {%- if content is string %}
        {{- content }}
    {%- elif content is none or content is undefined %}
        {{- '' }}
    {%- else %}
        {{- raise_exception('Unexpected content.') }}
    {%- endif %}
{%- endmacro %}
{# where the last question is #}
{%- set ns = namespace(open=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.open and message.role == "user" and not(message.content.startswith('<tool_response>')) %}
        {%- set ns.open = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- set content = content_of(message.content, is_system=message.role == 'system')|trim %}
    {%- if message.role == "assistant" %}
        {%- set reasoning = message.reasoning_content if message.reasoning_content is string else '' %}
        {%- if not reasoning and '</think>' in content %}
            {%- set reasoning = content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index %}
            {{- '<|im_start|>' + message.role + '\n<think>\n' + reasoning + '\n</think>\n\n' + content + '<|im_end|>\n' }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\n' + content + '<|im_end|>\n' }}
        {%- endif %}
    {%- elif message.role == "tool" %}
        {{- message | tojson }}
    {%- else %}
        {{- '<|im_start|>' ~ message['role'] ~ '\n' ~ content ~ '<|im_end|>' + '\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\n\n</think>\n\n' }}
    {%- else %}
        {{- '<think>\n' }}
    {%- endif %}
{%- endif %}
)";

// The oldest ChatML template: no thinking.
const std::string kPlain =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

ChatTemplateCheck judged(const std::string& text, bool thinks = true) { return judgeChatTemplate(text, "the file", thinks); }

TEST(ChatTemplate, RecognisesQwensThinkingRulesByWhatIsWritten) {
    EXPECT_EQ(judged(kThinking).verdict, Verdict::SamePrompts) << judged(kThinking).note;
    EXPECT_TRUE(judged(kThinking).note.empty());
    std::string windows;
    for (const char c : kThinking) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(judged(windows).verdict, Verdict::SamePrompts) << judged(windows).note;
}

TEST(ChatTemplate, ATokenizerWithoutThinkingWantsNone) {
    EXPECT_EQ(judged(kPlain, false).verdict, Verdict::SamePrompts) << judged(kPlain, false).note;
    EXPECT_EQ(judged(kPlain, true).verdict, Verdict::OtherPrompts);
    EXPECT_EQ(judged(kThinking, false).verdict, Verdict::OtherPrompts);
}

TEST(ChatTemplate, SaysWhatIsDifferent) {
    const auto note = [](const std::string& text) {
        const ChatTemplateCheck check = judged(text);
        EXPECT_EQ(check.verdict, Verdict::OtherPrompts);
        EXPECT_NE(check.note.find("written as ChatML all the same"), std::string::npos);
        return check.note;
    };
    // Qwen3's first template leaves it to the model to open its thinking.
    const std::string noOpening = note(replaced(kThinking, "{{- '<think>\\n' }}", ""));
    EXPECT_NE(noOpening.find("thinking on"), std::string::npos) << noOpening;
    EXPECT_NE(note(replaced(kThinking, "\\n\\n</think>\\n\\n", "\\n</think>\\n")).find("thinking off"), std::string::npos);
    // Thinking kept in the history.
    note(replaced(kThinking, "loop.index0 > ns.last_query_index", "true"));
    // A system message of the template's own.
    note("{{ '<|im_start|>system\\nYou are Q.<|im_end|>\\n' }}" + kPlain);
    note("");
    note("{{ bos_token }}[INST] {{ messages[0].content }} [/INST]");
}

TEST(ChatTemplate, SaysWhyItIsNotUnderstood) {
    const auto expect = [](const std::string& text, const std::string& reason) {
        const ChatTemplateCheck check = judged(text);
        EXPECT_EQ(check.verdict, Verdict::NotUnderstood) << text;
        EXPECT_NE(check.note.find(reason), std::string::npos) << check.note;
    };
    expect("{% include 'x' %}", "the tag \"include\" is not supported");
    expect("{{ messages | tojson }}", "the filter tojson is not supported");
    expect("{{ strftime_now('%d') }}", "the function strftime_now is not supported");
    expect("{{ 'a'.format(1) }}", "calling format");
    expect("{% if x is odd %}{% endif %}", "the test odd is not supported");
    expect("{{ raise_exception('No tools.') }}", "it refuses the conversation: No tools.");
    expect("{% if x %}", "\"endif\" is missing");
    expect("{% endfor %}", "\"endfor\" has no beginning");
    expect("{{ 'x }}", "a string is not closed");
    expect("{{ x", "a tag is not closed");
    expect("{# x", "a comment is not closed");
    expect("{{ 1.5 }}", "fraction");
    expect("{{ x.y.z }}", "undefined");
    expect("\xFF", "UTF-8");
}

TEST(ChatTemplate, WorkAndNestingAreLimited) {
    const auto expect = [](const std::string& text) {
        const ChatTemplateCheck check = judged(text);
        EXPECT_EQ(check.verdict, Verdict::NotUnderstood) << check.note;
    };
    const auto times = [](int count, const std::string& text) {
        std::string out;
        for (int i = 0; i < count; ++i) out += text;
        return out;
    };
    expect(times(10, "{% for a in messages[0].items() %}") + times(1000, "{% for a in [1,2,3,4,5,6,7,8,9] %}"));
    std::string loops = "{% set ns = namespace(t='') %}";
    for (int i = 0; i < 12; ++i) loops += "{% for a in [1,2,3,4,5,6,7,8,9] %}";
    expect(loops + "x" + times(12, "{% endfor %}"));
    expect("{% set x = 'aaaaaaaaaaaaaaaa' %}" + times(60, "{% set x = x + x %}"));
    expect("{% set x = [1,2,3,4,5,6,7,8] %}" + times(60, "{% set x = x + x %}"));
    expect("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}");
    expect("{{ " + times(100000, "(") + " }}");
    expect("{{ " + times(100000, "not ") + "x }}");
    expect("{{ 1" + times(100000, "+1") + " }}");
    expect("{{ x" + times(100000, "|trim") + " }}");
    expect(times(20000, "{% if x %}"));
    expect(std::string(300 << 10, 'x'));
    expect("{% set ns = namespace() %}{% set ns.self = ns %}");
}

TEST(ChatTemplate, RendersAsJinjaDoes) {
    const auto rendered = [](const std::string& text) {
        const auto out = jinja::renderTemplate(
            text, {{"word", Value::of("  clover ")},
                   {"list", Value::of(Value::List{Value::of("a"), Value::of("b"), Value::of("c")})},
                   {"dict", Value::of(Value::Dict{{"k", Value::of("v")}, {"n", Value::of(std::int64_t{7})}})}});
        EXPECT_TRUE(out.ok()) << text << ": " << out.error().text();
        return out.ok() ? *out : std::string();
    };
    // Each right side is what Jinja2 3.1 gives with trim_blocks and lstrip_blocks.
    EXPECT_EQ(rendered("a\n  {% if true %}\n  b\n  {% endif %}\nc\n"), "a\n  b\nc");
    EXPECT_EQ(rendered("a\n  {%- if true -%}\n  b\n  {%- endif %}\nc"), "abc");
    EXPECT_EQ(rendered("x {# note #}\n y {{ 1 }}\nz"), "x  y 1\nz");
    EXPECT_EQ(rendered("[{{ word | trim }}|{{ word.lstrip() }}|{{ word.rstrip() }}|{{ 'xxaxx'.strip('x') }}]"),
              "[clover|clover |  clover|a]");
    EXPECT_EQ(rendered("{{ list[0] }}{{ list[-1] }}{{ list[5] }}{{ list[::-1][0] }}{{ list[1:]|length }}{{ 'abcd'[1:-1] }}"),
              "acc2bc");
    EXPECT_EQ(rendered("{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 + 3 * 4 - 1 }} {{ 1 ~ 'a' ~ none ~ true }}"),
              "3 -4 2 13 1aNoneTrue");
    EXPECT_EQ(rendered("{% for x in list %}{{ loop.index }}{{ x }}{{ ',' if not loop.last }}{% endfor %}"), "1a,2b,3c");
    EXPECT_EQ(rendered("{% for x in list if x != 'b' %}{{ loop.index }}{{ x }}{{ loop.previtem }}{% else %}none{% endfor %}"),
              "1a2ca");
    EXPECT_EQ(rendered("{% for x in [] %}{% else %}none{% endfor %}"), "none");
    EXPECT_EQ(rendered("{% for k, v in dict.items() %}{{ k }}={{ v }};{% endfor %}{% for k in dict %}{{ k }}{% endfor %}"),
              "k=v;n=7;kn");
    EXPECT_EQ(rendered("{% set x = 1 %}{% for a in list %}{% set x = 2 %}{% endfor %}{{ x }}"), "1")
        << "a loop has its own variables";
    EXPECT_EQ(rendered("{% set n = namespace(x=1) %}{% for a in list %}{% set n.x = n.x + 1 %}{% endfor %}{{ n.x }}"), "4");
    EXPECT_EQ(rendered("{% macro f(a, b='d') %}{{ a }}{{ b }}{% endmacro %}{{ f(1) }}{{ f(1, b=2) }}{{ f('x')|length }}"),
              "1d122");
    EXPECT_EQ(rendered("{% if 'k' in dict and 'z' not in dict and 'lov' in word %}y{% elif true %}n{% endif %}"), "y");
    EXPECT_EQ(rendered("{{ x is defined }}{{ x is not defined }}{{ (x or 'o') }}{{ x|default('d') }}{{ dict.get('q', 'r') }}"),
              "FalseTrueodr");
    EXPECT_EQ(rendered("{{ 'a' 'b' }}{{ \"it's\\n\" }}|{% set t %}in {{ 1 }}{% endset %}{{ t }}"), "abit's\n|in 1");
    EXPECT_EQ(rendered("{{ '%}' }}{{ '{{ x }}' }}{ {% generation %}g{% endgeneration %}"), "%}{{ x }}{ g");
    EXPECT_EQ(rendered("{{ 'a,b,c'.split(',')[1] }}{{ 'aXbX'.replace('X', '-') }}{{ list|first }}{{ list|last }}"), "ba-b-ac");
}

TEST(ChatTemplate, IsReadFromEitherFile) {
    test::ScratchFolder folder;
    EXPECT_EQ(checkChatTemplate(folder.path(), true).verdict, Verdict::Missing);
    const auto config = [&](const json& value) {
        test::writeFile(folder / "tokenizer_config.json", json({{"chat_template", value}, {"x", 1}}).dump());
        return checkChatTemplate(folder.path(), true);
    };
    EXPECT_EQ(config(kThinking).verdict, Verdict::SamePrompts);
    EXPECT_EQ(config(nullptr).verdict, Verdict::Missing);
    EXPECT_EQ(config({{{"name", "tool_use"}, {"template", "x"}}, {{"name", "default"}, {"template", kThinking}}}).verdict,
              Verdict::SamePrompts);
    EXPECT_EQ(config({{{"name", "tool_use"}, {"template", "x"}}}).verdict, Verdict::NotUnderstood);
    EXPECT_EQ(config(5).verdict, Verdict::NotUnderstood);
    EXPECT_EQ(config("x").verdict, Verdict::OtherPrompts);
    test::writeFile(folder / "chat_template.jinja", kThinking);
    EXPECT_EQ(checkChatTemplate(folder.path(), true).verdict, Verdict::SamePrompts) << "the file of its own wins";
    std::filesystem::remove(folder / "chat_template.jinja");
    test::writeFile(folder / "tokenizer_config.json", "{");
    EXPECT_EQ(checkChatTemplate(folder.path(), true).verdict, Verdict::NotUnderstood);
}

TEST(ChatTemplate, ALoadTellsWhatItIs) {
    test::ScratchFolder folder;
    test::CheckpointMaker(std::filesystem::path(TREFOIL_SOURCE_DIR) / "resources/demo-model").writeSingle(folder.path());
    const auto prepared = [&] {
        auto model = prepareModel(folder.path(), {});
        EXPECT_TRUE(model.ok()) << model.error().text();
        return model->text;
    };
    EXPECT_EQ(prepared()->chatTemplate.verdict, Verdict::Missing);
    EXPECT_TRUE(prepared()->warnings.empty());
    test::writeFile(folder / "chat_template.jinja", kThinking);
    EXPECT_STREQ(prepared()->chatTemplate.name(), "recognised");
    EXPECT_TRUE(prepared()->warnings.empty());
    test::writeFile(folder / "chat_template.jinja", "{{ messages[0].content }}");
    EXPECT_STREQ(prepared()->chatTemplate.name(), "other prompts");
    ASSERT_EQ(prepared()->warnings.size(), 1U);
    EXPECT_NE(prepared()->format, nullptr) << "one may go on with ChatML";
    Engine engine;
    const auto loaded = engine.load(folder.path(), {}, {}, {});
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    EXPECT_EQ(loaded->summary.warnings.back(), prepared()->warnings[0]) << "the window, the Model dialog and the log show these";
}

TEST(Sha256, GivesThePublishedValues) {
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace trefoil
