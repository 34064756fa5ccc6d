// StatisticsDialog: what the answers of a model took. Shows values that it is given; asks for them and for files by signals.
#pragma once

#include "app/core/statistics.h"

#include <QDialog>
#include <QList>

class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;

namespace trefoil {

class FigureChart;

class StatisticsDialog : public QDialog {
    Q_OBJECT
public:
    explicit StatisticsDialog(QWidget* parent = nullptr);

    /// Of all models, oldest first. The model on show stays on show.
    void setFigures(const QList<AnswerFigures>& figures);
    void setProblem(const QString& text);
    [[nodiscard]] QString model() const;
    /// The answers of the model on show as CSV.
    [[nodiscard]] QByteArray csv() const;

    [[nodiscard]] static QString figureName(Figure figure);
    [[nodiscard]] static QString figureUnit(Figure figure);

signals:
    void refreshRequested();
    void csvRequested();

private:
    void showModel();
    void showChart();

    QList<AnswerFigures> m_all;
    QList<AnswerFigures> m_shown;
    QComboBox* m_models;
    QLabel* m_summary;
    QTableWidget* m_table;
    FigureChart* m_chart;
    QPushButton* m_export;
};

}  // namespace trefoil
