// What a kind of server can do and which controls it takes, with the reason where it does not.
#pragma once

#include "app/served/server_profile.h"

#include <QString>
#include <QStringList>

namespace trefoil {

struct ServedCapabilities {
    bool confidences = false;        ///< reports passes with candidates (`trefoil_passes`)
    bool continuesAnswers = true;    ///< an answer that was cut can be continued
    bool continuesThinking = false;  ///< one that was cut inside its thinking too
};

ServedCapabilities servedCapabilities(ServerKind kind);

/// Why a server of this kind does not take the control of this contract name (docs/model-contract.md, section 7); empty: it does.
/// An unknown name is not taken.
QString servedControlRefusal(ServerKind kind, const QString& control);

/// The contract names of the controls that a server of this kind takes, in the contract's order.
QStringList servedControls(ServerKind kind);

}  // namespace trefoil
