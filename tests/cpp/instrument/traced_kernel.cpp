#include "traced_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "instrument/place_sites.h"
#include "instrument/rewrite.h"
#include "instrument/target.h"

namespace gwatch::testing {

namespace {

using record::ChunkHeader;
using record::Control;
using record::kChunkUnits;
using record::kHeaderSlots;
using record::LaunchConstants;
using record::RegionHeader;
using record::Slot;
using record::Unit;

constexpr std::size_t kOutputBytes = 4096;

template <class T>
T read_at(const std::vector<std::uint8_t>& bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
}

std::uint64_t join_clock(std::uint16_t high, std::uint32_t low) {
    return std::uint64_t{high} << 32 | low;
}

std::uint32_t pool_place(const Memory& layout) {
    const std::size_t bytes = std::size_t{layout.region_slots} * layout.region_count * sizeof(Slot);
    return static_cast<std::uint32_t>((bytes + record::kChunkBytes - 1) / record::kChunkBytes *
                                      record::kChunkBytes);
}

/// Reads the memory by the rules of the layout, independently of the product's decoder.
class Reader {
  public:
    Reader(const instrument::SiteTable& sites, const Memory& layout, Traced* traced)
        : sites_(sites), layout_(layout), traced_(*traced) {}

    void read_regions(const std::vector<std::uint8_t>& bytes) {
        for (std::uint32_t region = 0; region < layout_.region_count; ++region) {
            const std::size_t first = std::size_t{region} * layout_.region_slots;
            RegionHeader header;
            std::memcpy(&header, bytes.data() + first * sizeof(Slot), sizeof header);
            traced_.headers.push_back(header);
            read_slots(bytes, region, first + kHeaderSlots, first + layout_.region_slots);
        }
    }

    void read_pool(const std::vector<std::uint8_t>& bytes) {
        const std::uint64_t chunks =
            std::min<std::uint64_t>(traced_.control.chunks_taken, layout_.pool_chunks);
        for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
            auto header = read_at<ChunkHeader>(bytes, chunk * kChunkUnits);
            if (header.owner == 0) return fail("a chunk that was taken has no header");
            header.owner = region_of(header.owner);
            if (header.owner == kNoRegion) return fail("a chunk of a region that is not there");
            chunks_.push_back(header);
            if (header.lane == record::kHotOwner) {
                const std::size_t begin = chunk * record::kChunkBytes / sizeof(Slot);
                read_slots(bytes, header.owner, begin + sizeof(ChunkHeader) / sizeof(Slot),
                           begin + record::kChunkBytes / sizeof(Slot));
            } else {
                read_chunk(bytes, header, chunk * kChunkUnits);
            }
        }
        for (std::size_t i = chunks * kChunkUnits * sizeof(Unit); i < bytes.size(); ++i) {
            if (bytes[i] != 0) return fail("a chunk that nobody took is written");
        }
    }

  private:
    static constexpr std::uint32_t kNoRegion = 0xffffffff;

    /// Of a place in a region or in a hot chunk that was read before.
    std::uint32_t region_of(std::uint32_t place) const {
        const std::uint32_t region = place / (layout_.region_slots * sizeof(Slot));
        if (region < layout_.region_count) return region;
        if (place < pool_place(layout_)) return kNoRegion;
        const std::uint32_t chunk = (place - pool_place(layout_)) / record::kChunkBytes;
        const bool is_hot = chunk < chunks_.size() && chunks_[chunk].lane == record::kHotOwner;
        return is_hot ? chunks_[chunk].owner : kNoRegion;
    }

    void read_slots(const std::vector<std::uint8_t>& bytes, std::uint32_t region, std::size_t first,
                    std::size_t end) {
        std::size_t i = first;
        while (i < end && read_at<Slot>(bytes, i).site != 0) {
            const std::uint16_t number = read_at<Slot>(bytes, i).site;
            if (!check_site(number)) return;
            const instrument::Site& site = sites_.sites[number - 1];
            if (site.place != 0) return fail("a record that begins inside a series");
            const std::size_t used = site.markers == 0 ? 2 : 1 + site.series / 2;
            const std::size_t all = used + used % 2;
            if (i + all > end) return fail("a record that ends outside its region");
            const std::uint64_t free_bits = 64 - payload_bits(site);
            if (used != all && free_bits != 0 &&
                read_at<std::uint64_t>(bytes, i + used) >> (64 - free_bits) != 0)
                return fail("a slot that fills up a pair is written");
            read_record(bytes, region, i, site);
            i += all;
        }
        for (; i < end; ++i) {
            if (read_at<std::uint64_t>(bytes, i) != 0)
                return fail("a slot behind the last record is written");
        }
    }

    void read_record(const std::vector<std::uint8_t>& bytes, std::uint32_t region, std::size_t at,
                     const instrument::Site& site) {
        const auto slot = read_at<Slot>(bytes, at);
        Event event{region, slot.site, 0xffffffff, join_clock(slot.clock_high, slot.clock_low),
                    0,      false};
        if (site.markers == 0) {
            event.globaltimer = read_at<std::uint64_t>(bytes, at + 1);
            if (event.globaltimer == 0) return fail("an exit without its timer");
        }
        if (payload_bits(site) != 0) event.payload = read_at<std::uint64_t>(bytes, at + 1);
        traced_.events.push_back(event);
        for (std::uint32_t place = 1; place < site.series; ++place) {
            const bool is_whole = place % 2 == 1 && place + 1u == site.series;
            const auto words = read_at<std::uint64_t>(bytes, at + (place + 1) / 2);
            event.site = static_cast<std::uint16_t>(slot.site + place);
            event.clock = follow_clock(event.clock, words, place % 2 == 0, is_whole);
            traced_.events.push_back(event);
        }
    }

    /// The clock of a site of a series, from the one before it and its slot. The simulation has no
    /// pause of 2^32 cycles.
    std::uint64_t follow_clock(std::uint64_t before, std::uint64_t words, bool is_second,
                               bool is_whole) {
        const auto low = static_cast<std::uint32_t>(is_second ? words >> 32 : words);
        const std::uint64_t clock = before + static_cast<std::uint32_t>(low - before);
        constexpr std::uint64_t kKeptBits = (1ull << 48) - 1;
        if (is_whole && (words & kKeptBits) != (clock & kKeptBits)) {
            fail("the whole clock of a series is not the one of its low word");
        }
        return clock & kKeptBits;
    }

    void read_chunk(const std::vector<std::uint8_t>& bytes, const ChunkHeader& header,
                    std::size_t first) {
        bool is_over = false;
        for (std::size_t i = first + 1; i < first + kChunkUnits; ++i) {
            const auto unit = read_at<Unit>(bytes, i);
            is_over = is_over || unit.site == 0;
            if (is_over && unit.site != 0) return fail("a gap in a chunk");
            if (is_over) continue;
            if (unit.site == record::kPayloadHighSite) {
                add_high_half(unit, header);
                continue;
            }
            if (!check_site(unit.site)) return;
            if (static_cast<std::uint32_t>(std::countr_zero(unit.mask)) != header.lane) {
                return fail("a record by a lane that is not the lowest of its mask");
            }
            const std::uint32_t bits = payload_bits(sites_.sites[unit.site - 1]);
            last_of_lane_[{header.owner, header.lane}] = traced_.events.size();
            traced_.events.push_back(
                {header.owner, unit.site, unit.mask, join_clock(unit.clock_high, unit.clock_low),
                 bits == 0 ? unit.word : 0, true, bits == 0 ? 0 : unit.word, bits == 64});
        }
    }

    void add_high_half(const Unit& unit, const ChunkHeader& header) {
        const auto last = last_of_lane_.find({header.owner, header.lane});
        if (last == last_of_lane_.end()) return fail("a half of no payload");
        Event& event = traced_.events[last->second];
        if (!event.lacks_high_half || event.mask != unit.mask ||
            event.clock != join_clock(unit.clock_high, unit.clock_low))
            return fail("a half of another payload");
        event.payload |= std::uint64_t{unit.word} << 32;
        event.lacks_high_half = false;
    }

    static std::uint32_t payload_bits(const instrument::Site& site) {
        for (const instrument::Action& action : site.actions) {
            if (action.payload != record::PayloadKind::kNone)
                return record::payload_bits(action.payload);
        }
        return 0;
    }

    bool check_site(std::uint16_t site) {
        if (site <= sites_.sites.size()) return true;
        fail("a site that is not in the table");
        return false;
    }

    void fail(const std::string& what) {
        if (traced_.failure.empty()) traced_.failure = what;
    }

    const instrument::SiteTable& sites_;
    const Memory& layout_;
    Traced& traced_;
    std::vector<ChunkHeader> chunks_;  ///< so far; the owner is the region
    /// By region and lane: the index of its last cold event.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> last_of_lane_;
};

}  // namespace

std::vector<Event> Traced::of_region(std::uint32_t region) const {
    std::vector<Event> own;
    std::copy_if(events.begin(), events.end(), std::back_inserter(own),
                 [&](const Event& event) { return event.region == region; });
    return own;
}

std::uint64_t Traced::threads_at(std::uint16_t site) const {
    std::uint64_t threads = 0;
    for (const Event& event : events) {
        if (event.site == site) threads += static_cast<std::uint64_t>(std::popcount(event.mask));
    }
    return threads;
}

std::size_t Traced::cold_count() const {
    return static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [](const Event& event) { return event.is_cold; }));
}

TracedKernel::TracedKernel(const std::string& ptx, const std::string& entry,
                           std::optional<instrument::Placement> placement)
    : entry_(entry) {
    const auto module = ptx::parse(ptx);
    if (!module) {
        error_ = module.error().to_string();
        return;
    }
    const auto index =
        static_cast<std::uint32_t>(module->find_definition(entry) - module->functions().data());
    auto plan = instrument::make_plan(*module, {index});
    const auto capabilities = instrument::capabilities_of(*module);
    if (!plan || !capabilities) {
        error_ = plan ? capabilities.error().to_string() : plan.error().to_string();
        return;
    }
    plan_ = *std::move(plan);
    instrument::place_sites(*module, {.prove = !placement}, &plan_);
    for (instrument::Site& site : plan_.table.sites) {
        if (placement && site.placement != instrument::Placement::kFunction)
            site.placement = *placement;
    }
    text_ = instrument::rewrite(*module, plan_, *capabilities, {}).ptx;
}

Traced TracedKernel::run(const Memory& layout, Simulation simulation) const {
    return run(layout, std::move(simulation), text_);
}

Traced TracedKernel::run(const Memory& layout, Simulation simulation,
                         const std::string& text) const {
    Traced traced;
    traced.failure = error_;
    if (!error_.empty()) return traced;
    const auto module = ptx::parse(text);
    if (!module) {
        traced.failure = module.error().to_string();
        return traced;
    }
    DeviceMemory memory;
    const std::uint64_t control = memory.allocate(sizeof(Control));
    const std::uint64_t regions =
        memory.allocate(pool_place(layout) + std::size_t{layout.pool_chunks} * record::kChunkBytes);
    const std::uint64_t cursors =
        memory.allocate(std::size_t{layout.region_count} * record::kLanes * 4);
    const std::uint64_t output = memory.allocate(kOutputBytes);
    const LaunchConstants constants{.regions = regions,
                                    .region_slots = layout.region_slots,
                                    .region_count = layout.region_count,
                                    .block_first = layout.block_first,
                                    .block_stride = layout.block_stride,
                                    .reciprocal = record::reciprocal_of(layout.block_stride),
                                    .block_count = layout.block_count,
                                    .warp_mask = layout.warp_mask,
                                    .pool = regions + pool_place(layout),
                                    .control = control,
                                    .lane_cursors = cursors,
                                    .pool_chunks = layout.pool_chunks,
                                    .pool_place = pool_place(layout)};
    for (auto* bytes : {&simulation.constants[record::kConstantsName],
                        &simulation.parameters[record::kParameterName]}) {
        bytes->resize(sizeof constants);
        std::memcpy(bytes->data(), &constants, sizeof constants);
    }
    auto& parameter = simulation.parameters["out"];
    parameter.resize(sizeof output);
    std::memcpy(parameter.data(), &output, sizeof output);
    traced.failure = simulate(*module, entry_, simulation, &memory);
    std::memcpy(&traced.control, memory.block(control).data(), sizeof(Control));
    Reader reader(plan_.table, layout, &traced);
    const std::vector<std::uint8_t>& bytes = memory.block(regions);
    const auto pool = bytes.begin() + pool_place(layout);
    reader.read_regions({bytes.begin(), pool});
    reader.read_pool({pool, bytes.end()});
    traced.output = memory.block(output);
    return traced;
}

std::string kernel_text(const std::string& body, const std::string& before) {
    return ".version 8.0\n.target sm_90a\n.address_size 64\n" + before +
           ".visible .entry k(.param .u64 out)\n{\n"
           "\t.reg .pred %p<4>;\n\t.reg .b32 %r<8>;\n\t.reg .b64 %rd<4>;\n"
           "\tmov.u32 %r1, %tid.x;\n" +
           body + "}\n";
}

PlacedKernel placed_kernel(const std::string& body, const std::string& before,
                           const instrument::Options& options) {
    auto module = ptx::parse(kernel_text(body, before));
    EXPECT_TRUE(module.ok());
    const auto entry =
        static_cast<std::uint32_t>(module->find_definition("k") - module->functions().data());
    auto plan = instrument::make_plan(*module, {entry});
    EXPECT_TRUE(plan.ok());
    instrument::place_sites(*module, options, &*plan);
    return {*std::move(module), entry, *std::move(plan)};
}

std::string marker(const std::string& words) {
    return "\t// gwatch:" + words + "\n\tmov.u32 %r7, 0;\n";
}

}  // namespace gwatch::testing
