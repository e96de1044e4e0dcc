#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "trace/trace.h"

// Payloads as readers see them: values as text and numbers, and what a row carries.
namespace gwatch::report {

/// The value in the fewest characters that say it exactly: digits, or hexadecimal ones after 0x.
std::string payload_text(trace::PayloadKind kind, std::uint64_t bits);

/// The same for JSON: a number where every reader of JSON holds it exactly, else its text.
nlohmann::ordered_json payload_json(trace::PayloadKind kind, std::uint64_t bits);

/// Numbers that sort as the values do; negative NaN first, other NaN last.
std::uint64_t payload_rank(trace::PayloadKind kind, std::uint64_t bits);

/// The bits behind a rank.
std::uint64_t bits_of_rank(trace::PayloadKind kind, std::uint64_t rank);

/// How a value fits the number types of other formats.
enum class NumberType { kNone, kSigned, kUnsigned, kFloat };

/// Bits that are no number count as unsigned.
NumberType number_type(trace::PayloadKind kind);

/// Whether a value can be drawn over time: a finite number.
bool is_countable(trace::PayloadKind kind, std::uint64_t bits);

/// A value of a signed kind.
std::int64_t signed_value(trace::PayloadKind kind, std::uint64_t bits);

/// A value of a floating-point kind.
double float_value(trace::PayloadKind kind, std::uint64_t bits);

/// Finds the payloads of rows that are asked for in ascending order.
class PayloadCursor {
  public:
    explicit PayloadCursor(const trace::Payloads& payloads, std::uint64_t first_row = 0)
        : payloads_(payloads),
          next_(static_cast<std::size_t>(
              std::lower_bound(payloads.row.begin(), payloads.row.end(), first_row) -
              payloads.row.begin())) {}

    /// The row's payload, or null; valid as long as the table.
    const std::uint64_t* of(std::uint64_t row) {
        while (next_ < payloads_.size() && payloads_.row[next_] < row) ++next_;
        const bool is_there = next_ < payloads_.size() && payloads_.row[next_] == row;
        return is_there ? &payloads_.bits[next_] : nullptr;
    }

  private:
    const trace::Payloads& payloads_;
    std::size_t next_;
};

/// Calls visit(row, bits) for each row of the table that carries a payload, in order.
template <class Table, class Visit>
void for_each_payload(const trace::Run& run, const Table& table, const Visit& visit) {
    for (std::size_t i = 0; i < table.payloads.size(); ++i) {
        const std::uint64_t row = table.payloads.row[i];
        if (run.scopes[table.scope[row]].payload == trace::PayloadKind::kNone) continue;
        visit(row, table.payloads.bits[i]);
    }
}

}  // namespace gwatch::report
