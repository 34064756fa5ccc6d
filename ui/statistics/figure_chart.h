// FigureChart: one figure of a model's answers, a dot each, oldest on the left, with the running median as a line.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QWidget>

namespace trefoil {

class FigureChart : public QWidget {
    Q_OBJECT
public:
    explicit FigureChart(QWidget* parent = nullptr);

    /// `tips`: what is said of each value, for the tool tip.
    void setValues(const QList<double>& values, const QStringList& tips, const QString& caption);
    /// Upper end of the axis, a round number; 0 without values.
    [[nodiscard]] double axisEnd() const { return m_end; }
    [[nodiscard]] qsizetype count() const { return m_values.size(); }
    /// Where a value's dot is, in the widget.
    [[nodiscard]] QPointF pointOf(qsizetype index) const;
    /// Index of the value nearest to a place in the widget; -1: none near.
    [[nodiscard]] qsizetype valueAt(const QPointF& place) const;
    [[nodiscard]] QSize sizeHint() const override { return {520, 240}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {260, 140}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRectF plot() const;

    QList<double> m_values;
    QStringList m_tips;
    QString m_caption;
    double m_end = 0.0;
};

}  // namespace trefoil
