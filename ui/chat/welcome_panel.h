// What the transcript shows while there is no message: who answers here, and questions to start with.
#pragma once

#include <QAbstractButton>
#include <QString>
#include <QStringList>
#include <QWidget>

class QGridLayout;
class QLabel;

namespace trefoil {

/// A question to choose, set as a card; the text wraps.
class ExampleButton : public QAbstractButton {
    Q_OBJECT
public:
    explicit ExampleButton(const QString& text, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
};

class WelcomePanel : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePanel(QWidget* parent = nullptr);
    void setWelcome(const QString& title, const QString& subtitle, const QStringList& examples);

signals:
    void exampleChosen(const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void arrange();
    void updateLook();

    QLabel* m_icon;
    QLabel* m_title;
    QLabel* m_subtitle;
    QGridLayout* m_grid;
    QList<ExampleButton*> m_examples;
    int m_columns = 0;
};

}  // namespace trefoil
