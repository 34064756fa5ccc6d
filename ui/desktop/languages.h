// Languages: the translations that the program has, and the one that it speaks now.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QTranslator>

namespace trefoil {

struct Language {
    QString code;  ///< "en", "de", "zh_CN", "ja"
    QString name;  ///< in itself
};

class Languages : public QObject {
    Q_OBJECT
public:
    explicit Languages(QObject* parent = nullptr);
    ~Languages() override;

    [[nodiscard]] static QList<Language> available();
    /// The language that `setting` (see Settings::language) stands for on this desktop.
    [[nodiscard]] static QString resolve(const QString& setting);
    /// From now on new texts are in that language, Qt's own as well where its translations are installed. Texts that are on show
    /// already stay; who shows them makes them anew.
    void speak(const QString& setting);
    [[nodiscard]] QString spoken() const { return m_spoken; }

private:
    QTranslator m_program;
    QTranslator m_qt;
    QString m_spoken;  ///< empty: nothing was chosen yet
};

}  // namespace trefoil
