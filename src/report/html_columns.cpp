#include "report/html_columns.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace gwatch::report {

namespace {

/// Differences of a column's values, zig-zag.
class Differences {
  public:
    std::uint64_t next(std::int64_t value) {
        const std::int64_t difference = value - last_;
        last_ = value;
        return zigzag(difference);
    }

  private:
    std::int64_t last_ = 0;
};

/// Where the next slice of a lane is likely to start: at the end of the one before it at its depth,
/// or at the start of the one around it. The residual is 0 for most slices of a loop.
class StartPrediction {
  public:
    void restart(std::int64_t enter_ns) {
        enter_ns_ = enter_ns;
        last_end_ns_.clear();
        last_start_ns_.clear();
    }
    std::uint64_t residual(std::int64_t start_ns, std::int64_t duration_ns, std::size_t depth) {
        if (last_end_ns_.size() <= depth) {
            last_end_ns_.resize(depth + 1, enter_ns_);
            last_start_ns_.resize(depth + 1, enter_ns_);
        }
        const std::int64_t around_ns = depth == 0 ? enter_ns_ : last_start_ns_[depth - 1];
        const std::int64_t predicted_ns = std::max(last_end_ns_[depth], around_ns);
        last_start_ns_[depth] = start_ns;
        last_end_ns_[depth] = start_ns + duration_ns;
        return zigzag(start_ns - predicted_ns);
    }

  private:
    std::int64_t enter_ns_ = 0;
    std::vector<std::int64_t> last_end_ns_;    ///< by depth
    std::vector<std::int64_t> last_start_ns_;  ///< by depth
};

/// What slices have in common: few combinations occur, as markers repeat.
struct Kind {
    std::uint32_t scope;
    std::uint32_t mask;
    std::uint16_t depth;

    bool operator==(const Kind&) const = default;
};

struct KindHash {
    std::size_t operator()(const Kind& kind) const {
        const std::uint64_t low = std::uint64_t{kind.scope} << 32 | kind.mask;
        return static_cast<std::size_t>((low ^ std::uint64_t{kind.depth} << 40) *
                                        0x9e3779b97f4a7c15u);
    }
};

/// Numbers kinds in order of their first appearance.
class KindNumbers {
  public:
    std::uint64_t number(const Kind& kind) {
        const auto [place, is_new] = numbers_.try_emplace(kind, kinds_.size());
        if (is_new) kinds_.push_back(kind);
        return place->second;
    }
    const std::vector<Kind>& kinds() const { return kinds_; }

  private:
    std::unordered_map<Kind, std::uint64_t, KindHash> numbers_;
    std::vector<Kind> kinds_;
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

void pack_starts(const trace::Run& run, ColumnPacker& packer) {
    const trace::Slices& slices = run.slices;
    std::vector<std::uint64_t> starts;
    starts.reserve(slices.size());
    StartPrediction prediction;
    for (const trace::Lane& lane : run.lanes) {
        prediction.restart(lane.enter_ns);
        for (std::uint64_t slice = lane.first_slice; slice < lane.end_slice; ++slice)
            starts.push_back(prediction.residual(slices.start_ns[slice], slices.duration_ns[slice],
                                                 slices.depth[slice]));
    }
    packer.add("slice.start", starts);
}

void pack_kinds(const trace::Slices& slices, ColumnPacker& packer) {
    KindNumbers numbers;
    packer.add(
        "slice.kind", column(slices.size(), [&](std::size_t slice) {
            return numbers.number({slices.scope[slice], slices.mask[slice], slices.depth[slice]});
        }));
    const std::vector<Kind>& kinds = numbers.kinds();
    const auto add = [&](const char* name, auto value) {
        packer.add(name,
                   column(kinds.size(), [&](std::size_t index) { return value(kinds[index]); }));
    };
    add("kind.scope", [](const Kind& kind) { return std::uint64_t{kind.scope}; });
    add("kind.depth", [](const Kind& kind) { return std::uint64_t{kind.depth}; });
    add("kind.mask", [](const Kind& kind) { return std::uint64_t{kind.mask}; });
}

/// Sparse, and only where there are any: which rows, then the halves of their 64 bits.
void pack_payloads(const trace::Payloads& payloads, const std::string& prefix,
                   ColumnPacker& packer) {
    if (payloads.size() == 0) return;
    const auto add = [&](const char* name, auto value) {
        packer.add(prefix + name, column(payloads.size(), value));
    };
    Differences row;
    add(".payload_row",
        [&](std::size_t i) { return row.next(static_cast<std::int64_t>(payloads.row[i])); });
    add(".payload_low", [&](std::size_t i) { return payloads.bits[i] & 0xffffffff; });
    add(".payload_high", [&](std::size_t i) { return payloads.bits[i] >> 32; });
}

void pack_slices(const trace::Run& run, ColumnPacker& packer) {
    pack_starts(run, packer);
    const auto& duration_ns = run.slices.duration_ns;
    packer.add("slice.duration", column(duration_ns.size(), [&](std::size_t slice) {
                   return static_cast<std::uint64_t>(duration_ns[slice]);
               }));
    pack_kinds(run.slices, packer);
    pack_payloads(run.slices.payloads, "slice", packer);
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
    pack_payloads(instants.payloads, prefix, packer);
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
