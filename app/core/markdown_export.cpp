#include "app/core/markdown_export.h"

#include <QCoreApplication>

#include <algorithm>

namespace trefoil {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(MarkdownExport)
};

constexpr qsizetype kShortestFence = 3;

/// Text that must appear as it was typed: in a fence longer than any run of backticks inside.
QString verbatim(const QString& text) {
    qsizetype longest = 0;
    qsizetype run = 0;
    for (const QChar sign : text) {
        run = sign == u'`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const QString fence(std::max(kShortestFence, longest + 1), u'`');
    const bool ended = text.endsWith(u'\n');
    return fence + QStringLiteral("text\n") + text + (ended ? QString() : QStringLiteral("\n")) + fence + u'\n';
}

QString quoted(const QString& text) {
    QString result;
    for (const QString& line : text.split(u'\n'))
        result += (line.isEmpty() ? QStringLiteral(">") : QStringLiteral("> ") + line) + u'\n';
    return result;
}

/// The fence that a line opens or closes; empty when it is none.
QString fenceOf(const QString& line) {
    qsizetype start = 0;
    while (start < line.size() && line[start] == u' ') ++start;
    if (start > kShortestFence || start == line.size() || (line[start] != u'`' && line[start] != u'~')) return {};
    qsizetype end = start;
    while (end < line.size() && line[end] == line[start]) ++end;
    return end - start >= kShortestFence ? line.mid(start, end - start) : QString();
}

/// An answer that was cut inside a code block must not swallow what follows it.
QString withClosedFence(const QString& markdown) {
    QString open;
    for (const QString& line : markdown.split(u'\n')) {
        const QString fence = fenceOf(line);
        if (fence.isEmpty()) continue;
        if (open.isEmpty()) {
            open = fence;
        } else if (fence[0] == open[0] && fence.size() >= open.size() && line.trimmed() == fence) {
            open.clear();
        }
    }
    QString result = markdown;
    if (!result.endsWith(u'\n')) result += u'\n';
    return open.isEmpty() ? result : result + open + u'\n';
}

QString endNote(const MessageRecord& message) {
    switch (message.stopReason) {
        case EndReason::Length:
            return Text::tr("The answer reached the length limit.");
        case EndReason::Cancelled:
            return Text::tr("The answer was stopped.");
        case EndReason::Refused:
            return Text::tr("The request was refused.");
        case EndReason::Failed:
            return Text::tr("The answer failed.");
        case EndReason::Interrupted:
            return Text::tr("The answer was interrupted.");
        case EndReason::None:
            return message.inProgress ? Text::tr("The answer is being written.") : QString();
        case EndReason::End:
            break;
    }
    return {};
}

/// One line whose signs mean nothing in Markdown.
QString escapedLine(const QString& text) {
    QString result;
    for (const QChar sign : text.simplified()) {
        if (QStringLiteral("\\`*_[]<>#|~").contains(sign)) result += u'\\';
        result += sign;
    }
    return result;
}

QString answerToMarkdown(const MessageRecord& message, const MarkdownExportOptions& options) {
    const QString name = message.model.section(u'/', -1);
    QString result = QStringLiteral("## ") + (name.isEmpty() ? Text::tr("Answer") : escapedLine(name)) + QStringLiteral("\n\n");
    if (options.thinking && message.hasThinking && !message.thinking.isEmpty()) {
        result += QStringLiteral("> **") + Text::tr("Thinking") + QStringLiteral("**\n>\n") +
                  quoted(withClosedFence(message.thinking).trimmed()) + u'\n';
    }
    if (!message.content.isEmpty()) result += withClosedFence(message.content);
    QString note = endNote(message);
    if (!message.error.isEmpty()) note += (note.isEmpty() ? QString() : QStringLiteral(" ")) + escapedLine(message.error);
    if (!note.isEmpty()) result += QStringLiteral("\n*") + note + QStringLiteral("*\n");
    return result;
}

}  // namespace

QString conversationToMarkdown(const ConversationRecord& conversation, const QList<MessageRecord>& messages,
                               const MarkdownExportOptions& options) {
    const QString title = conversation.title.isEmpty() ? Text::tr("Conversation") : escapedLine(conversation.title);
    QString document = QStringLiteral("# ") + title + QStringLiteral("\n\n");
    if (conversation.createdUtc.isValid()) {
        document += conversation.createdUtc.toUTC().toString(QStringLiteral("yyyy-MM-dd HH:mm")) + QStringLiteral(" UTC\n\n");
    }
    if (options.systemPrompt && !conversation.systemPrompt.isEmpty()) {
        document += QStringLiteral("## ") + Text::tr("System prompt") + QStringLiteral("\n\n") +
                    verbatim(conversation.systemPrompt) + u'\n';
    }
    for (const MessageRecord& message : messages) {
        if (message.role == QLatin1String("assistant")) {
            document += answerToMarkdown(message, options) + u'\n';
        } else {
            document += QStringLiteral("## ") + Text::tr("You") + QStringLiteral("\n\n") + verbatim(message.content) + u'\n';
        }
    }
    while (document.endsWith(QStringLiteral("\n\n"))) document.chop(1);
    return document;
}

}  // namespace trefoil
