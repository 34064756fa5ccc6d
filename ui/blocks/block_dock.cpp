#include "ui/blocks/block_dock.h"

#include "ui/blocks/block_bars.h"
#include "ui/blocks/block_details.h"
#include "ui/blocks/block_legend.h"
#include "ui/blocks/block_view.h"
#include "ui/blocks/steer_bar.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSlider>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace trefoil {
namespace {

constexpr int kFrameMilliseconds = 16;
constexpr std::array<double, 4> kSpeeds = {0.5, 1.0, 2.0, 4.0};
constexpr int kUsualSpeed = 1;

QToolButton* makeButton(const QString& objectName, const QString& name, QWidget* parent) {
    auto* const button = new QToolButton(parent);
    button->setObjectName(objectName);
    button->setAccessibleName(name);
    button->setToolTip(name);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

/// Why Auto writes this block as it does; empty when nothing was chosen.
QString choiceText(const ModeChoiceView& choice, const QLocale& locale) {
    if (choice.mode.isEmpty()) return {};
    const QString mode = choice.mode == QLatin1String("low_confidence")     ? BlockDock::tr("low confidence")
                         : choice.mode == QLatin1String("self_speculative") ? BlockDock::tr("self-speculative")
                                                                            : BlockDock::tr("autoregressive");
    QString why;
    switch (choice.reason) {
        case ModeChoiceView::Reason::Trial:
            why = BlockDock::tr("not measured yet");
            break;
        case ModeChoiceView::Reason::Fastest:
            why = BlockDock::tr("the fastest");
            break;
        case ModeChoiceView::Reason::Retrial:
            why = BlockDock::tr("measured again");
            break;
    }
    QStringList rates;
    const auto rate = [&](double value, const QString& name) {
        if (value > 0.0) rates.append(name + QLatin1Char(' ') + locale.toString(value, 'f', 0));
    };
    rate(choice.lowConfidenceRate, BlockDock::tr("low confidence"));
    rate(choice.selfSpeculativeRate, BlockDock::tr("self-speculative"));
    rate(choice.autoregressiveRate, BlockDock::tr("autoregressive"));
    const QString measured = rates.isEmpty() ? QString() : BlockDock::tr("; tokens/s: %1").arg(rates.join(QStringLiteral(", ")));
    return BlockDock::tr("Auto chose %1 (%2%3)").arg(mode, why, measured);
}

}  // namespace

BlockDock::BlockDock(QWidget* parent)
    : QWidget(parent),
      m_stack(new QStackedLayout(this)),
      m_empty(new QLabel(this)),
      m_content(new QWidget(this)),
      m_title(new QLabel(m_content)),
      m_facts(new QLabel(m_content)),
      m_scroll(new QScrollArea(m_content)),
      m_view(new BlockView(m_scroll)),
      m_legend(new BlockLegend(m_content)),
      m_details(new BlockDetails(m_content)),
      m_bars(new BlockBars(m_content)),
      m_steer(new SteerBar(m_content)) {
    setObjectName(QStringLiteral("blockDockContent"));
    m_frameTimer.setSingleShot(true);
    m_frameTimer.setInterval(kFrameMilliseconds);
    m_frameTimer.setTimerType(Qt::PreciseTimer);

    m_empty->setObjectName(QStringLiteral("blockEmptyText"));
    m_empty->setText(
        tr("No blocks yet.\n\nAsk something and watch the answer's blocks fill in here, or choose an answer to see how it "
           "was written."));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMargin(16);
    m_empty->setForegroundRole(QPalette::PlaceholderText);

    m_title->setObjectName(QStringLiteral("blockTitle"));
    m_title->setAccessibleName(tr("State of the block"));
    m_title->setWordWrap(true);
    m_title->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    QFont bold = m_title->font();
    bold.setWeight(QFont::DemiBold);
    m_title->setFont(bold);

    m_facts->setObjectName(QStringLiteral("blockFacts"));
    m_facts->setAccessibleName(tr("Cost of the pass"));
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    m_facts->setWordWrap(true);

    m_scroll->setObjectName(QStringLiteral("blockScroll"));
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_scroll->setWidget(m_view);
    m_view->setAutoFillBackground(false);
    m_view->installEventFilter(this);
    m_scroll->installEventFilter(this);
    m_content->installEventFilter(this);

    auto* const column = new QVBoxLayout(m_content);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(6);
    column->addWidget(m_title);
    column->addWidget(m_facts);
    column->addWidget(m_scroll, 100);
    column->addWidget(m_legend);
    column->addWidget(m_details);
    column->addWidget(m_bars);
    column->addWidget(m_steer);
    m_steer->hide();
    m_transport = makeTransport();
    column->addWidget(m_transport);
    column->addStretch(1);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_content);

    connectParts();
    refreshIcons();
    refresh();
}

QWidget* BlockDock::makeTransport() {
    auto* const bar = new QWidget(m_content);
    m_back = makeButton(QStringLiteral("blockStepBack"), tr("Previous pass"), bar);
    m_play = makeButton(QStringLiteral("blockPlay"), tr("Play"), bar);
    m_forward = makeButton(QStringLiteral("blockStepForward"), tr("Next pass"), bar);
    m_back->setAutoRepeat(true);
    m_forward->setAutoRepeat(true);
    m_slider = new QSlider(Qt::Horizontal, bar);
    m_slider->setObjectName(QStringLiteral("blockPassSlider"));
    m_slider->setAccessibleName(tr("Pass of the block"));
    m_slider->setToolTip(tr("The pass shown, from the masked block to its last pass"));
    m_slider->setPageStep(1);
    m_slider->setTickPosition(QSlider::NoTicks);
    m_speed = new QComboBox(bar);
    m_speed->setObjectName(QStringLiteral("blockSpeed"));
    m_speed->setAccessibleName(tr("Replay speed"));
    m_speed->setToolTip(tr("Replay speed; ×1 is about two passes a second"));
    for (const double speed : kSpeeds) m_speed->addItem(QStringLiteral("×") + QLocale().toString(speed), speed);
    m_speed->setCurrentIndex(kUsualSpeed);
    m_follow = makeButton(QStringLiteral("blockFollow"), tr("Follow the newest pass"), bar);
    m_anew = makeButton(QStringLiteral("blockRegenerate"), tr("Write the answer anew from this block; the blocks before it stay"),
                        bar);
    m_follow->setText(tr("Live"));
    m_follow->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);

    auto* const row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    row->addWidget(m_back);
    row->addWidget(m_play);
    row->addWidget(m_forward);
    row->addWidget(m_slider, 1);
    row->addWidget(m_follow);
    row->addWidget(m_anew);
    row->addWidget(m_speed);
    return bar;
}

void BlockDock::connectParts() {
    connect(&m_replay, &BlockReplay::changed, this, &BlockDock::refresh);
    connect(&m_replay, &BlockReplay::passesPending, this, [this] {
        if (!m_frameTimer.isActive()) m_frameTimer.start();
    });
    connect(&m_frameTimer, &QTimer::timeout, &m_replay, &BlockReplay::catchUp);
    connect(m_view, &BlockView::shownCellChanged, this, [this] {
        m_details->setCell(m_view->shownCell(), m_replay.model().threshold(m_replay.block(), m_replay.frame()));
        refreshSteering();
    });
    connect(m_view, &BlockView::revealWanted, this, [this](const QRect& rect) {
        m_scroll->ensureVisible(rect.center().x(), rect.center().y(), rect.width() / 2, rect.height() / 2);
    });
    connect(m_bars, &BlockBars::blockChosen, &m_replay, &BlockReplay::showBlock);
    connect(m_back, &QToolButton::clicked, &m_replay, &BlockReplay::stepBack);
    connect(m_forward, &QToolButton::clicked, &m_replay, &BlockReplay::stepForward);
    connect(m_anew, &QToolButton::clicked, this,
            [this] { emit regenerateFromRequested(m_replay.model().blockNumber(m_replay.block())); });
    connect(m_follow, &QToolButton::clicked, &m_replay, &BlockReplay::follow);
    connect(m_play, &QToolButton::clicked, this, [this] {
        if (m_replay.isPlaying()) {
            m_replay.pause();
        } else {
            m_replay.play();
        }
    });
    connect(m_slider, &QSlider::valueChanged, &m_replay, &BlockReplay::showFrame);
    connect(m_speed, &QComboBox::currentIndexChanged, this, [this] { m_replay.setSpeed(m_speed->currentData().toDouble()); });
}

void BlockDock::setTrace(const TraceView& trace) {
    m_frameTimer.stop();
    m_replay.setTrace(trace);
}

void BlockDock::clear() {
    m_frameTimer.stop();
    m_replay.clear();
}

void BlockDock::beginLive(qint32 maskId, qint32 blockSize, double threshold) {
    m_frameTimer.stop();
    m_steer->begin();
    m_replay.beginLive(maskId, blockSize, threshold);
}

void BlockDock::addPass(const PassView& pass) { m_replay.addPass(pass); }

void BlockDock::endLive() {
    m_frameTimer.stop();
    m_replay.endLive();
}

void BlockDock::setPaused(const PauseView& state) {
    m_steer->setPaused(state);
    // What is to be changed has to be on show; before the first pass of all there is nothing yet.
    m_frameTimer.stop();
    m_replay.catchUp();
    refreshSteering();
    fitView();
}

void BlockDock::setResumed() {
    m_steer->setResumed();
    fitView();
}

void BlockDock::showCell(qint32 block, int row) {
    m_replay.showBlock(block);
    m_view->chooseItem(row);
}

void BlockDock::setRegenerateUnavailable(const QString& reason) {
    m_anew->setEnabled(reason.isEmpty());
    m_anew->setToolTip(reason.isEmpty() ? tr("Write the answer anew from this block; the blocks before it stay") : reason);
    m_anew->setAccessibleDescription(reason);
}

/// The chosen cell can be changed where the newest state is shown.
void BlockDock::refreshSteering() {
    m_steer->setVisible(m_replay.isLive());
    const qint32 newest = m_replay.model().blockCount() - 1;
    const bool shown = m_replay.block() == newest && m_replay.frame() == m_replay.model().frameCount(newest);
    const int row = m_view->currentItem();
    m_steer->setCell(shown && row >= 0 ? std::optional(m_view->cells().value(row)) : std::nullopt);
}

void BlockDock::refresh() {
    const BlockModel& model = m_replay.model();
    m_stack->setCurrentWidget(m_replay.block() < 0 ? m_empty : m_content);
    const QList<CellView> cells = model.cells(m_replay.block(), m_replay.frame());
    m_legend->setPromptShown(!cells.isEmpty() && cells.first().state == CellState::Prompt);
    const bool resized = cells.size() != m_view->cells().size();
    // Only a step to the next pass of the same block shows what that pass did.
    const bool onward = !m_replay.isFollowing() && m_replay.block() == m_shownBlock && m_replay.frame() == m_shownFrame + 1;
    m_shownBlock = m_replay.block();
    m_shownFrame = m_replay.frame();
    m_view->setCells(cells, model.threshold(m_replay.block(), m_replay.frame()), onward);
    m_bars->refresh(&model, m_replay.block());
    const bool hadFacts = !m_facts->isHidden();
    refreshTitle();
    const bool steered = !m_steer->isHidden();
    refreshSteering();
    if (resized || hadFacts != !m_facts->isHidden() || steered != !m_steer->isHidden()) fitView();
    refreshTransport();
    emit shownChanged();
}

QString BlockDock::titleText() const {
    const FrameSummary frame = m_replay.model().frame(m_replay.block(), m_replay.frame());
    const QString block = tr("Block %1").arg(m_replay.block() + 1);
    const QString resolved = tr("%1 of %2 resolved").arg(frame.resolved).arg(frame.cells);
    QStringList parts{block};
    if (frame.type == PassType::Token) {
        parts.append((isPieces() ? tr("piece %1 of %2") : tr("token %1 of %2")).arg(frame.frame).arg(frame.frames));
        return parts.join(QStringLiteral(" · "));
    }
    if (frame.frame == 0) {
        parts.append(tr("before pass 1 of %1").arg(frame.passes));
        parts.append(resolved);
        return parts.join(QStringLiteral(" · "));
    }
    if (frame.type == PassType::Edit) {
        parts.append(tr("changed by hand after pass %1").arg(frame.pass));
        parts.append(resolved);
        return parts.join(QStringLiteral(" · "));
    }
    parts.append(tr("pass %1 of %2").arg(frame.pass).arg(frame.passes));
    if (frame.type == PassType::Draft) {
        parts.append(tr("draft of %1").arg(frame.cells));
    } else if (frame.type == PassType::Verify) {
        parts.append(tr("check: %1 of %2 kept").arg(frame.resolved).arg(frame.cells));
    } else {
        parts.append(resolved);
        parts.append(tr("%1 in this pass").arg(frame.resolvedNow));
        if (frame.dropped > 0) parts.append(tr("%1 dropped").arg(frame.dropped));
    }
    return parts.join(QStringLiteral(" · "));
}

/// Pieces of text as they arrived, instead of passes with candidates.
bool BlockDock::isPieces() const {
    const PassView* pass = m_replay.model().passAt(m_replay.block(), 1);
    return pass != nullptr && pass->type == PassType::Token && pass->rows.isEmpty();
}

QString BlockDock::factsText() const {
    if (isPieces()) return tr("This engine reports no confidences: the cells are the pieces of text as they arrived.");
    const FrameSummary frame = m_replay.model().frame(m_replay.block(), m_replay.frame());
    const QLocale locale;
    QStringList parts;
    if (frame.milliseconds > 0.0) parts.append(tr("%1 ms").arg(locale.toString(frame.milliseconds, 'f', 1)));
    if (frame.distinctExperts > 0.0) parts.append(tr("%1 experts a layer").arg(locale.toString(frame.distinctExperts, 'f', 1)));
    if (frame.coresetSize > 0.0) parts.append(tr("coreset of %1").arg(locale.toString(frame.coresetSize, 'f', 1)));
    if (frame.weightBytes > 0)
        parts.append(tr("%1 of weights read").arg(locale.formattedDataSize(static_cast<qint64>(frame.weightBytes))));
    const QString chosen = choiceText(frame.choice, locale);
    if (!chosen.isEmpty()) parts.append(chosen);
    QStringList changed;
    for (auto it = frame.changed.cbegin(); it != frame.changed.cend(); ++it) {
        const bool number = it->typeId() == QMetaType::Double;
        changed.append(it.key() + QLatin1Char(' ') + (number ? locale.toString(it->toDouble()) : it->toString()));
    }
    changed.sort();
    if (!changed.isEmpty()) parts.append(tr("changed here: %1").arg(changed.join(QStringLiteral(", "))));
    return parts.join(QStringLiteral(" · "));
}

void BlockDock::refreshTitle() {
    const bool shown = m_replay.block() >= 0;
    m_title->setText(shown ? titleText() : QString());
    const QString facts = shown ? factsText() : QString();
    m_facts->setText(facts);
    // A response whose passes carry no times gets no empty line; the masked start of one that does keeps its place.
    m_facts->setVisible(!facts.isEmpty() || (!m_facts->isHidden() && m_replay.frame() == 0));
}

void BlockDock::refreshTransport() {
    const QSignalBlocker quiet(m_slider);
    const qint32 frames = m_replay.model().frameCount(m_replay.block());
    m_slider->setRange(0, frames);
    m_slider->setValue(m_replay.frame());
    m_back->setEnabled(m_replay.canStepBack());
    m_forward->setEnabled(m_replay.canStepForward());
    m_anew->setVisible(!m_replay.isLive());
    m_follow->setVisible(m_replay.isLive() && !m_replay.isFollowing());
    const QString name = m_replay.isPlaying() ? tr("Pause") : tr("Play");
    if (m_play->accessibleName() == name) return;
    m_play->setAccessibleName(name);
    m_play->setToolTip(name);
    m_play->setIcon(theme::icon(m_replay.isPlaying() ? QStringLiteral("pause") : QStringLiteral("play"), palette()));
}

void BlockDock::refreshIcons() {
    m_back->setIcon(theme::icon(QStringLiteral("left"), palette()));
    m_forward->setIcon(theme::icon(QStringLiteral("right"), palette()));
    m_follow->setIcon(theme::icon(QStringLiteral("down"), palette()));
    m_anew->setIcon(theme::icon(QStringLiteral("regenerate"), palette()));
    m_play->setIcon(theme::icon(m_replay.isPlaying() ? QStringLiteral("pause") : QStringLiteral("play"), palette()));
}

int BlockDock::roomForCells(int candidates) const {
    const QLayout* const column = m_content->layout();
    const QMargins margins = column->contentsMargins();
    const int width = m_content->width() - margins.left() - margins.right();
    int used = margins.top() + margins.bottom() + m_title->minimumHeight() + m_legend->heightForWidth(width) +
               m_details->heightForRows(candidates) + m_bars->sizeHint().height() + m_transport->sizeHint().height() +
               5 * column->spacing();
    if (!m_facts->isHidden())
        used += (isPieces() ? m_facts->heightForWidth(width) : m_facts->fontMetrics().height()) + column->spacing();
    if (!m_steer->isHidden()) used += m_steer->sizeHint().height() + column->spacing();
    return m_content->height() - used;
}

void BlockDock::fitView() {
    const int width = m_scroll->width();
    // Two lines at once where the title may need them, so that the cells do not jump from pass to pass.
    const QString longest = tr("Block %1").arg(888) + QStringLiteral(" · ") + tr("pass %1 of %2").arg(88).arg(88) +
                            QStringLiteral(" · ") + tr("%1 of %2 resolved").arg(88).arg(88) + QStringLiteral(" · ") +
                            tr("%1 in this pass").arg(88);
    const int lines = m_title->fontMetrics().horizontalAdvance(longest) > width ? 2 : 1;
    m_title->setMinimumHeight(lines * m_title->fontMetrics().lineSpacing());

    // The whole block in sight comes first: narrow cells before a scroll bar, and fewer candidates before that too. Nothing here
    // depends on whether a scroll bar is shown, so it cannot flicker.
    const int wide = m_view->columnsFitting(width);
    const int dense = std::max(wide, m_view->columnsFitting(width, true));
    int columns = wide;
    int rows = BlockDetails::kCandidates;
    if (m_view->heightForColumns(wide) > roomForCells(rows)) {
        while (rows > BlockDetails::kFewest && m_view->heightForColumns(dense) > roomForCells(rows)) --rows;
        if (m_view->heightForColumns(dense) <= roomForCells(rows)) columns = dense;
    }
    m_view->setColumns(columns);
    m_details->setRows(rows);
    m_scroll->setMaximumHeight(std::max(1, m_view->tallestForWidth(width)));
    m_scroll->setMinimumHeight(std::min(m_scroll->maximumHeight(), 4 * m_view->fontMetrics().height()));
}

QSize BlockDock::sizeHint() const {
    const QSize view = m_view->sizeHint();
    return {view.width() + 16, QWidget::sizeHint().height()};
}

void BlockDock::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) refreshIcons();
    QWidget::changeEvent(event);
}

bool BlockDock::eventFilter(QObject* watched, QEvent* event) {
    const bool resized = (watched == m_scroll || watched == m_content) && event->type() == QEvent::Resize;
    const bool restyled = watched == m_view && (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange);
    if (resized || restyled) fitView();
    return QWidget::eventFilter(watched, event);
}

}  // namespace trefoil
