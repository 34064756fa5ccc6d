#include "app/core/form_maker.h"

#include "app/core/engine_conversions.h"
#include "engine/checkpoint/quantise.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QThreadPool>

#include <memory>

namespace trefoil {

namespace {

QString suffixOf(ModelForm form) {
    switch (form) {
        case ModelForm::Fp8:
            return QStringLiteral("FP8");
        case ModelForm::Int4By32:
            return QStringLiteral("int4-g32");
        case ModelForm::Int4By128:
            return QStringLiteral("int4-g128");
        case ModelForm::Stored:
        case ModelForm::BFloat16:
            break;
    }
    return {};
}

QString configOf(const QString& folder) { return QDir(folder).filePath(QStringLiteral("config.json")); }

MadeForm toMadeForm(const QString& folder, const Result<QuantiseReport>& report) {
    MadeForm made;
    made.folder = folder;
    made.made = report.ok();
    if (!report.ok()) {
        made.stopped = report.error().kind == ErrorKind::Cancelled;
        made.problem = toQString(report.error().text());
        return made;
    }
    made.bytes = report->bytes;
    QStringList notes;
    for (const std::string& note : report->notes) notes.append(toQString(note));
    made.note = notes.join(QStringLiteral("; "));
    return made;
}

}  // namespace

struct FormMaker::Private {
    QThreadPool pool;
    std::shared_ptr<CancelFlag> cancel;  ///< of what runs; null: nothing does
    QString folder;
};

FormMaker::FormMaker(QObject* parent) : QObject(parent), d(std::make_unique<Private>()) {
    qRegisterMetaType<MadeForm>();
    d->pool.setMaxThreadCount(1);
    connect(this, &FormMaker::finished, this, [this] { d->cancel.reset(); });
}

FormMaker::~FormMaker() {
    stop();
    d->pool.waitForDone();
}

bool FormMaker::start(const QString& model, ModelForm form, const QString& out) {
    if (isRunning() || suffixOf(form).isEmpty()) return false;
    d->cancel = std::make_shared<CancelFlag>();
    d->folder = out;
    d->pool.start([this, model, form, out, cancel = d->cancel] {
        QuantiseOptions options;
        options.format = form == ModelForm::Fp8 ? QuantisedFormat::Fp8Blocks : QuantisedFormat::Int4Groups;
        options.groupSize = form == ModelForm::Int4By128 ? 128 : 32;
        options.cancel = cancel.get();
        options.progress = [this](std::uint64_t done, std::uint64_t total) { emit progress(done, total); };
        const auto report = guarded<Result<QuantiseReport>>([&] {
            return quantiseCheckpoint(QFile::encodeName(model).toStdString(), QFile::encodeName(out).toStdString(), options);
        });
        emit finished(toMadeForm(out, report));
    });
    return true;
}

void FormMaker::stop() {
    if (d->cancel) d->cancel->request();
}

bool FormMaker::isRunning() const { return d->cancel != nullptr; }

QString FormMaker::folder() const { return d->folder; }

bool FormMaker::isUnfinished(const QString& folder) {
    const QDir dir(folder);
    return dir.exists() && !QFileInfo::exists(configOf(folder)) &&
           !dir.entryList({QStringLiteral("*.safetensors"), QStringLiteral("*.safetensors.part")}, QDir::Files).isEmpty();
}

QString FormMaker::proposedFolder(const QString& model, ModelForm form) {
    const QFileInfo source(QDir(model).absolutePath());
    const bool beside = QFileInfo(source.absolutePath()).isWritable();
    const QString base =
        QDir(beside ? source.absolutePath() : QDir::homePath()).filePath(source.fileName()) + QLatin1Char('-') + suffixOf(form);
    QString folder = base;
    for (int i = 2; QFileInfo::exists(folder) && !isUnfinished(folder); ++i) folder = base + QStringLiteral("-%1").arg(i);
    return folder;
}

}  // namespace trefoil
