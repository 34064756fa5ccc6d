#include "ui/desktop/preferences_dialog.h"

#include "app/core/settings.h"
#include "ui/desktop/desktop_look.h"
#include "ui/desktop/keys_page.h"
#include "ui/desktop/languages.h"
#include "ui/desktop/local_api_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QTabWidget>
#include <QVBoxLayout>

namespace trefoil {
namespace {

/// On screens that are lower than the page.
QScrollArea* scrollable(QWidget* page) {
    auto* area = new QScrollArea(page->parentWidget());
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setWidget(page);
    return area;
}

}  // namespace

PreferencesDialog::PreferencesDialog(Settings* settings, ShortcutTable* shortcuts, LocalApi* localApi, QWidget* parent)
    : QDialog(parent), m_settings(settings), m_tabs(new QTabWidget(this)) {
    setObjectName(QStringLiteral("preferencesDialog"));
    setWindowTitle(tr("Settings"));
    m_tabs->setObjectName(QStringLiteral("preferencesTabs"));
    m_tabs->addTab(buildAppearance(), tr("&Appearance && desktop"));
    m_tabs->addTab(new KeysPage(shortcuts, m_tabs), tr("&Keys"));
    if (localApi != nullptr) m_tabs->addTab(scrollable(new LocalApiPage(localApi, m_tabs)), tr("&Local API"));
    auto* buttons = new QDialogButtonBox(this);
    buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);  // Qt's own text needs its translations installed
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    // Return in a field is for the field.
    for (QPushButton* button : findChildren<QPushButton*>()) button->setAutoDefault(false);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_tabs);
    layout->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 110, fontMetrics().height() * 46);
}

void PreferencesDialog::showPage(Page page) { m_tabs->setCurrentIndex(static_cast<int>(page)); }

QWidget* PreferencesDialog::buildAppearance() {
    auto* page = new QWidget(m_tabs);
    auto* form = new QFormLayout(page);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    addLooks(form);
    addLanguage(form);
    addDesktop(form);
    return page;
}

void PreferencesDialog::addLooks(QFormLayout* form) {
    auto* theme = new QComboBox(this);
    theme->setObjectName(QStringLiteral("themeChoice"));
    theme->setAccessibleName(tr("Theme"));
    theme->addItems({tr("Like the desktop"), tr("Light"), tr("Dark")});
    theme->setCurrentIndex(static_cast<int>(m_settings->theme()));
    connect(theme, &QComboBox::activated, this, [this](int index) { m_settings->setTheme(static_cast<ThemeChoice>(index)); });
    connect(m_settings, &Settings::themeChanged, theme,
            [theme](ThemeChoice choice) { theme->setCurrentIndex(static_cast<int>(choice)); });
    form->addRow(tr("&Theme:"), theme);

    auto* size = new QSpinBox(this);
    size->setObjectName(QStringLiteral("fontSizeEdit"));
    size->setAccessibleName(tr("Text size"));
    size->setRange(DesktopLook::kSmallestFont - 1, DesktopLook::kLargestFont);
    size->setSpecialValueText(tr("Like the desktop"));
    size->setSuffix(tr(" pt"));
    size->setValue(m_settings->fontSize());
    connect(size, &QSpinBox::valueChanged, this,
            [this](int points) { m_settings->setFontSize(points < DesktopLook::kSmallestFont ? 0 : points); });
    connect(m_settings, &Settings::fontSizeChanged, size, [size](int points) { size->setValue(points); });
    form->addRow(tr("Text &size:"), size);

    auto* motion = new QComboBox(this);
    motion->setObjectName(QStringLiteral("motionChoice"));
    motion->setAccessibleName(tr("Motion"));
    motion->addItems({tr("Like the desktop"), tr("Animate"), tr("Without animations")});
    motion->setCurrentIndex(static_cast<int>(m_settings->motion()));
    connect(motion, &QComboBox::activated, this, [this](int index) { m_settings->setMotion(static_cast<MotionChoice>(index)); });
    form->addRow(tr("&Motion:"), motion);

    auto* safe = new QCheckBox(tr("Blue and &orange instead of green and yellow in the blocks"), this);
    safe->setObjectName(QStringLiteral("safeColoursCheck"));
    safe->setToolTip(tr("For people who do not tell green from red."));
    safe->setChecked(m_settings->safeColours());
    connect(safe, &QCheckBox::toggled, m_settings, &Settings::setSafeColours);
    form->addRow(QString(), safe);
}

void PreferencesDialog::addLanguage(QFormLayout* form) {
    auto* language = new QComboBox(this);
    language->setObjectName(QStringLiteral("languageChoice"));
    language->setAccessibleName(tr("Language"));
    language->addItem(tr("Like the desktop"), QString());
    for (const Language& known : Languages::available()) language->addItem(known.name, known.code);
    language->setCurrentIndex(qMax(0, language->findData(m_settings->language())));
    connect(language, &QComboBox::activated, this,
            [this, language](int index) { m_settings->setLanguage(language->itemData(index).toString()); });
    form->addRow(tr("&Language:"), language);
}

void PreferencesDialog::addDesktop(QFormLayout* form) {
    auto* notify = new QCheckBox(tr("Tell me when a long answer is &written and the window is in the background"), this);
    notify->setObjectName(QStringLiteral("notifyCheck"));
    notify->setChecked(m_settings->notifyWhenDone());
    connect(notify, &QCheckBox::toggled, m_settings, &Settings::setNotifyWhenDone);
    form->addRow(QString(), notify);
}

}  // namespace trefoil
