// PreferencesDialog: "Appearance & desktop", "Keys" and "Local API". What is changed holds at once.
#pragma once

#include <QDialog>

class QFormLayout;
class QTabWidget;

namespace trefoil {

class LocalApi;
class Settings;
class ShortcutTable;

class PreferencesDialog : public QDialog {
    Q_OBJECT
public:
    enum class Page { Appearance, Keys, LocalApi };

    /// What is given outlives this. `localApi` may be null: then there is no such page.
    PreferencesDialog(Settings* settings, ShortcutTable* shortcuts, LocalApi* localApi, QWidget* parent);
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
