#include "ui/traces/block_film.h"

#include "ui/blocks/block_model.h"
#include "ui/blocks/cell_painter.h"
#include "ui/blocks/piece_text.h"

#include <webp/encode.h>
#include <webp/mux.h>

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <memory>

namespace trefoil {
namespace {

constexpr int kColumns = 8;
constexpr int kPassMs = 500;  // as the Block dock plays at ×1
constexpr int kLastMs = 2000;
constexpr double kMargin = 12.0;
constexpr double kGap = 4.0;
constexpr int kScale = 2;  // pixels a point, so that it is sharp on every screen
constexpr int kLosslessLevel = 6;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(trefoil::BlockFilm)
};

QString titleOf(const FrameSummary& frame, qint32 block) {
    const QString name = Text::tr("Block %1").arg(block + 1);
    const QString resolved = Text::tr("%1 of %2 resolved").arg(frame.resolved).arg(frame.cells);
    const QString where = frame.frame == 0               ? Text::tr("before pass 1 of %1").arg(frame.passes)
                          : frame.type == PassType::Edit ? Text::tr("changed by hand after pass %1").arg(frame.pass)
                                                         : Text::tr("pass %1 of %2").arg(frame.pass).arg(frame.passes);
    return QStringList{name, where, resolved}.join(QStringLiteral(" · "));
}

struct EncoderDeleter {
    void operator()(WebPAnimEncoder* encoder) const { WebPAnimEncoderDelete(encoder); }
};

/// Frees what libwebp allocated in it.
class Picture {
public:
    Picture() { m_ok = WebPPictureInit(&m_picture) != 0; }
    ~Picture() { WebPPictureFree(&m_picture); }
    Picture(const Picture&) = delete;
    Picture& operator=(const Picture&) = delete;

    bool take(const QImage& image) {
        if (!m_ok) return false;
        const QImage pixels = image.convertToFormat(QImage::Format_RGBA8888);
        m_picture.use_argb = 1;
        m_picture.width = pixels.width();
        m_picture.height = pixels.height();
        return WebPPictureImportRGBA(&m_picture, pixels.constBits(), static_cast<int>(pixels.bytesPerLine())) != 0;
    }
    WebPPicture* get() { return &m_picture; }

private:
    WebPPicture m_picture{};
    bool m_ok = false;
};

}  // namespace

QList<FilmFrame> blockFilm(const TraceView& trace, qint32 block, const QPalette& palette, const QFont& font) {
    BlockModel model;
    model.setTrace(trace);
    if (block < 0 || block >= model.blockCount()) return {};
    const qint32 last = model.frameCount(block);
    const auto cells = static_cast<int>(model.cells(block, last).size());
    const QSizeF cell = cellSizeHint(font);
    const double title = std::ceil(QFontMetricsF(font).height() * 1.5);
    const int lines = (cells + kColumns - 1) / kColumns;
    const QSizeF size(2 * kMargin + kColumns * (cell.width() + kGap) - kGap,
                      2 * kMargin + title + lines * (cell.height() + kGap) - kGap);
    QList<FilmFrame> film;
    for (qint32 frame = 0; frame <= last; ++frame) {
        QImage image((size * kScale).toSize(), QImage::Format_RGB32);
        image.setDevicePixelRatio(kScale);
        image.fill(palette.color(QPalette::Base));
        QPainter painter(&image);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setFont(font);
        painter.setPen(palette.color(QPalette::Text));
        painter.drawText(QRectF(kMargin, kMargin, size.width() - 2 * kMargin, title), Qt::AlignLeft | Qt::AlignTop,
                         titleOf(model.frame(block, frame), block));
        CellLook look;
        look.palette = palette;
        look.font = font;
        look.threshold = model.threshold(block, frame);
        const QList<CellView> shown = model.cells(block, frame);
        for (int i = 0; i < static_cast<int>(shown.size()); ++i) {
            const int line = i / kColumns;
            const QPointF corner(kMargin + (i % kColumns) * (cell.width() + kGap),
                                 kMargin + title + line * (cell.height() + kGap));
            paintCell(painter, alignToDevice(QRectF(corner, cell), kScale), shown[i],
                      drawablePiece(shown[i].text, shown[i].token, font), look);
        }
        painter.end();
        film.append({image, frame == last ? kLastMs : kPassMs});
    }
    return film;
}

QByteArray animatedWebp(const QList<FilmFrame>& frames, QString* problem) {
    const auto fail = [problem](const QString& why) {
        if (problem != nullptr) *problem = why;
        return QByteArray();
    };
    if (frames.isEmpty()) return fail(Text::tr("There is no block to be replayed."));
    WebPAnimEncoderOptions options;
    WebPConfig config;
    if (WebPAnimEncoderOptionsInit(&options) == 0 || WebPConfigInit(&config) == 0 ||
        WebPConfigLosslessPreset(&config, kLosslessLevel) == 0)
        return fail(Text::tr("The WebP library is of another version than this program was built for."));
    options.anim_params.loop_count = 0;
    const std::unique_ptr<WebPAnimEncoder, EncoderDeleter> encoder(
        WebPAnimEncoderNew(frames.first().image.width(), frames.first().image.height(), &options));
    const auto encoderProblem = [&] {
        return fail(
            Text::tr("The pictures could not be encoded: %1.")
                .arg(encoder ? QString::fromUtf8(WebPAnimEncoderGetError(encoder.get())) : Text::tr("they are too large")));
    };
    if (!encoder) return encoderProblem();
    int at = 0;
    for (const FilmFrame& frame : frames) {
        Picture picture;
        if (!picture.take(frame.image) || WebPAnimEncoderAdd(encoder.get(), picture.get(), at, &config) == 0)
            return encoderProblem();
        at += frame.milliseconds;
    }
    // The last frame's duration.
    WebPData data;
    WebPDataInit(&data);
    QByteArray out;
    if (WebPAnimEncoderAdd(encoder.get(), nullptr, at, nullptr) != 0 && WebPAnimEncoderAssemble(encoder.get(), &data) != 0)
        out = QByteArray(reinterpret_cast<const char*>(data.bytes), static_cast<qsizetype>(data.size));
    WebPDataClear(&data);
    return out.isEmpty() ? encoderProblem() : out;
}

}  // namespace trefoil
