#include "ui/models/machine_section.h"

#include "ui/chat/pill_button.h"
#include "ui/models/fact_form.h"
#include "ui/models/number_text.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace trefoil {

namespace {

/// A line of the table; the recommended one is tinted, in either theme.
class FormLine final : public QWidget {
public:
    FormLine(bool recommended, QWidget* parent) : QWidget(parent), m_recommended(recommended) {}

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        if (!m_recommended) return;
        constexpr double kRadius = 6.0;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme::blend(palette().color(QPalette::Window), theme::tone(theme::Tone::Accent, palette()), 0.16));
        painter.drawRoundedRect(rect(), kRadius, kRadius);
    }

private:
    bool m_recommended;
};

QLabel* wrapping(const QString& text) {
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QString rateText(double perSecond, bool measured) {
    const QString rate = bytesText(static_cast<quint64>(perSecond));
    return measured ? MachineSection::tr("%1/s (measured)").arg(rate) : MachineSection::tr("%1/s (assumed)").arg(rate);
}

}  // namespace

QString modelFormText(ModelForm form) {
    switch (form) {
        case ModelForm::BFloat16:
            return QStringLiteral("BF16");
        case ModelForm::Fp8:
            return QStringLiteral("FP8");
        case ModelForm::Int4By32:
            return MachineSection::tr("4 bits, groups of %1").arg(32);
        case ModelForm::Int4By128:
            return MachineSection::tr("4 bits, groups of %1").arg(128);
        case ModelForm::Stored:
            break;
    }
    return MachineSection::tr("as stored");
}

MachineSection::MachineSection(const Recommendation& recommendation, const QString& whyNoCard, bool limited, bool canMake,
                               QWidget* parent)
    : QWidget(parent), m_recommendation(recommendation), m_limited(limited), m_canMake(canMake) {
    setObjectName(QStringLiteral("machineSection"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 14, 0, 0);
    column->setSpacing(6);
    addHeading(column, tr("For this machine"));
    if (recommendation.cards.isEmpty()) {
        column->addWidget(subtleLabel(
            whyNoCard.isEmpty() ? tr("There is no graphics card that Trefoil can use; the CPU runs models.")
                                : tr("There is no graphics card that Trefoil can use (%1); the CPU runs models.").arg(whyNoCard),
            palette()));
        return;
    }
    for (const CardAdvice& card : recommendation.cards) addCard(column, card);
    auto* measure = new PillButton(tr("Measure"), PillButton::Look::Plain, this);
    measure->setObjectName(QStringLiteral("measureCards"));
    measure->setAutoDefault(false);
    measure->setToolTip(
        tr("Measures what each card reads from its memory, and what the bus to it carries, once nothing is being "
           "written. Takes a few seconds and 4 GB of the card."));
    connect(measure, &QPushButton::clicked, this, &MachineSection::measureRequested);
    column->addWidget(measure, 0, Qt::AlignLeading);
    column->addWidget(subtleLabel(
        tr("Speeds are estimates: the bytes that a pass reads over what the card reads in a second, and %1 ms; with experts in "
           "main memory what the bus takes where that is longer, as if all experts were named alike. Assumed: a pass names %2 of "
           "%3 experts of a layer and settles %4 tokens.")
            .arg(realText(recommendation.latencyMs, 0), realText(recommendation.expertsPerPass, 0),
                 countText(recommendation.experts), realText(recommendation.tokensPerPass, 0)),
        palette()));
    column->addWidget(subtleLabel(
        tr("The coreset saves reading, not memory: it makes a pass faster, and no larger model fits because of it."), palette()));
}

void MachineSection::addCard(QVBoxLayout* column, const CardAdvice& card) {
    column->addWidget(
        wrapping(tr("%1, %2: a model may take %3 of %4; it reads %5, the bus carries %6")
                     .arg(card.id, card.name, bytesText(card.available), bytesText(card.memoryTotal),
                          rateText(card.readPerSecond, card.readMeasured), rateText(card.busPerSecond, card.busMeasured))));
    for (int i = 0; i < card.forms.size(); ++i) addForm(column, card, i);
    if (card.recommended < 0) column->addWidget(subtleLabel(tr("None of these fits on %1.").arg(card.id), palette()));
}

QString MachineSection::formText(const FormAdvice& form) const {
    if (form.placement == FormPlacement::DoesNotFit) return tr("does not fit: %1").arg(form.problem);
    QString where =
        form.placement == FormPlacement::AllOnCard
            ? tr("fits entirely: %1").arg(bytesText(form.cardBytes))
            : tr("%1 of %2 experts of each layer on the card, all of them in %3 of main memory")
                  .arg(countText(form.expertsOnCard), countText(m_recommendation.experts), bytesText(form.mainMemoryBytes));
    where += QLatin1Char('\n') +
             tr("about %1 ms a pass, %2 tokens/s (estimate)").arg(realText(form.passMs, 1), realText(form.tokensPerSecond, 0));
    if (form.needsLimit && !m_limited)
        where += QLatin1Char('\n') + tr("Choose a number under “Memory on the card” to load it so.");
    return where;
}

void MachineSection::addForm(QVBoxLayout* column, const CardAdvice& card, int index) {
    const FormAdvice& form = card.forms[index];
    const bool recommended = index == card.recommended;
    auto* line = new FormLine(recommended, this);
    line->setObjectName(QStringLiteral("formLine_%1_%2").arg(card.id).arg(index));
    line->setProperty("recommended", recommended);
    QString name = modelFormText(form.form);
    if (form.asIs) name = tr("%1, as it is").arg(name);
    if (recommended) name = tr("%1 — recommended").arg(name);
    auto* title = wrapping(name);
    QFont bold = title->font();
    bold.setBold(recommended);
    title->setFont(bold);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(1);
    texts->addWidget(title);
    texts->addWidget(subtleLabel(formText(form), palette()));
    if (!form.asIs && !form.canMake)
        texts->addWidget(subtleLabel(tr("It is made from the model in BF16, not from this folder."), palette()));
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(10, 6, 10, 6);
    row->addLayout(texts, 1);
    if (form.canMake) {
        auto* make =
            new PillButton(tr("Make this form…"), recommended ? PillButton::Look::Primary : PillButton::Look::Plain, line);
        make->setObjectName(QStringLiteral("makeForm_%1_%2").arg(card.id).arg(index));
        make->setAutoDefault(false);
        make->setEnabled(m_canMake);
        make->setToolTip(tr("Writes a copy in this form, about %1, into another folder.").arg(bytesText(form.fileBytes)));
        make->setAccessibleName(tr("Make this form: %1").arg(modelFormText(form.form)));
        connect(make, &QPushButton::clicked, this, [this, which = form.form] { emit makeRequested(which); });
        row->addWidget(make, 0, Qt::AlignVCenter);
    }
    column->addWidget(line);
}

}  // namespace trefoil
