// The conversation's messages, from top to bottom: values in, signals out. Shows state, owns none. Nothing is fetched or opened
// by showing a message.
#pragma once

#include "app/core/generation_types.h"
#include "app/core/search_query.h"

#include <QDateTime>
#include <QList>
#include <QMenu>
#include <QString>
#include <QStringList>
#include <QUrl>
#include <QWidget>

#include <functional>
#include <memory>

namespace trefoil {

struct TranscriptMessage {
    QString id;
    QString role;     ///< "user" or "assistant"
    QString content;  ///< the question verbatim, or the answer as Markdown
    QString thinking;
    bool hasThinking = false;
    bool thinkingClosed = true;
    EndReason reason = EndReason::None;
    QString error;  ///< one line, for Refused and Failed
    GenerationStats stats;
    bool streaming = false;
    bool hasTrace = false;  ///< its blocks can be shown
    QStringList versions;   ///< ids of its versions, itself included, oldest first
    bool canContinue = false;
    QDateTime created;
    bool operator==(const TranscriptMessage&) const = default;
};

class MessageWidget;
struct MessageHeat;

class TranscriptView : public QWidget {
    Q_OBJECT
public:
    explicit TranscriptView(QWidget* parent = nullptr);
    ~TranscriptView() override;

    /// Replaces everything and shows the end. Only a window of 50 messages has widgets; buttons at its ends and showMessage()
    /// move it or make it larger.
    void setMessages(const QList<TranscriptMessage>& messages);
    void appendMessage(const TranscriptMessage& message);
    /// Unknown ids are ignored, here and below. A message that is no longer streaming loses its open block.
    void updateMessage(const TranscriptMessage& message);
    void removeMessage(const QString& id);
    /// The block being denoised, shown after the committed text (of the thinking while it is open). A masked cell is shown as
    /// a glyph whatever its text.
    void setOpenBlock(const QString& id, const QStringList& cellTexts, const QList<bool>& masked);
    void clearOpenBlock(const QString& id);
    /// A line under the last message, such as "Reading the prompt · 512 of 2,048 tokens"; empty: none.
    void setActivity(const QString& text);
    void clear();
    /// What is shown while there is no message. Each example becomes a button.
    void setWelcome(const QString& title, const QString& subtitle, const QStringList& examples);

    /// The message as it is copied: the source text.
    [[nodiscard]] QString plainTextOf(const QString& id) const;
    [[nodiscard]] QList<TranscriptMessage> messages() const;
    /// nullptr when the id is unknown or its widget is not built (yet).
    [[nodiscard]] MessageWidget* messageWidget(const QString& id) const;
    [[nodiscard]] bool isAtEnd() const;
    void jumpToEnd();
    /// Brings any message into view, with widgets for it and its neighbours.
    void showMessage(const QString& id);
    /// Where a text is marked: what is searched for. An empty function: nowhere.
    using MarkFinder = std::function<QList<TextRange>(const QString&)>;
    void setMarks(const MarkFinder& find);
    /// A mark: the `index`-th in the message's thinking or its text. Shown as the current one; a closed thinking opens.
    struct Mark {
        QString id;
        bool thinking = false;
        int index = 0;
        bool operator==(const Mark&) const = default;
    };
    void showMark(const Mark& mark);
    /// Answers ask for their colours when they are seen (heatWanted); those that they have go.
    void setHeatWanted(bool wanted);
    void setHeat(const QString& id, const MessageHeat& heat);
    /// Selects a token of an answer and brings it into view.
    void showToken(const QString& id, const MessageHeat& heat, bool thinking, int token);
    /// Brings a message that has a widget into view; its version buttons get the focus.
    void reveal(const QString& id);

signals:
    /// Other messages, or other texts in them.
    void messagesChanged();
    void copied(const QString& text);
    void regenerateRequested(const QString& id);
    /// Block number as in PassView.
    void regenerateFromRequested(const QString& id, int block);
    void continueRequested(const QString& id);
    void editRequested(const QString& id);
    /// Another version is to be shown.
    void versionRequested(const QString& versionId);
    void traceRequested(const QString& id);
    void heatWanted(const QString& id);
    void answerMenuAboutToShow(const QString& id, QMenu* menu);
    void exampleChosen(const QString& text);
    /// A link was chosen; the transcript has shown its address and asked (LinkDialog).
    void linkRequested(const QUrl& url);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class Private;
    std::unique_ptr<Private> d;
};

}  // namespace trefoil
