#include "instrument/snippets.h"

namespace gwatch::instrument::snippets {

const char kDeclaration[] = ".visible .const .align 8 .b8 <launch>[<launch_bytes>];\n";

// Live as long as the kernel, where something uses them: cursor, limit, extra, chunk, below,
// regions, pool and leader. The words, record and fits live as long as a series; the others are
// dead between two records.
const char kEntryRegisters[] =
    R"(	.reg .b32 %_cursor, %_limit, %_extra, %_chunk, %_below, %_mask, %_low, %_high, %_region, %_a, %_b;
	.reg .b32 %_word0, %_word1, %_word2, %_word3, %_word4, %_word5, %_word6, %_word7, %_word8, %_word9;
	.reg .b64 %_regions, %_pool, %_clock, %_timer, %_address, %_record, %_count, %_bound;
	.reg .b32 %_slots;
	.reg .b64 %_enter_timer, %_enter_clock;
	.reg .pred %_leader, %_cold, %_writes, %_fits, %_takes;
)";

// The load asks for the constants, whose cache is cold, before the set-up needs them.
const char kEnter[] = R"(	mov.u64 %_enter_timer, %globaltimer;
	mov.u64 %_enter_clock, %clock64;
	mov.u32 %_a, %laneid;
	setp.eq.u32 %_leader, %_a, 0;
	ld.const.u32 %_slots, <region_slots>;
)";

// In a warp that is not recorded no lane leads, and no lane is the lowest of any mask.
const char kSetup[] = R"(	{
	.reg .b32 %_rank;
	mov.u32 %_cursor, 0;
	mov.u32 %_limit, 0;
	mov.u32 %_extra, 0;
	mov.u32 %_chunk, 0;
	mov.u32 %_below, -1;
	ld.const.u64 %_regions, <regions>;
	ld.const.u64 %_pool, <pool>;
<select>	@!%_selected bra $_left_out;
	ld.const.u32 %_a, <region_count>;
	cvt.u64.u32 %_bound, %_a;
	setp.lt.u64 %_selected, %_place, %_bound;
	@%_selected bra $_placed;
	ld.const.u64 %_address, <control>;
	@%_leader red.global.add.u64 [%_address+<unplaced_warps>], 1;
$_left_out:
	setp.ne.u32 %_leader, %_limit, 0;
	bra $_entered;
$_placed:
	cvt.u32.u64 %_a, %_place;
	mul.lo.u32 %_b, %_slots, <slot_bytes>;
	mad.lo.u32 %_cursor, %_a, %_b, <header_bytes>;
	mad.lo.u32 %_limit, %_a, %_b, %_b;
	sub.u32 %_limit, %_limit, <reserved_bytes>;
	mov.u32 %_below, %lanemask_lt;
	cvt.u64.u32 %_address, %_cursor;
	add.u64 %_address, %_regions, %_address;
	mov.u32 %_a, %smid;
	mov.u32 %_rank, <cluster_rank>;
	@%_leader st.global.v2.b64 [%_address+-32], {%_enter_timer, %_enter_clock};
	@%_leader st.global.b64 [%_address+-16], %_block;
	@%_leader st.global.v2.b32 [%_address+-8], {%_a, %_rank};
$_entered:
	}
)";

// Linear block and warp; whether they are recorded; the place of the warp among the regions. The
// blocks that are recorded are block_first + i * block_stride: unless the stride is 1, i comes from
// a reciprocal that is good to far better than 2^-34 (one Newton step on 20 bits), so it is exact
// when the distance is a multiple of the stride, and the product tells whether it is. A division of
// 64 bits would be a call.
const char kSelect[] = R"(	.reg .b32 %_x, %_y, %_z, %_warp, %_index, %_stride, %_warps;
	.reg .b64 %_block, %_distance, %_product, %_place;
	.reg .f64 %_quotient, %_divisor, %_reciprocal, %_error;
	.reg .pred %_selected;
	mov.u32 %_x, %ctaid.z;
	mov.u32 %_y, %nctaid.y;
	mov.u32 %_z, %ctaid.y;
	mad.lo.u32 %_x, %_x, %_y, %_z;
	mov.u32 %_y, %nctaid.x;
	mov.u32 %_z, %ctaid.x;
	cvt.u64.u32 %_block, %_z;
	mad.wide.u32 %_block, %_x, %_y, %_block;
	mov.u32 %_x, %tid.z;
	mov.u32 %_y, %ntid.y;
	mov.u32 %_z, %tid.y;
	mad.lo.u32 %_x, %_x, %_y, %_z;
	mov.u32 %_y, %ntid.x;
	mov.u32 %_z, %tid.x;
	mad.lo.u32 %_x, %_x, %_y, %_z;
	shr.u32 %_warp, %_x, 5;
<uniform_warp>	ld.const.u32 %_x, <block_first>;
	cvt.u64.u32 %_distance, %_x;
	sub.u64 %_distance, %_block, %_distance;
	ld.const.u32 %_stride, <block_stride>;
	cvt.u32.u64 %_index, %_distance;
	setp.eq.u32 %_selected, %_stride, 1;
	@%_selected bra.uni $_every<site>;
	cvt.rn.f64.u64 %_quotient, %_distance;
	cvt.rn.f64.u32 %_divisor, %_stride;
	rcp.approx.ftz.f64 %_reciprocal, %_divisor;
	neg.f64 %_divisor, %_divisor;
	fma.rn.f64 %_error, %_divisor, %_reciprocal, 0d3FF0000000000000;
	fma.rn.f64 %_reciprocal, %_error, %_reciprocal, %_reciprocal;
	mul.rn.f64 %_quotient, %_quotient, %_reciprocal;
	cvt.rni.u32.f64 %_index, %_quotient;
$_every<site>:
	mul.wide.u32 %_product, %_index, %_stride;
	setp.eq.u64 %_selected, %_product, %_distance;
	ld.const.u32 %_x, <block_count>;
	setp.lt.and.u32 %_selected, %_index, %_x, %_selected;
	ld.const.u32 %_warps, <warp_mask>;
	shl.b32 %_x, 1, %_warp;
	and.b32 %_y, %_warps, %_x;
	setp.ne.and.u32 %_selected, %_y, 0, %_selected;
	add.u32 %_x, %_x, -1;
	and.b32 %_x, %_warps, %_x;
	popc.b32 %_x, %_x;
	popc.b32 %_y, %_warps;
	cvt.u64.u32 %_place, %_x;
	mad.wide.u32 %_place, %_index, %_y, %_place;
)";

// A branch would part the block that the assembler schedules. Words 0 and 1 of a record are its
// Slot, then comes a word a site, or two for a whole clock.
const char kSeriesStart[] = R"(	mov.u64 %_clock, %clock64;
	setp.lt.and.u32 %_fits, %_cursor, %_limit, %_leader;
	mov.b64 {%_word0, %_word1}, %_clock;
	mad.lo.u32 %_word1, %_word1, 65536, <number>;
	cvt.u64.u32 %_record, %_cursor;
	add.u64 %_record, %_regions, %_record;
)";

const char kLowClock[] = R"(	mov.u32 %_word<word>, %clock;
)";

const char kWholeClock[] = R"(	mov.u64 %_clock, %clock64;
	mov.b64 {%_word<word>, %_word<next_word>}, %_clock;
)";

const char kStoreSlot[] =
    "\t@%_fits st.global.v2.b32 [%_record+<slot_offset>], {%_word<word>, %_word<next_word>};\n";

const char kStorePair[] =
    "\t@%_fits st.global.v4.b32 [%_record+<slot_offset>], {%_word<word>, %_word<next_word>, "
    "%_word<third_word>, %_word<fourth_word>};\n";

const char kStorePayload[] =
    R"(<take><high_word>	@%_fits st.global.v4.b32 [%_record], {%_word0, %_word1, %_a, %_b};
)";

const char kSeriesEnd[] = R"(	@%_fits add.u32 %_cursor, %_cursor, <record_bytes>;
	@!%_fits add.u32 %_extra, %_extra, <events>;
)";

// To %_a and, of 64 bits, %_b.
const char kTake32[] = R"(	<payload_mov> %_a, <payload>;
)";

const char kTake64[] = R"(	<payload_mov> %_count, <payload>;
	mov.b64 {%_a, %_b}, %_count;
)";

const char kNoHighWord[] = R"(	mov.u32 %_b, 0;
)";

// `.uni` holds since all lanes that are here together have the same mask. Of a whole warp lane 0
// goes on to the pool if its region is full.
const char kUnknownRecord[] = R"(	mov.u64 %_clock, %clock64;
<read_mask>	setp.ne.u32 %_cold, %_mask, -1;
	@%_cold bra.uni $_cold<site>;
	setp.lt.and.u32 %_fits, %_cursor, %_limit, %_leader;
	setp.ge.and.u32 %_cold, %_cursor, %_limit, %_leader;
<pack>	cvt.u64.u32 %_address, %_cursor;
	add.u64 %_address, %_regions, %_address;
<store>	@%_fits add.u32 %_cursor, %_cursor, <record_bytes>;
	@!%_cold bra $_back<site>;
$_cold<site>:
<lowest><unit><high_unit>$_back<site>:
)";

const char kUnknownStore[] = R"(	@%_fits st.global.v2.b32 [%_address], {%_low, %_high};
)";

const char kUnknownStorePayload[] =
    R"(<take><high_word>	@%_fits st.global.v4.b32 [%_address], {%_low, %_high, %_a, %_b};
)";

const char kPartedRecord[] = R"(	mov.u64 %_clock, %clock64;
<read_mask><lowest><unit><high_unit>)";

// The cursor stays: these lanes leave.
const char kHotExit[] = R"(<pack>	cvt.u64.u32 %_address, %_cursor;
	add.u64 %_address, %_regions, %_address;
	mov.b64 %_clock, {%_low, %_high};
	@%_leader st.global.v2.b64 [%_address], {%_clock, %_timer};
)";

const char kProvenExit[] = R"(	mov.u64 %_clock, %clock64;
	mov.u64 %_timer, %globaltimer;
<hot_exit><flush>)";

const char kUnknownExit[] = R"(	mov.u64 %_clock, %clock64;
	mov.u64 %_timer, %globaltimer;
<read_mask>	setp.ne.u32 %_cold, %_mask, -1;
	@%_cold bra.uni $_cold<site>;
<hot_exit>	bra.uni $_back<site>;
$_cold<site>:
<lowest><unit>$_back<site>:
<flush>)";

// Lane 0 leaves: it alone has counted what its warp's region had no room for. The maximum is of the
// low word: one of 64 bits needs sm_32.
const char kFlush[] = R"(	setp.ne.and.u32 %_writes, %_extra, 0, %_leader;
	@!%_writes bra $_flushed<site>;
	cvt.u64.u32 %_count, %_extra;
	ld.const.u64 %_address, <control>;
	red.global.add.u64 [%_address+<dropped_records>], %_count;
	red.global.add.u64 [%_address+<dropped_events>], %_count;
	red.global.max.u32 [%_address+<most_overflow>], %_extra;
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
	ld.const.u64 %_address, <control>;
	mad.wide.u32 %_address, %_a, 1, %_address;
	atom.global.add.u64 %_count, [%_address+<chunks_taken>], 1;
	ld.const.u32 %_a, <pool_chunks>;
	cvt.u64.u32 %_bound, %_a;
	setp.lt.u64 %_writes, %_count, %_bound;
	@%_writes bra $_head<site>;
<drop>	bra $_write<site>;
$_head<site>:
<find_region>	cvt.u32.u64 %_chunk, %_count;
	mul.lo.u32 %_chunk, %_chunk, <chunk_bytes>;
	cvt.u64.u32 %_address, %_chunk;
	add.u64 %_address, %_pool, %_address;
	add.u32 %_a, %_region, 1;
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
	.reg .b64 %_clock, %_address, %_count, %_bound, %_lane_cursor, %_pool;
	.reg .pred %_writes, %_takes;
	mov.u64 %_clock, %clock64;
<read_mask>	mov.u32 %_a, %lanemask_lt;
	and.b32 %_a, %_a, %_mask;
	setp.eq.u32 %_writes, %_a, 0;
	@!%_writes bra $_done<site>;
<select>	ld.const.u32 %_a, <region_count>;
	cvt.u64.u32 %_bound, %_a;
	setp.lt.u64 %_takes, %_place, %_bound;
	and.pred %_selected, %_selected, %_takes;
	@!%_selected bra $_done<site>;
	cvt.u32.u64 %_region, %_place;
	ld.const.u64 %_pool, <pool>;
	ld.const.u64 %_lane_cursor, <lane_cursors>;
	mad.wide.u32 %_lane_cursor, %_region, <region_cursor_bytes>, %_lane_cursor;
	mov.u32 %_a, %laneid;
	mad.wide.u32 %_lane_cursor, %_a, 4, %_lane_cursor;
	ld.global.u32 %_chunk, [%_lane_cursor];
<unit><high_unit>	st.global.u32 [%_lane_cursor], %_chunk;
$_done<site>:
	}
)";

}  // namespace gwatch::instrument::snippets
