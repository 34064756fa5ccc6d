// Headers of .safetensors files: what is read, and every fault that is refused.
#include "engine/checkpoint/safetensors.h"
#include "tests/support/checkpoint_maker.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace trefoil {
namespace {

using test::safetensorsBytes;
using test::ScratchFolder;
using test::writeFile;

// One tensor of a header, as JSON.
std::string entry(const std::string& name, const std::string& dtype, const std::string& shape, const std::string& offsets) {
    std::string text;
    for (const char* const part : {"\"", name.c_str(), "\":{\"dtype\":\"", dtype.c_str(), "\",\"shape\":", shape.c_str(),
                                   ",\"data_offsets\":", offsets.c_str(), "}"})
        text += part;
    return text;
}

// A header of these parts.
std::string header(std::initializer_list<std::string> parts) {
    std::string text = "{";
    for (const std::string& part : parts) {
        if (text.size() > 1) text += ',';
        text += part;
    }
    text += '}';
    return text;
}

struct BadHeader {
    const char* what;
    std::string json;
    std::uint64_t dataBytes;
    const char* message;  // must stand in the error
};
void PrintTo(const BadHeader& bad, std::ostream* out) { *out << bad.what; }

class RefusedHeader : public testing::TestWithParam<BadHeader> {};

TEST_P(RefusedHeader, SaysWhatIsWrong) {
    const auto result = parseSafetensorsHeader(GetParam().json, GetParam().dataBytes, "weights.safetensors");
    ASSERT_FALSE(result.ok());
    const std::string text = result.error().text();
    EXPECT_NE(text.find(GetParam().message), std::string::npos) << text;
    EXPECT_TRUE(text.starts_with("weights.safetensors: ")) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Faults, RefusedHeader,
    testing::Values(
        BadHeader{"empty", "", 0, "no valid JSON"}, BadHeader{"array", "[]", 0, "object was expected, found array"},
        BadHeader{"number", "7", 0, "object was expected, found number"},
        BadHeader{"cut", "{\"a\":{\"dtype\":\"F3", 0, "no valid JSON"}, BadHeader{"trailing text", "{} {}", 0, "no valid JSON"},
        BadHeader{"invalid UTF-8", "{\"\xFF\":1}", 0, "no valid JSON at byte"},
        BadHeader{"number too large", "{\"a\":1e999}", 0, "no valid JSON"},
        BadHeader{"deep arrays", std::string(200000, '['), 0, "nested more than 64 deep"},
        BadHeader{"deep objects",
                  [] {
                      std::string s;
                      for (int i = 0; i < 100000; ++i) s += "{\"a\":";
                      return s;
                  }(),
                  0, "nested more than 64 deep"},
        BadHeader{"equal names", header({entry("a", "F32", "[1]", "[0,4]"), entry("a", "F32", "[1]", "[4,8]")}), 8,
                  "\"a\" stands twice"},
        BadHeader{"equal keys", "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
                  "\"dtype\" stands twice"},
        BadHeader{"no object", "{\"a\":3}", 0, "tensor a is described by number"},
        BadHeader{"no dtype", "{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "tensor a has no dtype"},
        BadHeader{"no shape", "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "tensor a has no shape"},
        BadHeader{"no offsets", "{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "no pair of data_offsets"},
        BadHeader{"three offsets", header({entry("a", "F32", "[1]", "[0,4,8]")}), 8, "no pair of data_offsets"},
        BadHeader{"unknown type", header({entry("a", "Q4_K", "[1]", "[0,4]")}), 4, "unknown type Q4_K"},
        BadHeader{"negative dimension", header({entry("a", "F32", "[-1]", "[0,4]")}), 4, "no whole number"},
        BadHeader{"fractional dimension", header({entry("a", "F32", "[1.5]", "[0,4]")}), 4, "no whole number"},
        BadHeader{"huge dimension", header({entry("a", "F32", "[18446744073709551615]", "[0,4]")}), 4, "no whole number"},
        BadHeader{"dimension of many digits", header({entry("a", "F32", "[99999999999999999999999]", "[0,4]")}), 4,
                  "no whole number"},
        BadHeader{"product overflows", header({entry("a", "F32", "[4294967296,4294967296]", "[0,4]")}), 4,
                  "F32 [4294967296, 4294967296], more than can be addressed (2^63 bytes or more expected), and its offsets give "
                  "4 bytes"},
        BadHeader{"product overflows to a small one", header({entry("a", "F32", "[4611686018427387905,4]", "[0,16]")}), 16,
                  "more than can be addressed"},
        BadHeader{"bits overflow", header({entry("a", "F64", "[9223372036854775807]", "[0,8]")}), 8,
                  "more than can be addressed"},
        BadHeader{"overflow times zero", header({entry("a", "F32", "[4294967296,4294967296,0]", "[0,0]")}), 0,
                  "more than can be addressed"},
        BadHeader{"too many dimensions", header({entry("a", "F32", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,4]")}), 4,
                  "17 dimensions"},
        BadHeader{"bytes contradict the shape", header({entry("a", "F32", "[1]", "[0,0]")}), 0,
                  "F32 [1]: 4 bytes expected, its offsets give 0 bytes"},
        BadHeader{"offsets descend", header({entry("a", "F32", "[1]", "[8,4]")}), 8, "no ascending pair"},
        BadHeader{"offsets overflow", header({entry("a", "F32", "[1]", "[18446744073709551612,18446744073709551616]")}), 8,
                  "no ascending pair"},
        BadHeader{"overlap", header({entry("a", "F32", "[2]", "[0,8]"), entry("b", "F32", "[2]", "[4,12]")}), 12,
                  "tensor b starts at byte 4 and overlaps tensor a, which ends at 8"},
        BadHeader{"two in one place", header({entry("a", "F32", "[2]", "[0,8]"), entry("b", "F32", "[2]", "[0,8]")}), 8,
                  "overlaps tensor a"},
        BadHeader{"hole", header({entry("a", "F32", "[1]", "[0,4]"), entry("b", "F32", "[1]", "[8,12]")}), 12,
                  "4 bytes belong to no tensor, after tensor a (next is b)"},
        BadHeader{"hole at the start", header({entry("a", "F32", "[1]", "[4,8]")}), 8, "before the first tensor"},
        BadHeader{"empty tensor inside another", header({entry("a", "F32", "[2]", "[0,8]"), entry("e", "F32", "[0]", "[4,4]")}),
                  8, "overlaps"},
        BadHeader{"data too short", header({entry("a", "F32", "[2]", "[0,8]")}), 4, "needs 70 bytes, the file has 66"},
        BadHeader{"data too long", header({entry("a", "F32", "[2]", "[0,8]")}), 24, "needs 70 bytes, the file has 86"},
        BadHeader{"metadata no object", "{\"__metadata__\":[]}", 0, "__metadata__ is array"},
        BadHeader{"metadata no string", "{\"__metadata__\":{\"a\":1}}", 0, "no string: a"},
        BadHeader{"control characters in a name", "{\"a\\nb\":3}", 0, "tensor a\\x0ab"}));

TEST(SafetensorsHeader, ReadsTensorsByOffset) {
    const auto parsed = parseSafetensorsHeader(
        header({entry("b", "BF16", "[2,3]", "[8,20]"), entry("a", "F32", "[2]", "[0,8]"), entry("empty", "F32", "[0]", "[20,20]"),
                entry("scalar", "I64", "[]", "[20,28]"), "\"__metadata__\":{\"k\":\"v\"}"}) +
            "   ",
        28, "x");
    ASSERT_TRUE(parsed.ok()) << parsed.error().text();
    ASSERT_EQ(parsed->entries.size(), 4U);
    EXPECT_EQ(parsed->entries[0].name, "a");
    EXPECT_EQ(parsed->entries[1].shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(parsed->entries[1].elements, 6);
    EXPECT_EQ(parsed->entries[2].elements, 0);
    EXPECT_EQ(parsed->entries[3].elements, 1);
    EXPECT_EQ(parsed->metadata.at("k"), "v");
}

TEST(SafetensorsHeader, AnEmptyTensorMayStandAnywhereBetweenOthers) {
    for (const char* at : {"[0,0]", "[4,4]", "[8,8]"}) {
        const auto parsed = parseSafetensorsHeader(
            header({entry("a", "F32", "[1]", "[0,4]"), entry("b", "F32", "[1]", "[4,8]"), entry("e", "F32", "[3,0]", at)}), 8,
            "x");
        EXPECT_TRUE(parsed.ok()) << at;
    }
}

TEST(SafetensorsFile, ReadsBytesBack) {
    const ScratchFolder folder;
    const std::vector<test::TensorData> tensors{{"a", "F32", {2}, "01234567"}, {"b", "U8", {3}, "xyz"}};
    writeFile(folder / "f.safetensors", safetensorsBytes(tensors, {{"format", "pt"}}));
    const auto file = SafetensorsFile::open(folder / "f.safetensors");
    ASSERT_TRUE(file.ok()) << file.error().text();
    EXPECT_EQ(file->metadata().at("format"), "pt");
    const SafetensorsEntry* b = file->find("b");
    ASSERT_NE(b, nullptr);
    std::string bytes(3, ' ');
    ASSERT_TRUE(file->read(*b, std::as_writable_bytes(std::span(bytes))).ok());
    EXPECT_EQ(bytes, "xyz");
    std::string tooLong(4, ' ');
    EXPECT_FALSE(file->read(*b, std::as_writable_bytes(std::span(tooLong))).ok());
    EXPECT_EQ(file->find("c"), nullptr);
}

TEST(SafetensorsFile, RefusesLengthsThatTheFileCannotHave) {
    const ScratchFolder folder;
    const std::filesystem::path path = folder / "f.safetensors";
    const auto errorFor = [&path](const std::string& bytes) {
        writeFile(path, bytes);
        const auto file = SafetensorsFile::open(path);
        return file.ok() ? std::string("opened") : file.error().text();
    };
    EXPECT_NE(errorFor("").find("at least 8 bytes, this one has 0"), std::string::npos);
    EXPECT_NE(errorFor("1234567").find("this one has 7"), std::string::npos);
    EXPECT_NE(errorFor(std::string(8, '\xFF')).find("claims 18446744073709551615 bytes"), std::string::npos);
    EXPECT_NE(errorFor(std::string("\x09\0\0\0\0\0\0\0{}", 10)).find("needs 17 bytes, the file has 10"), std::string::npos);
    EXPECT_NE(errorFor(std::string(8, '\0')).find("no valid JSON"), std::string::npos);
    EXPECT_EQ(errorFor(safetensorsBytes("{}", "")), "opened");
}

TEST(SafetensorsFile, RefusesWhatIsNoFile) {
    const ScratchFolder folder;
    EXPECT_EQ(SafetensorsFile::open(folder / "absent").error().kind, ErrorKind::NotFound);
    EXPECT_NE(SafetensorsFile::open(folder.path()).error().text().find("is a directory"), std::string::npos);
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_NE(SafetensorsFile::open(folder / "pipe").error().text().find("is a named pipe"), std::string::npos);
    EXPECT_NE(SafetensorsFile::open("/dev/zero").error().text().find("is a device"), std::string::npos);
    std::filesystem::create_symlink("nowhere", folder / "dangling");
    EXPECT_EQ(SafetensorsFile::open(folder / "dangling").error().kind, ErrorKind::NotFound);
}

TEST(SafetensorsFile, SaysWhenAFileMayNotBeRead) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
    const ScratchFolder folder;
    writeFile(folder / "f", "x");
    std::filesystem::permissions(folder / "f", std::filesystem::perms::none);
    const auto file = SafetensorsFile::open(folder / "f");
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.error().kind, ErrorKind::Io);
}

TEST(Printable, EscapesWhatWouldBreakALine) {
    EXPECT_EQ(printable("plain \xE2\x9C\x93"), "plain \xE2\x9C\x93");
    EXPECT_EQ(printable("a\nb\x7F\xC2\x85\xFF"), "a\\x0ab\\x7f\\xc2\\x85\\xff");
    EXPECT_LT(printable(std::string(100000, 'a')).size(), 300U);
}

}  // namespace
}  // namespace trefoil
