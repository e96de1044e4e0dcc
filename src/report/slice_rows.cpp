#include "report/slice_rows.h"

#include <algorithm>

#include "report/payload.h"

namespace gwatch::report {

namespace {

void add_lane(const trace::Run& run, const trace::Lane& lane, std::size_t count, SliceRows* rows) {
    const std::uint64_t width = std::max<std::uint64_t>(run.launch.grid[0], 1);
    const std::uint64_t height = std::max<std::uint64_t>(run.launch.grid[1], 1);
    const auto add = [&](std::vector<std::uint32_t>& column, std::uint64_t value) {
        column.insert(column.end(), count, static_cast<std::uint32_t>(value));
    };
    rows->block.insert(rows->block.end(), count, lane.block);
    add(rows->block_x, lane.block % width);
    add(rows->block_y, lane.block / width % height);
    add(rows->block_z, lane.block / width / height);
    add(rows->warp, lane.warp);
    add(rows->sm, lane.sm);
    add(rows->cluster_rank, lane.cluster_rank);
}

template <class T>
void resize(PayloadRows::Numbers<T>& column, std::size_t rows) {
    column.values.resize(rows);
    column.valid.resize((rows + 7) / 8);
}

template <class T>
void set(PayloadRows::Numbers<T>& column, std::size_t row, T value) {
    column.values[row] = value;
    column.valid[row / 8] |= static_cast<std::uint8_t>(1u << row % 8);
}

void set(PayloadRows& rows, std::size_t row, trace::PayloadKind kind, std::uint64_t bits) {
    const NumberType type = number_type(kind);
    if (type == NumberType::kNone) return;
    set(rows.kind, row, static_cast<std::int32_t>(kind));
    if (type == NumberType::kSigned) set(rows.as_signed, row, signed_value(kind, bits));
    if (type == NumberType::kUnsigned) set(rows.as_unsigned, row, bits);
    if (type == NumberType::kFloat) set(rows.as_float, row, float_value(kind, bits));
}

/// Of the rows [first, end) of slices or marks.
template <class Table>
PayloadRows rows_of(const trace::Run& run, const Table& table, std::uint64_t first,
                    std::uint64_t end) {
    PayloadRows rows;
    const trace::Payloads& payloads = table.payloads;
    const auto begin = std::lower_bound(payloads.row.begin(), payloads.row.end(), first);
    auto at = static_cast<std::size_t>(begin - payloads.row.begin());
    if (at == payloads.size() || payloads.row[at] >= end) return rows;
    resize(rows.kind, end - first);
    resize(rows.as_signed, end - first);
    resize(rows.as_unsigned, end - first);
    resize(rows.as_float, end - first);
    for (; at < payloads.size() && payloads.row[at] < end; ++at) {
        const std::uint64_t row = payloads.row[at];
        set(rows, row - first, run.scopes[table.scope[row]].payload, payloads.bits[at]);
    }
    return rows;
}

}  // namespace

SliceRows slice_rows(const trace::Run& run, std::uint64_t first, std::uint64_t end) {
    SliceRows rows;
    for (const trace::Lane& lane : run.lanes) {
        const std::uint64_t begin = std::max(first, lane.first_slice);
        const std::uint64_t stop = std::min(end, lane.end_slice);
        if (begin < stop) add_lane(run, lane, stop - begin, &rows);
    }
    rows.end_ns.reserve(rows.block.size());
    for (std::uint64_t i = first; i < end && i < run.slices.size(); ++i) {
        rows.end_ns.push_back(run.slices.start_ns[i] + run.slices.duration_ns[i]);
    }
    return rows;
}

SliceRows mark_rows(const trace::Run& run) {
    SliceRows rows;
    for (const std::uint32_t lane : run.marks.lane) add_lane(run, run.lanes[lane], 1, &rows);
    rows.end_ns = run.marks.time_ns;
    return rows;
}

PayloadRows payload_rows(const trace::Run& run, std::uint64_t first, std::uint64_t end) {
    return rows_of(run, run.slices, first, end);
}

PayloadRows mark_payload_rows(const trace::Run& run) {
    return rows_of(run, run.marks, 0, run.marks.size());
}

}  // namespace gwatch::report
