#include "instrument/emit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "instrument/snippets.h"
#include "record/layout.h"

namespace gwatch::instrument {

namespace {

using record::LaunchConstants;
using record::PayloadKind;

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
    return "[<constants>+" + std::to_string(offset) + "]";
}

using Parts = std::map<std::string, std::string, std::less<>>;

// What a hole is filled with in every module and at every site.
const Parts& layout_parts() {
    static const Parts parts = {
        {"constants_bytes", std::to_string(sizeof(LaunchConstants))},
        {"regions", constant(offsetof(LaunchConstants, regions))},
        {"pool", constant(offsetof(LaunchConstants, pool))},
        {"control", constant(offsetof(LaunchConstants, control))},
        {"lane_cursors", constant(offsetof(LaunchConstants, lane_cursors))},
        {"region_slots", constant(offsetof(LaunchConstants, region_slots))},
        {"region_count", constant(offsetof(LaunchConstants, region_count))},
        {"pool_place", constant(offsetof(LaunchConstants, pool_place))},
        {"pool_chunks", constant(offsetof(LaunchConstants, pool_chunks))},
        {"block_first", constant(offsetof(LaunchConstants, block_first))},
        {"block_stride", constant(offsetof(LaunchConstants, block_stride))},
        {"block_count", constant(offsetof(LaunchConstants, block_count))},
        {"reciprocal_low", constant(offsetof(LaunchConstants, reciprocal))},
        {"reciprocal_high", constant(offsetof(LaunchConstants, reciprocal) + 4)},
        {"warp_mask", constant(offsetof(LaunchConstants, warp_mask))},
        {"chunks_taken", std::to_string(offsetof(record::Control, chunks_taken))},
        {"cold_misses", std::to_string(offsetof(record::Control, cold_misses))},
        {"dropped_records", std::to_string(offsetof(record::Control, dropped_records))},
        {"dropped_events", std::to_string(offsetof(record::Control, dropped_events))},
        {"most_overflow", std::to_string(offsetof(record::Control, most_overflow))},
        {"header_bytes", std::to_string(sizeof(record::RegionHeader))},
        {"slot_bytes", std::to_string(sizeof(record::Slot))},
        {"unit_bytes", std::to_string(sizeof(record::Unit))},
        {"chunk_bytes", std::to_string(record::kChunkBytes)},
        {"chunk_bytes_mask", std::to_string(record::kChunkBytes - 1)},
        {"hot_owner", std::to_string(record::kHotOwner)},
        {"region_cursor_bytes", std::to_string(record::kLanes * sizeof(std::uint32_t))},
        {"place_registers", snippets::kPlaceRegisters},
        {"block_of_grid", snippets::kBlockOfGrid},
        {"unit", snippets::kColdUnit},
        {"pack", snippets::kPack},
        {"lowest", snippets::kLowestOfMask},
        {"hot_exit", snippets::kHotExit},
        {"refill", snippets::kRefill},
    };
    return parts;
}
static_assert(offsetof(record::RegionHeader, globaltimer) == 0 &&
                  offsetof(record::RegionHeader, clock) == 8 &&
                  offsetof(record::RegionHeader, block) == 16 &&
                  offsetof(record::RegionHeader, sm) == 24 &&
                  offsetof(record::RegionHeader, cluster_rank) == 28,
              "kHeader writes these");
static_assert(offsetof(record::Slot, site) == 4 && offsetof(record::Slot, clock_high) == 6 &&
                  offsetof(record::Unit, mask) == 8 && offsetof(record::Unit, word) == 12 &&
                  offsetof(record::ChunkHeader, lane) == 4 &&
                  offsetof(record::ChunkHeader, sm) == 8,
              "kPack, kSeriesStart and kColdUnit write these");
static_assert(record::kExitSlots == 2 && record::series_slots(1) == 2,
              "kHotExit and kStoreTimer write two");
static_assert(record::used_series_slots(1) == 1 && record::used_series_slots(2) == 2 &&
                  record::used_series_slots(3) == 2,
              "stores_of_series() fills these");

constexpr char kReadMask[] = "\tactivemask.b32 %_mask;\n";
constexpr char kReadMaskBefore62[] = "\tvote.ballot.b32 %_mask, 1;\n";
constexpr char kUniformWarp[] = "\tshfl.sync.idx.b32 %_warp, %_warp, 0, 31, -1;\n";
constexpr char kOwner[] = "\tmov.u32 %_a, %_limit;\n";
constexpr char kOwnerOfFunction[] = R"(	ld.<space>.u32 %_b, <region_slots>;
	mul.lo.u32 %_b, %_b, <slot_bytes>;
	mad.lo.u32 %_a, %_region, %_b, <header_bytes>;
)";
constexpr char kShuffle[] = "\tshfl.sync.idx.b32 %_b, %_b, %_a, 31, %_mask;\n";
constexpr char kShuffleBefore60[] = "\tshfl.idx.b32 %_b, %_b, %_a, 31;\n";

/// The record under the guard of its statement: the other threads jump over it.
std::string under_guard(const PlannedSite& planned, const std::string& record) {
    if (planned.guard.empty()) return record;
    const std::string skip = "$_skip" + std::to_string(planned.number);
    return "\t@" + std::string(planned.guard_negated ? "" : "!") + "<guard> bra " + skip + ";\n" +
           record + skip + ":\n";
}

/// Text of the module, which may have in it what means an own name here, or filled text.
bool is_verbatim(std::string_view hole) {
    return hole == "guard" || hole == "payload" || hole == "high_unit";
}

constexpr char kSettleWholeWarp[] = "\tbar.warp.sync -1;\n";
constexpr char kSettleActiveLanes[] = "\tactivemask.b32 %_a;\n\tbar.warp.sync %_a;\n";

/// On the GPUs of text that is too old for it a barrier holds a warp at once.
const char* code_that_settles(const PlannedSite& planned, const Capabilities& capabilities) {
    if (planned.settling == Settling::kNone || !capabilities.activemask) return "";
    return planned.settling == Settling::kWholeWarp ? kSettleWholeWarp : kSettleActiveLanes;
}

std::uint32_t events_of_series(const SiteTable& table, std::uint16_t number) {
    const Site& site = table.sites[number - 1];
    std::uint32_t events = 0;
    for (std::uint32_t place = 0; place < site.series; ++place) {
        events += table.sites[number - 1u - site.place + place].markers;
    }
    return events;
}

/// Text with its own holes filled; the others stay.
std::string with_words(std::string_view text, std::uint32_t word, std::uint32_t slot) {
    std::string filled(text);
    const std::pair<std::string_view, std::string> holes[] = {
        {"<word>", std::to_string(word)},
        {"<next_word>", std::to_string(word + 1)},
        {"<third_word>", std::to_string(word + 2)},
        {"<fourth_word>", std::to_string(word + 3)},
        {"<slot_offset>", std::to_string(slot * sizeof(record::Slot))}};
    for (const auto& [hole, value] : holes) {
        for (auto at = filled.find(hole); at != std::string::npos; at = filled.find(hole))
            filled.replace(at, hole.size(), value);
    }
    return filled;
}

/// Reads the clock for a site's part in the record of its series.
std::string clock_of_series(const PlannedSite& planned, const Site& site) {
    if (site.place == 0) return snippets::kSeriesStart;
    const bool is_whole = site.place + 1 == site.series && site.place % 2 == 1;
    const char* const low = planned.reading != 0 ? snippets::kLowOfWholeClock : snippets::kLowClock;
    return with_words(is_whole ? snippets::kWholeClock : low, site.place + 1u, 0);
}

/// Stores the slots that are complete with a site.
std::string stores_of_series(const PlannedSite& planned) {
    if (planned.payload.kind != PayloadKind::kNone) return snippets::kStorePayload;
    std::string code;
    for (std::uint32_t slot = planned.first_slot; slot < planned.end_slot; ++slot) {
        const bool is_pair = slot % 2 == 0 && slot + 1u < planned.end_slot;
        code += with_words(is_pair ? snippets::kStorePair : snippets::kStoreSlot, 2 * slot, slot);
        slot += is_pair;
    }
    return code;
}

/// What one site does for the record of its series.
std::string code_of_series(const PlannedSite& planned, const Site& site) {
    std::string code = clock_of_series(planned, site) + stores_of_series(planned);
    if (planned.reading != 0) code += snippets::kStoreTimer;
    return site.place + 1 == site.series ? code + snippets::kSeriesEnd : code;
}

/// Of the record of a site's series, with the reading of the timer behind it.
std::uint32_t record_slots(const PlannedSite& planned, const Site& site) {
    return record::series_slots(site.series) + (planned.reading != 0 ? record::series_slots(1) : 0);
}

/// Where code reads the launch constants from.
Parts constants_parts(bool has_parameter) {
    return {{"constants", has_parameter ? record::kParameterName : record::kConstantsName},
            {"space", has_parameter ? "param" : "const"}};
}

/// The holes that a site's payload fills.
void add_payload_parts(const PlannedSite& planned, Parts* parts) {
    const std::uint32_t bits = record::payload_bits(planned.payload.kind);
    (*parts)["payload_mov"] = planned.payload.opcode;
    (*parts)["payload"] = planned.payload.source;
    (*parts)["take"] = bits == 64 ? snippets::kTake64 : snippets::kTake32;
    (*parts)["high_word"] = bits == 64 ? "" : snippets::kNoHighWord;
    (*parts)["store"] = bits == 0 ? snippets::kUnknownStore : snippets::kUnknownStorePayload;
    (*parts)["fourth_word"] = bits != 0         ? "<take>"
                              : planned.is_exit ? snippets::kTimerLow
                                                : snippets::kNoFourthWord;
}

/// Those that differ in the unit of the high half of a payload.
void turn_to_high_half(Parts* parts) {
    (*parts)["site"] += "high";
    (*parts)["number"] = std::to_string(record::kPayloadHighSite);
    (*parts)["fourth_word"] = snippets::kTakeHigh;
    (*parts)["drop"] = "";
}

std::string code_of(const PlannedSite& planned, const Site& site) {
    switch (site.placement) {
        case Placement::kProven:
            return planned.is_exit ? snippets::kProvenExit : code_of_series(planned, site);
        case Placement::kFunction:
            return snippets::kFunctionRecord;
        case Placement::kParted:
            return planned.is_exit ? snippets::kUnknownExit : snippets::kPartedRecord;
        case Placement::kUnknown:
            break;
    }
    return planned.is_exit ? snippets::kUnknownExit : snippets::kUnknownRecord;
}

/// Whether a site ends a record in the warp's region, and makes room for the next one.
bool makes_room(const PlannedSite& planned, const Site& site) {
    const bool is_last = site.placement == Placement::kProven && site.place + 1 == site.series;
    return !planned.is_exit && (is_last || site.placement == Placement::kUnknown);
}

/// Slots from the limit of a region or a chunk to its end.
std::uint32_t reserved_slots(const EntryFacts& facts) {
    return facts.longest_record - 2 + record::kExitSlots;
}

/// The holes of the code that makes room for the next record.
Parts room_parts(const PlannedSite& planned, const EntryFacts& facts) {
    const bool at_once = facts.counts_drops_at_once;
    return {{"room", planned.in_inner_scope ? snippets::kRoomInside : snippets::kRoom},
            {"chunk_limit_bytes",
             std::to_string(record::kChunkBytes - reserved_slots(facts) * sizeof(record::Slot))},
            {"begin_to_drop", at_once ? snippets::kBeginToDropAtOnce : snippets::kBeginToDrop},
            {"leave_uncounted", at_once ? snippets::kLeaveUncounted : ""},
            {"count_drop", at_once ? snippets::kCountDropAtOnce : snippets::kCountDrop}};
}

/// 0 when it is not known.
std::uint32_t warps_of(const analysis::LaunchShape& shape) {
    return record::warps_of(shape.block[0] * shape.block[1] * shape.block[2]);
}

}  // namespace

EntryFacts facts_of(const FunctionPlan& function, const SiteTable& table) {
    EntryFacts facts;
    facts.has_late_header = !function.headers.empty();
    facts.counts_drops_at_once =
        std::any_of(table.sites.begin(), table.sites.end(), [](const Site& site) {
            return site.placement == Placement::kFunction && site.markers == 0;
        });
    for (const PlannedSite& planned : function.sites) {
        const Site& site = table.sites[planned.number - 1];
        const bool is_hot =
            site.placement == Placement::kProven || site.placement == Placement::kUnknown;
        if (planned.is_exit || !is_hot) continue;
        facts.has_hot_records = true;
        facts.longest_record = std::max(facts.longest_record, record_slots(planned, site));
    }
    return facts;
}

Emitter::Emitter(const ptx::Module& module, Capabilities capabilities, const Options& options)
    : capabilities_(capabilities),
      has_flat_blocks_(options.shape.block[1] == 1 && options.shape.block[2] == 1),
      warps_per_block_(options.every_warp ? warps_of(options.shape) : 0),
      prefix_(choose_prefix(module)) {}

std::string Emitter::declaration() const {
    return fill(snippets::kDeclaration, constants_parts(false));
}

std::string Emitter::parameter() const {
    return fill(snippets::kParameter, constants_parts(true));
}

std::string Emitter::enter() const {
    return fill(std::string(snippets::kEntryRegisters) + snippets::kEnter, {});
}

std::string Emitter::setup(const EntryFacts& facts) const {
    Parts parts = place_parts();
    parts.merge(constants_parts(facts.has_parameter));
    parts["uniform_warp"] = capabilities_.shuffle ? kUniformWarp : "";
    parts["header_and_reserved_bytes"] =
        std::to_string((record::kHeaderSlots + reserved_slots(facts)) * sizeof(record::Slot));
    parts["cluster_rank"] = capabilities_.cluster_rank ? "%cluster_ctarank" : "0";
    parts["header"] = facts.has_late_header ? "" : snippets::kHeader;
    return fill(snippets::kSetup, parts);
}

std::string Emitter::header() const {
    return fill(snippets::kHeader, {});
}

Emitter::Parts Emitter::place_parts() const {
    return {
        {"warp_of_block", has_flat_blocks_ ? snippets::kWarpOfFlatBlock : snippets::kWarpOfBlock},
        {"select", warps_per_block_ == 0 ? snippets::kSelect : snippets::kSelectAny},
        {"warps_per_block", std::to_string(warps_per_block_)}};
}

Emitter::Parts Emitter::parts_of(const PlannedSite& planned, const SiteTable& table,
                                 const EntryFacts& facts) const {
    const Site& site = table.sites[planned.number - 1];
    const bool in_entry = site.placement != Placement::kFunction;
    Parts parts = {
        {"site", std::to_string(planned.number)},
        {"number", std::to_string(planned.number)},
        {"guard", std::string(planned.guard)},
        {"read_mask", capabilities_.activemask ? kReadMask : kReadMaskBefore62},
        {"flush", facts.has_hot_records ? snippets::kFlush : ""},
        {"owner", in_entry ? kOwner : kOwnerOfFunction},
        {"same_for_all", capabilities_.shuffle ? kShuffle : kShuffleBefore60},
        {"uniform_warp", ""},
        {"drop", std::string(snippets::kDrop) + (site.markers == 0 ? "" : snippets::kDropEvents)},
        {"markers", std::to_string(site.markers)},
        {"series_bytes", std::to_string(record::series_slots(site.series) * sizeof(record::Slot))},
        {"record_bytes", std::to_string(record_slots(planned, site) * sizeof(record::Slot))},
        {"timer", planned.reading != 0 ? snippets::kReadTimer : ""},
        {"reading", std::to_string(planned.reading)},
        {"events", std::to_string(events_of_series(table, planned.number))},
        {"settle", code_that_settles(planned, capabilities_)},
        {"high_unit", ""}};
    parts.merge(place_parts());
    parts.merge(constants_parts(facts.has_parameter));
    parts.merge(room_parts(planned, facts));
    add_payload_parts(planned, &parts);
    if (record::payload_bits(planned.payload.kind) == 64) {
        Parts high = parts;
        turn_to_high_half(&high);
        parts["high_unit"] = fill(snippets::kColdUnit, high);
    }
    return parts;
}

std::string Emitter::record(const PlannedSite& planned, const SiteTable& table,
                            const EntryFacts& facts) const {
    const Site& site = table.sites[planned.number - 1];
    return fill(under_guard(planned, code_of(planned, site)), parts_of(planned, table, facts));
}

std::string Emitter::refill(const PlannedSite& planned, const SiteTable& table,
                            const EntryFacts& facts) const {
    const bool is_jumped_to =
        makes_room(planned, table.sites[planned.number - 1]) && !planned.in_inner_scope;
    return is_jumped_to ? fill(snippets::kRefill, parts_of(planned, table, facts)) : "";
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
            const std::string& part =
                own != parts.end() ? own->second : layout_parts().at(std::string(hole));
            filled += is_verbatim(hole) ? part : fill(part, parts);
            i = end;
        } else {
            filled += text[i];
        }
    }
    return filled;
}

}  // namespace gwatch::instrument
