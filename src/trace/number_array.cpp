#include "trace/number_array.h"

#include <limits>

#include "base/progress.h"

namespace gwatch::trace {

namespace {

constexpr std::size_t kNumbersAStep = 1 << 16;  ///< of progress
constexpr int kSafeDigits = 18;                 ///< so many always fit

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

const char* skip_space(const char* at, const char* end) {
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
    return at;
}

/// A number and where it ends; `at` is null when there is none that fits.
struct Number {
    std::int64_t value;
    const char* at;
};

constexpr Number kNone{0, nullptr};

/// Digits, of which there may be more than fit.
Number many_digits(const char* at, const char* end, bool is_unsigned) {
    std::uint64_t value = 0;
    for (; at != end && is_digit(*at); ++at) {
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, static_cast<unsigned>(*at - '0'), &value))
            return kNone;
    }
    if (!is_unsigned && value > std::numeric_limits<std::int64_t>::max()) return kNone;
    return {static_cast<std::int64_t>(value), at};
}

Number whole_number(const char* at, const char* end, bool is_unsigned) {
    const bool is_negative = at != end && *at == '-' && !is_unsigned;
    const char* const first = is_negative ? at + 1 : at;
    const char* digit = first;
    std::uint64_t value = 0;
    for (; digit != end && is_digit(*digit); ++digit) {
        if (digit - first == kSafeDigits)
            return is_negative ? kNone : many_digits(first, end, is_unsigned);
        value = value * 10 + static_cast<unsigned>(*digit - '0');
    }
    // JSON has no number that is empty, or begins with a zero in vain.
    if (digit == first || (*first == '0' && digit - first > 1)) return kNone;
    const auto number = static_cast<std::int64_t>(value);
    return {is_negative ? -number : number, digit};
}

}  // namespace

const char* take_whole_numbers(const char* at, const char* end, bool is_unsigned,
                               std::vector<std::int64_t>* column) {
    const char* reported = at;
    while (true) {
        const char* const element = at;
        const Number number = whole_number(skip_space(at, end), end, is_unsigned);
        if (number.at == nullptr) return element;
        at = skip_space(number.at, end);
        if (at == end || (*at != ',' && *at != ']')) return element;
        if (*at == ',') {
            const char* const next = skip_space(at + 1, end);
            // A comma in vain is for the parser to find.
            if (next == end || *next == ']') return element;
            ++at;
        }
        column->push_back(number.value);
        const bool is_last = *at == ']';
        if (!is_last && column->size() % kNumbersAStep != 0) continue;
        progress::advance(static_cast<std::uint64_t>(at - reported));
        if (is_last) return at;
        reported = at;
    }
}

}  // namespace gwatch::trace
