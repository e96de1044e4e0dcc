#include "instrument/snippets.h"

namespace gwatch::instrument::snippets {

const char kDeclaration[] = ".visible .const .align 64 .b8 <constants>[<constants_bytes>];\n";

const char kParameter[] = ".param .align 8 .b8 <constants>[<constants_bytes>]";

// Live as long as the kernel, where something uses them: cursor, limit, extra, chunk, below,
// regions, pool and leader; up to the region's header: enter_timer and enter_clock. The words and
// the record live as long as a series; the others are dead between two records.
const char kEntryRegisters[] =
    R"(	.reg .b32 %_cursor, %_limit, %_extra, %_chunk, %_below, %_mask, %_low, %_high, %_a, %_b;
	.reg .b32 %_word0, %_word1, %_word2, %_word3, %_word4, %_word5, %_word6, %_word7, %_word8, %_word9;
	.reg .b64 %_regions, %_pool, %_clock, %_timer, %_address, %_record, %_count, %_bound;
	.reg .b64 %_enter_timer, %_enter_clock;
	.reg .pred %_leader, %_cold, %_writes, %_full, %_takes;
<place_registers>)";

const char kEnter[] = R"(	mov.u64 %_enter_timer, %globaltimer;
	mov.u64 %_enter_clock, %clock64;
	mov.u32 %_a, %laneid;
	setp.eq.u32 %_leader, %_a, 0;
)";

// In a warp that is not recorded no lane leads, no lane is the lowest of any mask, and no cursor, a
// multiple of slots, reaches the limit. Short, for its code comes from a cold cache. The branch
// keeps the assembler from spreading the rest over the kernel's begin.
const char kSetup[] = R"(	mov.u32 %_extra, 0;
	mov.u32 %_chunk, 0;
	ld.<space>.u64 %_pool, <pool>;
<select>	@%_selected bra $_placed;
	mov.u32 %_cursor, 0;
	mov.u32 %_limit, -1;
	mov.u32 %_below, -1;
	setp.ne.u32 %_leader, %_cursor, 0;
	bra $_entered;
$_placed:
	ld.<space>.u64 %_regions, <regions>;
	ld.<space>.u32 %_b, <region_slots>;
	mul.lo.u32 %_b, %_b, <slot_bytes>;
	mad.lo.u32 %_cursor, %_place, %_b, <header_bytes>;
	add.u32 %_limit, %_cursor, %_b;
	sub.u32 %_limit, %_limit, <header_and_reserved_bytes>;
	mov.u32 %_below, %lanemask_lt;
	cvt.u64.u32 %_address, %_cursor;
	add.u64 %_address, %_regions, %_address;
	mov.u32 %_a, %smid;
	mov.u32 %_b, <cluster_rank>;
	mov.b64 %_count, {%_a, %_b};
<header>$_entered:
)";

// No record stands between the set-up and here, so that what it reads is as the set-up left it.
const char kHeader[] =
    R"(	@%_leader st.global.v2.b64 [%_address+-32], {%_enter_timer, %_enter_clock};
	@%_leader st.global.v2.b64 [%_address+-16], {%_block, %_count};
)";

const char kPlaceRegisters[] =
    R"(	.reg .b32 %_x, %_y, %_z, %_warp, %_index, %_distance, %_place;
	.reg .b64 %_block, %_product;
	.reg .pred %_selected;
)";

const char kBlockOfGrid[] = R"(	mov.u32 %_x, %ctaid.z;
	mov.u32 %_y, %nctaid.y;
	mov.u32 %_z, %ctaid.y;
	mad.lo.u32 %_x, %_x, %_y, %_z;
	mov.u32 %_y, %nctaid.x;
	mov.u32 %_z, %ctaid.x;
	cvt.u64.u32 %_block, %_z;
	mad.wide.u32 %_block, %_x, %_y, %_block;
)";

const char kWarpOfBlock[] = R"(	mov.u32 %_x, %tid.z;
	mov.u32 %_y, %ntid.y;
	mov.u32 %_z, %tid.y;
	mad.lo.u32 %_x, %_x, %_y, %_z;
	mov.u32 %_y, %ntid.x;
	mov.u32 %_z, %tid.x;
	mad.lo.u32 %_x, %_x, %_y, %_z;
	shr.u32 %_warp, %_x, 5;
)";

const char kWarpOfFlatBlock[] = R"(	mov.u32 %_x, %tid.x;
	shr.u32 %_warp, %_x, 5;
)";

// Linear block and warp; whether they are recorded; the place of the warp among the regions. The
// blocks that are recorded are block_first + i * block_stride, below 2^32. The i of any block is
// the quotient (layout.h tells of the reciprocal); the product tells whether it is exact.
const char kSelect[] = R"(<block_of_grid><warp_of_block><uniform_warp>	mov.b64 {%_y, %_z}, %_block;
	ld.<space>.u32 %_x, <block_first>;
	sub.u32 %_distance, %_y, %_x;
	add.u32 %_y, %_distance, 1;
	ld.<space>.u32 %_x, <reciprocal_low>;
	mul.wide.u32 %_product, %_y, %_x;
	shr.u64 %_product, %_product, 32;
	ld.<space>.u32 %_x, <reciprocal_high>;
	mad.wide.u32 %_product, %_y, %_x, %_product;
	mov.b64 {%_x, %_index}, %_product;
	setp.eq.u32 %_selected, %_z, 0;
	ld.<space>.u32 %_x, <block_stride>;
	mul.lo.u32 %_x, %_index, %_x;
	setp.eq.and.u32 %_selected, %_x, %_distance, %_selected;
	ld.<space>.u32 %_x, <block_count>;
	setp.lt.and.u32 %_selected, %_index, %_x, %_selected;
	ld.<space>.u32 %_z, <warp_mask>;
	shl.b32 %_x, 1, %_warp;
	and.b32 %_y, %_z, %_x;
	setp.ne.and.u32 %_selected, %_y, 0, %_selected;
	add.u32 %_x, %_x, -1;
	and.b32 %_x, %_z, %_x;
	popc.b32 %_x, %_x;
	popc.b32 %_z, %_z;
	mad.lo.u32 %_place, %_index, %_z, %_x;
	ld.<space>.u32 %_x, <region_count>;
	setp.lt.and.u32 %_selected, %_place, %_x, %_selected;
)";

// The same where every warp is recorded. A grid that has grown since does not get out of the
// memory.
const char kSelectAny[] =
    R"(<block_of_grid><warp_of_block><uniform_warp>	cvt.u32.u64 %_x, %_block;
	mad.lo.u32 %_place, %_x, <warps_per_block>, %_warp;
	ld.<space>.u32 %_x, <region_count>;
	setp.lt.u32 %_selected, %_place, %_x;
)";

// Words 0 and 1 of a record are its Slot, then comes a word a site, or two for a whole clock.
const char kSeriesStart[] = R"(<settle>	mov.u64 %_clock, %clock64;
<timer>	mov.b64 {%_word0, %_word1}, %_clock;
	mad.lo.u32 %_word1, %_word1, 65536, <number>;
	cvt.u64.u32 %_record, %_cursor;
	add.u64 %_record, %_regions, %_record;
)";

const char kLowClock[] = R"(<settle>	mov.u32 %_word<word>, %clock;
)";

const char kWholeClock[] = R"(<settle>	mov.u64 %_clock, %clock64;
<timer>	mov.b64 {%_word<word>, %_word<next_word>}, %_clock;
)";

// Where the timer is read, too: its record has the whole clock.
const char kLowOfWholeClock[] = R"(<settle>	mov.u64 %_clock, %clock64;
<timer>	cvt.u32.u64 %_word<word>, %_clock;
)";

// Beside the clock: a miss of the instruction cache between them would delay one.
const char kReadTimer[] = "\tmov.u64 %_timer, %globaltimer;\n";

const char kStoreSlot[] =
    "\t@%_leader st.global.v2.b32 [%_record+<slot_offset>], {%_word<word>, %_word<next_word>};\n";

const char kStorePair[] =
    "\t@%_leader st.global.v4.b32 [%_record+<slot_offset>], {%_word<word>, %_word<next_word>, "
    "%_word<third_word>, %_word<fourth_word>};\n";

const char kStorePayload[] =
    R"(<take><high_word>	@%_leader st.global.v4.b32 [%_record], {%_word0, %_word1, %_a, %_b};
)";

// Behind the series. It is no event, and is not counted where lane 0 no longer leads.
const char kStoreTimer[] = R"(	mov.b64 {%_low, %_high}, %_clock;
	mad.lo.u32 %_high, %_high, 65536, <reading>;
	mov.b64 %_clock, {%_low, %_high};
	@%_leader st.global.v2.b64 [%_record+<series_bytes>], {%_clock, %_timer};
)";

const char kSeriesEnd[] = R"(	add.u32 %_cursor, %_cursor, <record_bytes>;
<room>)";

// Behind each hot record, so that the next one has room. All lanes of a warp have the same cursor
// and limit there, and the assembler knows it: the branch needs no barrier of convergence.
const char kRoom[] = R"(	setp.ge.u32 %_full, %_cursor, %_limit;
	@%_full bra.uni $_full<site>;
$_room<site>:
)";

const char kRoomInside[] = R"(	setp.lt.u32 %_full, %_cursor, %_limit;
	@%_full bra.uni $_room<site>;
<refill>$_room<site>:
)";

// The warp goes on in a chunk of the pool, which the lowest of the lanes that are here takes.
// (Lanes that come here one after the other take one each, and use that of lane 0.) Without a chunk
// no lane leads from now on, and the limit is the place of the exit's record; %_extra is then 1,
// and counts the events of each record that was not stored. Short, for the assembler puts it in the
// way, where the fetching of instructions has to jump over it, and without a register of 64 bits
// for the chunk's number, which changes how it schedules all else. The shuffle tells it that the
// lanes have the same.
const char kRefill[] = R"($_full<site>:
	setp.ne.u32 %_takes, %_extra, 0;
	@%_takes bra.uni $_drop<site>;
<read_mask>	neg.s32 %_a, %_mask;
	and.b32 %_a, %_a, %_mask;
	bfind.u32 %_a, %_a;
	mov.u32 %_b, %laneid;
	sub.u32 %_b, %_b, %_a;
	setp.eq.u32 %_writes, %_b, 0;
	ld.<space>.u64 %_address, <control>;
	@%_writes atom.global.add.u32 %_low, [%_address+<chunks_taken>], 1;
	mov.u32 %_b, %_low;
<same_for_all>	ld.<space>.u32 %_a, <pool_chunks>;
	setp.ge.u32 %_takes, %_b, %_a;
	@%_takes bra.uni $_last<site>;
	ld.<space>.u32 %_a, <pool_place>;
	mad.lo.u32 %_b, %_b, <chunk_bytes>, %_a;
	cvt.u64.u32 %_bound, %_b;
	add.u64 %_bound, %_regions, %_bound;
	mov.u32 %_a, <hot_owner>;
	@%_writes st.global.v2.b32 [%_bound], {%_limit, %_a};
	add.u32 %_cursor, %_b, <unit_bytes>;
	add.u32 %_limit, %_b, <chunk_limit_bytes>;
	bra.uni $_room<site>;
$_last<site>:
<begin_to_drop>	mov.u32 %_limit, %_cursor;
	setp.ne.u32 %_leader, %_limit, %_limit;
<leave_uncounted>$_drop<site>:
	mov.u32 %_cursor, %_limit;
<count_drop>	bra.uni $_room<site>;
)";

// The record that filled up the last chunk is there: counting it gives 1.
const char kBeginToDrop[] = R"(	mov.u32 %_extra, 1;
	sub.u32 %_extra, %_extra, <events>;
)";

const char kCountDrop[] = R"(	add.u32 %_extra, %_extra, <events>;
)";

// Where a device function ends threads, no code of the entry's comes behind the last record.
const char kBeginToDropAtOnce[] = R"(	mov.u32 %_extra, 1;
)";

const char kLeaveUncounted[] = R"(	bra.uni $_room<site>;
)";

const char kCountDropAtOnce[] = R"(	mov.u32 %_a, %laneid;
	setp.eq.u32 %_writes, %_a, 0;
	ld.<space>.u64 %_address, <control>;
	@%_writes red.global.add.u64 [%_address+<dropped_records>], <events>;
	@%_writes red.global.add.u64 [%_address+<dropped_events>], <events>;
)";

// To %_a and, of 64 bits, %_b.
const char kTake32[] = R"(	<payload_mov> %_a, <payload>;
)";

const char kTake64[] = R"(	<payload_mov> %_count, <payload>;
	mov.b64 {%_a, %_b}, %_count;
)";

const char kNoHighWord[] = R"(	mov.u32 %_b, 0;
)";

// `.uni` holds since all lanes that are here together have the same mask.
const char kUnknownRecord[] = R"(<settle>	mov.u64 %_clock, %clock64;
<read_mask>	setp.ne.u32 %_cold, %_mask, -1;
	@%_cold bra.uni $_cold<site>;
<pack>	cvt.u64.u32 %_address, %_cursor;
	add.u64 %_address, %_regions, %_address;
<store>	add.u32 %_cursor, %_cursor, <record_bytes>;
<room>	bra.uni $_back<site>;
$_cold<site>:
<lowest><unit><high_unit>$_back<site>:
)";

const char kUnknownStore[] = R"(	@%_leader st.global.v2.b32 [%_address], {%_low, %_high};
)";

const char kUnknownStorePayload[] =
    R"(<take><high_word>	@%_leader st.global.v4.b32 [%_address], {%_low, %_high, %_a, %_b};
)";

const char kPartedRecord[] = R"(<settle>	mov.u64 %_clock, %clock64;
<read_mask><lowest><unit><high_unit>)";

// The cursor stays: these lanes leave.
const char kHotExit[] = R"(<pack>	cvt.u64.u32 %_address, %_cursor;
	add.u64 %_address, %_regions, %_address;
	mov.b64 %_clock, {%_low, %_high};
	@%_leader st.global.v2.b64 [%_address], {%_clock, %_timer};
)";

const char kProvenExit[] = R"(<settle>	mov.u64 %_clock, %clock64;
	mov.u64 %_timer, %globaltimer;
<flush><hot_exit>)";

const char kUnknownExit[] = R"(<settle>	mov.u64 %_clock, %clock64;
	mov.u64 %_timer, %globaltimer;
<flush><read_mask>	setp.ne.u32 %_cold, %_mask, -1;
	@%_cold bra.uni $_cold<site>;
<hot_exit>	bra.uni $_back<site>;
$_cold<site>:
<lowest><unit>$_back<site>:
)";

// Of a warp that was left without a chunk. Lane 0 leads again, for the record of the exit, and
// leaves. The maximum is of the low word: one of 64 bits needs sm_32.
const char kFlush[] = R"(	setp.eq.u32 %_writes, %_extra, 0;
	@%_writes bra $_flushed<site>;
	mov.u32 %_cursor, %_limit;
	mov.u32 %_a, %laneid;
	setp.eq.u32 %_leader, %_a, 0;
	sub.u32 %_extra, %_extra, 1;
	cvt.u64.u32 %_count, %_extra;
	ld.<space>.u64 %_address, <control>;
	mad.wide.u32 %_address, %_a, 1, %_address;
	@%_leader red.global.add.u64 [%_address+<dropped_records>], %_count;
	@%_leader red.global.add.u64 [%_address+<dropped_events>], %_count;
	@%_leader red.global.max.u32 [%_address+<most_overflow>], %_extra;
$_flushed<site>:
)";

// The 48 bits of a clock and the site.
const char kPack[] = R"(	mov.b64 {%_low, %_high}, %_clock;
	mad.lo.u32 %_high, %_high, 65536, <number>;
)";

const char kLowestOfMask[] = R"(	and.b32 %_a, %_below, %_mask;
	setp.eq.u32 %_writes, %_a, 0;
)";

const char kDrop[] = R"(	red.global.add.u64 [%_address+<dropped_records>], 1;
)";

const char kDropEvents[] = R"(	red.global.add.u64 [%_address+<dropped_events>], <markers>;
)";

const char kTimerLow[] = R"(	mov.u32 %_a, %globaltimer_lo;
)";

const char kNoFourthWord[] = R"(	mov.u32 %_a, 0;
)";

const char kTakeHigh[] = R"(<take>	mov.b32 %_a, %_b;
)";

// In: %_clock, %_mask, %_chunk, %_pool and %_writes, which is false behind a unit that found no
// chunk: the high half of a payload is not written without its low half. %_a is 0 where it is added
// to the address: without a value that differs by lane the assembler merges the atomics of a warp,
// which is long code for a single lane.
const char kColdUnit[] = R"(	and.b32 %_a, %_chunk, <chunk_bytes_mask>;
	setp.eq.and.u32 %_takes, %_a, 0, %_writes;
	@!%_takes bra $_write<site>;
	ld.<space>.u64 %_address, <control>;
	mad.wide.u32 %_address, %_a, 1, %_address;
	atom.global.add.u32 %_low, [%_address+<chunks_taken>], 1;
	ld.<space>.u32 %_a, <pool_chunks>;
	setp.lt.u32 %_writes, %_low, %_a;
	@%_writes bra $_head<site>;
	red.global.add.u32 [%_address+<chunks_taken>], -1;
	red.global.add.u64 [%_address+<cold_misses>], 1;
<drop>	bra $_write<site>;
$_head<site>:
<owner>	mul.lo.u32 %_chunk, %_low, <chunk_bytes>;
	cvt.u64.u32 %_address, %_chunk;
	add.u64 %_address, %_pool, %_address;
	mov.u32 %_b, %laneid;
	st.global.v2.b32 [%_address], {%_a, %_b};
	mov.u32 %_a, %smid;
	st.global.b32 [%_address+8], %_a;
	add.u32 %_chunk, %_chunk, <unit_bytes>;
$_write<site>:
	cvt.u64.u32 %_address, %_chunk;
	add.u64 %_address, %_pool, %_address;
<pack><fourth_word>	@%_writes st.global.v4.b32 [%_address], {%_low, %_high, %_mask, %_a};
	@%_writes add.u32 %_chunk, %_chunk, <unit_bytes>;
)";

// Only the leader goes on: it alone needs to know the warp's region and its own lane cursor.
const char kFunctionRecord[] = R"(	{
	.reg .b32 %_chunk, %_mask, %_low, %_high, %_region, %_a, %_b;
	.reg .b64 %_clock, %_address, %_count, %_lane_cursor, %_pool;
	.reg .pred %_writes, %_takes;
<settle>	mov.u64 %_clock, %clock64;
<read_mask>	mov.u32 %_a, %lanemask_lt;
	and.b32 %_a, %_a, %_mask;
	setp.eq.u32 %_writes, %_a, 0;
	@!%_writes bra $_done<site>;
<place_registers><select>	@!%_selected bra $_done<site>;
	mov.u32 %_region, %_place;
	ld.<space>.u64 %_pool, <pool>;
	ld.<space>.u64 %_lane_cursor, <lane_cursors>;
	mad.wide.u32 %_lane_cursor, %_region, <region_cursor_bytes>, %_lane_cursor;
	mov.u32 %_a, %laneid;
	mad.wide.u32 %_lane_cursor, %_a, 4, %_lane_cursor;
	ld.global.u32 %_chunk, [%_lane_cursor];
<unit><high_unit>	st.global.u32 [%_lane_cursor], %_chunk;
$_done<site>:
	}
)";

}  // namespace gwatch::instrument::snippets
