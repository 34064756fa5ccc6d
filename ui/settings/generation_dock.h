// GenerationDock: the controls of one conversation, the content of the Generation dock. Shows and edits values, stores none.
#pragma once

#include "app/core/generation_types.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace trefoil {

class ControlRow;
class PresetBar;
class WheelGuard;

/// The table of rows is made from the descriptions; labels, groups and tooltips come from control_texts. Works from 280 pixels
/// width on; scrolls by itself.
class GenerationDock : public QWidget {
    Q_OBJECT
public:
    explicit GenerationDock(QWidget* parent = nullptr);

    /// Makes the rows anew; values become the defaults.
    void setDescriptions(const QList<ControlDescription>& descriptions);
    /// The model's defaults: what reset goes back to. Missing keys take the description's default. Values stay as they are.
    void setDefaults(const ControlValues& defaults);
    /// The conversation's values. Missing keys take the default, and so do values that the range forbids. Does not emit.
    void setValues(const ControlValues& values);
    /// All controls, typed as ControlValues says.
    [[nodiscard]] ControlValues values() const;
    /// False: the model has no `</think>` token, and the controls of thinking have no effect.
    void setThinkEndAvailable(bool available);
    /// The model's context: the upper limit of max_new_tokens.
    void setContext(qint64 tokens);
    /// Controls that what answers does not take: contract name -> why. They are greyed with the reason.
    void setRefused(const QHash<QString, QString>& reasons);
    void setPresets(const QStringList& names);

signals:
    /// After each change by the person: all values.
    void valuesChanged(const trefoil::ControlValues& values);
    void presetChosen(const QString& name);
    /// The name may exist already: then the preset is to be replaced.
    void presetSaveRequested(const QString& name);
    void presetRemoveRequested(const QString& name);

protected:
    void changeEvent(QEvent* event) override;

private:
    void onRowChanged();
    void resetAll();
    void refreshReasons();
    void refreshReset();
    void refreshColors();

    QList<ControlRow*> m_rows;
    QList<QLabel*> m_titles;
    QWidget* m_content = nullptr;
    QVBoxLayout* m_column = nullptr;
    PresetBar* m_presets = nullptr;
    QPushButton* m_resetAll = nullptr;
    WheelGuard* m_wheel = nullptr;
    QHash<QString, QString> m_refused;
    qint64 m_context = 0;  // 0: not known
    bool m_thinkEndAvailable = true;
};

}  // namespace trefoil
