#include "app/core/presets.h"

#include "app/core/data_location.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>

namespace trefoil {

namespace {

using Json = nlohmann::json;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(PresetStore)
};

constexpr int kFormat = 1;
constexpr qint64 kMaxFileBytes = 4 * 1024 * 1024;
constexpr qsizetype kMaxName = 80;

qsizetype indexOf(const QList<Preset>& presets, const QString& name) {
    for (qsizetype i = 0; i < presets.size(); ++i) {
        if (presets[i].name == name) return i;
    }
    return -1;
}

void sort(QList<Preset>* presets) {
    std::sort(presets->begin(), presets->end(), [](const Preset& a, const Preset& b) {
        const int order = a.name.compare(b.name, Qt::CaseInsensitive);
        return order != 0 ? order < 0 : a.name < b.name;
    });
}

QString nameProblem(const QString& name) {
    if (name.isEmpty()) return Text::tr("A preset needs a name.");
    if (name.size() > kMaxName)
        return Text::tr("A preset's name has at most %1 characters, this one %2.").arg(kMaxName).arg(name.size());
    const bool control = std::any_of(name.cbegin(), name.cend(), [](QChar sign) {
        return sign.category() == QChar::Other_Control || sign == QChar::LineSeparator || sign == QChar::ParagraphSeparator;
    });
    return control ? Text::tr("A preset's name stands on one line.") : QString();
}

StoreProblem noSuch(const QString& name) {
    return {StoreProblemKind::NotFound, Text::tr("There is no preset “%1”.").arg(name),
            Text::tr("It may have been removed elsewhere.")};
}

/// The good entries of the file's text; false when anything in it was not understood.
bool parse(const QByteArray& bytes, QList<Preset>* presets, int* format) {
    const Json root = Json::parse(bytes.constData(), bytes.constData() + bytes.size(), nullptr, false);
    if (!root.is_object()) return false;
    const auto version = root.find("format");
    if (version == root.end() || !version->is_number_integer()) return false;
    *format = version->get<int>();
    const auto list = root.find("presets");
    if (list == root.end() || !list->is_array()) return false;
    bool good = true;
    for (const Json& entry : *list) {
        const auto name = entry.is_object() ? entry.find("name") : entry.end();
        const auto controls = entry.is_object() ? entry.find("controls") : entry.end();
        Preset preset;
        if (name != entry.end() && name->is_string()) preset.name = QString::fromStdString(name->get<std::string>());
        const bool usable = controls != entry.end() && nameProblem(preset.name).isEmpty() && indexOf(*presets, preset.name) < 0 &&
                            controlsFromJson(QByteArray::fromStdString(controls->dump()), &preset.controls);
        if (usable) presets->append(preset);
        good = good && usable;
    }
    return good;
}

}  // namespace

PresetStore::PresetStore(const QString& fileName) : m_fileName(fileName) {}

StoreProblem PresetStore::load() {
    QList<Preset> presets;
    const StoreProblem problem = read(&presets);
    sort(&presets);
    m_presets = presets;
    return problem;
}

QStringList PresetStore::names() const {
    QStringList names;
    for (const Preset& preset : m_presets) names.append(preset.name);
    return names;
}

bool PresetStore::contains(const QString& name) const { return indexOf(m_presets, name) >= 0; }

ControlValues PresetStore::controls(const QString& name) const {
    const qsizetype index = indexOf(m_presets, name);
    return index < 0 ? ControlValues() : m_presets[index].controls;
}

StoreProblem PresetStore::save(const QString& givenName, const ControlValues& controls) {
    const QString name = givenName.trimmed();
    if (const QString problem = nameProblem(name); !problem.isEmpty()) {
        return {StoreProblemKind::Invalid, problem, Text::tr("Choose another name.")};
    }
    return change([&name, &controls](QList<Preset>* presets) {
        const qsizetype index = indexOf(*presets, name);
        if (index < 0) {
            presets->append({name, controls});
        } else {
            (*presets)[index].controls = controls;
        }
        return StoreProblem();
    });
}

StoreProblem PresetStore::rename(const QString& from, const QString& givenName) {
    const QString to = givenName.trimmed();
    if (const QString problem = nameProblem(to); !problem.isEmpty()) {
        return {StoreProblemKind::Invalid, problem, Text::tr("Choose another name.")};
    }
    return change([&from, &to](QList<Preset>* presets) -> StoreProblem {
        const qsizetype index = indexOf(*presets, from);
        if (index < 0) return noSuch(from);
        if (from != to && indexOf(*presets, to) >= 0) {
            return {StoreProblemKind::Invalid, Text::tr("There is a preset “%1” already.").arg(to),
                    Text::tr("Choose another name.")};
        }
        (*presets)[index].name = to;
        return {};
    });
}

StoreProblem PresetStore::remove(const QString& name) {
    return change([&name](QList<Preset>* presets) -> StoreProblem {
        const qsizetype index = indexOf(*presets, name);
        if (index < 0) return noSuch(name);
        presets->removeAt(index);
        return {};
    });
}

StoreProblem PresetStore::read(QList<Preset>* presets) const {
    if (m_fileName.isEmpty()) {
        *presets = m_presets;
        return {};
    }
    QFile file(m_fileName);
    if (!file.exists()) return {};
    if (!file.open(QIODevice::ReadOnly)) {
        return {StoreProblemKind::Io, Text::tr("The presets “%1” cannot be read: %2.").arg(m_fileName, file.errorString()),
                Text::tr("Check the file's permissions.")};
    }
    int format = kFormat;
    const bool good = file.size() <= kMaxFileBytes && parse(file.readAll(), presets, &format);
    if (format > kFormat) {
        return {StoreProblemKind::NewerVersion, Text::tr("The presets “%1” were written by a newer Trefoil.").arg(m_fileName),
                Text::tr("They are left as they are; update Trefoil to change them.")};
    }
    if (good) return {};
    return {StoreProblemKind::Damaged, Text::tr("The presets “%1” are damaged.").arg(m_fileName),
            Text::tr("The readable ones are shown; the file is put aside when presets are next saved.")};
}

template <class F>
StoreProblem PresetStore::change(F apply) {
    QList<Preset> presets;
    const StoreProblem found = read(&presets);
    if (!found.ok() && found.kind != StoreProblemKind::Damaged) return found;
    if (const StoreProblem problem = apply(&presets); !problem.ok()) return problem;
    sort(&presets);
    if (const StoreProblem problem = write(presets, !found.ok()); !problem.ok()) return problem;
    m_presets = presets;
    return {};
}

StoreProblem PresetStore::write(const QList<Preset>& presets, bool keepOld) {
    if (m_fileName.isEmpty()) return {};
    if (const StoreProblem problem = prepareFolder(QFileInfo(m_fileName).absolutePath()); !problem.ok()) return problem;
    if (keepOld) {
        const QString aside = m_fileName + QStringLiteral(".damaged-") +
                              QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmsszzz"));
        if (!QFile::copy(m_fileName, aside)) {
            return {StoreProblemKind::Io, Text::tr("The damaged presets could not be put aside as “%1”.").arg(aside),
                    Text::tr("Nothing was changed; check the folder.")};
        }
    }
    Json list = Json::array();
    for (const Preset& preset : presets) {
        const QByteArray controls = controlsToJson(preset.controls);
        list.push_back({{"name", preset.name.toStdString()}, {"controls", Json::parse(controls.constData(), nullptr, false)}});
    }
    const std::string text =
        Json{{"format", kFormat}, {"presets", list}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    QSaveFile file(m_fileName);
    const auto size = static_cast<qint64>(text.size());
    const auto owner = QFileDevice::ReadOwner | QFileDevice::WriteOwner;
    if (file.open(QIODevice::WriteOnly) && file.setPermissions(owner) && file.write(text.data(), size) == size && file.commit())
        return {};
    return {StoreProblemKind::Io, Text::tr("The presets “%1” could not be written: %2.").arg(m_fileName, file.errorString()),
            Text::tr("Nothing was changed; check the folder and the free space.")};
}

}  // namespace trefoil
