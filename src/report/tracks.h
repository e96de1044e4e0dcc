#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

// How a run becomes processes, threads and tracks of a trace viewer: shared by the formats that
// have these.
namespace gwatch::report {

enum class GroupBy {
    kBlock,  ///< a process a block
    kSm      ///< a process an SM
};

/// What was recorded of one block's life.
struct BlockSpan {
    std::uint64_t block;
    std::uint32_t sm;
    std::uint32_t cluster_rank;
    std::int64_t begin_ns;
    std::int64_t end_ns;
    std::uint32_t row;  ///< blocks of one row of their group do not overlap
};

/// One process of the viewer.
struct Group {
    std::string name;
    std::vector<std::uint32_t> lanes;  ///< of the run, in order
    std::vector<BlockSpan> blocks;     ///< in order of begin
    std::uint32_t rows = 0;
};

/// All lanes of the run in groups: blocks in order of their number, SMs likewise.
std::vector<Group> group_lanes(const trace::Run& run, GroupBy by);

/// "block 7 (3, 1, 0)".
std::string block_name(const trace::Run& run, std::uint64_t block);

/// "warp 3", with the block in front where a group has several.
std::string lane_name(const trace::Run& run, const trace::Lane& lane, GroupBy by);

/// The lane's slices on tracks: on one track each two either do not overlap or are nested, the
/// inner one's threads among the outer one's. tracks[i] is the track of slice first_slice + i.
/// Track 0 takes what it can. Returns the number of tracks, at least 1.
std::uint32_t lay_out_slices(const trace::Run& run, const trace::Lane& lane,
                             std::vector<std::uint32_t>* tracks);

/// Of all runs.
std::uint64_t count_slices(const trace::Trace& trace);

/// "run 2, rank 1: kernel": how a run is called among the others of its trace; the kernel alone if
/// there are none.
std::string run_name(const trace::Trace& trace, std::size_t run);

/// What stands in front of the names of a run's processes: "run 2, rank 1: "; nothing when the
/// trace has one run without a rank.
std::string process_prefix(const trace::Trace& trace, std::size_t run);

}  // namespace gwatch::report
