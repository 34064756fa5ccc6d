// Announcer: says a sentence to assistive technology, as an alert. Takes no room and is not seen.
#pragma once

#include <QString>
#include <QWidget>

namespace trefoil {

class Announcer : public QWidget {
    Q_OBJECT
public:
    explicit Announcer(QWidget* parent);

    /// Its accessible name (role AlertMessage) becomes `text`; a NameChanged and an Alert event follow.
    void say(const QString& text);
    [[nodiscard]] QString said() const { return accessibleName(); }
};

/// What is said of a block that has just been committed: its number from 1, its passes, its text, shortened.
[[nodiscard]] QString blockSummary(int block, int passes, const QString& text);

}  // namespace trefoil
