#pragma once

#include "trace/trace.h"

namespace gwatch::trace {

/// Two runs with everything in them: partial warps, overlaps, orphans, unknown exits, several
/// depths of one scope, payloads.
inline Trace sample_trace() {
    Run run;
    run.launch.kernel = "_Z6kernelPf";
    run.launch.kernel_demangled = "kernel(float*)";
    run.launch.dsl = "triton";
    run.launch.device = "NVIDIA H200";
    run.launch.device_index = 3;
    run.launch.grid = {2, 1, 1};
    run.launch.block = {40, 1, 1};
    run.launch.cluster = {2, 1, 1};
    run.launch.dynamic_shared_bytes = 232448;
    run.launch.stream = 0xffff'ffff'ffff'fff0;
    run.launch.in_graph = true;
    run.launch.sm_count = 132;
    run.launch.max_clock_mhz = 1980;
    run.compile.assembler = "/usr/bin/ptxas";
    run.compile.assembler_flags = {"-v", "--gpu-name=sm_90a"};
    run.compile.remarks = {"C7508: a \"quoted\" remark\n"};
    run.compile.original.registers = 118;
    run.compile.traced.registers = 121;
    run.scopes = {{"load", 100, "kernel.py", 12}, {"wait for \"it\"", -1, "", 0}};
    run.sites = {{{"start load"}, "proven", "kernel", "kernel.py", 12, 6},
                 {{"exit"}, "unknown", "kernel", "", 0, 3}};
    run.lanes = {{0, 0, 17, 0, 0, 5000, 6, 0, 3},
                 {0, 1, 17, 0, 20, -1, 2, 3, 4},
                 {1, 0, 131, 1, 100, 5100, 0, 4, 4}};
    run.slices.start_ns = {100, 100, 700, 120};
    run.slices.duration_ns = {500, 200, 0, 4000};
    run.slices.scope = {0, 1, 1, 0};
    run.slices.depth = {0, 1, 0, 0};
    run.slices.mask = {0xffffffff, 0x0000ffff, 0xffffffff, 0xff};
    run.scopes[0].payload = PayloadKind::kFloat32;
    run.scopes[1].payload = PayloadKind::kFloat64;
    run.slices.payloads = {{0, 1, 3}, {0x3f80'0000, 0xffff'ffff'ffff'fffe, 0}};
    run.marks = {{0, 1}, {300, 310}, {1, 1}, {0xffffffff, 0x0f}};
    run.marks.payloads = {{1}, {0x8000'0000'0000'0000}};
    run.orphan_starts = {{1}, {4500}, {1}, {0xff}};
    run.orphan_starts.payloads = {{0}, {7}};
    run.orphan_ends = {{0}, {50}, {0}, {0x80000000}};
    run.counts.events = 8;
    run.counts.records = 11;
    run.counts.dropped_events = 2;
    run.counts.buffer_bytes_needed = 1 << 30;
    run.time = {1980.5, 1, 32, 5100, 1'764'504'000'000'000'000};
    run.stage_seconds = {{"assemble", 0.25}, {"decode", 0.001}};
    run.warnings = {"2 events were dropped."};

    Run empty;
    empty.launch.kernel = "other";
    return {"a title", "2026-11-30T12:00:00+00:00", {run, empty}};
}

}  // namespace gwatch::trace
