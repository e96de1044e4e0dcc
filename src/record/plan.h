#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "record/layout.h"

namespace gwatch::record {

using Dim3 = std::array<std::uint32_t, 3>;  ///< x, y, z

/// Which blocks of a grid to record, by linear id: first, first + stride, ... The part of them that
/// lies in the grid.
struct BlockSelection {
    std::uint32_t first = 0;
    std::uint32_t stride = 1;  ///< at least 1
    std::uint32_t count = 0;   ///< 0: all from the first on
};

/// What a user may ask of the memory. Zero or empty: gwatch chooses.
struct PlanRequest {
    Dim3 grid;                       ///< in blocks, also when the launch counts clusters
    Dim3 block;                      ///< in threads
    std::uint64_t buffer_bytes = 0;  ///< at most kReach; 0: 1 GiB or a quarter of free_bytes
    std::uint64_t free_bytes = 0;    ///< free memory of the device
    std::uint32_t warp_mask = 0;     ///< 0: all warps
    bool uses_lane_cursors = false;
    BlockSelection blocks = {};
};

/// How the memory of one launch is laid out: offsets in bytes from its start.
struct Plan {
    std::uint64_t total_bytes;
    std::uint64_t control_offset;
    std::uint64_t regions_offset;
    std::uint64_t lane_cursors_offset;
    std::uint64_t pool_offset;
    LaunchConstants constants;  ///< addresses are filled in by at()
    std::uint64_t blocks_in_grid;
    std::uint32_t warps_per_block;
    bool sampled;     ///< not every selected block is recorded
    bool every_warp;  ///< each warp of the grid has a region

    /// The constants for memory that starts at this device address.
    LaunchConstants at(std::uint64_t address) const;
};

/// Lays out the memory. Up to three quarters go to regions of 16 to 2^24 slots, the rest to the
/// pool; a grid with more warps than regions of 64 slots fit is sampled evenly over its selected
/// blocks, from the first to the last one, or to within a stride of it where no stride divides the
/// way there. kUsage when the memory cannot hold the regions of a single block.
Result<Plan> plan_memory(const PlanRequest& request);

/// What a launch would have needed to drop nothing, for the blocks that it recorded.
struct Need {
    std::uint64_t region_slots;  ///< so many, or the hot chunks
    std::uint64_t hot_chunks;
    std::uint64_t cold_chunks;
};

/// A buffer_bytes with which the same launch gets that much, and more chunks in proportion if it
/// gets more blocks recorded. 0 when no buffer up to 1 TiB does; a region has at most 2^24 slots,
/// and all memory together kReach bytes.
std::uint64_t bytes_for(const Need& need, const Plan& plan, PlanRequest request);

/// What a launch left in its memory, as little as holds all records.
struct RawRecords {
    Plan plan;
    Dim3 grid;
    Dim3 block;
    Control control;
    std::vector<std::uint32_t>
        region_slots;  ///< slots kept of each region and its hot chunks: 0, or header and records
    std::vector<std::uint64_t> slots;  ///< those slots, region after region
    std::vector<Unit> pool;            ///< cold chunks that were taken, whole
};

/// Reads parts of a device's memory.
class MemoryReader {
  public:
    virtual ~MemoryReader() = default;
    /// Copies `rows` rows of `row_bytes` bytes that lie `pitch` bytes apart, from `offset` bytes
    /// after the start of the launch's memory, to `to`, without gaps.
    virtual Result<void> read(std::uint64_t offset, std::uint64_t pitch, std::uint64_t row_bytes,
                              std::uint64_t rows, void* to) = 0;
};

/// Reads what the launch wrote and no more than about twice that.
Result<RawRecords> read_records(const Plan& plan, const Dim3& grid, const Dim3& block,
                                MemoryReader& memory);

}  // namespace gwatch::record
