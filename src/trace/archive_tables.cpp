#include "trace/archive_tables.h"

#include <limits>
#include <utility>

#include "trace/warp_threads.h"

namespace gwatch::trace {

namespace {

/// 2^53: what every JSON reader takes exactly; 104 days.
constexpr std::int64_t kLatestNs = 1ll << 53;

std::string at(std::size_t index) {
    return '[' + std::to_string(index) + ']';
}

/// Fetches columns of one table and checks them; keeps the first thing that is wrong.
class Table {
  public:
    Table(const Columns& columns, std::string name, std::string* problem)
        : columns_(columns), name_(std::move(name)), problem_(*problem) {}

    bool ok() const { return problem_.empty(); }
    std::size_t rows() const { return rows_; }

    void fail(const std::string& what) {
        if (problem_.empty()) problem_ = name_ + what;
    }
    void fail_column(const char* column, const std::string& what) {
        if (problem_.empty()) problem_ = name_ + '.' + column + what;
    }

    const std::vector<std::int64_t>* find(const char* column) const {
        const auto found = columns_.find(name_ + "." + column);
        return found == columns_.end() ? nullptr : &found->second;
    }

    /// A column whose values go from `least` to `most`. The first one sets the table's number of
    /// rows.
    template <class T>
    std::vector<T> column(const char* name, std::int64_t least, std::int64_t most) {
        const std::vector<std::int64_t>* values = find(name);
        if (values == nullptr) {
            fail_column(name, " is missing");
            return {};
        }
        if (first_ == nullptr) {
            first_ = name;
            rows_ = values->size();
        }
        if (values->size() != rows_) {
            fail_column(name, " has " + std::to_string(values->size()) + " values, " + first_ +
                                  " has " + std::to_string(rows_));
            return {};
        }
        return checked<T>(name, *values, least, most);
    }

    template <class T>
    std::vector<T> checked(const char* name, const std::vector<std::int64_t>& values,
                           std::int64_t least, std::int64_t most) {
        std::vector<T> result(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] < least || values[i] > most) {
                fail_column(name, at(i) + " is " + std::to_string(values[i]) + ", outside of " +
                                      std::to_string(least) + " to " + std::to_string(most));
                return {};
            }
            result[i] = static_cast<T>(values[i]);
        }
        return result;
    }

  private:
    const Columns& columns_;
    std::string name_;
    std::string& problem_;
    const char* first_ = nullptr;
    std::size_t rows_ = 0;
};

constexpr std::int64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

/// The threads that a stored mask stands for.
std::uint32_t restored_mask(const Run& run, std::uint32_t warp, std::uint32_t stored) {
    return stored == 0 ? warp_threads(run.launch.block, warp) : stored;
}

void fill_lanes(Table& table, Run* run) {
    const auto block =
        table.column<std::uint64_t>("block", 0, std::numeric_limits<std::int64_t>::max());
    const auto warp = table.column<std::uint32_t>("warp", 0, 31);
    const auto sm = table.column<std::uint32_t>("sm", 0, kMost32);
    const auto rank = table.column<std::uint32_t>("cluster_rank", 0, kMost32);
    const auto enter = table.column<std::int64_t>("enter_ns", 0, kLatestNs);
    const auto exit = table.column<std::int64_t>("exit_ns", kUnknownTime, kLatestNs);
    const auto events = table.column<std::uint32_t>("events", 0, kMost32);
    const auto slices = table.column<std::uint32_t>("slice_count", 0, kMost32);
    if (!table.ok()) return;
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < table.rows(); ++i) {
        run->lanes.push_back({block[i], warp[i], sm[i], rank[i], enter[i], exit[i], events[i], next,
                              next + slices[i]});
        next += slices[i];
        if (exit[i] != kUnknownTime && exit[i] < enter[i]) {
            table.fail_column("exit_ns", at(i) + " is before enter_ns");
        }
    }
}

/// Scopes as a column; every one is in the scope table.
std::vector<std::uint32_t> scope_column(Table& table, const Run& run) {
    return table.column<std::uint32_t>("scope", 0,
                                       static_cast<std::int64_t>(run.scopes.size()) - 1);
}

void fill_depths(Table& table, Run* run) {
    Slices& slices = run->slices;
    if (table.find("depth") != nullptr) {
        slices.depth = table.column<std::uint16_t>("depth", 0, 0xffff);
        return;
    }
    const std::vector<std::int64_t>* of_scope = table.find("scope_depth");
    if (of_scope == nullptr) return table.fail(" has neither depth nor scope_depth");
    if (of_scope->size() != run->scopes.size()) {
        return table.fail(".scope_depth has " + std::to_string(of_scope->size()) +
                          " values for a scope table of " + std::to_string(run->scopes.size()));
    }
    const auto depths = table.checked<std::uint16_t>("scope_depth", *of_scope, 0, 0xffff);
    if (!table.ok()) return;
    slices.depth.reserve(slices.size());
    for (const std::uint32_t scope : slices.scope) slices.depth.push_back(depths[scope]);
}

void restore_starts(Table& table, Run* run) {
    for (std::size_t i = 0; i < run->lanes.size(); ++i) {
        std::int64_t start = run->lanes[i].enter_ns;
        for (std::uint64_t s = run->lanes[i].first_slice; s < run->lanes[i].end_slice; ++s) {
            start += run->slices.start_ns[s];
            if (start > kLatestNs) {
                return table.fail(" of lane " + std::to_string(i) + " start later than " +
                                  std::to_string(kLatestNs) + " ns");
            }
            run->slices.start_ns[s] = start;
        }
    }
}

void check_payload(Table& table, const Run& run, const std::vector<std::uint32_t>& scopes,
                   std::size_t index, const Payloads& payloads) {
    const std::uint64_t row = payloads.row[index];
    const auto fail = [&](const char* column, const std::string& what) {
        table.fail_column(column, at(index) + what);
    };
    if (row >= scopes.size()) {
        return fail("payloads.row_delta", " leads to row " + std::to_string(row) +
                                              " of a table of " + std::to_string(scopes.size()));
    }
    const Scope& scope = run.scopes[scopes[row]];
    if (scope.payload == PayloadKind::kNone) {
        return fail("payloads.row_delta", " leads to row " + std::to_string(row) +
                                              ", whose scope " + scope.name +
                                              " has no kind of payload");
    }
    if (record::payload_bits(scope.payload) == 32 && payloads.bits[index] >> 32 != 0)
        fail("payloads.bits", " has more than the 32 bits of scope " + scope.name);
}

/// The payloads of a table whose rows have these scopes; a table need not have any.
void fill_payloads(Table& table, const Run& run, const std::vector<std::uint32_t>& scopes,
                   Payloads* payloads) {
    const std::vector<std::int64_t>* deltas = table.find("payloads.row_delta");
    const std::vector<std::int64_t>* bits = table.find("payloads.bits");
    if (!table.ok() || (deltas == nullptr && bits == nullptr)) return;
    if (deltas == nullptr) return table.fail(".payloads.row_delta is missing");
    if (bits == nullptr) return table.fail(".payloads.bits is missing");
    if (deltas->size() != bits->size()) {
        return table.fail(".payloads.bits has " + std::to_string(bits->size()) +
                          " values, row_delta has " + std::to_string(deltas->size()));
    }
    payloads->row.reserve(deltas->size());
    payloads->bits.reserve(deltas->size());
    std::uint64_t row = 0;
    for (std::size_t i = 0; i < deltas->size() && table.ok(); ++i) {
        if ((*deltas)[i] < (i == 0 ? 0 : 1))
            return table.fail_column(
                "payloads.row_delta",
                at(i) + " is " + std::to_string((*deltas)[i]) + ": rows ascend");
        row += static_cast<std::uint64_t>((*deltas)[i]);
        payloads->row.push_back(row);
        payloads->bits.push_back(static_cast<std::uint64_t>((*bits)[i]));
        check_payload(table, run, scopes, i, *payloads);
    }
}

void fill_slices(Table& table, Run* run) {
    Slices& slices = run->slices;
    slices.start_ns = table.column<std::int64_t>("start_delta_ns", 0, kLatestNs);
    slices.duration_ns = table.column<std::int64_t>("duration_ns", 0, kLatestNs);
    slices.scope = scope_column(table, *run);
    if (!table.ok()) return;
    fill_depths(table, run);
    const std::uint64_t counted = run->lanes.empty() ? 0 : run->lanes.back().end_slice;
    if (counted != table.rows()) {
        table.fail(" has " + std::to_string(table.rows()) +
                   " rows, but lanes.slice_count adds up to " + std::to_string(counted));
    }
    if (table.find("mask") != nullptr) {
        slices.mask = table.column<std::uint32_t>("mask", 0, kMost32);
    } else {
        slices.mask.resize(table.rows());
    }
    if (!table.ok()) return;
    for (const Lane& lane : run->lanes) {
        for (std::uint64_t i = lane.first_slice; i < lane.end_slice; ++i) {
            slices.mask[i] = restored_mask(*run, lane.warp, slices.mask[i]);
        }
    }
    restore_starts(table, run);
    fill_payloads(table, *run, slices.scope, &slices.payloads);
}

void fill_instants(Table& table, const Run& run, Instants* instants) {
    instants->lane =
        table.column<std::uint32_t>("lane", 0, static_cast<std::int64_t>(run.lanes.size()) - 1);
    instants->time_ns = table.column<std::int64_t>("time_ns", 0, kLatestNs);
    instants->scope = scope_column(table, run);
    instants->mask = table.column<std::uint32_t>("mask", 0, kMost32);
    if (!table.ok()) return;
    for (std::size_t i = 0; i < instants->size(); ++i) {
        instants->mask[i] =
            restored_mask(run, run.lanes[instants->lane[i]].warp, instants->mask[i]);
    }
    fill_payloads(table, run, instants->scope, &instants->payloads);
}

}  // namespace

std::string fill_tables(const Columns& columns, Run* run) {
    std::string problem;
    Table lanes(columns, "lanes", &problem);
    fill_lanes(lanes, run);
    Table slices(columns, "slices", &problem);
    if (problem.empty()) fill_slices(slices, run);
    const std::pair<const char*, Instants*> all[] = {{"marks", &run->marks},
                                                     {"orphan_starts", &run->orphan_starts},
                                                     {"orphan_ends", &run->orphan_ends}};
    for (const auto& [name, instants] : all) {
        Table table(columns, name, &problem);
        if (problem.empty()) fill_instants(table, *run, instants);
    }
    return problem;
}

}  // namespace gwatch::trace
