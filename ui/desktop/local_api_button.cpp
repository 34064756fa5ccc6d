#include "ui/desktop/local_api_button.h"

#include "app/local_api/local_api.h"

namespace trefoil {

LocalApiButton::LocalApiButton(LocalApi* api, QWidget* parent) : QToolButton(parent), m_api(api) {
    setObjectName(QStringLiteral("statusLocalApi"));
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    connect(m_api, &LocalApi::changed, this, &LocalApiButton::refresh);
    connect(m_api, &LocalApi::clientsChanged, this, &LocalApiButton::refresh);
    refresh();
}

void LocalApiButton::refresh() {
    QString text;
    QString explanation;
    switch (m_api->state()) {
        case LocalApi::State::Off:
            break;
        case LocalApi::State::Starting:
        case LocalApi::State::Stopping:
            text = tr("Local API…");
            break;
        case LocalApi::State::On:
            text = m_api->answering() ? tr("Local API: writing") : tr("Local API: on");
            explanation = tr("Other programs can ask the model of this window at %1.").arg(m_api->url()) + QLatin1Char('\n') +
                          tr("%n program(s) connected", nullptr, static_cast<int>(m_api->clients().size()));
            break;
        case LocalApi::State::Failed:
            text = tr("Local API: not on");
            explanation = m_api->problem();
            break;
    }
    setText(text);
    setAccessibleName(text);
    setToolTip(explanation);
    setAccessibleDescription(explanation);
    setVisible(!text.isEmpty());
}

}  // namespace trefoil
