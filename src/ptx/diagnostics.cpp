#include "ptx/diagnostics.h"

#include <algorithm>

#include "ptx/lines.h"

namespace gwatch::ptx {
namespace {

// Bytes of a source line that an error shows around its caret.
constexpr std::size_t kShownBefore = 60;
constexpr std::size_t kShownAfter = 40;
constexpr std::size_t kQuotedMax = 40;

// One tab is one blank, so that the caret stands right; other control and non-ASCII bytes are
// escaped, so that an error is valid UTF-8 whatever the text holds.
std::string printable(std::string_view bytes) {
    static constexpr char kHexDigits[] = "0123456789ABCDEF";
    std::string shown;
    for (const char byte : bytes) {
        const auto code = static_cast<unsigned char>(byte);
        if (byte == '\t') {
            shown += ' ';
        } else if (code >= 0x20 && code < 0x7F) {
            shown += byte;
        } else {
            shown += {'\\', 'x', kHexDigits[code >> 4], kHexDigits[code & 15]};
        }
    }
    return shown;
}

std::string_view line_at(std::string_view text, std::size_t start) {
    const std::string_view rest = text.substr(start);
    return rest.substr(0, rest.find_first_of("\r\n"));
}

std::string line_with_caret(std::string_view line, const Position& position) {
    const std::size_t caret = position.column - 1;
    const std::size_t from = caret > kShownBefore ? caret - kShownBefore : 0;
    const std::string before = (from > 0 ? "..." : "") + printable(line.substr(from, caret - from));
    const std::string_view after = line.substr(std::min(caret, line.size()));
    const std::string number = std::to_string(position.line);
    std::string shown = number + (line.empty() ? " |" : " | ") + before;
    shown += printable(after.substr(0, kShownAfter));
    if (after.size() > kShownAfter) shown += "...";
    return shown + "\n" + std::string(number.size(), ' ') + " | " +
           std::string(before.size(), ' ') + "^";
}

}  // namespace

std::string quote(std::string_view bytes) {
    std::string quoted(1, '\'');
    quoted += printable(bytes.substr(0, kQuotedMax));
    if (bytes.size() > kQuotedMax) quoted += "...";
    return quoted += '\'';
}

Error describe(const SourceText& source, const Mismatch& mismatch) {
    const auto line_starts = find_line_starts(source.text);
    const Position position = position_at(line_starts, mismatch.offset);
    const std::string where = std::string(source.name) + ":" + std::to_string(position.line) + ":" +
                              std::to_string(position.column);
    const std::string_view line = line_at(source.text, line_starts[position.line - 1]);
    return {ErrorKind::kPtx, where + ": expected " + mismatch.expected + ", got " + mismatch.got,
            line_with_caret(line, position), mismatch.hint};
}

}  // namespace gwatch::ptx
