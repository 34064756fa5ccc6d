// PreferencesDialog: "Appearance & desktop" and "Keys". What is changed holds at once.
#pragma once

#include <QDialog>

class QFormLayout;
class QTabWidget;

namespace trefoil {

class Settings;
class ShortcutTable;

class PreferencesDialog : public QDialog {
    Q_OBJECT
public:
    enum class Page { Appearance, Keys };

    /// `settings` and `shortcuts` outlive this.
    PreferencesDialog(Settings* settings, ShortcutTable* shortcuts, QWidget* parent);
    void showPage(Page page);

private:
    QWidget* buildAppearance();
    void addLooks(QFormLayout* form);
    void addLanguage(QFormLayout* form);
    void addDesktop(QFormLayout* form);

    Settings* m_settings;
    QTabWidget* m_tabs;
};

}  // namespace trefoil
