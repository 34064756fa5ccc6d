#include "ui/compare/compare_dialog.h"

#include "app/core/word_diff.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTextBrowser>
#include <QTextCursor>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>

namespace trefoil {

namespace {

QString valueText(const QVariant& value) {
    if (value.typeId() == QMetaType::Double) return QString::number(value.toDouble(), 'g', QLocale::FloatingPointShortest);
    return value.toString();
}

/// Names of the controls whose values differ, with the value of `settings`.
QString differing(const ControlValues& settings, const ControlValues& other) {
    QStringList parts;
    for (const ControlDescription& control : controlDescriptions()) {
        const QVariant value = settings.value(control.name, control.standard);
        if (valueText(value) != valueText(other.value(control.name, control.standard)))
            parts.append(control.name + QStringLiteral(" = ") + valueText(value));
    }
    return parts.join(QStringLiteral(", "));
}

QString figuresText(const MessageRecord& answer, const QLocale& locale) {
    const GenerationStats& s = answer.stats;
    if (s.passes == 0) return CompareDialog::tr("No figures were kept.");
    return CompareDialog::tr("%1 tokens, %2 passes, %3 tokens per pass, %4 s")
        .arg(locale.toString(s.writtenTokens()), locale.toString(s.passes),
             locale.toString(static_cast<double>(s.writtenTokens()) / static_cast<double>(s.passes), 'f', 2),
             locale.toString((s.prefillMs + s.decodeMs) / 1000.0, 'f', 2));
}

void fill(QTextBrowser* view, const QList<DiffPart>& parts, const QPalette& palette) {
    const QTextCharFormat plain;  // the text follows the theme by itself
    QTextCharFormat other = plain;
    other.setBackground(theme::blend(palette.color(QPalette::Base), theme::tone(theme::Tone::Warning, palette), 0.35));
    other.setFontUnderline(true);  // not by colour alone
    view->clear();
    QTextCursor cursor(view->document());
    for (const DiffPart& part : parts) cursor.insertText(part.text, part.same ? plain : other);
    view->moveCursor(QTextCursor::Start);
}

}  // namespace

CompareDialog::CompareDialog(QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("compareDialog"));
    setWindowTitle(tr("Compare answers"));
    setSizeGripEnabled(true);
    resize(960, 680);
    const auto label = [this](const char* name) {
        auto* text = new QLabel(this);
        text->setObjectName(QLatin1String(name));
        text->setTextFormat(Qt::PlainText);
        text->setWordWrap(true);
        return text;
    };
    m_question = label("compareQuestion");
    m_difference = label("compareDifference");
    m_note = label("compareNote");
    QLabel* gpu = label("compareGpuNote");
    gpu->setText(
        tr("On a GPU, texts can differ with equal settings too: a prompt whose beginning is reused is computed in other "
           "pieces, which can decide between nearly equal words. On the CPU they are the same."));
    gpu->setForegroundRole(QPalette::PlaceholderText);

    auto* sides = new QHBoxLayout;
    sides->addWidget(buildSide(0), 1);
    sides->addWidget(buildSide(1), 1);
    auto* buttons = new QDialogButtonBox(this);
    buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);  // Qt's own text needs its translations installed
    m_run = buttons->addButton(tr("Write both"), QDialogButtonBox::ActionRole);
    m_run->setObjectName(QStringLiteral("compareRunButton"));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_question);
    layout->addLayout(sides, 1);
    layout->addWidget(m_difference);
    layout->addWidget(gpu);
    layout->addWidget(m_note);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_run, &QPushButton::clicked, this, &CompareDialog::run);
    setRunning(false);
}

QWidget* CompareDialog::buildSide(int index) {
    Side& side = m_sides.at(static_cast<std::size_t>(index));
    const QString suffix = index == 0 ? QStringLiteral("Left") : QStringLiteral("Right");
    const QString name = index == 0 ? tr("left") : tr("right");
    auto* column = new QWidget(this);
    const auto combo = [&](const char* object, const QString& accessible) {
        auto* box = new QComboBox(column);
        box->setObjectName(QLatin1String(object) + suffix);
        box->setAccessibleName(tr("%1, %2").arg(accessible, name));
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        return box;
    };
    side.version = combo("compareVersion", tr("Version"));
    side.settings = combo("compareSettings", tr("Settings"));
    side.control = combo("compareControl", tr("Changed setting"));
    side.value = new QLineEdit(column);
    side.value->setObjectName(QStringLiteral("compareValue") + suffix);
    side.value->setAccessibleName(tr("Value of the changed setting, %1").arg(name));
    side.figures = new QLabel(column);
    side.figures->setObjectName(QStringLiteral("compareFigures") + suffix);
    side.figures->setTextFormat(Qt::PlainText);
    side.figures->setWordWrap(true);
    side.text = new QTextBrowser(column);
    side.text->setObjectName(QStringLiteral("compareText") + suffix);
    side.text->setAccessibleName(tr("Answer, %1").arg(name));
    side.text->setOpenLinks(false);
    side.control->addItem(tr("nothing else"), QString());
    for (const ControlDescription& control : controlDescriptions())
        if (control.name != QLatin1String("seed")) side.control->addItem(control.name, control.name);

    auto* changed = new QHBoxLayout;
    changed->addWidget(side.control, 1);
    changed->addWidget(side.value, 1);
    auto* form = new QFormLayout;
    form->addRow(tr("Write with"), side.settings);
    form->addRow(tr("and change"), changed);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(side.version);
    layout->addWidget(side.figures);
    layout->addWidget(side.text, 1);
    layout->addLayout(form);
    connect(side.version, &QComboBox::currentIndexChanged, this, [this] { showAnswers(); });
    connect(side.control, &QComboBox::currentIndexChanged, this, [this, index] { showValue(index); });
    connect(side.settings, &QComboBox::currentIndexChanged, this, [this, index] { showValue(index); });
    return column;
}

void CompareDialog::setAnswers(const QString& question, const QList<MessageRecord>& answers) {
    m_answers = answers;
    m_question->setText(question.simplified().left(300));
    for (int index = 0; index < 2; ++index) {
        QComboBox* box = m_sides.at(static_cast<std::size_t>(index)).version;
        const QString before = box->currentData().toString();
        const QSignalBlocker quiet(box);
        box->clear();
        for (qsizetype i = 0; i < answers.size(); ++i)
            box->addItem(tr("Version %1 of %2, %3")
                             .arg(locale().toString(i + 1), locale().toString(answers.size()),
                                  locale().toString(answers.at(i).createdUtc.toLocalTime(), QLocale::ShortFormat)),
                         answers.at(i).id);
        const int known = box->findData(before);
        // The last two, until others are chosen.
        box->setCurrentIndex(known >= 0 ? known : std::max(0, box->count() - 2 + index));
    }
    showAnswers();
}

void CompareDialog::setSettings(const ControlValues& own, const QHash<QString, ControlValues>& presets) {
    m_own = own;
    m_presets = presets;
    QStringList names = presets.keys();
    names.sort(Qt::CaseInsensitive);
    for (Side& side : m_sides) {
        const QString before = side.settings->currentData().toString();
        const QSignalBlocker quiet(side.settings);
        side.settings->clear();
        side.settings->addItem(tr("The conversation's settings"), QString());
        for (const QString& preset : names) side.settings->addItem(preset, preset);
        side.settings->setCurrentIndex(std::max(0, side.settings->findData(before)));
    }
    showValue(0);
    showValue(1);
}

void CompareDialog::showPair(const QString& leftId, const QString& rightId) {
    const int left = m_sides[0].version->findData(leftId);
    const int right = m_sides[1].version->findData(rightId);
    if (left >= 0) m_sides[0].version->setCurrentIndex(left);
    if (right >= 0) m_sides[1].version->setCurrentIndex(right);
}

void CompareDialog::setRunning(bool running) {
    m_running = running;
    m_run->setText(running ? tr("Stop") : tr("Write both"));
    for (const Side& side : m_sides)
        for (QWidget* part : std::initializer_list<QWidget*>{side.settings, side.control}) part->setEnabled(!running);
    for (const Side& side : m_sides) side.value->setEnabled(!running && !side.control->currentData().toString().isEmpty());
}

CompareChoices CompareDialog::choices() const {
    CompareChoices out;
    for (std::size_t i = 0; i < m_sides.size(); ++i) {
        const Side& side = m_sides.at(i);
        out.sides.at(i) = {side.version->currentData().toString(), side.settings->currentData().toString(),
                           side.control->currentData().toString(), side.value->text()};
    }
    return out;
}

void CompareDialog::setChoices(const CompareChoices& choices) {
    const auto choose = [](QComboBox* box, const QString& wanted) {
        if (const int index = box->findData(wanted); index >= 0) box->setCurrentIndex(index);
    };
    for (std::size_t i = 0; i < m_sides.size(); ++i) {
        const Side& side = m_sides.at(i);
        const CompareChoices::Side& chosen = choices.sides.at(i);
        choose(side.settings, chosen.settings);
        choose(side.control, chosen.control);
        if (side.control->currentData().toString() == chosen.control) side.value->setText(chosen.value);
    }
    showPair(choices.sides[0].version, choices.sides[1].version);
}

void CompareDialog::changeEvent(QEvent* event) {
    QDialog::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) showAnswers();
}

void CompareDialog::setNote(const QString& text) {
    m_note->setText(text);
    m_note->setVisible(!text.isEmpty());
}

const MessageRecord* CompareDialog::answerOf(int index) const {
    const QString id = m_sides.at(static_cast<std::size_t>(index)).version->currentData().toString();
    for (const MessageRecord& answer : m_answers)
        if (answer.id == id) return &answer;
    return nullptr;
}

void CompareDialog::showAnswers() {
    const MessageRecord* left = answerOf(0);
    const MessageRecord* right = answerOf(1);
    if (left == nullptr || right == nullptr) {
        for (const Side& side : m_sides) {
            side.text->clear();
            side.figures->clear();
        }
        m_difference->setText(tr("There is no answer to compare yet."));
        return;
    }
    const WordDiff diff = diffWords(left->content, right->content);
    fill(m_sides[0].text, diff.left, palette());
    fill(m_sides[1].text, diff.right, palette());
    const auto about = [this](const MessageRecord& answer, const MessageRecord& other) {
        const QString settings = differing(answer.settings, other.settings);
        return figuresText(answer, locale()) + QLatin1Char('\n') + (settings.isEmpty() ? tr("The same settings.") : settings);
    };
    m_sides[0].figures->setText(about(*left, *right));
    m_sides[1].figures->setText(about(*right, *left));
    if (left->id == right->id) {
        m_difference->setText(tr("This is the same version twice."));
    } else if (diff.equal()) {
        m_difference->setText(tr("Both texts are the same, word for word."));
    } else {
        m_difference->setText(tr("Words that only one of them has: %1 on the left, %2 on the right. They are underlined.")
                                  .arg(locale().toString(diff.leftOnly), locale().toString(diff.rightOnly)));
    }
}

ControlValues CompareDialog::settingsOf(const Side& side) const {
    ControlValues values = m_own;
    const ControlValues preset = m_presets.value(side.settings->currentData().toString());
    for (auto it = preset.cbegin(); it != preset.cend(); ++it) values.insert(it.key(), it.value());
    return values;
}

void CompareDialog::showValue(int index) {
    const Side& side = m_sides.at(static_cast<std::size_t>(index));
    const QString control = side.control->currentData().toString();
    side.value->setEnabled(!control.isEmpty() && !m_running);
    side.value->setText(control.isEmpty() ? QString() : valueText(settingsOf(side).value(control)));
}

ControlValues CompareDialog::chosen(int index, QString* problem) const {
    const Side& side = m_sides.at(static_cast<std::size_t>(index));
    ControlValues values = settingsOf(side);
    const QString control = side.control->currentData().toString();
    if (control.isEmpty()) return values;
    QVariant value = side.value->text().trimmed();
    *problem = controlProblem(control, value);
    // As the other values of the control are kept.
    const QVariant kept = values.value(control);
    if (problem->isEmpty() && kept.isValid()) value.convert(kept.metaType());
    values.insert(control, value);
    return values;
}

void CompareDialog::run() {
    if (m_running) return emit stopRequested();
    QString problem;
    const ControlValues left = chosen(0, &problem);
    QString rightProblem;
    const ControlValues right = chosen(1, &rightProblem);
    if (problem.isEmpty()) problem = rightProblem;
    setNote(problem);
    if (problem.isEmpty()) emit runRequested(left, right);
}

}  // namespace trefoil
