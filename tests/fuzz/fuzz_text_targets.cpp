#include "tests/fuzz/fuzz_text_targets.h"

#include "app/core/trace_store.h"
#include "app/core/transfer/conversation_json.h"
#include "app/served/chat_event.h"
#include "app/served/pass_event.h"
#include "app/served/served_text.h"
#include "app/served/sse_parser.h"
#include "tests/fuzz/require.h"
#include "ui/chat/markdown_parser.h"

#include <zstd.h>

#include <QByteArray>

#include <algorithm>
#include <cstring>
#include <utility>

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

namespace {

QList<SseEvent> eventsOf(const QByteArray& bytes, qsizetype piece, SseParser& parser) {
    QList<SseEvent> out;
    for (qsizetype at = 0; at < bytes.size(); at += piece) out += parser.push(bytes.mid(at, piece));
    return out;
}

void checkChatEvent(const QByteArray& data) {
    const auto complaint = readComplaint(data);
    require(!complaint || (complaint->message.size() <= 601 && !complaint->message.contains(u'\n')), "a complaint is a line");
    const auto event = readChatEvent(data);
    require(!complaint || (event && event->complaint), "a complaint is an event's");
    const auto pass = event ? readPassEvent(event->pass) : std::nullopt;
    if (pass) {
        require(pass->texts.size() == pass->tokens.size() && pass->tokens.size() <= 128, "a pass has a text for each row");
        for (const qint32 row : pass->resolved) require(row >= 0 && row < pass->tokens.size(), "resolved rows are in the block");
    }
    if (event && event->usage) require(mergedUsage({}, *event->usage) == *event->usage, "counts are -1 or more");
}

void checkServedText(const QList<SseEvent>& events, ServedText::Begin begin) {
    ServedText text(begin);
    QString thinking;
    QString answer;
    const auto hear = [&](const ServedText::Added& added) {
        if (added.moved) thinking += std::exchange(answer, {});
        thinking += added.thinking;
        answer += added.answer;
    };
    for (const SseEvent& event : events)
        hear(event.name.isEmpty() ? text.pushContent(QString::fromUtf8(event.data))
                                  : text.pushThinking(QString::fromUtf8(event.data)));
    hear(text.finish());
    require(thinking.trimmed() == text.thinking() && answer == text.rawAnswer(), "the pieces make up the text");
}

}  // namespace

void eventStream(std::span<const std::uint8_t> input) {
    const QByteArray bytes = asBytes(input);
    SseParser whole;
    const QList<SseEvent> events = eventsOf(bytes, std::max<qsizetype>(bytes.size(), 1), whole);
    for (const SseEvent& event : events) {
        require(QString::fromUtf8(event.data).toUtf8() == event.data, "data is UTF-8");
        require(event.data.size() <= 3 * bytes.size(), "data is no longer than the input, but for replaced bytes");
    }
    for (const qsizetype piece : {1, 3, 64}) {
        SseParser cut;
        require(eventsOf(bytes, piece, cut) == events, "events do not depend on the cuts");
        require(cut.rest() == whole.rest() && cut.comments() == whole.comments(), "nor does what is left");
    }
    SseParser narrow(32);
    for (const SseEvent& event : eventsOf(bytes, 5, narrow)) require(event.data.size() <= 3 * 32, "an event is bounded");
    for (const SseEvent& event : events) checkChatEvent(event.data);
    checkChatEvent(bytes);
    for (const auto begin : {ServedText::Begin::Answer, ServedText::Begin::Unknown, ServedText::Begin::Thinking})
        checkServedText(events, begin);
}

}  // namespace trefoil::fuzz
