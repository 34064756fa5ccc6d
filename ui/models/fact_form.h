// FactForm: headings and rows of label and selectable value, as the pages of the Model dialog show them.
#pragma once

#include <QString>

class QFormLayout;
class QLabel;
class QPalette;
class QVBoxLayout;
class QWidget;

namespace trefoil {

/// Selectable text that also breaks a long path, which a label would not. Owned by its later parent.
[[nodiscard]] QWidget* factField(const QString& text, const QString& accessibleName);
/// A quieter label that wraps. Owned by its later parent.
[[nodiscard]] QLabel* subtleLabel(const QString& text, const QPalette& palette);
/// A bold line, with some space above unless it is the first.
void addHeading(QVBoxLayout* column, const QString& text);
/// Label and value in two columns; owned by `column`.
QFormLayout* addForm(QVBoxLayout* column);
/// Nothing for an empty value.
void addRow(QFormLayout* form, const QString& label, const QString& value, const QPalette& palette);
/// Under numbers of memory: what the coreset saves and what not.
void addCoresetNote(QVBoxLayout* column, const QPalette& palette);

}  // namespace trefoil
