#include "instrument/emit.h"

#include <cstddef>
#include <cstdint>

#include "instrument/snippets.h"
#include "record/layout.h"

namespace gwatch::instrument {

namespace {

using record::LaunchConstants;

/// "gwatch_", or with a number when a word of the module holds that.
std::string choose_prefix(const ptx::Module& module) {
    std::string prefix = "gwatch_";
    const auto is_taken = [&] {
        for (const ptx::Token& token : module.tokens()) {
            if (token.kind != ptx::TokenKind::kWord) continue;
            if (module.text_of(token).find(prefix) != std::string_view::npos) return true;
        }
        return false;
    };
    for (int number = 2; is_taken(); ++number) prefix = "gwatch" + std::to_string(number) + "_";
    return prefix;
}

std::string constant(std::size_t offset) {
    std::string operand = "[";
    operand.append(record::kConstantsName).append("+").append(std::to_string(offset)).append("]");
    return operand;
}

using Parts = std::map<std::string, std::string, std::less<>>;

// What a hole is filled with in every module and at every site.
const Parts& layout_parts() {
    static const Parts parts = {
        {"launch", record::kConstantsName},
        {"launch_bytes", std::to_string(sizeof(LaunchConstants))},
        {"regions", constant(offsetof(LaunchConstants, regions))},
        {"pool", constant(offsetof(LaunchConstants, pool))},
        {"control", constant(offsetof(LaunchConstants, control))},
        {"lane_cursors", constant(offsetof(LaunchConstants, lane_cursors))},
        {"region_slots", constant(offsetof(LaunchConstants, region_slots))},
        {"region_count", constant(offsetof(LaunchConstants, region_count))},
        {"pool_chunks", constant(offsetof(LaunchConstants, pool_chunks))},
        {"block_first", constant(offsetof(LaunchConstants, block_first))},
        {"block_stride", constant(offsetof(LaunchConstants, block_stride))},
        {"block_count", constant(offsetof(LaunchConstants, block_count))},
        {"warp_mask", constant(offsetof(LaunchConstants, warp_mask))},
        {"chunks_taken", std::to_string(offsetof(record::Control, chunks_taken))},
        {"dropped_records", std::to_string(offsetof(record::Control, dropped_records))},
        {"dropped_events", std::to_string(offsetof(record::Control, dropped_events))},
        {"unplaced_warps", std::to_string(offsetof(record::Control, unplaced_warps))},
        {"most_overflow", std::to_string(offsetof(record::Control, most_overflow))},
        {"not_recorded", std::to_string(record::kNotRecorded)},
        {"header_slots", std::to_string(record::kHeaderSlots)},
        {"slot_bytes", std::to_string(sizeof(record::Slot))},
        {"unit_bytes", std::to_string(sizeof(record::Unit))},
        {"chunk_units", std::to_string(record::kChunkUnits)},
        {"chunk_units_mask", std::to_string(record::kChunkUnits - 1)},
        {"region_cursor_bytes", std::to_string(record::kLanes * sizeof(std::uint32_t))},
        {"select", snippets::kSelect},
        {"unit", snippets::kColdUnit},
    };
    return parts;
}
static_assert(offsetof(record::RegionHeader, globaltimer) == 0 &&
                  offsetof(record::RegionHeader, clock) == 8 &&
                  offsetof(record::RegionHeader, block) == 16 &&
                  offsetof(record::RegionHeader, sm) == 24 &&
                  offsetof(record::RegionHeader, cluster_rank) == 28,
              "kPrologue writes these");
static_assert(offsetof(record::Slot, site) == 4 && offsetof(record::Slot, clock_high) == 6 &&
                  offsetof(record::Unit, mask) == 8 &&
                  offsetof(record::Unit, globaltimer_low) == 12 &&
                  offsetof(record::ChunkHeader, lane) == 4 &&
                  offsetof(record::ChunkHeader, sm) == 8,
              "kHotSlot, kProvenRecord and kColdUnit write these");
static_assert(record::kExitSlots == 2, "kHotExit writes two");

constexpr char kReadMask[] = "\tactivemask.b32 %_mask;\n";
constexpr char kReadMaskBefore62[] = "\tvote.ballot.b32 %_mask, 1;\n";
// Lane 0 writes for all lanes, which may come one after the other.
constexpr char kWholeWarp[] = "\tmov.b32 %_mask, -1;\n";
constexpr char kLaneZero[] = "\tmov.pred %_writes, %_leader;\n";
constexpr char kReadTimer[] = "\tmov.u64 %_timer, %globaltimer;\n";
// No slot is left, or not two for an exit: a limit of 0, which is that of a warp that is not
// recorded, counts as full for any cursor, also for the last before it wraps.
constexpr char kFullForSlot[] = "\tsetp.ge.u32 %_cold, %_cursor, %_limit;\n";
constexpr char kFullForExit[] =
    "\tsetp.ge.u32 %_cold, %_cursor, %_limit;\n\tadd.u32 %_a, %_cursor, 1;\n"
    "\tsetp.ge.or.u32 %_cold, %_a, %_limit, %_cold;\n";
constexpr char kPartOfWarp[] = "\tsetp.ne.or.u32 %_cold, %_mask, -1, %_cold;\n";
constexpr char kUniformWarp[] = "\tshfl.sync.idx.b32 %_warp, %_warp, 0, 31, -1;\n";
constexpr char kAddExtra[] =
    "\tcvt.u64.u32 %_timer, %_extra;\n\tadd.u64 %_count, %_count, %_timer;\n";
// From the limit: the cursor may stand anywhere behind it.
constexpr char kRegionOfLimit[] =
    "\tld.const.u32 %_a, <region_slots>;\n\tbfind.u32 %_a, %_a;\n"
    "\tadd.u32 %_region, %_limit, -1;\n\tshr.u32 %_region, %_region, %_a;\n";

std::string drop_events(const Site& site) {
    if (site.markers == 0) return {};
    return "\tred.global.add.u64 [%_address+<dropped_events>], " + std::to_string(site.markers) +
           ";\n";
}

/// Of a proven site that dropped its record: the markers beyond the one that the cursor counts.
std::string count_extra(const Site& site) {
    if (site.markers < 2) return {};
    return "\t@!%_writes add.u32 %_extra, %_extra, " + std::to_string(site.markers - 1) + ";\n";
}

/// The record under the guard of its statement: the other threads jump over it.
std::string under_guard(const PlannedSite& planned, const std::string& record) {
    if (planned.guard.empty()) return record;
    const std::string skip = "$_skip" + std::to_string(planned.number);
    return "\t@" + std::string(planned.guard_negated ? "" : "!") + std::string(planned.guard) +
           " bra " + skip + ";\n" + record + skip + ":\n";
}

}  // namespace

Overflow overflow_of(const FunctionPlan& function, const SiteTable& table) {
    Overflow overflow;
    for (const PlannedSite& planned : function.sites) {
        const Site& site = table.sites[planned.number - 1];
        if (planned.is_exit || site.placement != Placement::kProven) continue;
        overflow.possible = true;
        overflow.has_extra = overflow.has_extra || site.markers > 1;
    }
    return overflow;
}

Emitter::Emitter(const ptx::Module& module, Capabilities capabilities)
    : capabilities_(capabilities), prefix_(choose_prefix(module)) {}

std::string Emitter::declaration() const {
    return fill(snippets::kDeclaration, {});
}

std::string Emitter::prologue(const Overflow& overflow) const {
    return fill(std::string(snippets::kEntryRegisters) +
                    (overflow.has_extra ? snippets::kExtraRegister : "") + snippets::kPrologue,
                {{"uniform_warp", capabilities_.shuffle ? kUniformWarp : ""},
                 {"cluster_rank", capabilities_.cluster_rank ? "%cluster_ctarank" : "0"}});
}

std::string Emitter::record(const PlannedSite& planned, const Site& site,
                            const Overflow& overflow) const {
    if (site.placement == Placement::kProven && !planned.is_exit) {
        return fill(under_guard(planned, snippets::kProvenRecord),
                    {{"site", std::to_string(planned.number)}, {"count_extra", count_extra(site)}});
    }
    const bool in_entry = site.placement != Placement::kFunction;
    const bool tests_mask = site.placement != Placement::kProven;
    const std::string read_mask = capabilities_.activemask ? kReadMask : kReadMaskBefore62;
    const Parts parts = {{"site", std::to_string(planned.number)},
                         {"read_timer", planned.is_exit ? kReadTimer : ""},
                         {"read_mask", tests_mask ? read_mask : ""},
                         {"cold_mask", tests_mask ? "" : kWholeWarp},
                         {"leader", tests_mask ? snippets::kLeader : kLaneZero},
                         {"test_full", planned.is_exit ? kFullForExit : kFullForSlot},
                         {"test_mask", tests_mask ? kPartOfWarp : ""},
                         {"store", planned.is_exit ? snippets::kHotExit : snippets::kHotSlot},
                         {"flush", planned.is_exit && overflow.possible ? snippets::kFlush : ""},
                         {"add_extra", overflow.has_extra ? kAddExtra : ""},
                         {"find_region", in_entry ? kRegionOfLimit : ""},
                         {"uniform_warp", ""},
                         {"drop_events", drop_events(site)}};
    const std::string code = in_entry ? snippets::kEntryRecord : snippets::kFunctionRecord;
    return fill(under_guard(planned, code), parts);
}

std::string Emitter::fill(std::string_view text, const Parts& parts) const {
    std::string filled;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_own_name =
            i > 0 && text[i] == '_' && (text[i - 1] == '%' || text[i - 1] == '$');
        if (is_own_name) {
            filled += prefix_;
        } else if (text[i] == '<') {
            const std::size_t end = text.find('>', i);
            const std::string_view hole = text.substr(i + 1, end - i - 1);
            const auto own = parts.find(hole);
            filled += fill(own != parts.end() ? own->second : layout_parts().at(std::string(hole)),
                           parts);
            i = end;
        } else {
            filled += text[i];
        }
    }
    return filled;
}

}  // namespace gwatch::instrument
