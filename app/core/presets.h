// Named sets of control values, kept as JSON in the data folder. A file that cannot be understood is never overwritten: the first
// change puts it aside under another name.
#pragma once

#include "app/core/store_types.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace trefoil {

struct Preset {
    QString name;
    ControlValues controls;
    bool operator==(const Preset&) const = default;
};

class PresetStore {
public:
    /// An empty name keeps the presets in memory only. Call load() before the rest.
    explicit PresetStore(const QString& fileName = {});

    /// Reads the file; none is no problem. With a problem the good entries are there all the same.
    StoreProblem load();
    /// Sorted by name.
    [[nodiscard]] QStringList names() const;
    [[nodiscard]] bool contains(const QString& name) const;
    [[nodiscard]] ControlValues controls(const QString& name) const;

    // Each change reads the file anew (another Trefoil may have changed it) and replaces it as a whole. Nothing changes on a
    // problem.
    /// Replaces a preset of that name. Names are trimmed, 1 to 80 characters, on one line.
    StoreProblem save(const QString& name, const ControlValues& controls);
    /// Invalid when `to` exists.
    StoreProblem rename(const QString& from, const QString& to);
    StoreProblem remove(const QString& name);

private:
    StoreProblem read(QList<Preset>* presets) const;
    StoreProblem write(const QList<Preset>& presets, bool keepOld);
    template <class F>
    StoreProblem change(F apply);

    QString m_fileName;
    QList<Preset> m_presets;
};

}  // namespace trefoil
