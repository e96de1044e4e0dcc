// Instruments one kernel of growing length: time must grow with it in a straight line. Usage:
// instrument_time [MODULE.ptx]

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "instrument/instrument.h"

namespace {

constexpr int kRepetitions = 3;

std::size_t count_lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The body of the last function over and over, each time in a scope of its own, so that labels stay
// unique; only the last one returns.
std::string repeat_body(const std::string& text, std::size_t lines) {
    const std::size_t open = text.rfind("\n{") + 2;
    const std::size_t end = text.rfind("ret;");
    const std::string body = "\n{" + text.substr(open, end - open) + "}";
    std::string grown = text.substr(0, open);
    for (std::size_t count = 0; count < lines; count += count_lines(body)) grown += body;
    return grown + "\n\tret;\n}\n";
}

// The test module says in comments of its own where markers would stand.
std::string with_markers(const std::string& text) {
    return std::regex_replace(text, std::regex("/\\*GW_(BEGIN|END) ([0-9]+)\\*/"),
                              "// gwatch:mark $2\n\tmov.u32 %r2, 0;");
}

// CPU time, so that what else runs on the machine does not count.
bool measure(const std::string& text) {
    const auto module = gwatch::ptx::parse(text);
    if (!module) return false;
    double best = 1e30;
    std::size_t markers = 0;
    for (int i = 0; i < kRepetitions; ++i) {
        const std::clock_t start = std::clock();
        const auto done = gwatch::instrument::instrument_matching(*module, "");
        best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        if (!done) {
            std::fprintf(stderr, "%s\n", done.error().to_string().c_str());
            return false;
        }
        markers = done->markers.size();
    }
    std::printf("%8zu lines %7zu markers  %8.1f ms\n", count_lines(text), markers, best);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    std::ifstream file(argc > 1 ? argv[1] : GWATCH_TEST_DATA "/ptx/wgmma-pipeline.ptx",
                       std::ios::binary);
    const std::string text = with_markers({std::istreambuf_iterator<char>(file), {}});
    for (const std::size_t lines : {50'000, 100'000, 200'000, 400'000}) {
        if (!measure(repeat_body(text, lines))) return 1;
    }
    return 0;
}
