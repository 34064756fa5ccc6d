// PromptViewDialog: the prompt exactly as it is sent, piece by piece, with its token ids.
#pragma once

#include "app/core/generation_types.h"

#include <QDialog>

class QLabel;
class QPlainTextEdit;
class QTabWidget;

namespace trefoil {

class NoticeBar;
class PillButton;

/// Control pieces stand out as chips, so that text which only spells one can be told from a real one.
class PromptViewDialog : public QDialog {
    Q_OBJECT
public:
    explicit PromptViewDialog(QWidget* parent = nullptr);

    void setPrompt(const PromptView& prompt);
    /// All ids as a JSON array, as `trefoil-cli generate --ids` takes it.
    [[nodiscard]] QString idsText() const;
    /// The pieces' text in order; control pieces by their names.
    [[nodiscard]] QString promptText() const;

private:
    void fillText();
    void fillIds();
    void copy(const QString& text, const QString& done);

    PromptView m_prompt;
    bool m_idsFilled = false;
    QLabel* m_summary;
    NoticeBar* m_problem;
    QTabWidget* m_tabs;
    QPlainTextEdit* m_text;
    QPlainTextEdit* m_ids;
    QLabel* m_copied;
    PillButton* m_copyText;
    PillButton* m_copyIds;
};

}  // namespace trefoil
