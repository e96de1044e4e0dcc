#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What tracing did to a kernel, as plain data. Made by fidelity.h, kept in the archive.
namespace gwatch::fidelity {

/// How many blocks of one build an SM holds at a time; -1 where unknown.
struct Occupancy {
    int blocks_per_sm = -1;
    int warps_per_sm = -1;
    int max_warps_per_sm = -1;
    std::string limited_by;  ///< "registers", "shared memory", "threads", "blocks"; empty: unknown
};

/// How often one family of machine instructions stands in the kernel's code.
struct MixRow {
    std::string family;  ///< "LDG" of LDG.E.128
    std::uint32_t original = 0;
    std::uint32_t traced = 0;
    std::uint32_t own = 0;  ///< of the traced ones: gwatch's own code
};

/// The key instructions of one kind in one scope.
struct KindCount {
    std::string kind;             ///< "global load": see kinds.def
    bool waits = false;           ///< the warp waits for what it names; false: only its issue lies
                                  ///< in the scope, its completion may not
    std::uint32_t ptx = 0;        ///< between the scope's markers in the PTX
    std::uint32_t sass = 0;       ///< between its timer reads in the machine code
    std::uint32_t moved_in = 0;   ///< of those: stand outside of the scope in the PTX
    std::uint32_t moved_out = 0;  ///< stand in the scope in the PTX, outside in the machine code
    bool is_compared = true;      ///< false: what moved is not known
    std::uint32_t added = 0;      ///< of `sass`: the assembler's own, such as spills
    std::uint32_t gone = 0;       ///< of `ptx`: in no machine code
    bool operator==(const KindCount&) const = default;
};

/// Machine instructions of one PTX statement that changed sides.
struct Movement {
    std::string kind;
    std::string opcode;  ///< of the machine: "LDGSTS.E.BYPASS.128"
    bool into = false;   ///< the scope; false: out of it
    std::uint32_t count = 0;
    std::uint32_t ptx_line = 0;  ///< in the original text
    std::string file;            ///< empty when unknown
    std::uint32_t line = 0;      ///< 0 when unknown
};

struct ScopeCheck {
    std::uint32_t scope = 0;        ///< index into the run's scopes
    std::string unknown;            ///< why it could not be compared; else empty
    std::uint32_t start_reads = 0;  ///< timer reads in the machine code that start it
    std::uint32_t end_reads = 0;
    std::vector<KindCount> counts;    ///< kinds that occur, in order of kinds.def
    std::vector<Movement> movements;  ///< in order of PTX line
};

/// The kernel timed with and without its records, in interleaved pairs.
struct Overhead {
    std::uint32_t pairs = 0;
    double ratio = 0;  ///< median of traced / original of each pair
    double ratio_p10 = 0;
    double ratio_p90 = 0;
    double original_ns = 0;  ///< median
    double traced_ns = 0;    ///< median
};

struct Facts {
    std::string disassembler;  ///< path; empty when there was none
    std::string unknown;       ///< why mix and scopes are missing; else empty
    Occupancy original;
    Occupancy traced;
    std::vector<std::string> new_remarks;  ///< of the assembler on the traced text alone
    std::vector<MixRow> mix;               ///< in order of family
    std::vector<ScopeCheck> scopes;        ///< those with a start, in order
    std::vector<std::string> notes;        ///< what a reader of these facts must know
    std::optional<Overhead> overhead;      ///< when it was measured
};

}  // namespace gwatch::fidelity
