// LoadProgress: how far the loading of a model has come, and a way out.
#pragma once

#include <QList>
#include <QPair>
#include <QString>
#include <QWidget>

class QProgressBar;

namespace trefoil {

class ElidedLabel;
class PillButton;

/// "Loading Clover…  12.3 of 69.3 GB · 2.1 GB/s · 27 s left", a bar and Cancel. Hidden until begin. Time is passed in, so that
/// the rate is a function of the calls alone.
class LoadProgress : public QWidget {
    Q_OBJECT
public:
    explicit LoadProgress(QWidget* parent = nullptr);

    /// `totalBytes` 0: not known yet; the bar then only shows that something happens.
    void begin(const QString& modelName, quint64 totalBytes = 0);
    /// `elapsedMs` since begin, never falling.
    void setProgress(quint64 doneBytes, quint64 totalBytes, qint64 elapsedMs);
    void finish();
    /// The line as shown.
    [[nodiscard]] QString caption() const;

signals:
    /// Emitted once per load; the widget then waits for finish.
    void cancelRequested();

private:
    void cancel();
    /// Bytes a second over the last seconds; 0 while too little is known.
    [[nodiscard]] double rate() const;

    QString m_name;
    QList<QPair<qint64, quint64>> m_samples;  ///< (ms, bytes done), oldest first
    ElidedLabel* m_caption;
    QProgressBar* m_bar;
    PillButton* m_cancel;
};

}  // namespace trefoil
