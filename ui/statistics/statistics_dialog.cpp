#include "ui/statistics/statistics_dialog.h"

#include "ui/statistics/figure_chart.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>

namespace trefoil {

namespace {

constexpr int kDigits = 4;
enum Column { kName, kUnit, kLeast, kMedian, kMost, kColumns };

}  // namespace

QString StatisticsDialog::figureName(Figure figure) {
    switch (figure) {
        case Figure::TokensPerPass:
            return tr("Tokens per pass");
        case Figure::PassesPerBlock:
            return tr("Passes per block");
        case Figure::PassTime:
            return tr("Time per pass");
        case Figure::InPassRate:
            return tr("Rate inside passes");
        case Figure::WallRate:
            return tr("Rate by the wall clock, after the prefill");
        case Figure::PrefillTime:
            return tr("Prefill");
        case Figure::FirstBlockTime:
            return tr("Time to the first text, prefill included");
    }
    return {};
}

QString StatisticsDialog::figureUnit(Figure figure) {
    switch (figure) {
        case Figure::TokensPerPass:
            return tr("tokens");
        case Figure::PassesPerBlock:
            return tr("passes");
        case Figure::InPassRate:
        case Figure::WallRate:
            return tr("tokens/s");
        case Figure::PassTime:
        case Figure::PrefillTime:
        case Figure::FirstBlockTime:
            return tr("ms");
    }
    return {};
}

StatisticsDialog::StatisticsDialog(QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("statisticsDialog"));
    setWindowTitle(tr("Statistics"));
    setSizeGripEnabled(true);
    resize(720, 640);
    m_models = new QComboBox(this);
    m_models->setObjectName(QStringLiteral("statisticsModel"));
    m_models->setAccessibleName(tr("Model"));
    m_summary = new QLabel(this);
    m_summary->setObjectName(QStringLiteral("statisticsSummary"));
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setWordWrap(true);

    m_table = new QTableWidget(static_cast<int>(kFigures.size()), kColumns, this);
    m_table->setObjectName(QStringLiteral("statisticsTable"));
    m_table->setAccessibleName(tr("Figures of the model; the chosen one is charted"));
    m_table->setHorizontalHeaderLabels({tr("Figure"), tr("Unit"), tr("Least"), tr("Median"), tr("Most")});
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(kName, QHeaderView::Stretch);
    m_table->verticalHeader()->hide();
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_chart = new FigureChart(this);

    auto* buttons = new QDialogButtonBox(this);
    buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);  // Qt's own text needs its translations installed
    m_export = buttons->addButton(tr("Export as CSV…"), QDialogButtonBox::ActionRole);
    m_export->setObjectName(QStringLiteral("statisticsExport"));
    QPushButton* refresh = buttons->addButton(tr("Read again"), QDialogButtonBox::ActionRole);
    refresh->setObjectName(QStringLiteral("statisticsRefresh"));

    auto* top = new QHBoxLayout;
    auto* label = new QLabel(tr("&Model"), this);
    label->setBuddy(m_models);
    top->addWidget(label);
    top->addWidget(m_models, 1);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addWidget(m_summary);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_chart, 1);
    layout->addWidget(buttons);

    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_export, &QPushButton::clicked, this, &StatisticsDialog::csvRequested);
    connect(refresh, &QPushButton::clicked, this, &StatisticsDialog::refreshRequested);
    connect(m_models, &QComboBox::currentIndexChanged, this, [this] { showModel(); });
    connect(m_table, &QTableWidget::currentCellChanged, this, [this] { showChart(); });
    setFigures({});
}

QString StatisticsDialog::model() const { return m_models->currentText(); }

QByteArray StatisticsDialog::csv() const { return figuresToCsv(m_shown); }

void StatisticsDialog::setFigures(const QList<AnswerFigures>& figures) {
    m_all = figures;
    const QString before = model();
    const QSignalBlocker quiet(m_models);
    m_models->clear();
    m_models->addItems(modelsOf(figures));
    if (const int index = m_models->findText(before); index >= 0) m_models->setCurrentIndex(index);
    showModel();
}

void StatisticsDialog::setProblem(const QString& text) { m_summary->setText(text); }

void StatisticsDialog::showModel() {
    m_shown.clear();
    for (const AnswerFigures& answer : std::as_const(m_all))
        if (answer.model == model()) m_shown.append(answer);
    m_export->setEnabled(!m_shown.isEmpty());
    if (m_shown.isEmpty()) {
        m_summary->setText(tr("No model has answered in this history yet."));
    } else if (m_shown.size() == 1) {
        m_summary->setText(tr("One answer."));
    } else {
        m_summary->setText(
            tr("%n answers, each one dot. The line is the median of the last 15.", nullptr, static_cast<int>(m_shown.size())));
    }
    for (int row = 0; row < static_cast<int>(kFigures.size()); ++row) {
        const Figure figure = kFigures.at(row);
        const FigureSummary s = summarise(m_shown, figure);
        const auto number = [&](double value) {
            return s.answers == 0 ? QStringLiteral("–") : locale().toString(value, 'g', kDigits);
        };
        const QStringList cells{figureName(figure), figureUnit(figure), number(s.least), number(s.median), number(s.most)};
        for (int column = 0; column < static_cast<int>(cells.size()); ++column) {
            auto* item = new QTableWidgetItem(cells.at(column));
            if (column >= kLeast) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            m_table->setItem(row, column, item);
        }
    }
    if (m_table->currentRow() < 0) m_table->setCurrentCell(0, kName);
    showChart();
}

void StatisticsDialog::showChart() {
    const Figure figure = kFigures.at(qBound(0, m_table->currentRow(), static_cast<int>(kFigures.size()) - 1));
    QList<double> values;
    QStringList tips;
    for (const AnswerFigures& answer : std::as_const(m_shown)) {
        const std::optional<double> value = figureOf(answer, figure);
        if (!value) continue;
        values.append(*value);
        tips.append(tr("%1: %2 %3")
                        .arg(locale().toString(answer.createdUtc.toLocalTime(), QLocale::ShortFormat),
                             locale().toString(*value, 'g', kDigits), figureUnit(figure)));
    }
    m_chart->setValues(values, tips, tr("%1 (%2)").arg(figureName(figure), figureUnit(figure)));
    m_chart->setAccessibleDescription(tr("%1: %2 values, median %3 %4.")
                                          .arg(figureName(figure), locale().toString(values.size()),
                                               locale().toString(summarise(m_shown, figure).median, 'g', kDigits),
                                               figureUnit(figure)));
}

}  // namespace trefoil
