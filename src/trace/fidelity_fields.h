#pragma once

#include "fidelity/facts.h"

// The names of the fidelity facts in the archive, in their order: see archive_fields.h.
namespace gwatch::fidelity {

template <class Visitor>
void visit(Visitor& field, Occupancy& occupancy) {
    field("blocks_per_sm", occupancy.blocks_per_sm);
    field("warps_per_sm", occupancy.warps_per_sm);
    field("max_warps_per_sm", occupancy.max_warps_per_sm);
    field("limited_by", occupancy.limited_by);
}

template <class Visitor>
void visit(Visitor& field, MixRow& row) {
    field("family", row.family);
    field("original", row.original);
    field("traced", row.traced);
    field("own", row.own);
}

template <class Visitor>
void visit(Visitor& field, KindCount& count) {
    field("kind", count.kind);
    field("waits", count.waits);
    field("ptx", count.ptx);
    field("sass", count.sass);
    field("moved_in", count.moved_in);
    field("moved_out", count.moved_out);
    field("is_compared", count.is_compared);
    field("added", count.added);
    field("gone", count.gone);
}

template <class Visitor>
void visit(Visitor& field, Movement& movement) {
    field("kind", movement.kind);
    field("opcode", movement.opcode);
    field("into", movement.into);
    field("count", movement.count);
    field("ptx_line", movement.ptx_line);
    field("file", movement.file);
    field("line", movement.line);
}

template <class Visitor>
void visit(Visitor& field, ScopeCheck& check) {
    field("scope", check.scope);
    field("unknown", check.unknown);
    field("start_reads", check.start_reads);
    field("end_reads", check.end_reads);
    field("counts", check.counts);
    field("movements", check.movements);
}

template <class Visitor>
void visit(Visitor& field, Overhead& overhead) {
    field("pairs", overhead.pairs);
    field("ratio", overhead.ratio);
    field("ratio_p10", overhead.ratio_p10);
    field("ratio_p90", overhead.ratio_p90);
    field("original_ns", overhead.original_ns);
    field("traced_ns", overhead.traced_ns);
}

template <class Visitor>
void visit(Visitor& field, Facts& facts) {
    field("disassembler", facts.disassembler);
    field("unknown", facts.unknown);
    field("original", facts.original);
    field("traced", facts.traced);
    field("new_remarks", facts.new_remarks);
    field("mix", facts.mix);
    field("scopes", facts.scopes);
    field("notes", facts.notes);
    field.optional("overhead", facts.overhead);
}

}  // namespace gwatch::fidelity
