// Tones keep their contrast in both themes; every icon exists and is drawn in the palette's colour.
#include "ui/theme/theme.h"
#include "ui/theme/style.h"

#include <QApplication>
#include <QCheckBox>
#include <QDir>
#include <QImage>
#include <QSpinBox>
#include <QStyle>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace trefoil;
using theme::Tone;

namespace {

double luminance(const QColor& colour) {
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(static_cast<double>(colour.redF())) + 0.7152 * linear(static_cast<double>(colour.greenF())) +
           0.0722 * linear(static_cast<double>(colour.blueF()));
}

double contrast(const QColor& a, const QColor& b) {
    const double high = std::max(luminance(a), luminance(b));
    const double low = std::min(luminance(a), luminance(b));
    return (high + 0.05) / (low + 0.05);
}

}  // namespace

class ThemeTest : public QObject {
    Q_OBJECT

private slots:
    void palettesAreWhatTheySay() {
        QVERIFY(theme::isDark(theme::darkPalette()));
        QVERIFY(!theme::isDark(theme::lightPalette()));
    }

    void contrasts_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void contrasts() {
        QFETCH(bool, dark);
        const QPalette palette = dark ? theme::darkPalette() : theme::lightPalette();
        const QColor base = palette.color(QPalette::Base);
        for (const Tone tone : {Tone::Accent, Tone::Subtle, Tone::Warning, Tone::Error, Tone::CandidateHigh})
            QVERIFY2(contrast(theme::tone(tone, palette), base) >= 4.5, qPrintable(QString::number(static_cast<int>(tone))));
        // Details and tooltips give the text of a faint candidate; it still has to be seen.
        QVERIFY(contrast(theme::tone(Tone::CandidateLow, palette), base) >= 2.5);
        const QColor code = theme::tone(Tone::CodeBackground, palette);
        for (const Tone tone : {Tone::CodeKeyword, Tone::CodeString, Tone::CodeComment, Tone::CodeNumber, Tone::CodeType})
            QVERIFY2(contrast(theme::tone(tone, palette), code) >= 4.5, qPrintable(QString::number(static_cast<int>(tone))));
        const QColor text = palette.color(QPalette::Text);
        for (const Tone tone : {Tone::Raised, Tone::ResolvedNow, Tone::ResolvedEarlier, Tone::Forced, Tone::CodeBackground})
            QVERIFY2(contrast(text, theme::tone(tone, palette)) >= 4.5, qPrintable(QString::number(static_cast<int>(tone))));
        QVERIFY(contrast(theme::tone(Tone::Subtle, palette), theme::tone(Tone::Dropped, palette)) >= 4.5);
        for (const auto& [front, back] :
             {std::pair{QPalette::WindowText, QPalette::Window}, std::pair{QPalette::ButtonText, QPalette::Button},
              std::pair{QPalette::HighlightedText, QPalette::Highlight}, std::pair{QPalette::PlaceholderText, QPalette::Base},
              std::pair{QPalette::Link, QPalette::Base}, std::pair{QPalette::PlaceholderText, QPalette::Window}})
            QVERIFY2(contrast(palette.color(front), palette.color(back)) >= 4.5,
                     qPrintable(QString::number(static_cast<int>(front))));
    }

    // A box or field that is to be operated is seen, in the dark as well: some part of its outline stands out from the window.
    void outlinesAreSeen_data() { contrasts_data(); }
    void outlinesAreSeen() {
        QFETCH(bool, dark);
        const QPalette palette = dark ? theme::darkPalette() : theme::lightPalette();
        const std::unique_ptr<QStyle> style(theme::makeStyle());
        QCheckBox box;
        QSpinBox spin;
        for (QWidget* widget : {static_cast<QWidget*>(&box), static_cast<QWidget*>(&spin)}) {
            widget->setStyle(style.get());
            widget->setPalette(palette);
            widget->resize(widget->sizeHint());
            const QImage image = widget->grab().toImage();
            double strongest = 0;
            const int middle = image.height() / 2;
            for (int x = 0; x < 6; ++x)
                strongest = std::max(strongest, contrast(image.pixelColor(x, middle), palette.color(QPalette::Window)));
            QVERIFY2(strongest >= (dark ? 2.5 : 1.4), qPrintable(QString::number(strongest)));
            widget->setStyle(nullptr);
        }
    }

    void blendGoesFromOneToTheOther() {
        QCOMPARE(theme::blend(Qt::black, Qt::white, 0.0), QColor::fromRgbF(0, 0, 0));
        QCOMPARE(theme::blend(Qt::black, Qt::white, 7.0), QColor::fromRgbF(1, 1, 1));
        QCOMPARE(theme::blend(Qt::black, Qt::white, 0.5).red(), 128);
    }

    void iconsAreDrawnInThePalettesColour() {
        const QStringList names{"new",      "send",     "stop",   "copy",  "regenerate", "rename", "delete",
                                "undo",     "open",     "play",   "pause", "down",       "right",  "left",
                                "thinking", "settings", "prompt", "model", "block",      "search", "reset"};
        for (const QPalette& palette : {theme::lightPalette(), theme::darkPalette()}) {
            for (const QString& name : names) {
                const QIcon icon = theme::icon(name, palette);
                QVERIFY2(!icon.isNull(), qPrintable(name));
                const QImage image = icon.pixmap(QSize(32, 32)).toImage().convertToFormat(QImage::Format_ARGB32);
                int inked = 0;
                for (int y = 0; y < image.height(); ++y) {
                    for (int x = 0; x < image.width(); ++x) {
                        if (qAlpha(image.pixel(x, y)) < 255) continue;
                        ++inked;
                        QCOMPARE(QColor(image.pixel(x, y)).rgb(), palette.color(QPalette::ButtonText).rgb());
                    }
                }
                QVERIFY2(inked > 20, qPrintable(name));
            }
        }
        QVERIFY(theme::icon(QStringLiteral("no-such-icon"), theme::lightPalette()).isNull());
    }

    void disabledIconsAreFainter() {
        const QIcon icon = theme::icon(QStringLiteral("stop"), theme::lightPalette());
        QVERIFY(icon.pixmap(QSize(32, 32)).toImage() != icon.pixmap(QSize(32, 32), QIcon::Disabled).toImage());
    }

    void theCloverKeepsItsGreen() {
        const QImage image = theme::icon(QStringLiteral("trefoil"), theme::lightPalette()).pixmap(QSize(64, 64)).toImage();
        const QColor leaf = image.pixelColor(32, 14);
        QVERIFY(leaf.green() > leaf.red() && leaf.green() > leaf.blue());
    }
};

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
