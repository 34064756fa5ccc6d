// The causes that have a notice of their own above the transcript.
#pragma once

#include <QString>

namespace trefoil {

inline const QString kStoreNotice = QStringLiteral("store");          ///< the history could not be opened or read
inline const QString kSaveNotice = QStringLiteral("save");            ///< writes are waiting
inline const QString kModelNotice = QStringLiteral("model");          ///< a model could not be loaded
inline const QString kModelWarning = QStringLiteral("modelWarning");  ///< the model in use probably answers wrong
inline const QString kEngineNotice = QStringLiteral("engine");        ///< what answered the conversation is not there any more
inline const QString kAnswerNotice = QStringLiteral("answer");        ///< something to know about an answer
inline const QString kWaitNotice = QStringLiteral("wait");            ///< a server asks to wait
inline const QString kSettingsNotice = QStringLiteral("settings");    ///< settings or presets could not be written

}  // namespace trefoil
