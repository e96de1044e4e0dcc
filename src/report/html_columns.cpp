#include "report/html_columns.h"

#include <string>

namespace gwatch::report {

namespace {

/// Differences of a column's values, zig-zag.
class Differences {
  public:
    void restart(std::int64_t from) { last_ = from; }
    std::uint64_t next(std::int64_t value) {
        const std::int64_t difference = value - last_;
        last_ = value;
        return zigzag(difference);
    }

  private:
    std::int64_t last_ = 0;
};

template <class Of>
std::vector<std::uint64_t> column(std::size_t count, Of value) {
    std::vector<std::uint64_t> values(count);
    for (std::size_t index = 0; index < count; ++index) values[index] = value(index);
    return values;
}

/// Time from enter to exit, plus one; 0 when no exit was recorded.
std::uint64_t life_plus_one(const trace::Lane& lane) {
    if (lane.exit_ns == trace::kUnknownTime || lane.exit_ns < lane.enter_ns) return 0;
    return static_cast<std::uint64_t>(lane.exit_ns - lane.enter_ns) + 1;
}

void pack_rows(const trace::Run& run, ColumnPacker& packer) {
    const auto& lanes = run.lanes;
    const auto add = [&](const char* name, auto value) {
        packer.add(name, column(lanes.size(), [&](std::size_t row) { return value(lanes[row]); }));
    };
    Differences block;
    add("row.block",
        [&](const trace::Lane& lane) { return block.next(static_cast<std::int64_t>(lane.block)); });
    add("row.warp", [](const trace::Lane& lane) { return std::uint64_t{lane.warp}; });
    add("row.sm", [](const trace::Lane& lane) { return std::uint64_t{lane.sm}; });
    Differences enter;
    add("row.enter", [&](const trace::Lane& lane) { return enter.next(lane.enter_ns); });
    add("row.life", life_plus_one);
    add("row.slices", [](const trace::Lane& lane) { return lane.end_slice - lane.first_slice; });
}

void pack_slices(const trace::Run& run, ColumnPacker& packer) {
    const trace::Slices& slices = run.slices;
    std::vector<std::uint64_t> starts;
    starts.reserve(slices.size());
    Differences start;
    for (const trace::Lane& lane : run.lanes) {
        start.restart(lane.enter_ns);
        for (std::uint64_t slice = lane.first_slice; slice < lane.end_slice; ++slice)
            starts.push_back(start.next(slices.start_ns[slice]));
    }
    packer.add("slice.start", starts);
    const auto add = [&](const char* name, const auto& values) {
        packer.add(name, column(values.size(), [&](std::size_t slice) {
                       return static_cast<std::uint64_t>(values[slice]);
                   }));
    };
    add("slice.duration", slices.duration_ns);
    add("slice.scope", slices.scope);
    add("slice.depth", slices.depth);
    add("slice.mask", slices.mask);
}

void pack_instants(const trace::Instants& instants, const std::string& prefix,
                   ColumnPacker& packer) {
    const auto add = [&](const char* name, auto value) {
        packer.add(prefix + name, column(instants.size(), value));
    };
    Differences row;
    add(".row", [&](std::size_t index) { return row.next(instants.lane[index]); });
    Differences time;
    add(".time", [&](std::size_t index) { return time.next(instants.time_ns[index]); });
    add(".scope", [&](std::size_t index) { return std::uint64_t{instants.scope[index]}; });
    add(".mask", [&](std::size_t index) { return std::uint64_t{instants.mask[index]}; });
}

}  // namespace

ColumnPacker pack_columns(const trace::Run& run) {
    ColumnPacker packer;
    pack_rows(run, packer);
    pack_slices(run, packer);
    pack_instants(run.marks, "mark", packer);
    pack_instants(run.orphan_starts, "orphan_start", packer);
    pack_instants(run.orphan_ends, "orphan_end", packer);
    return packer;
}

}  // namespace gwatch::report
