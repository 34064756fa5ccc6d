#include "tests/fuzz/fuzz_text_targets.h"

#include "app/core/trace_store.h"
#include "app/core/transfer/conversation_json.h"
#include "tests/fuzz/require.h"
#include "ui/chat/markdown_parser.h"

#include <zstd.h>

#include <QByteArray>

#include <cstring>

namespace trefoil::fuzz {

namespace {

QByteArray asBytes(std::span<const std::uint8_t> input) {
    return {reinterpret_cast<const char*>(input.data()), static_cast<qsizetype>(input.size())};
}

void checkTrace(const QByteArray& packed) {
    const StoreResult<TraceView> trace = unpackTrace(packed);
    if (!trace.ok()) return require(trace.problem.kind == StoreProblemKind::Damaged, "a bad piece is called damaged");
    // What was accepted can be stored again. Compared as bytes: a NaN is not equal to itself.
    const QList<QByteArray> again = packTrace(trace.value);
    const StoreResult<TraceView> reread = unpackTraces(again);
    require(reread.ok() && packTrace(reread.value) == again, "an accepted trace survives storing");
}

/// A well-packed piece of the given format with any content.
QByteArray packed(std::span<const std::uint8_t> content, char format) {
    QByteArray out("TRPS", 4);
    out.append(format);
    for (int i = 0; i < 4; ++i) out.append(static_cast<char>(content.size() >> (8 * i) & 0xFFU));
    QByteArray frame(static_cast<qsizetype>(ZSTD_compressBound(content.size())), Qt::Uninitialized);
    const std::size_t bytes =
        ZSTD_compress(frame.data(), static_cast<std::size_t>(frame.size()), content.data(), content.size(), 1);
    require(ZSTD_isError(bytes) == 0U, "any bytes can be compressed");
    frame.truncate(static_cast<qsizetype>(bytes));
    return out + frame;
}

int depthOf(const std::vector<MarkdownBlock>& blocks) {
    int deepest = 0;
    for (const MarkdownBlock& block : blocks) deepest = std::max(deepest, 1 + depthOf(block.children));
    return deepest;
}

void checkText(const QString& text) {
    require(!text.contains(QChar(0xFDD0)) && !text.contains(QChar(0xFDD1)), "no frame marks reach a document");
}

void checkBlocks(const std::vector<MarkdownBlock>& blocks) {
    for (const MarkdownBlock& block : blocks) {
        for (const InlineRun& run : block.runs) checkText(displayText(run.text));
        require((block.kind == BlockKind::Code) == (block.code != nullptr), "a code block has its text");
        if (block.code) checkText(displayText(block.codePart()));
        require(block.kind != BlockKind::Heading || (block.level >= 1 && block.level <= 6), "headings have six levels");
        checkBlocks(block.children);
    }
}

}  // namespace

void traceBlob(std::span<const std::uint8_t> input) {
    checkTrace(asBytes(input));
    for (const char format : {1, 2}) checkTrace(packed(input, format));
}

void markdownText(std::span<const std::uint8_t> input) {
    const QString source = QString::fromUtf8(asBytes(input));
    for (const bool streaming : {false, true}) {
        const MarkdownResult result = parseMarkdown(source, streaming);
        require(!result.tooDeep || result.blocks.empty(), "what is too deep is not laid out");
        // A list's item is one level of nesting and two of the tree; a table's cell lies three deep in a leaf.
        require(depthOf(result.blocks) <= 2 * kDeepestNesting + 4, "nesting is bounded");
        checkBlocks(result.blocks);
    }
}

void conversationFile(std::span<const std::uint8_t> input) {
    ArchiveReading reading;
    reading.nowUtc = QDateTime::fromMSecsSinceEpoch(0, Qt::UTC);
    const StoreResult<ConversationArchive> archive = readConversationJson(asBytes(input), reading);
    if (!archive.ok()) {
        require(archive.value.conversations.isEmpty(), "nothing of a broken file is given out");
        return require(!archive.problem.message.isEmpty() && !archive.problem.message.contains(u'\n'), "a problem is one line");
    }
    QByteArray json = archiveHead(reading.nowUtc);
    for (const ArchivedConversation& conversation : archive.value.conversations) {
        require(!conversation.record.id.isEmpty(), "every conversation has an id");
        if (&conversation != &archive.value.conversations.constFirst()) json += archiveSeparator();
        json += conversationToJson(conversation);
    }
    json += archiveTail();
    // What was accepted can be exported and read again, and is the same then.
    const StoreResult<ConversationArchive> again = readConversationJson(json, reading);
    require(again.ok(), "an accepted file can be exported and imported");
    require(again.value.conversations.size() == archive.value.conversations.size(), "no conversation is lost");
    QByteArray second = archiveHead(reading.nowUtc);
    for (const ArchivedConversation& conversation : again.value.conversations) {
        if (&conversation != &again.value.conversations.constFirst()) second += archiveSeparator();
        second += conversationToJson(conversation);
    }
    require(second + archiveTail() == json, "two exports are equal");
}

}  // namespace trefoil::fuzz
