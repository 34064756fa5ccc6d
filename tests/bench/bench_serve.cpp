// Load on trefoil-cli serve: requests a second, time to the first event and to the first text by clients at once, memory over
// many requests. usage: trefoil-bench-serve TREFOIL_CLI MODEL [REQUESTS]
#include <httplib.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The program under load; ends with this object.
class Server {
public:
    Server(const char* program, const char* model) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) return;
        m_process = fork();
        if (m_process == 0) {
            dup2(ends[1], STDOUT_FILENO);
            ::close(ends[0]);
            execl(program, program, "serve", model, "--name", "demo", "--device", "cpu", "--port", "0", "--queue", "64", nullptr);
            _exit(127);
        }
        ::close(ends[1]);
        std::string line;
        char c = 0;
        while (::read(ends[0], &c, 1) == 1 && c != '\n') line += c;
        ::close(ends[0]);
        m_url = line.substr(line.rfind(' ') + 1);
    }
    ~Server() {
        if (m_process <= 0) return;
        kill(m_process, SIGTERM);
        waitpid(m_process, nullptr, 0);
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    [[nodiscard]] const std::string& url() const { return m_url; }
    [[nodiscard]] double residentMegabytes() const {
        std::ifstream in("/proc/" + std::to_string(m_process) + "/status");
        for (std::string word; in >> word;)
            if (word == "VmRSS:") {
                double kib = 0;
                in >> kib;
                return kib * 1024 / 1e6;
            }
        return 0;
    }

private:
    pid_t m_process = -1;
    std::string m_url;
};

struct Load {
    std::vector<double> firstEvent;  ///< ms
    std::vector<double> firstText;
    double seconds = 0;
    int failed = 0;
};

const std::string kBody =
    R"({"model":"demo","messages":[{"role":"user","content":"What is 12 + 30?"}],"enable_thinking":false,"max_tokens":8,"stream":true})";

/// `clients` at once, `each` requests one after the other.
Load load(const std::string& url, int clients, int each) {
    Load out;
    std::mutex mutex;
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(clients));
    const auto start = Clock::now();
    for (int i = 0; i < clients; ++i)
        threads.emplace_back([&] {
            httplib::Client client(url);
            client.set_keep_alive(true);
            client.set_tcp_nodelay(true);  // as other clients do; otherwise Nagle's wait of 40 ms is what is measured
            client.set_read_timeout(120);
            for (int n = 0; n < each; ++n) {
                const auto sent = Clock::now();
                double event = -1;
                double text = -1;
                std::string all;
                httplib::Request request;
                request.method = "POST";
                request.path = "/v1/chat/completions";
                request.set_header("Content-Type", "application/json");
                request.body = kBody;
                request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
                    all.append(data, size);
                    if (event < 0) event = millisecondsSince(sent);
                    if (text < 0 && all.find("\"delta\":{\"content\":\"") != std::string::npos) text = millisecondsSince(sent);
                    return true;
                };
                const auto result = client.send(request);
                const std::lock_guard lock(mutex);
                if (!result || result->status != 200 || all.find("[DONE]") == std::string::npos) ++out.failed;
                out.firstEvent.push_back(event);
                out.firstText.push_back(text);
            }
        });
    for (std::thread& thread : threads) thread.join();
    out.seconds = millisecondsSince(start) / 1000;
    return out;
}

/// The value that the share `part` of all does not exceed.
double quantile(std::vector<double> values, double part) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: trefoil-bench-serve TREFOIL_CLI MODEL [REQUESTS]\n");
        return 2;
    }
    const int requests = argc > 3 ? std::atoi(argv[3]) : 10000;
    const Server server(argv[1], argv[2]);
    if (server.url().empty()) {
        std::fprintf(stderr, "trefoil-bench-serve: the server did not start\n");
        return 1;
    }
    (void)load(server.url(), 1, 20);
    std::printf("clients  requests/s  first event ms (median, 95%%)  first text ms (median, 95%%)  failed\n");
    for (const int clients : {1, 8, 50}) {
        const Load l = load(server.url(), clients, std::max(2, requests / 20 / clients));
        std::printf("%7d  %10.1f  %13.1f %14.1f  %13.1f %13.1f  %6d\n", clients,
                    static_cast<double>(l.firstEvent.size()) / l.seconds, quantile(l.firstEvent, 0.5),
                    quantile(l.firstEvent, 0.95), quantile(l.firstText, 0.5), quantile(l.firstText, 0.95), l.failed);
        std::fflush(stdout);
    }
    const int step = std::max(1, requests / 4 / 8);
    std::printf("requests  resident MB\n%8d  %.1f\n", 0, server.residentMegabytes());
    for (int quarter = 1; quarter <= 4; ++quarter) {
        const Load l = load(server.url(), 8, step);
        std::printf("%8d  %.1f%s\n", quarter * step * 8, server.residentMegabytes(), l.failed > 0 ? "  (some failed)" : "");
        std::fflush(stdout);
    }
    return 0;
}
