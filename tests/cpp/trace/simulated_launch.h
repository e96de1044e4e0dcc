#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "instrument/sites.h"
#include "record/plan.h"

// A GPU that writes trace memory as the injected code does, on clocks that a test chooses.
namespace gwatch::trace::simulated {

/// The clock of an SM: cycles = offset + elapsed ns / ns_per_cycle; from change_ns on with another
/// rate.
struct SimulatedSm {
    double ns_per_cycle = 0.5;
    std::uint64_t offset = 1000;
    double change_ns = 1e300;
    double ns_per_cycle_after = 0.5;

    std::uint64_t clock(double ns) const {
        const double before = std::min(ns, change_ns) / ns_per_cycle;
        const double after = ns > change_ns ? (ns - change_ns) / ns_per_cycle_after : 0;
        return offset + static_cast<std::uint64_t>(before + after);
    }
};

struct SimulatedGpu {
    std::vector<SimulatedSm> sms = {SimulatedSm{}};
    std::uint64_t tick_ns = 32;
    std::uint64_t timer_at_zero = 1'712'345'678'912'345'683;

    std::uint64_t timer(double ns) const {
        return (timer_at_zero + static_cast<std::uint64_t>(ns)) / tick_ns * tick_ns;
    }
};

/// Site table of scopes 0, 1, ... with, for each scope s, the sites start(s), end(s), mark(s), and
/// one exit.
inline instrument::SiteTable simple_sites(std::uint32_t scopes) {
    using instrument::ActionKind;
    instrument::SiteTable table;
    table.scopes.resize(scopes);
    for (std::uint32_t scope = 0; scope < scopes; ++scope) {
        table.scopes[scope].name = "scope" + std::to_string(scope);
        table.scopes[scope].id = static_cast<std::int32_t>(scope);
        for (const ActionKind kind : {ActionKind::kStart, ActionKind::kEnd, ActionKind::kMark}) {
            instrument::Site& site = table.sites.emplace_back();
            site.actions = {{kind, scope}};
            site.markers = 1;
            site.function = "kernel";
        }
    }
    table.sites.emplace_back().actions = {{ActionKind::kExit, ptx::kNone}};
    return table;
}
/// A table of series of these lengths, one after the other, then an exit. Each site is a mark of a
/// scope of its own.
inline instrument::SiteTable series_sites(const std::vector<std::uint32_t>& lengths) {
    instrument::SiteTable table;
    for (const std::uint32_t length : lengths) {
        for (std::uint32_t place = 0; place < length; ++place) {
            const auto scope = static_cast<std::uint32_t>(table.scopes.size());
            table.scopes.emplace_back().name = "m" + std::to_string(scope);
            instrument::Site& site = table.sites.emplace_back();
            site.actions = {{instrument::ActionKind::kMark, scope}};
            site.markers = 1;
            site.placement = instrument::Placement::kProven;
            site.series = static_cast<std::uint8_t>(length);
            site.place = static_cast<std::uint8_t>(place);
        }
    }
    table.sites.emplace_back().actions = {{instrument::ActionKind::kExit, ptx::kNone}};
    return table;
}

inline std::uint16_t start_site(std::uint32_t scope) {
    return static_cast<std::uint16_t>(3 * scope + 1);
}
inline std::uint16_t end_site(std::uint32_t scope) {
    return static_cast<std::uint16_t>(3 * scope + 2);
}
inline std::uint16_t mark_site(std::uint32_t scope) {
    return static_cast<std::uint16_t>(3 * scope + 3);
}
inline std::uint16_t exit_site(const instrument::SiteTable& table) {
    return static_cast<std::uint16_t>(table.sites.size());
}

/// One launch. Each call writes one record at a time of the test's own axis, in ns.
class SimulatedLaunch : public record::MemoryReader {
  public:
    SimulatedLaunch(const record::PlanRequest& request, SimulatedGpu gpu, std::uint16_t exit_number)
        : gpu_(std::move(gpu)),
          request_(request),
          plan_(record::plan_memory(request).value()),
          memory_(plan_.total_bytes),
          exit_(exit_number),
          warps_(plan_.constants.region_count) {}

    /// Cold records are of a device function, whose chunks the entry does not know.
    bool in_function = false;
    /// How long a record that takes a chunk waits between reading the clock and the timer.
    double chunk_delay_ns = 0;

    const record::Plan& plan() const { return plan_; }

    /// Slots of the longest record of the kernel: a region keeps room for it and for the exit.
    std::uint32_t longest_record = record::series_slots(1);

    void enter(std::uint32_t region, std::uint32_t sm, double ns) {
        const record::LaunchConstants& c = plan_.constants;
        Warp& warp = warps_[region];
        warp.sm = sm;
        warp.place = std::uint64_t{region} * c.region_slots * sizeof(record::Slot);
        warp.slots = c.region_slots;
        const std::uint64_t block =
            c.block_first + region / record::warps_per_region_group(c.warp_mask) * c.block_stride;
        const record::RegionHeader header{gpu_.timer(ns), gpu_.sms[sm].clock(ns), block, sm, 0};
        std::memcpy(slot_at(region, 0), &header, sizeof header);
        warp.used = record::kHeaderSlots;
    }

    /// A record of the whole warp; dropped when neither its region nor the pool has room.
    void hot(std::uint32_t region, std::uint16_t site, double ns) { series(region, site, {ns}); }

    /// The same with a payload.
    void hot_value(std::uint32_t region, std::uint16_t site, double ns, std::uint64_t bits) {
        if (is_dropped(region, 1)) return;
        put_slot(region, site, ns);
        std::memcpy(slot_at(region, warps_[region].used++), &bits, sizeof bits);
        make_room(region);
    }

    /// A record of a series, one marker a site. The first `slots` of it are written, of a warp that
    /// is stopped.
    void series(std::uint32_t region, std::uint16_t first_site, const std::vector<double>& times,
                std::uint32_t slots = record::kMaxSeriesSites) {
        if (is_dropped(region, times.size())) return;
        put_slot(region, first_site, times[0]);
        const SimulatedSm& sm = gpu_.sms[warps_[region].sm];
        for (std::size_t i = 1; i < times.size() && --slots != 0; i += 2) {
            std::uint64_t words = sm.clock(times[i]);
            if (i + 1 < times.size()) {
                words = (words & 0xffffffff) | sm.clock(times[i + 1]) << 32;
            }
            std::memcpy(slot_at(region, warps_[region].used++), &words, sizeof words);
        }
        fill_pair(region);
        make_room(region);
    }

    bool is_dropping(std::uint32_t region) const { return warps_[region].is_dropping; }

    /// The whole warp leaves: that always has room. Lane 0 tells what it dropped.
    void exit(std::uint32_t region, double ns) {
        put_slot(region, exit_, ns);
        const std::uint64_t timer = gpu_.timer(ns);
        std::memcpy(slot_at(region, warps_[region].used++), &timer, sizeof timer);
        add_drops(region);
    }

    /// The whole warp reads the timer on its way.
    void read_timer(std::uint32_t region, std::uint16_t site, double ns) {
        if (is_dropped(region, 0)) return;
        put_slot(region, site, ns);
        const std::uint64_t timer = gpu_.timer(ns);
        std::memcpy(slot_at(region, warps_[region].used++), &timer, sizeof timer);
        make_room(region);
    }

    /// Some lanes leave.
    void cold_exit(std::uint32_t region, std::uint32_t lane, std::uint32_t mask, double ns) {
        cold(region, lane, exit_, mask, ns);
        if ((mask & 1) != 0) add_drops(region);
    }

    /// A record of some lanes, in the chunks of one of them; dropped when the pool is empty.
    void cold(std::uint32_t region, std::uint32_t lane, std::uint16_t site, std::uint32_t mask,
              double ns, std::uint32_t word = 0) {
        std::uint32_t& cursor =
            in_function ? warps_[region].function_cursors[lane] : warps_[region].cursors[lane];
        double timer_ns = ns;
        if (cursor % record::kChunkBytes == 0) {
            const std::uint64_t chunk = control_.chunks_taken++;
            if (chunk >= plan_.constants.pool_chunks) {
                --control_.chunks_taken;
                ++control_.cold_misses;
                const bool is_record = site != record::kPayloadHighSite;
                control_.dropped_records += is_record;
                control_.dropped_events += is_record && site != exit_;
                return;
            }
            cursor = static_cast<std::uint32_t>(chunk * record::kChunkBytes);
            const record::ChunkHeader header{last_place(region), lane, warps_[region].sm, 0};
            put_unit(cursor, &header);
            timer_ns += chunk_delay_ns;
        }
        const std::uint64_t clock = gpu_.sms[warps_[region].sm].clock(ns);
        const auto timer = static_cast<std::uint32_t>(gpu_.timer(timer_ns));
        const record::Unit unit{static_cast<std::uint32_t>(clock), site,
                                static_cast<std::uint16_t>(clock >> 32), mask,
                                site == exit_ ? timer : word};
        put_unit(cursor, &unit);
    }

    /// The same with a payload of 64 bits, in two units.
    void cold_value(std::uint32_t region, std::uint32_t lane, std::uint16_t site,
                    std::uint32_t mask, double ns, std::uint64_t bits) {
        cold(region, lane, site, mask, ns, static_cast<std::uint32_t>(bits));
        if (control_.dropped_records != 0) return;
        cold(region, lane, record::kPayloadHighSite, mask, ns,
             static_cast<std::uint32_t>(bits >> 32));
    }

    record::Control& control() { return control_; }

    record::RawRecords records() {
        std::memcpy(memory_.data() + plan_.control_offset, &control_, sizeof control_);
        return record::read_records(plan_, request_.grid, request_.block, *this).value();
    }

    Result<void> read(std::uint64_t offset, std::uint64_t pitch, std::uint64_t row_bytes,
                      std::uint64_t rows, void* to) override {
        for (std::uint64_t row = 0; row < rows; ++row) {
            std::memcpy(static_cast<char*>(to) + row * row_bytes, &memory_.at(offset + row * pitch),
                        row_bytes);
        }
        return {};
    }

  private:
    struct Warp {
        std::uint32_t sm = 0;
        std::uint64_t place = 0;  ///< where its region, or the chunk it is in, begins
        std::uint32_t slots = 0;  ///< that it has there
        std::uint32_t used = 0;   ///< of them
        bool is_dropping = false;
        std::uint64_t dropped_events = 0;
        std::uint32_t cursors[record::kLanes] = {};
        std::uint32_t function_cursors[record::kLanes] = {};
    };

    bool is_dropped(std::uint32_t region, std::uint64_t events) {
        Warp& warp = warps_[region];
        if (warp.is_dropping) warp.dropped_events += events;
        return warp.is_dropping;
    }
    std::uint32_t last_place(std::uint32_t region) const {
        const Warp& warp = warps_[region];
        return static_cast<std::uint32_t>(warp.place + (warp.slots - 1) * sizeof(record::Slot));
    }
    /// For the longest record and the exit behind it.
    void make_room(std::uint32_t region) {
        Warp& warp = warps_[region];
        if (warp.used + longest_record + record::kExitSlots <= warp.slots) return;
        const std::uint64_t chunk = control_.chunks_taken++;
        warp.is_dropping = chunk >= plan_.constants.pool_chunks;
        if (warp.is_dropping) return;
        auto at = static_cast<std::uint32_t>(chunk * record::kChunkBytes);
        const record::ChunkHeader header{last_place(region), record::kHotOwner, 0, 0};
        put_unit(at, &header);
        warp.place = plan_.constants.pool_place + at;
        warp.slots = record::kHotChunkSlots;
        warp.used = 0;
    }
    void add_drops(std::uint32_t region) {
        const std::uint64_t dropped = warps_[region].dropped_events;
        control_.dropped_records += dropped;
        control_.dropped_events += dropped;
        control_.most_overflow = std::max(control_.most_overflow, dropped);
    }

    char* slot_at(std::uint32_t region, std::uint32_t slot) {
        return &memory_.at(plan_.regions_offset + warps_[region].place +
                           slot * sizeof(record::Slot));
    }
    void put_unit(std::uint32_t& cursor, const void* unit) {
        std::memcpy(&memory_.at(plan_.pool_offset + cursor), unit, sizeof(record::Unit));
        cursor += sizeof(record::Unit);
    }
    /// A record is a whole number of pairs.
    void fill_pair(std::uint32_t region) { warps_[region].used += warps_[region].used % 2; }
    void put_slot(std::uint32_t region, std::uint16_t site, double ns) {
        const std::uint64_t clock = gpu_.sms[warps_[region].sm].clock(ns);
        const record::Slot slot{static_cast<std::uint32_t>(clock), site,
                                static_cast<std::uint16_t>(clock >> 32)};
        std::memcpy(slot_at(region, warps_[region].used++), &slot, sizeof slot);
    }

    SimulatedGpu gpu_;
    record::PlanRequest request_;
    record::Plan plan_;
    std::vector<char> memory_;
    record::Control control_{};
    std::uint16_t exit_;
    std::vector<Warp> warps_;
};

inline record::PlanRequest small_request(std::uint32_t blocks, std::uint32_t threads,
                                         std::uint64_t bytes = 1 << 20) {
    return {{blocks, 1, 1}, {threads, 1, 1}, bytes, 0, 0, false};
}

}  // namespace gwatch::trace::simulated
