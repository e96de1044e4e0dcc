#pragma once

#include "trace/fidelity_fields.h"
#include "trace/trace.h"

// The names of the archive's plain fields, in their order in the file: one list for the writer and
// the reader. A visitor is called with (name, field) for each field and with (name, struct) for
// each struct that has a visit(). field.optional(name, field) is one that older files lack;
// field.payload_kind(name, field) is missing where nothing has a payload.
namespace gwatch::trace {

template <class Visitor>
void visit(Visitor& field, LaunchFacts& launch) {
    field("kernel", launch.kernel);
    field("kernel_demangled", launch.kernel_demangled);
    field("dsl", launch.dsl);
    field("device", launch.device);
    field("device_index", launch.device_index);
    field("grid", launch.grid);
    field("block", launch.block);
    field("cluster", launch.cluster);
    field("dynamic_shared_bytes", launch.dynamic_shared_bytes);
    field("stream", launch.stream);
    field("in_graph", launch.in_graph);
    field("sm_count", launch.sm_count);
    field.optional("max_clock_mhz", launch.max_clock_mhz);
    field.optional("rank", launch.rank);
    field.optional("host", launch.host);
}

template <class Visitor>
void visit(Visitor& field, BuildFacts& build) {
    field("registers", build.registers);
    field("local_bytes", build.local_bytes);
    field("spill_store_bytes", build.spill_store_bytes);
    field("spill_load_bytes", build.spill_load_bytes);
    field("static_shared_bytes", build.static_shared_bytes);
}

template <class Visitor>
void visit(Visitor& field, CompileFacts& compile) {
    field("assembler", compile.assembler);
    field("assembler_origin", compile.assembler_origin);
    field("assembler_version", compile.assembler_version);
    field("assembler_flags", compile.assembler_flags);
    field("ptx_version", compile.ptx_version);
    field("ptx_target", compile.ptx_target);
    field("ptx_source", compile.ptx_source);
    field("lowered_from", compile.lowered_from);
    field("remarks", compile.remarks);
    field("original", compile.original);
    field("traced", compile.traced);
}

template <class Visitor>
void visit(Visitor& field, Counts& counts) {
    field("events", counts.events);
    field("records", counts.records);
    field("dropped_events", counts.dropped_events);
    field("dropped_records", counts.dropped_records);
    field("orphan_starts", counts.orphan_starts);
    field("orphan_ends", counts.orphan_ends);
    field("warps_in_grid", counts.warps_in_grid);
    field("warps_recorded", counts.warps_recorded);
    field("blocks_in_grid", counts.blocks_in_grid);
    field("blocks_selected", counts.blocks_selected);
    field("buffer_bytes", counts.buffer_bytes);
    field("buffer_bytes_needed", counts.buffer_bytes_needed);
}

template <class Visitor>
void visit(Visitor& field, TimeFacts& time) {
    field("clock_mhz", time.clock_mhz);
    field("resolution_ns", time.resolution_ns);
    field("alignment_ns", time.alignment_ns);
    field.optional("timer_gap_ns", time.timer_gap_ns);
    field("span_ns", time.span_ns);
    field("start_globaltimer_ns", time.start_globaltimer_ns);
}

template <class Visitor>
void visit(Visitor& field, Scope& scope) {
    field("name", scope.name);
    field("id", scope.id);
    field("file", scope.file);
    field("line", scope.line);
    field.payload_kind("payload", scope.payload);
}

template <class Visitor>
void visit(Visitor& field, Site& site) {
    field("actions", site.actions);
    field("placement", site.placement);
    field("function", site.function);
    field("file", site.file);
    field("line", site.line);
    field("records", site.records);
}

/// What a run holds besides its big columns.
template <class Visitor>
void visit(Visitor& field, Run& run) {
    field("launch", run.launch);
    field("compile", run.compile);
    field("counts", run.counts);
    field("time", run.time);
    field("stage_seconds", run.stage_seconds);
    field("warnings", run.warnings);
    field("scopes", run.scopes);
    field("sites", run.sites);
    field.optional("fidelity", run.fidelity);
}

}  // namespace gwatch::trace
