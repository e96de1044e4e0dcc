#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

// What scopes did for each value that their markers carried: a tile, an iteration, a queue's fill.
namespace gwatch::views {

/// All slices or marks of a scope that carried one value.
struct PayloadValue {
    std::uint64_t bits;  ///< of the scope's kind
    std::uint64_t count;
    // Durations; 0 for marks. Percentiles are linear between ranks.
    double p50_ns = 0;
    double p95_ns = 0;
    std::int64_t max_ns = 0;
    std::int64_t total_ns = 0;
};

/// The payloads of one scope's slices, or of its marks.
struct ScopePayloads {
    std::uint32_t scope;
    trace::PayloadKind kind;
    std::uint64_t count = 0;     ///< slices or marks that carried one
    std::uint64_t without = 0;   ///< the others of the scope
    std::uint64_t distinct = 0;  ///< values
    std::uint64_t least = 0;     ///< bits, as the next two
    std::uint64_t median = 0;    ///< one of the values: of an even number the lower middle one
    std::uint64_t most = 0;
    std::int64_t total_ns = 0;
    /// All in order of value; or, when there are more than asked for, those with most total (marks:
    /// that are most frequent), most first.
    std::vector<PayloadValue> values;
};

struct PayloadSummary {
    std::vector<ScopePayloads> slices;  ///< in order of the scope table
    std::vector<ScopePayloads> marks;
};

/// A scope is listed when at least one of its slices, or marks, carried a payload; with `limit`
/// values at most.
PayloadSummary summarise_payloads(const trace::Run& run, std::size_t limit);

}  // namespace gwatch::views
