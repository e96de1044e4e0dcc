#include "record/plan.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

namespace gwatch::record {

namespace {

constexpr std::uint64_t kAlignment = 256;
constexpr std::uint64_t kControlBytes = kAlignment;
constexpr std::uint64_t kDefaultBytes = 1ull << 30;
/// 128 MiB.
constexpr std::uint64_t kMaxRegionSlots = 1ull << 24;
constexpr std::uint64_t kMostBytes = 1ull << 40;
/// Blocks are left out before regions get smaller than this: a header and 30 records.
constexpr std::uint64_t kUsefulRegionSlots = 64;
constexpr std::uint64_t kCursorBytes = kLanes * sizeof(std::uint32_t);
constexpr std::uint64_t kMaxThreads = 1024;
/// Blocks behind are not recorded: the injected code counts blocks in 32 bits.
constexpr std::uint64_t kMaxBlocks = (1ull << 32) - 1;

std::uint64_t align(std::uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint64_t product(const Dim3& size) {
    return std::uint64_t{size[0]} * size[1] * size[2];
}

std::string to_text(const Dim3& size) {
    return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

/// What the request comes down to: how many warps of how many blocks may share how many bytes.
struct Demand {
    std::uint64_t blocks_in_grid;
    std::uint64_t blocks;  // selected
    BlockSelection selection;
    std::uint32_t warps_per_block;
    std::uint32_t warp_mask;
    std::uint64_t recorded_warps_per_block;
    std::uint64_t budget;
    std::uint64_t cursor_bytes_per_region;

    std::uint64_t regions_budget() const {
        return budget > kControlBytes ? (budget - kControlBytes) / 4 * 3 : 0;
    }
    /// Blocks whose regions of this size fit in the budget.
    std::uint64_t blocks_that_fit(std::uint64_t slots) const {
        return regions_budget() / (slots * sizeof(Slot) + cursor_bytes_per_region) /
               recorded_warps_per_block;
    }
    /// The smallest budget that holds one block's smallest regions and a chunk.
    std::uint64_t smallest_budget() const {
        const std::uint64_t regions =
            recorded_warps_per_block * (kMinRegionSlots * sizeof(Slot) + cursor_bytes_per_region);
        return kControlBytes +
               std::max(align(regions) + kAlignment + kChunkBytes, (regions + 2) / 3 * 4 + 4);
    }
};

Result<Demand> demand_of(const PlanRequest& request) {
    const std::uint64_t threads = product(request.block);
    const std::uint64_t blocks = product(request.grid);
    if (threads == 0 || threads > kMaxThreads || blocks == 0) {
        return Error{ErrorKind::kUsage, "no launch has a grid of " + to_text(request.grid) +
                                            " blocks of " + to_text(request.block) + " threads"};
    }
    if (request.blocks.first >= std::min(blocks, kMaxBlocks) || request.blocks.stride == 0) {
        return Error{
            ErrorKind::kUsage,
            "the selection of blocks names none of the " + std::to_string(blocks) +
                " blocks of this launch",
            {},
            "Pass blocks between 0 and " + std::to_string(blocks - 1) + ", or none for all."};
    }
    const std::uint32_t warps = warps_of(threads);
    const std::uint32_t all_warps = 0xffffffffu >> (kLanes - warps);
    const std::uint32_t mask = request.warp_mask == 0 ? all_warps : request.warp_mask & all_warps;
    if (mask == 0) {
        return Error{
            ErrorKind::kUsage,
            "the selection of warps names none of the " + std::to_string(warps) +
                " warps that a block of this launch has",
            {},
            "Pass warps between 0 and " + std::to_string(warps - 1) + ", or none for all."};
    }
    std::uint64_t budget = request.buffer_bytes;
    if (budget == 0) {
        budget = request.free_bytes == 0 ? kDefaultBytes
                                         : std::min(kDefaultBytes, request.free_bytes / 4);
    }
    const std::uint64_t end = std::min(blocks, kMaxBlocks);
    const std::uint64_t behind = (end - 1 - request.blocks.first) / request.blocks.stride + 1;
    const std::uint64_t selected =
        request.blocks.count == 0 ? behind : std::min<std::uint64_t>(request.blocks.count, behind);
    return Demand{.blocks_in_grid = blocks,
                  .blocks = selected,
                  .selection = request.blocks,
                  .warps_per_block = warps,
                  .warp_mask = mask,
                  .recorded_warps_per_block = warps_per_region_group(mask),
                  .budget = std::min(budget, kControlBytes + kReach),
                  .cursor_bytes_per_region = request.uses_lane_cursors ? kCursorBytes : 0};
}

struct Sampling {
    std::uint64_t stride;
    std::uint64_t count;
};

/// At most `fit` of the blocks, evenly spaced from the first. The last block is met exactly when a
/// stride at most a quarter wider than needed divides the way to it; else the sample ends within a
/// stride of it.
Sampling sample_blocks(std::uint64_t blocks, std::uint64_t fit) {
    if (fit >= blocks) return {1, blocks};
    if (fit == 1) return {1, 1};
    const std::uint64_t way = blocks - 1;
    const std::uint64_t narrowest = (way + fit - 2) / (fit - 1);
    std::uint64_t stride = narrowest;
    const std::uint64_t widest = narrowest + std::min<std::uint64_t>(narrowest / 4, 65536);
    for (std::uint64_t wider = narrowest; wider <= widest; ++wider) {
        if (way % wider == 0) {
            stride = wider;
            break;
        }
    }
    stride = std::min<std::uint64_t>(stride, std::numeric_limits<std::uint32_t>::max());
    return {stride, std::min(fit, way / stride + 1)};
}

/// The largest regions that the blocks leave room for.
std::uint64_t slots_for(const Demand& demand, std::uint64_t blocks) {
    std::uint64_t slots = kMaxRegionSlots;
    while (slots > kMinRegionSlots && demand.blocks_that_fit(slots) < blocks) slots /= 2;
    return slots;
}

Plan lay_out(const Demand& demand, const Sampling& sampling, std::uint64_t slots) {
    const std::uint64_t regions = sampling.count * demand.recorded_warps_per_block;
    const bool has_cursors = demand.cursor_bytes_per_region != 0;
    Plan plan{};
    plan.regions_offset = kControlBytes;
    const std::uint64_t region_bytes = align(regions * slots * sizeof(Slot));
    const std::uint64_t cursor_bytes = has_cursors ? regions * kCursorBytes : 0;
    plan.lane_cursors_offset = has_cursors ? plan.regions_offset + region_bytes : 0;
    plan.pool_offset = plan.regions_offset + align(region_bytes + cursor_bytes);
    const std::uint64_t chunks = (demand.budget - plan.pool_offset) / kChunkBytes;
    plan.total_bytes = plan.pool_offset + chunks * kChunkBytes;
    plan.blocks_in_grid = demand.blocks_in_grid;
    plan.warps_per_block = demand.warps_per_block;
    plan.every_warp = regions == demand.blocks_in_grid * demand.warps_per_block;
    plan.sampled = sampling.count < demand.blocks;
    plan.constants.region_slots = static_cast<std::uint32_t>(slots);
    plan.constants.region_count = static_cast<std::uint32_t>(regions);
    plan.constants.pool_chunks = static_cast<std::uint32_t>(chunks);
    plan.constants.pool_place = static_cast<std::uint32_t>(plan.pool_offset - plan.regions_offset);
    plan.constants.block_first = demand.selection.first;
    // A selection of one block has no stride; else both are below the number of blocks.
    plan.constants.block_stride = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        sampling.stride * demand.selection.stride, std::numeric_limits<std::uint32_t>::max()));
    plan.constants.block_count = static_cast<std::uint32_t>(sampling.count);
    plan.constants.warp_mask = demand.warp_mask;
    return plan;
}

}  // namespace

LaunchConstants Plan::at(std::uint64_t address) const {
    LaunchConstants filled = constants;
    filled.reciprocal = reciprocal_of(constants.block_stride);
    filled.control = address + control_offset;
    filled.regions = address + regions_offset;
    filled.pool = address + pool_offset;
    filled.lane_cursors = lane_cursors_offset == 0 ? 0 : address + lane_cursors_offset;
    return filled;
}

Result<Plan> plan_memory(const PlanRequest& request) {
    auto demand = demand_of(request);
    if (!demand) return demand.error();
    if (demand->budget < demand->smallest_budget()) {
        return Error{ErrorKind::kUsage,
                     "a trace buffer of " + std::to_string(demand->budget) +
                         " bytes cannot hold the records of one block of " +
                         to_text(request.block) + " threads",
                     {},
                     "Pass buffer_bytes=" + std::to_string(demand->smallest_budget()) +
                         " or more, or free memory of the device."};
    }
    const std::uint64_t fit =
        std::max<std::uint64_t>(1, demand->blocks_that_fit(kUsefulRegionSlots));
    const Sampling sampling = sample_blocks(demand->blocks, fit);
    return lay_out(*demand, sampling, slots_for(*demand, sampling.count));
}

std::uint64_t bytes_for(const Need& need, const Plan& plan, PlanRequest request) {
    const auto blocks = static_cast<double>(std::max(1u, plan.constants.block_count));
    request.warp_mask = plan.constants.warp_mask;
    request.blocks = plan.sampled
                         ? request.blocks
                         : BlockSelection{plan.constants.block_first, plan.constants.block_stride,
                                          plan.constants.block_count};
    // What was asked for may have been more than what was used, but less than a chunk more.
    for (request.buffer_bytes = plan.total_bytes + kChunkBytes; request.buffer_bytes < kMostBytes;
         request.buffer_bytes += request.buffer_bytes / 4 + 1) {
        const auto larger = plan_memory(request);
        // The bytes in use may be fewer than the least that a launch is given.
        if (!larger) continue;
        // More memory may also mean more recorded blocks, which then need as much each.
        const double growth = larger->constants.block_count / blocks;
        const bool spills = larger->constants.region_slots < need.region_slots;
        const std::uint64_t chunks = need.cold_chunks + (spills ? need.hot_chunks : 0);
        if (larger->constants.pool_chunks >= static_cast<double>(chunks) * growth)
            return request.buffer_bytes;
    }
    return 0;
}

}  // namespace gwatch::record
