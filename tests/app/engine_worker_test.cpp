// EngineWorker with compatibility switches: what is given takes effect and comes back with its origin; what is unknown is
// refused.
#include "app/core/engine_worker.h"

#include <QSignalSpy>
#include <QTest>

namespace trefoil {

class EngineWorkerTest : public QObject {
    Q_OBJECT

private:
    static constexpr int kPatience = 30000;  // milliseconds; loading the demo model takes a fraction of a second

    static ModelLoadRequest demoWith(const CompatibilityChoices& switches) {
        ModelLoadRequest request;
        request.folder = QStringLiteral(TREFOIL_SOURCE_DIR "/resources/demo-model");
        request.device = QStringLiteral("cpu");
        request.threads = 1;
        request.switches = switches;
        return request;
    }

    /// Name -> (value, origin) of a loaded model.
    static QHash<QString, QPair<QString, CompatibilityOrigin>> byName(const QList<CompatibilityValue>& values) {
        QHash<QString, QPair<QString, CompatibilityOrigin>> out;
        for (const CompatibilityValue& v : values) out.insert(v.name, {v.value, v.origin});
        return out;
    }

private slots:
    void everySwitchIsDescribed() {
        const QList<CompatibilityValue> values = compatibilityValues();
        QCOMPARE(values.size(), 6);
        for (const CompatibilityValue& v : values) {
            QVERIFY(!v.title.isEmpty() && !v.explanation.isEmpty());
            QCOMPARE(v.choices.size(), 2);
            QCOMPARE(v.value, v.choices.first());
            QCOMPARE(v.origin, CompatibilityOrigin::Default);
        }
    }

    void switchesOfALoadComeBackWithTheirOrigin() {
        EngineWorker worker;
        QSignalSpy loaded(&worker, &EngineWorker::modelLoaded);
        worker.loadModelAsync(demoWith({{QStringLiteral("block_start"), QStringLiteral("aligned")}}));
        QTRY_VERIFY_WITH_TIMEOUT(!loaded.isEmpty(), kPatience);
        const auto model = loaded.first().at(1).value<ModelSummary>();
        const auto values = byName(model.compatibility);
        QCOMPARE(values.size(), 6);
        QCOMPARE(values.value(QStringLiteral("block_start")), qMakePair(QStringLiteral("aligned"), CompatibilityOrigin::User));
        QCOMPARE(values.value(QStringLiteral("norm_weights")),
                 qMakePair(QStringLiteral("zero_centred"), CompatibilityOrigin::Default));
        QCOMPARE(model.defaults.value(QStringLiteral("align_blocks")).toBool(), true);
        QVERIFY(model.notes.join(QLatin1Char('\n')).contains(QStringLiteral("block_start is aligned")));
    }

    void anUnknownSwitchIsRefused() {
        EngineWorker worker;
        QSignalSpy failed(&worker, &EngineWorker::loadFailed);
        worker.loadModelAsync(demoWith({{QStringLiteral("block_begin"), QStringLiteral("aligned")}}));
        QTRY_VERIFY_WITH_TIMEOUT(!failed.isEmpty(), kPatience);  // it may have come already
        QVERIFY(failed.first().at(1).toString().contains(QStringLiteral("no compatibility switch 'block_begin'")));
        QCOMPARE(failed.first().at(2).value<LoadEnd>(), LoadEnd::Failed);
    }
};

}  // namespace trefoil

QTEST_GUILESS_MAIN(trefoil::EngineWorkerTest)
#include "engine_worker_test.moc"
