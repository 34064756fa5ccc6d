#include "ui/models/form_making.h"

#include "app/core/form_maker.h"
#include "ui/chat/pill_button.h"
#include "ui/models/fact_form.h"
#include "ui/models/machine_section.h"
#include "ui/models/number_text.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QVBoxLayout>

#include <algorithm>

namespace trefoil {

namespace {

constexpr int kSteps = 1000;  // QProgressBar counts in int

PillButton* button(const QString& text, PillButton::Look look, const char* name, QWidget* parent) {
    auto* made = new PillButton(text, look, parent);
    made->setObjectName(QString::fromLatin1(name));
    made->setAutoDefault(false);
    return made;
}

}  // namespace

FormMaking::FormMaking(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("formMaking"));
    m_caption = new QLabel(this);
    m_caption->setObjectName(QStringLiteral("makingCaption"));
    m_caption->setTextFormat(Qt::PlainText);
    m_caption->setWordWrap(true);
    m_hint = subtleLabel({}, palette());
    m_hint->setObjectName(QStringLiteral("makingHint"));
    m_path = new QLineEdit(this);
    m_path->setObjectName(QStringLiteral("makingFolder"));
    m_path->setAccessibleName(tr("Folder for the new form"));
    connect(m_path, &QLineEdit::textChanged, this, &FormMaking::showHint);
    m_bar = new QProgressBar(this);
    m_bar->setObjectName(QStringLiteral("makingBar"));
    m_bar->setAccessibleName(tr("Making the new form"));
    m_bar->setTextVisible(false);
    m_bar->setMaximumHeight(10);
    m_choose = button(tr("Choose…"), PillButton::Look::Plain, "makingChoose", this);
    m_start = button(tr("Make"), PillButton::Look::Primary, "makingStart", this);
    m_stop = button(tr("Stop"), PillButton::Look::Plain, "makingStop", this);
    m_stop->setToolTip(tr("What is written stays; making the same form into the same folder goes on from there."));
    m_open = button(tr("Show the new model"), PillButton::Look::Primary, "makingOpen", this);
    m_close = button(tr("Dismiss"), PillButton::Look::Quiet, "makingClose", this);
    connect(m_choose, &QPushButton::clicked, this, &FormMaking::chooseFolder);
    connect(m_start, &QPushButton::clicked, this, [this] { emit startRequested(m_model, m_form, m_path->text().trimmed()); });
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_stop->setEnabled(false);
        m_caption->setText(tr("Stopping…"));
        emit stopRequested();
    });
    connect(m_open, &QPushButton::clicked, this, [this] {
        setState(State::Hidden);
        emit openRequested(m_folder);
    });
    connect(m_close, &QPushButton::clicked, this, [this] { setState(State::Hidden); });

    auto* row = new QHBoxLayout;
    row->addWidget(m_path, 1);
    row->addWidget(m_choose);
    row->addWidget(m_bar, 1);
    row->addWidget(m_stop);
    row->addStretch(0);
    row->addWidget(m_close);
    row->addWidget(m_start);
    row->addWidget(m_open);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 4, 0, 4);
    column->setSpacing(4);
    column->addWidget(m_caption);
    column->addLayout(row);
    column->addWidget(m_hint);
    setState(State::Hidden);
}

void FormMaking::setState(State state) {
    m_state = state;
    const bool asking = state == State::Asking;
    const bool making = state == State::Making;
    for (QWidget* part : {static_cast<QWidget*>(m_path), static_cast<QWidget*>(m_choose), static_cast<QWidget*>(m_start)})
        part->setVisible(asking);
    m_hint->setVisible(asking || making);
    m_bar->setVisible(making);
    m_stop->setVisible(making);
    m_stop->setEnabled(making);
    m_close->setVisible(asking || state == State::Ended);
    m_open->hide();
    setVisible(state != State::Hidden);
}

void FormMaking::ask(const QString& model, ModelForm form, const QString& proposed, quint64 fileBytes) {
    if (isMaking()) return;
    m_model = model;
    m_form = form;
    setState(State::Asking);
    m_caption->setText(tr("%1 in the form %2, about %3, into the folder:")
                           .arg(QFileInfo(QDir(model).absolutePath()).fileName(), modelFormText(form), bytesText(fileBytes)));
    m_path->setText(QDir::toNativeSeparators(proposed));
    showHint();
    m_path->setFocus();
}

void FormMaking::showHint() {
    const QString folder = m_path->text().trimmed();
    m_start->setEnabled(QDir::isAbsolutePath(folder));
    m_hint->setText(FormMaker::isUnfinished(folder)
                        ? tr("The folder holds what a stopped run left: if it was the same form, it is gone on with.")
                        : tr("The folder is made. Nothing is overwritten: one that holds anything else is refused."));
}

void FormMaking::chooseFolder() {
    const QFileInfo now(m_path->text());
    const QString parent =
        QFileDialog::getExistingDirectory(this, tr("Folder in which the new form's folder is made"), now.path());
    if (!parent.isEmpty()) m_path->setText(QDir::toNativeSeparators(QDir(parent).filePath(now.fileName())));
}

void FormMaking::begin(const QString& folder) {
    m_folder = folder;
    setState(State::Making);
    m_bar->setRange(0, 0);
    m_caption->setText(tr("Making %1…").arg(QFileInfo(folder).fileName()));
    m_hint->setText(tr("Conversations go on meanwhile. Closing Trefoil stops it, and the same folder goes on from there."));
}

void FormMaking::setProgress(quint64 doneBytes, quint64 totalBytes) {
    if (!isMaking() || !m_stop->isEnabled() || totalBytes == 0) return;
    m_bar->setRange(0, kSteps);
    m_bar->setValue(
        static_cast<int>(static_cast<double>(std::min(doneBytes, totalBytes)) / static_cast<double>(totalBytes) * kSteps));
    m_caption->setText(tr("Making %1…  %2").arg(QFileInfo(m_folder).fileName(), bytesOfText(doneBytes, totalBytes)));
}

void FormMaking::setFinished(const MadeForm& made) {
    m_folder = made.folder;
    setState(State::Ended);
    const QString name = QFileInfo(made.folder).fileName();
    m_open->setVisible(made.made);
    if (made.made)
        m_caption->setText(made.note.isEmpty() ? tr("%1 is ready, %2.").arg(name, bytesText(made.bytes))
                                               : tr("%1 is ready, %2. %3").arg(name, bytesText(made.bytes), made.note));
    else if (made.stopped)
        m_caption->setText(tr("Making %1 was stopped. The same form into the same folder goes on from there.").arg(name));
    else
        m_caption->setText(tr("%1 could not be made: %2.").arg(name, made.problem));
}

QString FormMaking::caption() const { return m_caption->text(); }

}  // namespace trefoil
