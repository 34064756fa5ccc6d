#include "block_traces.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace trefoil::test {
namespace {

QList<qint32> integers(const QJsonValue& value) {
    QList<qint32> list;
    const QJsonArray array = value.toArray();
    for (const QJsonValue& entry : array) list.append(entry.toInt());
    return list;
}

PassType typeOf(const QString& kind) {
    if (kind == QLatin1String("draft")) return PassType::Draft;
    return kind == QLatin1String("verify") ? PassType::Verify : PassType::Denoise;
}

bool isEnd(qint32 token) { return token == 1 || token == kEnd; }

qint32 firstEnd(const QList<qint32>& tokens, qint32 from) {
    const auto found = std::find_if(tokens.cbegin() + from, tokens.cend(), isEnd);
    return static_cast<qint32>(std::distance(tokens.cbegin(), found));
}

PassView passOf(const QJsonObject& json) {
    PassView pass;
    pass.type = typeOf(json[QLatin1String("kind")].toString());
    pass.block = json[QLatin1String("block")].toInt();
    pass.step = json[QLatin1String("step")].toInt();
    pass.tokens = integers(json[QLatin1String("tokens")]);
    pass.resolved = integers(json[QLatin1String("resolved")]);
    for (const qint32 token : std::as_const(pass.tokens)) pass.texts.append(tokenText(token));
    const QList<qint32> candidates = integers(json[QLatin1String("candidates")]);
    const QJsonArray confidences = json[QLatin1String("confidences")].toArray();
    for (qsizetype row = 0; row < candidates.size(); ++row)
        pass.rows.append(rowOf(candidates[row], static_cast<float>(confidences[row].toDouble())));
    if (pass.type == PassType::Verify) pass.accepted = static_cast<qint32>(pass.tokens.size());
    return pass;
}

/// What the decoder adds to a pass and the golden file leaves out: positions and the rows that fall away.
void complete(GoldenCase& golden, qint64 limit) {
    qint64 length = 0;
    for (qsizetype i = 0; i < golden.trace.passes.size(); ++i) {
        PassView& pass = golden.trace.passes[i];
        const bool last = i + 1 == golden.trace.passes.size() || golden.trace.passes[i + 1].block != pass.block;
        pass.promptRows = pass.block == 0 ? golden.promptRows : 0;
        pass.firstPosition = length - pass.promptRows;
        if (!last) continue;
        const qint32 end = firstEnd(pass.tokens, pass.promptRows);
        const qint64 cut = std::min<qint64>(end, limit - pass.firstPosition);
        if (cut < pass.tokens.size()) pass.droppedFrom = static_cast<qint32>(cut);
        length += std::min<qint64>(cut, pass.tokens.size()) - pass.promptRows;
    }
}

}  // namespace

QString tokenText(qint32 token) { return token == kMask ? QString() : QStringLiteral("t%1").arg(token); }

RowView rowOf(qint32 token, float probability) {
    RowView row;
    row.choice = {token, probability, tokenText(token)};
    row.top.append(row.choice);
    float rest = 1.0F - probability;
    for (qint32 i = 1; i <= 4; ++i) {
        rest /= 2.0F;
        row.top.append({token + 1000 * i, rest, tokenText(token + 1000 * i)});
    }
    std::stable_sort(row.top.begin(), row.top.end(),
                     [](const TokenChoice& a, const TokenChoice& b) { return a.probability > b.probability; });
    return row;
}

BlockWriter::BlockWriter(qint32 block, qint32 size, qint32 promptRows)
    : m_block(block), m_promptRows(promptRows), m_tokens(size, kMask) {
    for (qint32 row = 0; row < promptRows; ++row) m_tokens[row] = 50 + row;
}

PassView BlockWriter::pass(const QList<qint32>& resolved, float confidence, const QList<qint32>& confident) {
    PassView pass;
    pass.block = m_block;
    pass.step = m_step++;
    pass.firstPosition = static_cast<qint64>(m_block) * m_tokens.size() - m_promptRows;
    pass.promptRows = m_promptRows;
    pass.resolved = resolved;
    for (qint32 row = 0; row < m_tokens.size(); ++row)
        pass.rows.append(rowOf(100 + row, confident.contains(row) ? 0.99F : confidence));
    for (const qint32 row : resolved) m_tokens[row] = 100 + row;
    pass.tokens = m_tokens;
    for (const qint32 token : std::as_const(m_tokens)) pass.texts.append(tokenText(token));
    return pass;
}

TraceView madeTrace(qint32 blocks, qint32 size) {
    Q_ASSERT(size > 2);  // every other block resolves rows 0 to 2 one after another
    TraceView trace{kMask, size, 0.95, {}};
    QList<qint32> all(size);
    for (qint32 row = 0; row < size; ++row) all[row] = row;
    for (qint32 block = 0; block < blocks; ++block) {
        BlockWriter writer(block, size);
        if (block % 2 == 0) {
            trace.passes.append(writer.pass(all, 0.99F));
            continue;
        }
        trace.passes.append(writer.pass({0, 2}, 0.4F, {0, 2}));
        trace.passes.append(writer.pass({1}, 0.6F));
        trace.passes.append(writer.pass(all.mid(3), 0.98F));
    }
    return trace;
}

QList<GoldenCase> goldenCases(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        qWarning("cannot read %s", qUtf8Printable(path));
        return {};
    }
    QList<GoldenCase> cases;
    const QJsonArray list = QJsonDocument::fromJson(file.readAll()).array();
    for (const QJsonValue& value : list) {
        const QJsonObject json = value.toObject();
        const QJsonObject controls = json[QLatin1String("controls")].toObject();
        const QJsonArray passes = json[QLatin1String("passes")].toArray();
        if (passes.isEmpty()) continue;
        GoldenCase golden;
        golden.decoding = controls[QLatin1String("decoding")].toString();
        golden.question = json[QLatin1String("messages")].toArray().last().toObject()[QLatin1String("content")].toString();
        golden.response = integers(json[QLatin1String("response")]);
        golden.trace.maskId = kMask;
        golden.trace.blockSize = controls[QLatin1String("block_size")].toInt();
        golden.trace.threshold = controls[QLatin1String("threshold")].toDouble();
        if (controls[QLatin1String("align_blocks")].toBool())
            golden.promptRows = static_cast<qint32>(json[QLatin1String("prompt")].toArray().size() % golden.trace.blockSize);
        for (const QJsonValue& pass : passes) golden.trace.passes.append(passOf(pass.toObject()));
        complete(golden, controls[QLatin1String("max_new_tokens")].toInt());
        cases.append(golden);
    }
    return cases;
}

}  // namespace trefoil::test
