#include "ptx/lines.h"

#include <algorithm>

namespace gwatch::ptx {

std::vector<std::uint32_t> find_line_starts(std::string_view text) {
    std::vector<std::uint32_t> starts{0};
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_crlf = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
        if (text[i] == '\n' || (text[i] == '\r' && !is_crlf)) {
            starts.push_back(static_cast<std::uint32_t>(i + 1));
        }
    }
    return starts;
}

Position position_at(const std::vector<std::uint32_t>& line_starts, std::uint32_t offset) {
    const auto next_line = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
    const auto line = static_cast<std::uint32_t>(next_line - line_starts.begin());
    return {line, offset - line_starts[line - 1] + 1};
}

}  // namespace gwatch::ptx
