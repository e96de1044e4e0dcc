"""The design of hand-made tracers, for comparison.

A volatile counter and a buffer of each warp in global memory, the counter padded to a cache line,
16 bytes an event.
"""

from __future__ import annotations

import re

MARKER = re.compile(r"// gwatch:(start|end) (\S+)")
ENTRY = re.compile(r"\.entry\s+(\S+?)\s*\(")
RECORDS_A_WARP = 1 << 13
COUNTER_BYTES = 128
SYMBOL = "usual_buffer"

_REGISTERS = """
	.reg .b32 %usual_a, %usual_b, %usual_c, %usual_timer, %usual_clock, %usual_mask;
	.reg .b64 %usual_warp, %usual_at;
	.reg .pred %usual_leader;
	mov.u32 %usual_a, %ctaid.z;
	mov.u32 %usual_b, %nctaid.y;
	mov.u32 %usual_c, %ctaid.y;
	mad.lo.u32 %usual_a, %usual_a, %usual_b, %usual_c;
	mov.u32 %usual_b, %nctaid.x;
	mov.u32 %usual_c, %ctaid.x;
	mad.lo.u32 %usual_a, %usual_a, %usual_b, %usual_c;
	mov.u32 %usual_b, %ntid.x;
	shr.u32 %usual_b, %usual_b, 5;
	mov.u32 %usual_c, %tid.x;
	shr.u32 %usual_c, %usual_c, 5;
	mad.lo.u32 %usual_a, %usual_a, %usual_b, %usual_c;
	ld.const.u64 %usual_warp, [usual_buffer];
	mad.wide.u32 %usual_warp, %usual_a, {warp_bytes}, %usual_warp;
"""

_EVENT = """
	mov.u32 %usual_timer, %globaltimer_lo;
	mov.u32 %usual_clock, %clock;
	activemask.b32 %usual_mask;
	mov.u32 %usual_a, %lanemask_lt;
	and.b32 %usual_a, %usual_a, %usual_mask;
	setp.eq.u32 %usual_leader, %usual_a, 0;
	@%usual_leader ld.volatile.global.u32 %usual_a, [%usual_warp];
	and.b32 %usual_b, %usual_a, {last};
	mad.wide.u32 %usual_at, %usual_b, 16, %usual_warp;
	mov.u32 %usual_b, {number};
	@%usual_leader st.global.v4.b32 [%usual_at+{counter}], {{%usual_timer, %usual_clock, %usual_b, %usual_mask}};
	add.u32 %usual_a, %usual_a, 1;
	@%usual_leader st.volatile.global.u32 [%usual_warp], %usual_a;
"""  # noqa: E501


def warp_bytes() -> int:
    """Bytes of the counter and the records of one warp."""
    return COUNTER_BYTES + RECORDS_A_WARP * 16


def rewrite(ptx: str, entry: str) -> str:
    """Record each marker of a kernel in the usual way, into the buffer that SYMBOL points to."""
    found = next(match for match in ENTRY.finditer(ptx) if match.group(1) == entry)
    body = ptx.index("{", ptx.index(")", found.end()))
    end = ptx.index("\n}", body)
    head = re.search(r"^\.address_size.*$", ptx, re.MULTILINE)
    if head is None:
        raise ValueError("the PTX has no .address_size")
    numbers: dict[str, int] = {}

    def event(match: re.Match[str]) -> str:
        number = numbers.setdefault(match.group(0), len(numbers) + 1)
        code = _EVENT.format(last=RECORDS_A_WARP - 1, number=number, counter=COUNTER_BYTES)
        return "// recorded" + code

    code = MARKER.sub(event, ptx[body + 1 : end])
    registers = _REGISTERS.replace("{warp_bytes}", str(warp_bytes()))
    declaration = f"\n.visible .const .align 8 .b64 {SYMBOL};"
    return (
        ptx[: head.end()] + declaration + ptx[head.end() : body + 1] + registers + code + ptx[end:]
    )
