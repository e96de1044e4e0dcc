#include "analysis/words.h"

#include <algorithm>

namespace gwatch::analysis {
namespace {

bool is_word_character(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_' || character == '$' ||
           character == '%' || character == '.';
}

}  // namespace

std::string_view Words::next() {
    const auto begin = std::find_if(rest_.begin(), rest_.end(), is_word_character);
    const auto end = std::find_if_not(begin, rest_.end(), is_word_character);
    const std::string_view word(begin, end);
    rest_ = std::string_view(end, rest_.end());
    return word;
}

bool is_single_word(std::string_view operand) {
    if (operand.starts_with('-')) operand.remove_prefix(1);
    return !operand.empty() && std::all_of(operand.begin(), operand.end(), is_word_character);
}

}  // namespace gwatch::analysis
