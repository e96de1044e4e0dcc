// Instruments one kernel of growing length: time must grow with it in a straight line. Usage:
// instrument_time [MODULE.ptx]

#include <cstdio>
#include <regex>
#include <string>

#include "instrument/instrument.h"
#include "repeated_kernel.h"

namespace {

using namespace gwatch;

constexpr int kRepetitions = 3;

// The test module says in comments of its own where markers would stand.
std::string with_markers(const std::string& text) {
    return std::regex_replace(text, std::regex("/\\*GW_(BEGIN|END) ([0-9]+)\\*/"),
                              "// gwatch:mark $2\n\tmov.u32 %r2, 0;");
}

bool measure(const std::string& text) {
    const auto module = ptx::parse(text);
    if (!module) return false;
    std::size_t markers = 0;
    const double time = benchmarks::best_milliseconds(kRepetitions, [&] {
        const auto done = instrument::instrument_matching(*module, "");
        markers = done ? done->markers.size() : 0;
    });
    std::printf("%8zu lines %7zu markers  %8.1f ms\n", benchmarks::count_lines(text), markers,
                time);
    return markers != 0;
}

}  // namespace

int main(int argc, char** argv) {
    const char* path = argc > 1 ? argv[1] : GWATCH_TEST_DATA "/ptx/wgmma-pipeline.ptx";
    const std::string text = with_markers(benchmarks::read_file(path));
    for (const std::size_t lines : {50'000, 100'000, 200'000, 400'000}) {
        if (measure(benchmarks::repeat_body(text, lines))) continue;
        std::fprintf(stderr, "instrument_time: %s is no PTX with markers\n", path);
        return 1;
    }
    return 0;
}
