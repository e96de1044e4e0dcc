// Parses and prints one kernel of growing length: time and memory must grow with it in a straight
// line. Usage: ptx_parse [MODULE.ptx]

#include <sys/resource.h>

#include <cstdio>
#include <string>

#include "ptx/module.h"
#include "repeated_kernel.h"

namespace {

using namespace gwatch::benchmarks;

constexpr int kRepetitions = 5;

long peak_mebibytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

bool measure(const std::string& text) {
    bool is_same = true;
    const double parse_time = best_milliseconds(kRepetitions, [&] {
        const auto module = gwatch::ptx::parse(text);
        is_same = is_same && module.ok();
    });
    const auto module = gwatch::ptx::parse(text);
    if (!module) return false;
    const double print_time = best_milliseconds(
        kRepetitions, [&] { is_same = is_same && gwatch::ptx::print(*module) == text; });
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
