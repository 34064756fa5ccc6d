#include "app/serve/api_server.h"

#include <array>
#include <cstdio>

namespace trefoil::serve {
namespace {

void describe(std::string& out, const char* name, const char* type, const char* help) {
    out += std::string("# HELP ") + name + ' ' + help + "\n# TYPE " + name + ' ' + type + '\n';
}

void number(std::string& out, const char* name, const char* type, const char* help, double value) {
    describe(out, name, type, help);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), " %.15g\n", value);
    out += name;
    out += text.data();
}

}  // namespace

const char* serveResultName(ServeResult result) {
    static constexpr std::array<const char*, kServeResults> kNames{"completed",  "refused",     "unauthorized",
                                                                   "queue_full", "client_gone", "failed"};
    return kNames.at(static_cast<std::size_t>(result));
}

std::string metricsText(const ServeStatus& status) {
    std::string out;
    describe(out, "trefoil_requests_total", "counter", "Chat requests by how they ended.");
    for (std::size_t i = 0; i < status.results.size(); ++i)
        out += std::string("trefoil_requests_total{outcome=\"") + serveResultName(static_cast<ServeResult>(i)) + "\"} " +
               std::to_string(status.results[i]) + '\n';
    number(out, "trefoil_queue_length", "gauge", "Requests that wait.", static_cast<double>(status.waiting));
    number(out, "trefoil_generating", "gauge", "1 while an answer is being written.", status.running ? 1.0 : 0.0);
    number(out, "trefoil_connections", "gauge", "Connected clients.", static_cast<double>(status.clients.size()));
    number(out, "trefoil_prompt_tokens_total", "counter", "Tokens of prompts.", static_cast<double>(status.promptTokens));
    number(out, "trefoil_reused_prompt_tokens_total", "counter", "Of them, taken from an earlier prompt.",
           static_cast<double>(status.reusedTokens));
    number(out, "trefoil_completion_tokens_total", "counter", "Tokens written.", static_cast<double>(status.completionTokens));
    number(out, "trefoil_passes_total", "counter", "Passes of the model.", static_cast<double>(status.passes));
    number(out, "trefoil_generating_seconds_total", "counter", "Time spent writing answers.", status.generatingSeconds);
    number(out, "trefoil_waiting_seconds_total", "counter", "Time that requests spent in the queue.", status.waitingSeconds);
    return out;
}

}  // namespace trefoil::serve
