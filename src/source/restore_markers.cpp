#include "source/restore_markers.h"

#include <algorithm>

namespace gwatch::source {

namespace {

constexpr std::string_view kDeclaration = ".reg .b32 gwatch$";
constexpr std::string_view kComment = "// gwatch:";

/// "switch$a$b" as "// gwatch:switch a b".
std::string comment_of(std::string_view words) {
    std::string comment(kComment);
    comment += words;
    std::replace(comment.begin() + kComment.size(), comment.end(), '$', ' ');
    return comment;
}

bool has_comment(std::string_view behind) {
    const std::size_t word = behind.find_first_not_of(" \t\r\n");
    return word != std::string_view::npos && behind.substr(word).starts_with(kComment);
}

}  // namespace

std::string restore_markers(std::string_view ptx) {
    std::string restored;
    std::size_t copied = 0;
    for (std::size_t at = ptx.find(kDeclaration); at != std::string_view::npos;
         at = ptx.find(kDeclaration, at + 1)) {
        const std::size_t words = at + kDeclaration.size();
        const std::size_t end = ptx.find_first_of(";\n", words);
        if (end == std::string_view::npos || ptx[end] != ';') continue;
        if (has_comment(ptx.substr(end + 1))) continue;
        restored += ptx.substr(copied, end + 1 - copied);
        restored.append("\n").append(comment_of(ptx.substr(words, end - words))).append("\n");
        copied = end + 1;
    }
    restored += ptx.substr(copied);
    return restored;
}

}  // namespace gwatch::source
