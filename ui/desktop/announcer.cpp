#include "ui/desktop/announcer.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QCoreApplication>

#include <memory>

namespace trefoil {
namespace {

constexpr qsizetype kLongest = 400;  // characters; a screen reader reads them all

class AnnouncerInterface final : public QAccessibleWidget {
public:
    explicit AnnouncerInterface(QWidget* widget) : QAccessibleWidget(widget, QAccessible::AlertMessage) {}
    ~AnnouncerInterface() override = default;
};

QAccessibleInterface* announcerFactory(const QString& /*className*/, QObject* object) {
    auto* announcer = qobject_cast<Announcer*>(object);
    return announcer == nullptr ? nullptr : std::make_unique<AnnouncerInterface>(announcer).release();
}

void installFactory() {
    static const bool installed = [] {
        QAccessible::installFactory(announcerFactory);
        return true;
    }();
    Q_UNUSED(installed)
}

}  // namespace

Announcer::Announcer(QWidget* parent) : QWidget(parent) {
    installFactory();
    setObjectName(QStringLiteral("announcer"));
    setFixedSize(0, 0);
    setFocusPolicy(Qt::NoFocus);
}

void Announcer::say(const QString& text) {
    setAccessibleName(text);
    // setAccessibleName sends NameChanged; some screen readers listen for the alert only.
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

QString blockSummary(int block, int passes, const QString& text) {
    QString shown = text.simplified();
    if (shown.size() > kLongest) {
        qsizetype end = kLongest;
        if (shown.at(end - 1).isHighSurrogate()) --end;
        shown = shown.left(end) + QChar(0x2026);
    }
    return QCoreApplication::translate("trefoil::Announcer", "Block %1, %n pass(es): %2", nullptr, passes).arg(block).arg(shown);
}

}  // namespace trefoil
