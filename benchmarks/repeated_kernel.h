#pragma once

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

namespace gwatch::benchmarks {

inline std::string read_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::size_t count_lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A module whose last function runs its body up to `ret` over and over, in at least so many lines.
/// Each copy has a scope of its own, so that labels stay unique.
inline std::string repeat_body(const std::string& text, std::size_t lines) {
    const std::size_t open = text.rfind("\n{") + 2;
    const std::string body = "\n{" + text.substr(open, text.rfind("ret;") - open) + "}";
    std::string grown = text.substr(0, open);
    for (std::size_t count = 0; count < lines; count += count_lines(body)) grown += body;
    return grown + "\n\tret;\n}\n";
}

/// CPU time, so that what else runs on the machine does not count.
template <class Work>
double best_milliseconds(int repetitions, Work work) {
    double best = 1e30;
    for (int i = 0; i < repetitions; ++i) {
        const std::clock_t start = std::clock();
        work();
        best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
}

}  // namespace gwatch::benchmarks
