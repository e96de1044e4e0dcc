#include "report/block_choice.h"

#include <algorithm>
#include <functional>

#include "report/flatten.h"

namespace gwatch::report {

namespace {

struct BlockFacts {
    std::uint64_t block = 0;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    std::int64_t gap_ns = 0;  ///< summed over its warps
    std::vector<std::uint32_t> lanes;

    std::int64_t lifetime_ns() const { return end_ns - begin_ns; }
};

template <class T>
bool accepts(const std::vector<T>& list, T value) {
    return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

std::vector<BlockFacts> gather_blocks(const trace::Run& run, const WarpFilter& filter) {
    std::vector<BlockFacts> blocks;
    for (std::uint32_t index = 0; index < run.lanes.size(); ++index) {
        const trace::Lane& lane = run.lanes[index];
        if (!accepts(filter.blocks, lane.block) || !accepts(filter.warps, lane.warp)) continue;
        const std::int64_t end = lane_end_ns(run, lane);
        if (blocks.empty() || blocks.back().block != lane.block)
            blocks.push_back({lane.block, lane.enter_ns, end, 0, {}});
        BlockFacts& facts = blocks.back();
        facts.begin_ns = std::min(facts.begin_ns, lane.enter_ns);
        facts.end_ns = std::max(facts.end_ns, end);
        facts.lanes.push_back(index);
    }
    return blocks;
}

/// Time of the lane in no slice at all.
std::int64_t lane_gap_ns(const trace::Run& run, const trace::Lane& lane) {
    std::int64_t covered_until = lane.enter_ns;
    std::int64_t gap = 0;
    for (std::uint64_t slice = lane.first_slice; slice < lane.end_slice; ++slice) {
        gap += std::max<std::int64_t>(0, run.slices.start_ns[slice] - covered_until);
        covered_until =
            std::max(covered_until, run.slices.start_ns[slice] + run.slices.duration_ns[slice]);
    }
    return gap + std::max<std::int64_t>(0, lane_end_ns(run, lane) - covered_until);
}

void measure_gaps(const trace::Run& run, std::vector<BlockFacts>& blocks) {
    for (BlockFacts& facts : blocks) {
        for (const std::uint32_t index : facts.lanes)
            facts.gap_ns += lane_gap_ns(run, run.lanes[index]);
    }
}

ChosenBlock chosen(const BlockFacts& facts, const char* reason) {
    return {facts.block, reason, facts.lanes};
}

std::vector<ChosenBlock> choose_all(const std::vector<BlockFacts>& blocks, const char* reason) {
    std::vector<ChosenBlock> all;
    for (const BlockFacts& facts : blocks) all.push_back(chosen(facts, reason));
    return all;
}

/// The block in the middle by lifetime; of equal ones the first.
const BlockFacts& median_block(const std::vector<BlockFacts>& blocks) {
    std::vector<std::int64_t> lifetimes;
    for (const BlockFacts& facts : blocks) lifetimes.push_back(facts.lifetime_ns());
    const auto middle = lifetimes.begin() + static_cast<std::ptrdiff_t>(lifetimes.size() / 2);
    std::nth_element(lifetimes.begin(), middle, lifetimes.end());
    return *std::find_if(blocks.begin(), blocks.end(),
                         [&](const BlockFacts& facts) { return facts.lifetime_ns() == *middle; });
}

struct Criterion {
    const char* reason;
    std::function<std::int64_t(const BlockFacts&)>
        score;  ///< the highest wins, of equals the first
};

const std::vector<Criterion>& criteria() {
    static const std::vector<Criterion> list = {
        {"most gap", [](const BlockFacts& facts) { return facts.gap_ns; }},
        {"first to start", [](const BlockFacts& facts) { return -facts.begin_ns; }},
        {"last to end", [](const BlockFacts& facts) { return facts.end_ns; }},
        {"longest lifetime", [](const BlockFacts& facts) { return facts.lifetime_ns(); }},
        {"shortest lifetime", [](const BlockFacts& facts) { return -facts.lifetime_ns(); }},
    };
    return list;
}

std::vector<ChosenBlock> choose_telling(const std::vector<BlockFacts>& blocks,
                                        std::size_t max_rows) {
    std::vector<ChosenBlock> telling = {chosen(median_block(blocks), "median lifetime")};
    std::size_t rows = telling.front().lanes.size();
    for (const Criterion& criterion : criteria()) {
        const BlockFacts& best = *std::max_element(
            blocks.begin(), blocks.end(), [&](const BlockFacts& left, const BlockFacts& right) {
                return criterion.score(left) < criterion.score(right);
            });
        const auto known =
            std::find_if(telling.begin(), telling.end(),
                         [&](const ChosenBlock& other) { return other.block == best.block; });
        if (known != telling.end()) {
            known->reason += std::string(", ") + criterion.reason;
        } else if (rows + best.lanes.size() <= max_rows) {
            telling.push_back(chosen(best, criterion.reason));
            rows += best.lanes.size();
        }
    }
    return telling;
}

}  // namespace

std::vector<ChosenBlock> choose_blocks(const trace::Run& run, const WarpFilter& filter,
                                       std::size_t max_rows) {
    std::vector<BlockFacts> blocks = gather_blocks(run, filter);
    if (blocks.empty()) return {};
    if (!filter.blocks.empty()) return choose_all(blocks, "asked for");
    std::size_t rows = 0;
    for (const BlockFacts& facts : blocks) rows += facts.lanes.size();
    if (rows <= max_rows) return choose_all(blocks, "all blocks are shown");
    measure_gaps(run, blocks);
    return choose_telling(blocks, max_rows);
}

}  // namespace gwatch::report
