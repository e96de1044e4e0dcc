#include "trace/warps.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "trace/hot_records.h"
#include "trace/warp_threads.h"

namespace gwatch::trace {

namespace {

using record::kChunkUnits;
using record::kHeaderSlots;
using record::kLanes;

Error contradiction(const std::string& what) {
    return Error{ErrorKind::kArchive,
                 "the raw records contradict themselves: " + what,
                 {},
                 "The capture is damaged, or the kernel wrote into the trace's memory."};
}

/// Warps that a block records: the number of each, from the mask.
std::vector<std::uint32_t> recorded_warps(std::uint32_t mask) {
    std::vector<std::uint32_t> warps;
    for (; mask != 0; mask &= mask - 1) warps.push_back(std::countr_zero(mask));
    return warps;
}

class Sorter {
  public:
    Sorter(const record::RawRecords& raw, const SiteActions& sites) : raw_(raw), sites_(sites) {}

    Result<RawWarps> run() {
        if (auto checked = check_shape(); !checked) return checked.error();
        result_.records_of_site.resize(sites_.site_count());
        if (auto done = walk_regions(); !done) return done.error();
        if (auto done = walk_pool(); !done) return done.error();
        for (const std::uint64_t records : result_.records_of_site) result_.records += records;
        return std::move(result_);
    }

  private:
    Result<void> check_shape() const {
        const record::LaunchConstants& constants = raw_.plan.constants;
        if (raw_.region_slots.size() != constants.region_count) {
            return contradiction("the plan has " + std::to_string(constants.region_count) +
                                 " regions, the capture " +
                                 std::to_string(raw_.region_slots.size()));
        }
        std::uint64_t slots = 0;
        for (const std::uint32_t kept : raw_.region_slots) {
            if (kept != 0 && kept < kHeaderSlots)
                return contradiction("a region ends inside its header");
            slots += kept;
        }
        if (slots != raw_.slots.size()) {
            return contradiction("its regions add up to " + std::to_string(slots) +
                                 " slots, it has " + std::to_string(raw_.slots.size()));
        }
        if (raw_.pool.size() % kChunkUnits != 0)
            return contradiction("its last chunk is not whole");
        return check_warps(constants);
    }

    Result<void> check_warps(const record::LaunchConstants& constants) const {
        const std::uint64_t group = record::warps_per_region_group(constants.warp_mask);
        if (constants.region_count != 0 &&
            (group == 0 || constants.block_stride == 0 || constants.region_count % group != 0)) {
            return contradiction("its regions do not split into blocks");
        }
        return {};
    }

    Result<void> walk_regions() {
        const std::vector<std::uint32_t> warps = recorded_warps(raw_.plan.constants.warp_mask);
        const std::uint64_t* at = raw_.slots.data();
        warp_of_region_.assign(raw_.region_slots.size(), kNoWarp);
        result_.warps.reserve(raw_.region_slots.size());
        for (std::uint32_t region = 0; region < raw_.region_slots.size(); ++region) {
            const std::uint32_t kept = raw_.region_slots[region];
            if (kept == 0) continue;
            auto done = add_warp(region, warps[region % warps.size()], {at, kept});
            if (!done) return done;
            at += kept;
        }
        return {};
    }

    Result<void> add_warp(std::uint32_t region, std::uint32_t warp,
                          std::span<const std::uint64_t> slots) {
        WarpRecords records{};
        std::memcpy(&records.header, slots.data(), sizeof(records.header));
        if (records.header.globaltimer == 0) {
            ++result_.faults.headless_regions;
            return {};
        }
        records.region = region;
        records.warp = warp;
        records.threads = warp_threads(raw_.block, warp);
        records.slots = slots.subspan(kHeaderSlots);
        if (auto checked = check_block(records); !checked) return checked;
        if (auto counted = count_slots(records); !counted) return counted;
        warp_of_region_[region] = static_cast<std::uint32_t>(result_.warps.size());
        result_.warps.push_back(records);
        return {};
    }

    Result<void> check_block(const WarpRecords& records) const {
        const record::LaunchConstants& constants = raw_.plan.constants;
        const std::uint64_t group = record::warps_per_region_group(constants.warp_mask);
        const std::uint64_t block =
            constants.block_first + records.region / group * constants.block_stride;
        if (records.threads == 0) {
            return contradiction("a block of its shape has no warp " +
                                 std::to_string(records.warp));
        }
        if (records.header.block != block) {
            return contradiction("region " + std::to_string(records.region) + " belongs to warp " +
                                 std::to_string(records.warp) + " of block " +
                                 std::to_string(block) + ", but block " +
                                 std::to_string(records.header.block) + " wrote it");
        }
        return {};
    }

    Error unknown_site(std::uint32_t site, const std::string& where) const {
        return contradiction("a record of " + where + " names site " + std::to_string(site) +
                             ", but the site table has " + std::to_string(sites_.site_count()));
    }

    /// Counts the records of each site; finds out what the last one is.
    Result<void> count_slots(WarpRecords& records) {
        std::uint64_t* counts = result_.records_of_site.data();
        for (std::size_t i = 0; i < records.slots.size();) {
            const std::uint32_t site = site_of(records.slots[i]);
            if (!sites_.has(site)) {
                return unknown_site(site, "region " + std::to_string(records.region));
            }
            if (sites_.place(site) != 0) return contradiction("a record begins inside a series");
            const std::size_t whole = hot_slots(sites_, site);
            // A series that the warp did not end is its last record.
            const bool may_lack = i + whole >= records.slots.size() && sites_.series(site) > 1;
            const std::size_t written =
                may_lack ? written_sites(records.slots.subspan(i), sites_.series(site))
                         : std::max(1u, sites_.series(site));
            for (std::size_t place = 0; place < written; ++place) ++counts[site - 1 + place];
            if (sites_.has_timers() && sites_.is_timer(site))
                note_reading(records.slots.subspan(i));
            i += whole;
            records.ends_with_exit = sites_.is_exit(site) && i == records.slots.size();
        }
        return {};
    }

    void note_reading(std::span<const std::uint64_t> slots) {
        if (slots.size() < 2) return;
        const auto warp = static_cast<std::uint32_t>(result_.warps.size());
        result_.readings.push_back({warp, clock48_of(slots[0]), slots[1]});
    }

    Result<void> walk_pool() {
        std::vector<std::vector<ColdRun>> runs_of_warp;
        runs_of_warp.resize(raw_.pool.empty() ? 0 : result_.warps.size());
        for (std::size_t at = 0; at < raw_.pool.size(); at += kChunkUnits) {
            const std::span<const record::Unit> chunk(raw_.pool.data() + at, kChunkUnits);
            record::ChunkHeader header;
            std::memcpy(&header, chunk.data(), sizeof(header));
            auto used = used_units(chunk.subspan(1), at / kChunkUnits);
            if (!used) return used.error();
            if (used->empty() && header.owner == 0) continue;
            const std::uint32_t region = header.owner - 1;
            if (region >= warp_of_region_.size() || warp_of_region_[region] == kNoWarp ||
                header.lane >= kLanes) {
                ++result_.faults.broken_chunks;
                continue;
            }
            for (const record::Unit& unit : *used) count(unit);
            runs_of_warp[warp_of_region_[region]].push_back({header.lane, *used});
        }
        join_runs(runs_of_warp);
        return {};
    }

    void count(const record::Unit& unit) {
        if (unit.site != record::kPayloadHighSite) ++result_.records_of_site[unit.site - 1];
    }

    Result<std::span<const record::Unit>> used_units(std::span<const record::Unit> units,
                                                     std::size_t chunk) const {
        std::size_t used = 0;
        for (; used < units.size() && units[used].site != 0; ++used) {
            const std::uint32_t site = units[used].site;
            const bool may_be_half = sites_.has_payloads() && site == record::kPayloadHighSite;
            if (!sites_.has(site) && !may_be_half) {
                return unknown_site(site, "chunk " + std::to_string(chunk));
            }
        }
        return units.first(used);
    }

    void join_runs(std::vector<std::vector<ColdRun>>& runs_of_warp) {
        for (std::size_t i = 0; i < runs_of_warp.size(); ++i) {
            std::vector<ColdRun>& runs = runs_of_warp[i];
            std::stable_sort(runs.begin(), runs.end(),
                             [](const ColdRun& a, const ColdRun& b) { return a.lane < b.lane; });
            result_.warps[i].first_cold_run = static_cast<std::uint32_t>(result_.cold_runs.size());
            result_.warps[i].cold_run_count = static_cast<std::uint32_t>(runs.size());
            result_.cold_runs.insert(result_.cold_runs.end(), runs.begin(), runs.end());
        }
    }

    static constexpr std::uint32_t kNoWarp = 0xffffffff;

    const record::RawRecords& raw_;
    const SiteActions& sites_;
    RawWarps result_;
    std::vector<std::uint32_t> warp_of_region_;
};

}  // namespace

Result<RawWarps> sort_by_warp(const record::RawRecords& raw, const SiteActions& sites) {
    return Sorter(raw, sites).run();
}

}  // namespace gwatch::trace
