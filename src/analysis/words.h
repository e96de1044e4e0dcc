#pragma once

#include <string_view>

namespace gwatch::analysis {

/// The names and numbers in the text of an operand, in order: "[%rd1+-16]" has %rd1 and 16.
class Words {
  public:
    explicit Words(std::string_view operand) : rest_(operand) {}

    /// Empty at the end.
    std::string_view next();

  private:
    std::string_view rest_;
};

/// Whether the operand is one name or integer, with no sign but a minus and no brackets.
bool is_single_word(std::string_view operand);

}  // namespace gwatch::analysis
