// A block's replay as pictures, and pictures as an animated WebP.
#pragma once

#include "app/core/generation_types.h"

#include <QByteArray>
#include <QFont>
#include <QImage>
#include <QList>
#include <QPalette>

namespace trefoil {

struct FilmFrame {
    QImage image;
    int milliseconds = 0;  ///< how long it is shown
};

/// The block (an index in order of appearance) masked, and after each of its passes. Empty: there is no such block.
[[nodiscard]] QList<FilmFrame> blockFilm(const TraceView& trace, qint32 block, const QPalette& palette, const QFont& font);

/// Lossless, looping for ever. Empty: no frame, or they could not be encoded (`problem` says why).
[[nodiscard]] QByteArray animatedWebp(const QList<FilmFrame>& frames, QString* problem = nullptr);

}  // namespace trefoil
