// NoticeBar: one calm line about something that happened, with what can be done about it.
#pragma once

#include <QFrame>
#include <QList>
#include <QString>

class QBoxLayout;
class QHBoxLayout;
class QLabel;

namespace trefoil {

class PillButton;

struct NoticeAction {
    QString id;     ///< what actionTriggered carries
    QString label;  ///< the button's text
    bool operator==(const NoticeAction&) const = default;
};

enum class NoticeKind : quint8 { Info, Warning, Error };

/// A notice stays until its cause is gone (clear) or the person dismisses it.
struct Notice {
    QString id;  ///< names the cause: a second notice with this id replaces the first
    NoticeKind kind = NoticeKind::Info;
    QString text;                 ///< plain text; wraps
    QList<NoticeAction> actions;  ///< up to two
    bool dismissible = true;
    bool operator==(const Notice&) const = default;
};

/// Holds any number of notices and shows the most serious one, of these the newest; hidden when there is none.
class NoticeBar : public QFrame {
    Q_OBJECT
public:
    explicit NoticeBar(QWidget* parent = nullptr);

    void show(const Notice& notice);
    /// Unknown ids are ignored.
    void clear(const QString& id);
    void clearAll();
    /// The notice on show; an empty id when there is none.
    [[nodiscard]] Notice current() const;
    /// All of them, oldest first.
    [[nodiscard]] const QList<Notice>& all() const { return m_notices; }
    [[nodiscard]] qsizetype count() const { return m_notices.size(); }

    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void actionTriggered(const QString& noticeId, const QString& actionId);
    void dismissed(const QString& noticeId);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void rebuildActions();
    void arrange();

    QList<Notice> m_notices;  ///< oldest first
    Notice m_shown;
    QLabel* m_sign;
    QLabel* m_text;
    QBoxLayout* m_body;  ///< text and actions, side by side or one above the other
    QHBoxLayout* m_actions;
    PillButton* m_dismiss;
};

}  // namespace trefoil
