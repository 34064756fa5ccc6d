// ChatEngine: what answers a conversation. Embedded (EngineWorker) or served (app/served): the window and the ChatController know
// them by this interface, and tell them apart by nothing but their capabilities.
//
// Everything is asynchronous and by value: a call gives a request id, the answer comes as a signal with that id. Ids are one
// engine's own: two engines may use the same one.
#pragma once

#include "app/core/generation_types.h"

#include <QHash>
#include <QList>
#include <QMetaType>
#include <QObject>
#include <QString>

#include <cstdint>
#include <optional>

namespace trefoil {

/// How an engine goes on with an answer that was cut.
enum class Continuing : quint8 {
    ByIds,   ///< from its response ids
    ByText,  ///< from its text
    Anew,    ///< it cannot: the question is asked again
};

/// What an engine can do. Where it cannot, the window greys what belongs to it and says the reason: a sentence each.
struct EngineCapabilities {
    bool confidences = true;    ///< its passes carry candidates and their probabilities
    bool blocks = true;         ///< it writes in blocks; otherwise its passes are pieces of text (PassType::Token) as they arrive
    bool interventions = true;  ///< pause, single steps, and rows of a block changed by hand
    bool liveSteering = true;   ///< controls can be changed while it writes
    bool layerFigures = true;   ///< its passes say what they cost in each layer
    bool prefixSnapshots = true;  ///< it can take over what it read of an earlier prompt
    bool exactCounting = true;    ///< PromptView::tokens is counted, not estimated
    Continuing continuing = Continuing::ByIds;
    bool continuesThinking = true;  ///< an answer that was cut inside its thinking can be continued
    bool reachesOut = false;        ///< the conversation's text leaves this program
    QString whyNoConfidences;
    QString whyNoInterventions;
    QString whyNoLiveSteering;
    QString whyNoLayerFigures;
    QString whyEstimated;
    QHash<QString, QString> refusedControls;  ///< contract name -> why the engine does not take it
    bool operator==(const EngineCapabilities&) const = default;
};

/// How an engine is called and where the text of its conversations goes.
struct EngineIdentity {
    QString id;     ///< as kept with a conversation; empty: the embedded engine
    QString title;  ///< what the person calls it
    QString place;  ///< host and port; empty: the text stays in this program
    bool operator==(const EngineIdentity&) const = default;
};

class ChatEngine : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~ChatEngine() override = default;

    [[nodiscard]] virtual EngineIdentity identity() const = 0;
    [[nodiscard]] virtual EngineCapabilities capabilities() const = 0;
    /// The model that would answer now; none: why, says notReady().
    [[nodiscard]] virtual std::optional<ModelSummary> model() const = 0;
    /// Why nothing can be asked, in a sentence; empty while there is a model.
    [[nodiscard]] virtual QString notReady() const = 0;

    /// Queues a generation. Answers with passDone…, responseUpdated… and exactly one generationFinished.
    virtual RequestId generateAsync(const GenerateRequest& request) = 0;
    /// Stops the given request, queued or running. Unknown ids are ignored.
    virtual void cancel(RequestId id) = 0;
    /// A generation is queued or running.
    [[nodiscard]] virtual bool generating() const = 0;
    /// Renders and counts a prompt; answers with promptPreviewed. Newer requests replace waiting ones.
    virtual RequestId previewPromptAsync(const QList<PromptMessage>& messages, bool thinking) = 0;
    /// Leaves out the oldest turns (never the system prompt or the last message) until prompt and answer fit the context; answers
    /// with promptFitted.
    virtual RequestId fitPromptAsync(const QList<PromptMessage>& messages, const ControlValues& controls) = 0;

    // Where the engine is not capable of these they do nothing. Unknown ids are ignored.

    /// Changes the controls of a generation that is queued or running.
    virtual void steer(RequestId id, const ControlValues& values);
    /// Pauses a generation before its next pass (answers with pausedAt), lets it go on, or lets it make one pass and pause again.
    virtual void pause(RequestId id);
    virtual void resume(RequestId id);
    virtual void step(RequestId id);
    /// Changes rows of the block that a generation is paused over; a pass of type Edit and a new pausedAt say that it happened.
    virtual void editRows(RequestId id, qint32 block, const QList<RowChange>& changes);
    /// The model's tokens of a plain text; empty where they are not known.
    [[nodiscard]] virtual QList<TokenChoice> tokensOf(const QString& text) const;

signals:
    /// model(), capabilities() or identity() give something else than before.
    void changed();
    void prefillProgress(trefoil::RequestId id, qint64 done, qint64 total);
    /// The generation waits. Comes again after each single step and each edit.
    void pausedAt(trefoil::RequestId id, const trefoil::PauseView& state);
    void resumed(trefoil::RequestId id);
    /// What the passes need to be drawn, before them, where model() and the request's controls do not say it.
    void traceBegan(trefoil::RequestId id, qint32 maskId, qint32 blockSize, double threshold);
    void passDone(trefoil::RequestId id, const trefoil::PassView& pass);
    void responseUpdated(trefoil::RequestId id, const trefoil::ResponseUpdate& response);
    void generationFinished(trefoil::RequestId id, const trefoil::GenerationOutcome& outcome);
    void promptPreviewed(trefoil::RequestId id, const trefoil::PromptView& prompt);
    /// `dropped`: messages left out; -1 when even the last message alone does not fit.
    void promptFitted(trefoil::RequestId id, const QList<trefoil::PromptMessage>& messages, int dropped);
};

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::EngineCapabilities)
