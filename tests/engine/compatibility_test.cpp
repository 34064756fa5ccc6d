// Section 9's switches: where a value comes from, what it changes (held to the reference), and the search that finds it.
#include "engine/checkpoint/compatibility.h"
#include "engine/session.h"
#include "engine/verify/golden.h"
#include "engine/verify/switch_search.h"
#include "tests/support/checkpoint_maker.h"
#include "tests/support/model_folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

namespace trefoil {
namespace {

namespace fs = std::filesystem;
using test::CheckpointMaker;
using test::kTiny;
using test::ScratchFolder;

const fs::path kGolden = fs::path(TREFOIL_SOURCE_DIR) / "tests/golden";
const fs::path kSwitched = kGolden / "switched";

LoadOptions options(CompatibilityOverrides overrides = {}) {
    LoadOptions out;
    out.device.device = "cpu";
    out.device.threads = 2;
    out.requireTokenizer = false;
    out.compatibility = std::move(overrides);
    return out;
}

Result<LoadedModel> load(Engine& engine, const fs::path& folder, CompatibilityOverrides overrides = {}) {
    return engine.load(folder, options(std::move(overrides)), {}, CancelFlag());
}

/// An executor source as the command line has one: changed in place where that works, loaded again where not.
class Source {
public:
    explicit Source(fs::path folder) : m_folder(std::move(folder)) {}

    Result<Executor*> operator()(const Compatibility& compatibility) {
        if (Executor* executor = m_engine.executor(); executor != nullptr && executor->setCompatibility(compatibility).ok())
            return executor;
        ++loads;
        CompatibilityOverrides all;
        for (const CompatibilitySwitch& which : compatibilitySwitches())
            all[std::string(which.name)] = std::string(choiceOf(compatibility, which));
        const auto loaded = load(m_engine, m_folder, all);
        if (!loaded.ok()) return loaded.error();
        return m_engine.executor();
    }
    int loads = 0;

private:
    fs::path m_folder;
    Engine m_engine;
};

Result<SwitchSearch> searchIn(Source& source, const fs::path& golden, const SwitchSearchOptions& how = {},
                              const Compatibility& from = {}) {
    return searchSwitches([&source](const Compatibility& c) { return source(c); }, from, golden, how);
}

const SwitchState& stateOf(const std::vector<SwitchState>& states, std::string_view name) {
    return *std::find_if(states.begin(), states.end(), [&](const SwitchState& s) { return s.which->name == name; });
}

bool hasNote(const std::vector<std::string>& notes, const std::string& part) {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

TEST(Compatibility, NamesAndChoicesAreKnown) {
    std::set<std::string_view> names;
    for (const CompatibilitySwitch& which : compatibilitySwitches()) {
        names.insert(which.name);
        Compatibility c;
        EXPECT_EQ(choiceOf(c, which), which.standard);
        ASSERT_TRUE(setCompatibility(c, which.name, which.alternative).ok());
        EXPECT_EQ(choiceOf(c, which), which.alternative);
        EXPECT_FALSE(c == Compatibility()) << which.name;
        ASSERT_TRUE(setCompatibility(c, which.name, which.standard).ok());
        EXPECT_EQ(c, Compatibility());
        EXPECT_FALSE(which.title.empty() || which.explanation.empty());
    }
    EXPECT_EQ(names.size(), 6U);
    Compatibility c;
    const Status unknown = setCompatibility(c, "history", "scaled");
    ASSERT_FALSE(unknown.ok());
    EXPECT_NE(unknown.error().text().find("the switches are history_read, noisy_value, block_start"), std::string::npos);
    const Status bad = setCompatibility(c, "history_read", "yes");
    ASSERT_FALSE(bad.ok());
    EXPECT_NE(bad.error().text().find("plain or scaled, not 'yes'"), std::string::npos);
    EXPECT_EQ(c, Compatibility());
}

TEST(Compatibility, TheUserWinsOverConfigAndConfigOverDefaults) {
    const ScratchFolder folder;
    CheckpointMaker maker(kTiny);
    maker.config["trefoil"] = {{"history_read", "scaled"}, {"coreset_mass", "renormalised"}, {"block_start", "aligned"}};
    maker.writeSingle(folder.path());
    const auto prepared = prepareModel(folder.path(), options({{"coreset_mass", "raw"}, {"noisy_value", "scaled_by_beta"}}));
    ASSERT_TRUE(prepared.ok()) << prepared.error().text();
    const auto expect = [&](const char* name, const char* choice, SwitchOrigin origin) {
        EXPECT_EQ(stateOf(prepared->switches, name).choice, choice);
        EXPECT_EQ(stateOf(prepared->switches, name).origin, origin) << name;
    };
    expect("history_read", "scaled", SwitchOrigin::Config);
    expect("coreset_mass", "raw", SwitchOrigin::User);
    expect("noisy_value", "scaled_by_beta", SwitchOrigin::User);
    expect("norm_weights", "zero_centred", SwitchOrigin::Default);
    const Compatibility& c = prepared->checkpoint.config().compatibility;
    EXPECT_TRUE(c.scaleHistoryRead && c.scaleNoisyValueByBeta && c.alignBlocks && !c.coresetMassRenormalised);
    EXPECT_TRUE(prepared->defaults.alignBlocks);
    EXPECT_TRUE(hasNote(prepared->notes, "compatibility: history_read is scaled (config.json), the default is plain"));
    EXPECT_TRUE(hasNote(prepared->notes, "compatibility: noisy_value is scaled_by_beta, the default is plain"));
    EXPECT_FALSE(hasNote(prepared->notes, "coreset_mass"));

    const auto refused = prepareModel(folder.path(), options({{"coreset_mas", "raw"}}));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::InvalidArgument);
}

TEST(Compatibility, BlockStartWinsOverGenerationConfig) {
    const ScratchFolder folder;
    CheckpointMaker(kTiny).writeSingle(folder.path());
    test::writeFile(folder / "generation_config.json", R"({"align_blocks": true})");
    EXPECT_TRUE(prepareModel(folder.path(), options())->defaults.alignBlocks);
    EXPECT_FALSE(prepareModel(folder.path(), options({{"block_start", "prompt_end"}}))->defaults.alignBlocks);
}

TEST(Compatibility, TypingErrorsInConfigAreFaults) {
    const ScratchFolder folder;
    CheckpointMaker maker(kTiny);
    const auto message = [&](nlohmann::json value) {
        maker.config["trefoil"] = std::move(value);
        maker.writeSingle(folder.path());
        const auto opened = Checkpoint::open(folder.path());
        EXPECT_FALSE(opened.ok());
        return opened.ok() ? std::string() : opened.error().text();
    };
    EXPECT_NE(message({{"histroy_read", "scaled"}}).find("no compatibility switch 'histroy_read'; the switches are"),
              std::string::npos);
    EXPECT_NE(message({{"history_read", "big"}}).find("plain or scaled, not 'big'"), std::string::npos);
    EXPECT_NE(message({{"history_read", true}}).find("trefoil.history_read must be a string, found true"), std::string::npos);
    EXPECT_NE(message("scaled").find("trefoil must be an object"), std::string::npos);
}

TEST(Compatibility, NormsThatLookPlainAreWarnedOfUntilTheSwitchSaysSo) {
    const ScratchFolder folder;
    CheckpointMaker maker(kTiny);
    for (test::TensorData& t : maker.tensors)
        if (t.name.ends_with("layernorm.weight"))
            for (std::size_t i = 0; i < t.bytes.size(); i += 2) t.bytes.replace(i, 2, "\x80\x3F");  // 1.0 in BF16
    maker.writeSingle(folder.path());
    Engine engine;
    EXPECT_TRUE(hasNote(load(engine, folder.path())->summary.warnings, "may store them plain"));
    EXPECT_FALSE(hasNote(load(engine, folder.path(), {{"norm_weights", "plain"}})->summary.warnings, "may store them plain"));
    EXPECT_FALSE(hasNote(load(engine, kTiny)->summary.warnings, "may store them plain"));
}

/// Each folder of golden/switched was made by the reference with the switches of its name flipped.
class SwitchedTest : public ::testing::TestWithParam<const char*> {
protected:
    static CompatibilityOverrides overrides() {
        CompatibilityOverrides out;
        const std::string text = GetParam();
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t end = std::min(text.find('+', at), text.size());
            const std::string name = text.substr(at, end - at);
            for (const CompatibilitySwitch& which : compatibilitySwitches())
                if (which.name == name) out[name] = std::string(which.alternative);
            at = end + 1;
        }
        return out;
    }
};

TEST_P(SwitchedTest, EqualsTheReferenceWithTheSwitchAndOnlyThen) {
    Engine engine;
    ASSERT_TRUE(load(engine, kTiny, overrides()).ok());
    const auto with = verifyGolden(*engine.executor(), kSwitched / GetParam(), {});
    ASSERT_TRUE(with.ok()) << with.error().text();
    EXPECT_TRUE(with->ok()) << with->firstDifference;
    EXPECT_EQ(with->rows.size(), 12U);
    EXPECT_LE(with->worstError, 1e-4);
    EXPECT_EQ(with->firstDifference, "");

    ASSERT_TRUE(load(engine, kTiny).ok());
    const auto without = verifyGolden(*engine.executor(), kSwitched / GetParam(), {});
    ASSERT_TRUE(without.ok());
    EXPECT_FALSE(without->ok());
    EXPECT_NE(without->firstDifference, "");
}

TEST_P(SwitchedTest, TheSearchFindsIt) {
    Source source(kTiny);
    const auto found = searchIn(source, kSwitched / GetParam());
    ASSERT_TRUE(found.ok()) << found.error().text();
    ASSERT_TRUE(found->fits()) << found->ranked.front().name() << ": " << found->ranked.front().firstDifference;
    CompatibilityOverrides best;
    for (const SwitchState& state : found->ranked.front().changed) best[std::string(state.which->name)] = state.choice;
    EXPECT_EQ(best, overrides());
    EXPECT_FALSE(found->outOfTime);
    EXPECT_LE(source.loads, 6);  // two forms of the norms among the singles, and again among the pairs
    for (std::size_t i = 1; i < found->ranked.size(); ++i) EXPECT_GT(found->ranked[i].failed, 0U) << found->ranked[i].name();
}

INSTANTIATE_TEST_SUITE_P(Golden, SwitchedTest,
                         ::testing::Values("history_read", "noisy_value", "norm_weights", "noisy_rows_predict", "coreset_mass",
                                           "history_read+coreset_mass"));

TEST(SwitchSearch, StopsAtOnceWhereTheSwitchesFitAsTheyStand) {
    Source source(kTiny);
    const auto found = searchIn(source, kTiny);
    ASSERT_TRUE(found.ok()) << found.error().text();
    EXPECT_TRUE(found->fits());
    EXPECT_EQ(found->ranked.size(), 1U);
    EXPECT_EQ(found->ranked[0].name(), "as they stand");
}

TEST(SwitchSearch, BeginsWhereTheSwitchesStandAndFindsTheWayBack) {
    Source source(kTiny);
    Compatibility from;
    from.scaleNoisyValueByBeta = true;
    const auto found = searchIn(source, kTiny, {}, from);
    ASSERT_TRUE(found.ok()) << found.error().text();
    EXPECT_TRUE(found->fits());
    EXPECT_EQ(found->ranked[0].name(), "noisy_value = plain");
}

TEST(SwitchSearch, SaysWhenNothingFits) {
    const ScratchFolder folder;
    CheckpointMaker maker(kTiny);
    std::string& taps = maker.tensor("model.layers.4.linear_attn.conv1d.weight").bytes;
    std::fill(taps.begin(), taps.begin() + 256, '\0');
    maker.writeSingle(folder.path());
    Source source(folder.path());
    const auto found = searchIn(source, kTiny);
    ASSERT_TRUE(found.ok()) << found.error().text();
    EXPECT_FALSE(found->fits());
    EXPECT_EQ(found->ranked.front().firstDifference.rfind("causal.layer.4 (Gated DeltaNet, then experts) differs by ", 0), 0U)
        << found->ranked.front().firstDifference;
    EXPECT_NE(found->ranked.front().firstDifference.find("causal.layer.3 just before it agrees"), std::string::npos);
    // block_start changes nothing in these files, so that no pair holds it.
    EXPECT_EQ(found->ranked.size(), 1U + 6U + 10U);
    EXPECT_EQ(std::count_if(found->ranked.begin(), found->ranked.end(), [](const auto& c) { return c.noEffect; }), 1);
}

TEST(SwitchSearch, EndsInTimeAndWhenStopped) {
    Source source(kTiny);
    SwitchSearchOptions how;
    how.seconds = 0.0;
    const auto found = searchIn(source, kSwitched / "noisy_value", how);
    ASSERT_TRUE(found.ok()) << found.error().text();
    EXPECT_TRUE(found->outOfTime);
    EXPECT_EQ(found->ranked.size(), 1U);
    EXPECT_FALSE(found->fits());
    CancelFlag stop;
    stop.request();
    how.cancel = &stop;
    const auto stopped = searchIn(source, kSwitched / "noisy_value", how);
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().kind, ErrorKind::Cancelled);
}

}  // namespace
}  // namespace trefoil
