// Parses and prints one kernel of growing length: time and memory must grow with it in a straight
// line. Usage: ptx_parse [MODULE.ptx]

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "ptx/module.h"

namespace {

using gwatch::ptx::Module;

constexpr int kRepetitions = 5;

std::string read_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t count_lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The body of the last function over and over, each time in a scope of its own, so that labels stay
// unique.
std::string repeat_body(const std::string& text, std::size_t lines) {
    const std::size_t open = text.rfind("\n{") + 2;
    const std::size_t close = text.rfind('}');
    const std::string body = "\n{" + text.substr(open, close - open) + "}";
    std::string grown = text.substr(0, open);
    for (std::size_t count = 0; count < lines; count += count_lines(body)) grown += body;
    return grown + "\n}\n";
}

// CPU time, so that what else runs on the machine does not count.
template <class Work>
double best_milliseconds(Work work) {
    double best = 1e30;
    for (int i = 0; i < kRepetitions; ++i) {
        const std::clock_t start = std::clock();
        work();
        best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
}

long peak_mebibytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

bool measure(const std::string& text) {
    bool is_same = true;
    const double parse_time = best_milliseconds([&] {
        const auto module = gwatch::ptx::parse(text);
        is_same = is_same && module.ok();
    });
    const auto module = gwatch::ptx::parse(text);
    if (!module) return false;
    const double print_time =
        best_milliseconds([&] { is_same = is_same && gwatch::ptx::print(*module) == text; });
    std::printf("%8zu lines %6.1f MB  parse %7.1f ms  print and compare %6.1f ms  peak %5ld MiB\n",
                count_lines(text), static_cast<double>(text.size()) / 1e6, parse_time, print_time,
                peak_mebibytes());
    return is_same;
}

}  // namespace

int main(int argc, char** argv) {
    const char* path = argc > 1 ? argv[1] : GWATCH_TEST_DATA "/ptx/wgmma-pipeline.ptx";
    const std::string text = read_file(path);
    if (!gwatch::ptx::parse(text).ok()) {
        std::fprintf(stderr, "ptx_parse: %s is no PTX\n", path);
        return 1;
    }
    for (const std::size_t lines : {50'000, 100'000, 200'000, 400'000}) {
        if (!measure(repeat_body(text, lines))) return 1;
    }
    return 0;
}
