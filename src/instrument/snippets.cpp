#include "instrument/snippets.h"

namespace gwatch::instrument::snippets {

const char kDeclaration[] = ".visible .const .align 8 .b8 <launch>[<launch_bytes>];\n";

// Lives as long as the kernel: cursor, limit, chunk and leader. The others are dead between two
// records.
const char kEntryRegisters[] =
    R"(	.reg .b32 %_cursor, %_limit, %_chunk, %_mask, %_low, %_high, %_region, %_a, %_b;
	.reg .b64 %_clock, %_timer, %_address, %_count, %_bound;
	.reg .pred %_leader, %_cold, %_writes, %_takes;
)";

// Events beyond the records that a full region dropped.
const char kExtraRegister[] = "\t.reg .b32 %_extra;\n\tmov.u32 %_extra, 0;\n";

const char kPrologue[] = R"(	{
	.reg .b32 %_rank;
	.reg .b64 %_regions;
	mov.u64 %_timer, %globaltimer;
	mov.u64 %_clock, %clock64;
	mov.u32 %_a, %laneid;
	setp.eq.u32 %_leader, %_a, 0;
	mov.u32 %_cursor, 0;
	mov.u32 %_limit, 0;
	mov.u32 %_chunk, <not_recorded>;
<select>	@!%_selected bra $_entered;
	ld.const.u32 %_a, <region_count>;
	cvt.u64.u32 %_bound, %_a;
	setp.lt.u64 %_selected, %_place, %_bound;
	@%_selected bra $_placed;
	ld.const.u64 %_address, <control>;
	@%_leader red.global.add.u64 [%_address+<unplaced_warps>], 1;
	bra $_entered;
$_placed:
	cvt.u32.u64 %_a, %_place;
	ld.const.u32 %_b, <region_slots>;
	mad.lo.u32 %_cursor, %_a, %_b, <header_slots>;
	mad.lo.u32 %_limit, %_a, %_b, %_b;
	mov.u32 %_chunk, 0;
	ld.const.u64 %_regions, <regions>;
	mad.wide.u32 %_address, %_cursor, <slot_bytes>, %_regions;
	mov.u32 %_a, %smid;
	mov.u32 %_rank, <cluster_rank>;
	@%_leader st.global.v2.b64 [%_address+-32], {%_timer, %_clock};
	@%_leader st.global.b64 [%_address+-16], %_block;
	@%_leader st.global.v2.b32 [%_address+-8], {%_a, %_rank};
$_entered:
	}
)";

// Linear block and warp; whether they are recorded; the place of the warp among the regions. The
// blocks that are recorded are block_first + i * block_stride: i comes from a reciprocal that is
// good to far better than 2^-34 (one Newton step on 20 bits), so it is exact when the distance is a
// multiple of the stride, and the product tells whether it is. A division of 64 bits would be a
// call.
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
	cvt.rn.f64.u64 %_quotient, %_distance;
	cvt.rn.f64.u32 %_divisor, %_stride;
	rcp.approx.ftz.f64 %_reciprocal, %_divisor;
	neg.f64 %_divisor, %_divisor;
	fma.rn.f64 %_error, %_divisor, %_reciprocal, 0d3FF0000000000000;
	fma.rn.f64 %_reciprocal, %_error, %_reciprocal, %_reciprocal;
	mul.rn.f64 %_quotient, %_quotient, %_reciprocal;
	cvt.rni.u32.f64 %_index, %_quotient;
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

// The cold code stands in front of the hot one: so the hot one has a single taken branch. `.uni`
// holds since all lanes that go here together have the same mask, and a full mask means the same
// cursor.
const char kEntryRecord[] = R"(	mov.u64 %_clock, %clock64;
<read_timer><read_mask><test_full><test_mask>	@!%_cold bra.uni $_hot<site>;
<cold_mask><leader>	setp.ne.and.u32 %_writes, %_chunk, <not_recorded>, %_writes;
<unit>	bra.uni $_back<site>;
$_hot<site>:
	mov.b64 {%_low, %_high}, %_clock;
	shl.b32 %_high, %_high, 16;
	or.b32 %_high, %_high, <site>;
	ld.const.u64 %_address, <regions>;
	mad.wide.u32 %_address, %_cursor, <slot_bytes>, %_address;
<store>$_back<site>:
<flush>)";

// A marker that all lanes pass equally often: no branch, so it parts no block of the kernel's code.
// The cursor counts on behind the limit, what was dropped is reported at the exit.
const char kProvenRecord[] = R"(	mov.u64 %_clock, %clock64;
	setp.lt.and.u32 %_writes, %_cursor, %_limit, %_leader;
	mov.b64 {%_low, %_high}, %_clock;
	shl.b32 %_high, %_high, 16;
	or.b32 %_high, %_high, <site>;
	ld.const.u64 %_address, <regions>;
	mad.wide.u32 %_address, %_cursor, <slot_bytes>, %_address;
	@%_writes st.global.v2.b32 [%_address], {%_low, %_high};
	add.u32 %_cursor, %_cursor, 1;
<count_extra>)";

// Lane 0 leaves: it alone has counted what its warp's region had no room for. The limit is 0 in a
// warp that is not recorded. The maximum is of the low word: one of 64 bits needs sm_32.
const char kFlush[] = R"(	setp.gt.and.u32 %_writes, %_cursor, %_limit, %_leader;
	setp.ne.and.u32 %_writes, %_limit, 0, %_writes;
	@!%_writes bra $_flushed<site>;
	sub.u32 %_a, %_cursor, %_limit;
	cvt.u64.u32 %_count, %_a;
	ld.const.u64 %_address, <control>;
	red.global.add.u64 [%_address+<dropped_records>], %_count;
	red.global.max.u32 [%_address+<most_overflow>], %_a;
<add_extra>	red.global.add.u64 [%_address+<dropped_events>], %_count;
$_flushed<site>:
)";

const char kHotSlot[] = R"(	@%_leader st.global.v2.b32 [%_address], {%_low, %_high};
	add.u32 %_cursor, %_cursor, 1;
)";

// The cursor stays: these lanes leave.
const char kHotExit[] = R"(	@%_leader st.global.v2.b32 [%_address], {%_low, %_high};
	@%_leader st.global.b64 [%_address+<slot_bytes>], %_timer;
)";

const char kLeader[] = R"(	mov.u32 %_a, %lanemask_lt;
	and.b32 %_a, %_a, %_mask;
	setp.eq.u32 %_writes, %_a, 0;
)";

// In: %_clock, %_mask, %_region, %_chunk and %_writes. %_a is 0 where it is added to the address:
// without a value that differs by lane the assembler merges the atomics of a warp, which is long
// code for a single lane.
const char kColdUnit[] = R"(	and.b32 %_a, %_chunk, <chunk_units_mask>;
	setp.eq.and.u32 %_takes, %_a, 0, %_writes;
	@!%_takes bra $_write<site>;
	ld.const.u64 %_address, <control>;
	mad.wide.u32 %_address, %_a, 1, %_address;
	atom.global.add.u64 %_count, [%_address+<chunks_taken>], 1;
	ld.const.u32 %_a, <pool_chunks>;
	cvt.u64.u32 %_bound, %_a;
	setp.lt.u64 %_writes, %_count, %_bound;
	@%_writes bra $_head<site>;
	red.global.add.u64 [%_address+<dropped_records>], 1;
<drop_events>	bra $_write<site>;
$_head<site>:
<find_region>	cvt.u32.u64 %_chunk, %_count;
	mul.lo.u32 %_chunk, %_chunk, <chunk_units>;
	ld.const.u64 %_address, <pool>;
	mad.wide.u32 %_address, %_chunk, <unit_bytes>, %_address;
	add.u32 %_a, %_region, 1;
	mov.u32 %_b, %laneid;
	st.global.v2.b32 [%_address], {%_a, %_b};
	mov.u32 %_a, %smid;
	st.global.b32 [%_address+8], %_a;
	add.u32 %_chunk, %_chunk, 1;
$_write<site>:
	ld.const.u64 %_address, <pool>;
	mad.wide.u32 %_address, %_chunk, <unit_bytes>, %_address;
	mov.b64 {%_low, %_high}, %_clock;
	shl.b32 %_high, %_high, 16;
	or.b32 %_high, %_high, <site>;
	mov.u32 %_a, %globaltimer_lo;
	@%_writes st.global.v4.b32 [%_address], {%_low, %_high, %_mask, %_a};
	@%_writes add.u32 %_chunk, %_chunk, 1;
)";

// Only the leader goes on: it alone needs to know the warp's region and its own lane cursor.
const char kFunctionRecord[] = R"(	{
	.reg .b32 %_chunk, %_mask, %_low, %_high, %_region, %_a, %_b;
	.reg .b64 %_clock, %_address, %_count, %_bound, %_lane_cursor;
	.reg .pred %_writes, %_takes;
	mov.u64 %_clock, %clock64;
<read_mask><leader>	@!%_writes bra $_done<site>;
<select>	ld.const.u32 %_a, <region_count>;
	cvt.u64.u32 %_bound, %_a;
	setp.lt.u64 %_takes, %_place, %_bound;
	and.pred %_selected, %_selected, %_takes;
	@!%_selected bra $_done<site>;
	cvt.u32.u64 %_region, %_place;
	ld.const.u64 %_lane_cursor, <lane_cursors>;
	mad.wide.u32 %_lane_cursor, %_region, <region_cursor_bytes>, %_lane_cursor;
	mov.u32 %_a, %laneid;
	mad.wide.u32 %_lane_cursor, %_a, 4, %_lane_cursor;
	ld.global.u32 %_chunk, [%_lane_cursor];
<unit>	st.global.u32 [%_lane_cursor], %_chunk;
$_done<site>:
	}
)";

}  // namespace gwatch::instrument::snippets
