// The Generation dock, driven by keys, wheel and clicks: ranges, defaults, resets, locales, reasons, presets.
#include "ui/settings/generation_dock.h"
#include "app/core/generation_types.h"
#include "ui/settings/control_texts.h"
#include "ui/settings/number_edits.h"

#include <QtTest/qtestspontaneevent.h>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>

using namespace trefoil;

class GenerationDockTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<GenerationDock> m_dock;

    QWidget* editor(const char* name) const {
        return m_dock->findChild<QWidget*>(QStringLiteral("control_") + QLatin1String(name));
    }
    NumberSpinBox* number(const char* name) const { return qobject_cast<NumberSpinBox*>(editor(name)); }
    QVariant value(const char* name) const { return m_dock->values().value(QLatin1String(name)); }
    template <class T>
    T* child(const QString& name) const {
        return m_dock->findChild<T*>(name);
    }
    void set(const char* name, const QVariant& v) {
        ControlValues values = m_dock->values();
        values.insert(QLatin1String(name), v);
        m_dock->setValues(values);
    }
    /// Replaces the editor's text by keys, as a person does, and leaves the field.
    void type(QWidget* field, const QString& text) {
        field->setFocus();
        QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(field, Qt::Key_Delete);
        for (const QChar c : text) {
            // keyClicks() knows Latin-1 only.
            if (c.unicode() < 0x80)
                QTest::keyClick(field, c.toLatin1());
            else
                QTest::sendKeyEvent(QTest::Click, field, Qt::Key_unknown, QString(c), Qt::NoModifier);
        }
    }
    void leave(QWidget* field) {
        QTest::keyClick(field, Qt::Key_Return);
        field->clearFocus();
    }
    void wheel(QWidget* over, int delta) {
        const QPointF at = over->rect().center();
        QWheelEvent event(at, over->mapToGlobal(at), {}, QPoint(0, delta), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                          false);
        // Only what comes from the window system goes on to the parent when it is ignored.
        QSpontaneKeyEvent::setSpontaneous(&event);
        QCoreApplication::instance()->notify(over, &event);
    }
    void makeDock(const QLocale& locale) {
        QLocale::setDefault(locale);
        m_dock = std::make_unique<GenerationDock>();
        m_dock->setDescriptions(controlDescriptions());
        m_dock->resize(280, 500);
        m_dock->show();
        QVERIFY(QTest::qWaitForWindowActive(m_dock.get()));
    }

private slots:
    void init() { makeDock(QLocale::c()); }
    void cleanup() { m_dock.reset(); }

    void everyControlHasAnEditorTextsAndItsDefault() {
        const QList<ControlDescription> all = controlDescriptions();
        QCOMPARE(m_dock->values().size(), all.size());
        QVERIFY(all.size() >= 22);
        for (const ControlDescription& control : all) {
            QWidget* field = editor(control.name.toLatin1().constData());
            QVERIFY2(field != nullptr, qPrintable(control.name));
            QCOMPARE(m_dock->values().value(control.name), control.standard);
            QVERIFY2(controlText(control.name).group != ControlGroup::Other, qPrintable(control.name));
            QVERIFY2(!controlText(control.name).doesNot.isEmpty(), qPrintable(control.name));
            QVERIFY(!field->accessibleName().isEmpty());
            QVERIFY(field->accessibleDescription().contains(QStringLiteral("Default: ")));
            QVERIFY(!child<QToolButton>(QStringLiteral("reset_") + control.name)->isVisible());
        }
        QVERIFY(!child<QPushButton>(QStringLiteral("resetAll"))->isEnabled());
    }

    void rangesAreThoseOfTheDescriptions() {
        for (const ControlDescription& control : controlDescriptions()) {
            const auto* box = qobject_cast<NumberSpinBox*>(editor(control.name.toLatin1().constData()));
            if (box == nullptr) continue;
            QCOMPARE(box->minimum(), control.minimum);
            QCOMPARE(box->maximum(), control.maximum);
        }
    }

    void outOfRangeCannotBeTyped_data() {
        QTest::addColumn<QString>("control");
        QTest::addColumn<QString>("typed");
        QTest::newRow("above") << "threshold"
                               << "1.5";
        QTest::newRow("just above") << "top_p"
                                    << "1.0000001";
        QTest::newRow("negative") << "threshold"
                                  << "-0.5";
        QTest::newRow("nan") << "temperature"
                             << "nan";
        QTest::newRow("inf") << "temperature"
                             << "inf";
        QTest::newRow("huge exponent") << "temperature"
                                       << "1e400";
        QTest::newRow("below minimum") << "repetition_penalty"
                                       << "0.05";
        QTest::newRow("below negative minimum") << "presence_penalty"
                                                << "-3";
        QTest::newRow("no block") << "block_size"
                                  << "0";
        QTest::newRow("block too large") << "block_size"
                                         << "129";
        QTest::newRow("fraction of a token") << "block_size"
                                             << "3.5";
        QTest::newRow("beyond 31 bits") << "top_k"
                                        << "2147483648";
    }
    void outOfRangeCannotBeTyped() {
        QFETCH(QString, control);
        QFETCH(QString, typed);
        set("do_sample", true);
        NumberSpinBox* box = number(control.toLatin1().constData());
        QSignalSpy spy(m_dock.get(), &GenerationDock::valuesChanged);
        type(box, typed);
        leave(box);
        // What could be typed of it is in the range, and every value that was told on the way was.
        const auto inRange = [box](double v) { return std::isfinite(v) && v >= box->minimum() && v <= box->maximum(); };
        QVERIFY(inRange(box->value()));
        for (const QList<QVariant>& call : spy) QVERIFY(inRange(call[0].value<ControlValues>().value(control).toDouble()));
        bool same = false;
        QVERIFY2(box->value() != typed.toDouble(&same) || !same, "the forbidden number was taken");
    }

    void tinyNumbersAreTakenExactly() {
        set("do_sample", true);
        type(editor("temperature"), QStringLiteral("1e-8"));
        leave(editor("temperature"));
        QCOMPARE(value("temperature").toDouble(), 1e-8);
        QCOMPARE(number("temperature")->text(), QStringLiteral("0.00000001"));
        type(editor("top_p"), QStringLiteral("0.000000001"));
        QCOMPARE(value("top_p").toDouble(), 1e-9);
    }

    void everyBitOfARealIsKept() {
        for (const double v : {0.1, 1.0 / 3.0, 0.95, std::nextafter(1.0, 0.0), 0.30000000000000004}) {
            set("threshold", v);
            QCOMPARE(std::bit_cast<quint64>(value("threshold").toDouble()), std::bit_cast<quint64>(v));
        }
    }

    void decimalSeparators_data() {
        QTest::addColumn<QString>("locale");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<double>("expected");
        QTest::addColumn<QString>("shown");
        QTest::newRow("German comma") << "de_DE"
                                      << "0,7" << 0.7 << "0,7";
        QTest::newRow("German stop") << "de_DE"
                                     << "0.7" << 0.7 << "0,7";
        QTest::newRow("French comma") << "fr_FR"
                                      << "0,95" << 0.95 << "0,95";
        QTest::newRow("Turkish comma") << "tr_TR"
                                       << "0,95" << 0.95 << "0,95";
        QTest::newRow("Arabic digits") << "ar_EG" << QStringLiteral("٠٫٩٥") << 0.95 << QStringLiteral("٠٫٩٥");
        QTest::newRow("Arabic, ASCII digits") << "ar_EG"
                                              << "0.95" << 0.95 << QStringLiteral("٠٫٩٥");
        QTest::newRow("C stop") << "C"
                                << "0.7" << 0.7 << "0.7";
    }
    void decimalSeparators() {
        QFETCH(QString, locale);
        QFETCH(QString, typed);
        QFETCH(double, expected);
        QFETCH(QString, shown);
        makeDock(QLocale(locale));
        type(editor("threshold"), typed);
        QCOMPARE(value("threshold").toDouble(), expected);  // at once, not only when the field is left
        leave(editor("threshold"));
        QCOMPARE(value("threshold").toDouble(), expected);
        QCOMPARE(number("threshold")->text(), shown);
        QLocale::setDefault(QLocale::c());
    }

    void groupSeparatorsAreNeitherShownNorTaken() {
        makeDock(QLocale(QStringLiteral("de_DE")));
        set("dllm_length_penalty", 1000.0);
        QCOMPARE(number("dllm_length_penalty")->text(), QStringLiteral("1000"));
        QCOMPARE(number("max_new_tokens")->text(), QStringLiteral("24576"));
        type(editor("block_size"), QStringLiteral("3.2"));  // 32 would be ten times what was meant
        QCOMPARE(value("block_size").toLongLong(), 32LL);   // the stop is refused, the digits are taken
        QLocale::setDefault(QLocale::c());
        makeDock(QLocale(QStringLiteral("en_US")));
        type(editor("dllm_length_penalty"), QStringLiteral("1,5"));
        leave(editor("dllm_length_penalty"));
        QVERIFY(number("dllm_length_penalty")->text() != QStringLiteral("1.5"));
        QLocale::setDefault(QLocale::c());
    }

    void anUnfinishedNumberFallsBackWhenLeft() {
        set("presence_penalty", 0.5);
        type(editor("presence_penalty"), QStringLiteral("-"));
        QCOMPARE(value("presence_penalty").toDouble(), 0.5);
        leave(editor("presence_penalty"));
        QCOMPARE(value("presence_penalty").toDouble(), 0.5);
        QCOMPARE(number("presence_penalty")->text(), QStringLiteral("0.5"));
    }

    void arrowsLeaveNoBinaryDust() {
        set("threshold", 0.1);
        editor("threshold")->setFocus();
        QTest::keyClick(editor("threshold"), Qt::Key_Up);
        QTest::keyClick(editor("threshold"), Qt::Key_Up);
        QCOMPARE(std::bit_cast<quint64>(value("threshold").toDouble()), std::bit_cast<quint64>(0.12));
        set("threshold", 1.0);
        QTest::keyClick(editor("threshold"), Qt::Key_Up);
        QCOMPARE(value("threshold").toDouble(), 1.0);
    }

    void seedIsUnsigned64Bits() {
        set("do_sample", true);
        type(editor("seed"), QStringLiteral("18446744073709551615"));
        QCOMPARE(value("seed"), QVariant(std::numeric_limits<qulonglong>::max()));
        QCOMPARE(value("seed").typeId(), static_cast<int>(QMetaType::ULongLong));
        // One more does not fit: its last digit is refused.
        type(editor("seed"), QStringLiteral("18446744073709551616"));
        QCOMPARE(value("seed"), QVariant(1844674407370955161ULL));
        type(editor("seed"), QStringLiteral("-12 .5e"));
        QCOMPARE(value("seed"), QVariant(125ULL));
        auto* line = qobject_cast<QLineEdit*>(editor("seed"));
        type(line, QString());
        line->clearFocus();
        QCOMPARE(line->text(), QStringLiteral("125"));
        QCOMPARE(value("seed"), QVariant(125ULL));
    }

    void typingTellsEveryChangeAtOnce() {
        QSignalSpy spy(m_dock.get(), &GenerationDock::valuesChanged);
        type(editor("block_size"), QStringLiteral("64"));
        QVERIFY(spy.count() >= 2);
        QCOMPARE(spy.last()[0].value<ControlValues>().value(QStringLiteral("block_size")), QVariant(64LL));
        spy.clear();
        QTest::mouseClick(editor("do_sample"), Qt::LeftButton, {}, QPoint(8, editor("do_sample")->height() / 2));
        QCOMPARE(spy.count(), 1);
        QCOMPARE(spy[0][0].value<ControlValues>().value(QStringLiteral("do_sample")), QVariant(true));
        spy.clear();
        QTest::keyClick(editor("decoding"), Qt::Key_Down);
        QCOMPARE(spy.count(), 1);
        QCOMPARE(value("decoding"), QVariant(QStringLiteral("self_speculative")));
    }

    void settingValuesTellsNothingAndRefusesWrongOnes() {
        QSignalSpy spy(m_dock.get(), &GenerationDock::valuesChanged);
        ControlValues values;
        values[QStringLiteral("threshold")] = std::numeric_limits<double>::quiet_NaN();
        values[QStringLiteral("temperature")] = std::numeric_limits<double>::infinity();
        values[QStringLiteral("block_size")] = 4096;
        values[QStringLiteral("seed")] = -5;
        values[QStringLiteral("decoding")] = QStringLiteral("beam_search");
        values[QStringLiteral("top_k")] = QStringLiteral("many");
        values[QStringLiteral("nonsense")] = 3;
        values[QStringLiteral("presence_penalty")] = 2.5;
        m_dock->setValues(values);
        QCOMPARE(spy.count(), 0);
        QCOMPARE(value("threshold"), QVariant(0.95));
        QCOMPARE(value("temperature"), QVariant(1.0));
        QCOMPARE(value("block_size"), QVariant(32LL));
        QCOMPARE(value("seed"), QVariant(0ULL));
        QCOMPARE(value("decoding"), QVariant(QStringLiteral("low_confidence")));
        QCOMPARE(value("top_k"), QVariant(0LL));
        QCOMPARE(value("presence_penalty"), QVariant(2.5));
        QVERIFY(!m_dock->values().contains(QStringLiteral("nonsense")));
    }

    void changedControlsAreMarkedAndReset() {
        QSignalSpy spy(m_dock.get(), &GenerationDock::valuesChanged);
        type(editor("threshold"), QStringLiteral("0.8"));
        type(editor("presence_penalty"), QStringLiteral("0.25"));
        auto* reset = child<QToolButton>(QStringLiteral("reset_threshold"));
        QVERIFY(reset->isVisible());
        QVERIFY(!child<QLabel>(QStringLiteral("changed_threshold"))->pixmap().isNull());
        QVERIFY(child<QPushButton>(QStringLiteral("resetAll"))->isEnabled());
        QTest::mouseClick(reset, Qt::LeftButton);
        QCOMPARE(value("threshold"), QVariant(0.95));
        QCOMPARE(value("presence_penalty"), QVariant(0.25));
        QVERIFY(!reset->isVisible());
        spy.clear();
        QTest::mouseClick(child<QPushButton>(QStringLiteral("resetAll")), Qt::LeftButton);
        QCOMPARE(value("presence_penalty"), QVariant(0.9));
        QCOMPARE(spy.count(), 1);
        QVERIFY(!child<QPushButton>(QStringLiteral("resetAll"))->isEnabled());
    }

    void defaultsAreTheModels() {
        m_dock->setDefaults({{QStringLiteral("threshold"), 0.9}, {QStringLiteral("block_size"), 16}});
        QCOMPARE(value("threshold"), QVariant(0.95));  // the conversation's value stays …
        QVERIFY(child<QToolButton>(QStringLiteral("reset_threshold"))->isVisible());
        QTest::mouseClick(child<QPushButton>(QStringLiteral("resetAll")), Qt::LeftButton);
        QCOMPARE(value("threshold"), QVariant(0.9));  // … until it is reset
        QCOMPARE(value("block_size"), QVariant(16LL));
        QVERIFY(editor("threshold")->toolTip().contains(QStringLiteral("Default: 0.9.")));
    }

    void theContextLimitsTheLength() {
        m_dock->setContext(512);
        QCOMPARE(value("max_new_tokens"), QVariant(512LL));
        QVERIFY(!child<QToolButton>(QStringLiteral("reset_max_new_tokens"))->isVisible());
        type(editor("max_new_tokens"), QStringLiteral("513"));
        QCOMPARE(value("max_new_tokens"), QVariant(51LL));
        m_dock->setContext(131072);
        QTest::mouseClick(child<QPushButton>(QStringLiteral("resetAll")), Qt::LeftButton);
        QCOMPARE(value("max_new_tokens"), QVariant(24576LL));
    }

    void controlsWithoutEffectAreOffWithAReason() {
        QVERIFY(!editor("temperature")->isEnabled());
        QVERIFY(child<QLabel>(QStringLiteral("reason_temperature"))->isVisibleTo(m_dock.get()));
        QVERIFY(!child<QLabel>(QStringLiteral("reason_top_p"))->isVisibleTo(m_dock.get()));  // said once for the whole run
        QVERIFY(editor("top_p")->toolTip().contains(QStringLiteral("sampling")));
        set("do_sample", true);
        QVERIFY(editor("temperature")->isEnabled() && editor("seed")->isEnabled());
        set("temperature", 0.0);
        QVERIFY(editor("temperature")->isEnabled() && !editor("seed")->isEnabled() && !editor("top_k")->isEnabled());

        QVERIFY(editor("threshold")->isEnabled() && editor("align_blocks")->isEnabled());
        set("decoding", QStringLiteral("self_speculative"));
        QVERIFY(!editor("threshold")->isEnabled() && !editor("align_blocks")->isEnabled());
        QVERIFY(editor("moe_block_coreset_top_p")->isEnabled());
        set("decoding", QStringLiteral("autoregressive"));
        QVERIFY(!editor("moe_block_coreset_enabled")->isEnabled());

        set("decoding", QStringLiteral("low_confidence"));
        set("moe_block_coreset_enabled", false);
        QVERIFY(!editor("moe_block_coreset_top_p")->isEnabled() && editor("moe_block_coreset_enabled")->isEnabled());

        QVERIFY(editor("dllm_think_end_bias")->isEnabled() && editor("dllm_think_end_window")->isEnabled());
        set("dllm_think_end_bias", 0.0);
        QVERIFY(editor("dllm_think_end_bias")->isEnabled() && !editor("dllm_think_end_window")->isEnabled());
        set("enable_thinking", false);
        QVERIFY(!editor("dllm_think_end_bias")->isEnabled());
        set("enable_thinking", true);
        m_dock->setThinkEndAvailable(false);
        QVERIFY(!editor("dllm_think_end_bias")->isEnabled() && !editor("enable_thinking")->isEnabled());
        set("dllm_length_penalty", 0.0);
        QVERIFY(editor("dllm_length_penalty")->isEnabled() && !editor("dllm_length_penalty_start")->isEnabled());
    }

    void theWheelScrollsUnlessTheFieldHasTheFocus() {
        auto* bar = child<QScrollArea>(QStringLiteral("generationScroll"))->verticalScrollBar();
        QVERIFY(bar->maximum() > 0);
        m_dock->setFocus();
        for (const char* name : {"block_size", "threshold", "decoding"}) {
            const int before = bar->value();
            const QVariant kept = value(name);
            wheel(editor(name), -120);
            QCOMPARE(value(name), kept);
            QVERIFY(!editor(name)->hasFocus());
            QVERIFY2(bar->value() > before,
                     qPrintable(QStringLiteral("%1: %2 of %3").arg(QLatin1String(name)).arg(bar->value()).arg(bar->maximum())));
        }
        editor("block_size")->setFocus();
        wheel(editor("block_size"), 120);
        QCOMPARE(value("block_size"), QVariant(33LL));
    }

    void fitsIntoNarrowDocks() {
        const auto* area = child<QScrollArea>(QStringLiteral("generationScroll"));
        QVERIFY(m_dock->width() == 280);
        QVERIFY2(
            area->widget()->minimumSizeHint().width() <= area->viewport()->width(),
            qPrintable(QStringLiteral("%1 > %2").arg(area->widget()->minimumSizeHint().width()).arg(area->viewport()->width())));
    }

    void presetsAreChosenSavedAndRemovedByName() {
        QSignalSpy chosen(m_dock.get(), &GenerationDock::presetChosen);
        QSignalSpy saved(m_dock.get(), &GenerationDock::presetSaveRequested);
        QSignalSpy removed(m_dock.get(), &GenerationDock::presetRemoveRequested);
        m_dock->setPresets({QStringLiteral("Careful"), QStringLiteral("Wild")});
        auto* combo = child<QComboBox>(QStringLiteral("presetName"));
        auto* save = child<QToolButton>(QStringLiteral("presetSave"));
        auto* remove = child<QToolButton>(QStringLiteral("presetRemove"));
        QVERIFY(combo->currentText().isEmpty() && !save->isEnabled() && !remove->isEnabled());

        combo->setFocus();
        QTest::keyClick(combo, Qt::Key_Down);
        QTest::keyClick(combo, Qt::Key_Down);
        QCOMPARE(chosen.count(), 2);
        QCOMPARE(chosen.last()[0].toString(), QStringLiteral("Wild"));
        QVERIFY(remove->isEnabled());
        QTest::mouseClick(remove, Qt::LeftButton);
        QCOMPARE(removed.count(), 1);
        QCOMPARE(removed[0][0].toString(), QStringLiteral("Wild"));
        m_dock->setPresets({QStringLiteral("Careful")});
        QVERIFY(combo->currentText().isEmpty());

        chosen.clear();
        QTest::keyClicks(combo->lineEdit(), QStringLiteral("  Car  pool "));
        QVERIFY(save->isEnabled() && !remove->isEnabled());
        QTest::mouseClick(save, Qt::LeftButton);
        QCOMPARE(saved.count(), 1);
        QCOMPARE(saved[0][0].toString(), QStringLiteral("Car pool"));
        m_dock->setPresets({QStringLiteral("Car pool"), QStringLiteral("Careful")});
        QCOMPARE(combo->currentText().simplified(), QStringLiteral("Car pool"));
        QVERIFY(remove->isEnabled());
        QCOMPARE(chosen.count(), 0);

        combo->lineEdit()->selectAll();
        QTest::keyClicks(combo->lineEdit(), QStringLiteral("Quick"));
        QTest::keyClick(combo, Qt::Key_Return);
        QCOMPARE(saved.count(), 2);
        QCOMPARE(saved.last()[0].toString(), QStringLiteral("Quick"));
    }

    void everyEditorIsReachedByTab() {
        QSet<QString> seen;
        m_dock->setFocus();
        set("do_sample", true);
        for (int i = 0; i < 80; ++i) {
            QTest::keyClick(QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : m_dock.get(), Qt::Key_Tab);
            if (QApplication::focusWidget() != nullptr) seen += QApplication::focusWidget()->objectName();
        }
        for (const ControlDescription& control : controlDescriptions())
            QVERIFY2(seen.contains(QStringLiteral("control_") + control.name), qPrintable(control.name));
    }
};

QTEST_MAIN(GenerationDockTest)
#include "generation_dock_test.moc"
