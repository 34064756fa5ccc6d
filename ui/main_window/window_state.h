// What only a window's screen holds, for the window that takes its place. Drafts and layout are in history and settings.
#pragma once

#include "ui/chat/notice_bar.h"
#include "ui/compare/compare_menu.h"
#include "ui/transfer/transfer_menu.h"

#include <QByteArray>
#include <QList>
#include <QString>

namespace trefoil {

struct WindowState {
    QList<Notice> notices;  ///< in the language of their time
    QString undoKey;        ///< the deletion that can be taken back; empty: none
    QString undoText;
    QString search;
    CompareState compare;
    TransferMenu::ImportOffer imported;
    QString retryMessage;      ///< the answer that a server had no room for; empty: none
    qint64 retrySeconds = 0;   ///< that it asked to wait
    int retryAfterMs = -1;     ///< the person chose to wait: what is left of it
    bool preferences = false;  ///< their dialog is open
    QByteArray preferencesGeometry;
};

}  // namespace trefoil
