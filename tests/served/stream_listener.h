// What a listener of a ChatStream has heard, by its signals alone.
#pragma once

#include "app/served/chat_stream.h"

#include <QEventLoop>
#include <QTimer>

#include <optional>

namespace trefoil::test {

struct StreamListener {
    explicit StreamListener(ChatStream& stream) {
        QObject::connect(&stream, &ChatStream::started, &stream, [this] { ++started; });
        QObject::connect(&stream, &ChatStream::contentArrived, &stream, [this](const QString& piece) { answer += piece; });
        QObject::connect(&stream, &ChatStream::thinkingArrived, &stream, [this](const QString& piece) { thinking += piece; });
        QObject::connect(&stream, &ChatStream::contentWasThinking, &stream, [this] {
            thinking += answer;
            answer.clear();
            ++moved;
        });
        QObject::connect(&stream, &ChatStream::passArrived, &stream, [this](const QJsonObject& pass) { passes.append(pass); });
        QObject::connect(&stream, &ChatStream::traceArrived, &stream, [this](const ServedTrace& t) { trace = t; });
        QObject::connect(&stream, &ChatStream::tokensArrived, &stream, [this](const QList<qint32>& ids) { tokens += ids; });
        QObject::connect(&stream, &ChatStream::usageArrived, &stream, [this](const ServedUsage& u) { usage = u; });
        QObject::connect(&stream, &ChatStream::finished, &stream, [this](const ServedEnd& e) {
            end = e;
            ++ends;
            loop.quit();
        });
        QObject::connect(&stream, &ChatStream::failed, &stream, [this](const ServedError& e) {
            error = e;
            ++ends;
            loop.quit();
        });
    }

    /// False: there was none, or not the first.
    bool waitForEnd() {
        QTimer tooLong;
        tooLong.setSingleShot(true);
        QObject::connect(&tooLong, &QTimer::timeout, &loop, &QEventLoop::quit);
        tooLong.start(30'000);
        if (ends == 0) loop.exec();
        return ends == 1;
    }

    QEventLoop loop;
    int started = 0;
    int moved = 0;
    int ends = 0;
    QString answer;
    QString thinking;
    QList<QJsonObject> passes;
    QList<qint32> tokens;
    std::optional<ServedTrace> trace;
    std::optional<ServedUsage> usage;
    std::optional<ServedEnd> end;
    std::optional<ServedError> error;
};

/// A call as the window makes it.
inline ServedCall callTo(const QUrl& address, const QString& key = {}) {
    ServedCall call;
    call.server.address = address;
    call.server.model = QStringLiteral("clover");
    call.key = key;
    call.body = R"({"model":"clover","messages":[],"stream":true})";
    return call;
}

}  // namespace trefoil::test
