// The JSON body of a request for an answer, as each kind of server takes it.
#pragma once

#include "app/core/generation_types.h"
#include "app/served/server_profile.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace trefoil {

struct ServedRequest {
    QList<PromptMessage> messages;  ///< without the thinking of earlier turns; the last one is the question
    ControlValues controls;         ///< by contract names; what the kind does not take is left out
    QString begunAnswer;            ///< not empty: the answer that goes on from here
    QString begunThinking =
        {};  ///< of the same answer; only a server of kind Trefoil gets it, and goes on with it where no answer has begun
    bool stream = true;
    bool passes = true;  ///< ask a server of kind Trefoil for an event of each pass
};

struct ServedBody {
    QByteArray json;
    QStringList notes;             ///< values that had to be changed for this server, a sentence each
    bool thinkingAsked = true;     ///< enable_thinking as sent; false where an answer is continued without its thinking
    bool continuesAnswer = false;  ///< begunAnswer or begunThinking was sent; false: it is asked anew
};

/// `controls` that are missing are not sent: the server's defaults hold. Without do_sample the answer is greedy: temperature 0
/// is sent to the kinds that know no do_sample. White space at the end of begunAnswer is kept.
ServedBody servedRequestBody(const ServerProfile& server, const ServedRequest& request);

}  // namespace trefoil
