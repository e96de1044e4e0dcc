// Random kernels, run in the simulator on memory as the product lays it out, read back and decoded
// by the product, against what a witness saw: every event once, in its place, at its time and with
// its value, or counted as dropped; nothing written outside of what is used.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include "launch_check.h"
#include "random_kernel.h"
#include "trace/archive.h"
#include "trace/decode.h"
#include "witness.h"

namespace gwatch::testing {
namespace {

/// Reads the one block of simulated memory that a launch got.
class BlockReader : public record::MemoryReader {
  public:
    explicit BlockReader(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

    Result<void> read(std::uint64_t offset, std::uint64_t pitch, std::uint64_t row_bytes,
                      std::uint64_t rows, void* to) override {
        for (std::uint64_t row = 0; row < rows; ++row) {
            const std::uint64_t from = offset + row * pitch;
            if (from + row_bytes > bytes_.size())
                return Error{ErrorKind::kIo, "a read outside of the launch's memory"};
            std::memcpy(static_cast<char*>(to) + row * row_bytes, bytes_.data() + from, row_bytes);
        }
        return {};
    }

  private:
    const std::vector<std::uint8_t>& bytes_;
};

/// The header of a warp's region, stored behind a setmaxnreg.
constexpr char kLateHeader[] =
    "setmaxnreg.dec.sync.aligned.u32 40;\n\t@%gwatch_leader st.global.v2.b64";

/// How often a property was put to the test, over all launches.
struct Tally {
    std::uint64_t launches = 0, events = 0, dropped = 0, timed = 0, series = 0, cold = 0,
                  spilled = 0, parted = 0, payloads = 0, late_headers = 0, readings = 0;
};

std::uint64_t bytes_of(std::mt19937& random) {
    static constexpr std::uint64_t kBytes[] = {2500, 4000, 6000, 12'000, 40'000, 400'000};
    return kBytes[random() % std::size(kBytes)];
}

/// A plan of these bytes, or of more if they are too few.
record::Plan plan_of(record::PlanRequest& request) {
    while (!record::plan_memory(request).ok()) request.buffer_bytes += 500;
    return *record::plan_memory(request);
}

/// The same memory with the smallest regions: the pool has what they had more.
record::Plan with_smallest_regions(record::Plan plan) {
    record::LaunchConstants& constants = plan.constants;
    constants.region_slots = record::kMinRegionSlots;
    std::uint64_t end = plan.regions_offset + std::uint64_t{constants.region_count} *
                                                  constants.region_slots * sizeof(record::Slot);
    if (plan.lane_cursors_offset != 0) {
        plan.lane_cursors_offset = end;
        end += std::uint64_t{constants.region_count} * record::kLanes * sizeof(std::uint32_t);
    }
    plan.pool_offset = end;
    constants.pool_place = static_cast<std::uint32_t>(end - plan.regions_offset);
    constants.pool_chunks =
        static_cast<std::uint32_t>((plan.total_bytes - end) / record::kChunkBytes);
    plan.total_bytes = end + std::uint64_t{constants.pool_chunks} * record::kChunkBytes;
    return plan;
}

std::vector<std::uint8_t> bytes_of(const void* from, std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    std::memcpy(bytes.data(), from, count);
    return bytes;
}

/// What a launch leaves: its memory, decoded, and what was seen of it.
struct Launched {
    record::RawRecords raw;
    trace::Run run;
    std::vector<std::uint8_t> memory;
};

void expect_same(const trace::Payloads& read, const trace::Payloads& written) {
    EXPECT_EQ(read.row, written.row);
    EXPECT_EQ(read.bits, written.bits);
}

/// What the archive holds is what was decoded.
void expect_same_in_archive(const trace::Run& run) {
    const auto read = trace::from_json(trace::to_json({"", "", {run}}, "gwatch"), "archive");
    ASSERT_TRUE(read.ok()) << read.error().to_string();
    const trace::Run& copy = read->runs[0];
    expect_same(copy.slices.payloads, run.slices.payloads);
    expect_same(copy.marks.payloads, run.marks.payloads);
    expect_same(copy.orphan_starts.payloads, run.orphan_starts.payloads);
    EXPECT_EQ(copy.slices.start_ns, run.slices.start_ns);
    for (std::size_t i = 0; i < run.scopes.size(); ++i)
        EXPECT_EQ(copy.scopes[i].payload, run.scopes[i].payload);
}

class RandomLaunch {
  public:
    RandomLaunch(std::uint32_t seed, Schedule schedule) : seed_(seed), schedule_(schedule) {}

    void run(Tally* tally) {
        kernel_ = make_random_kernel(seed_);
        SCOPED_TRACE(::testing::Message() << "seed " << seed_ << "\n" << kernel_.text);
        auto module = ptx::parse(kernel_.text);
        ASSERT_TRUE(module.ok()) << module.error().to_string();
        if (seed_ % 3 != 0) options_.shape.block = kernel_.block;
        auto instrumented = instrument::instrument(*module, "k", options_);
        if (!instrumented.ok()) {
            ASSERT_EQ(instrumented.error().kind, ErrorKind::kNoMarkers);
            return;
        }
        instrumented_ = *std::move(instrumented);
        std::mt19937 random(seed_);
        request_ = {kernel_.grid, kernel_.block, bytes_of(random), 0, 0, false};
        request_.uses_lane_cursors = instrumented_.uses_lane_cursors;
        const bool has_two_warps = kernel_.block[0] * kernel_.block[1] * kernel_.block[2] > 32;
        if (has_two_warps && random() % 4 == 0) request_.warp_mask = 1 + random() % 3;
        instrument_for(plan_of(request_));
        check(tally);
    }

  private:
    void instrument_for(const record::Plan& plan) {
        options_.every_warp = options_.shape.block[0] != 0 && plan.every_warp;
        instrumented_ = *instrument::instrument(*ptx::parse(kernel_.text), "k", options_);
    }

    void check(Tally* tally) {
        const record::Plan largest = plan_of(request_);
        const record::Plan plan = seed_ % 2 == 0 ? largest : with_smallest_regions(largest);
        const auto launched = launch(plan);
        if (::testing::Test::HasFailure()) return;
        expect_rest_untouched(plan, launched.raw, launched.memory);
        const LaunchCheck check(kernel_, instrumented_, *witness_, launched.raw, launched.run);
        check.expect_counts(schedule_ != Schedule::kRandom);
        const bool is_timed = schedule_ != Schedule::kRandom && check.times_are_sure();
        check.expect_threads(is_timed, schedule_ != Schedule::kRandom);
        check.expect_values();
        expect_same_in_archive(launched.run);
        add(launched, is_timed, tally);
        const bool lacked_memory =
            launched.run.counts.dropped_records != 0 || lost_values(launched.run);
        if (lacked_memory && !plan.sampled) expect_enough(launched.run);
    }

    /// The bytes that the message names hold the same launch. Where groups of lanes run in random
    /// order the second launch parts them elsewhere.
    void expect_enough(const trace::Run& dropped) {
        if (schedule_ != Schedule::kLowestFirst) return;
        ASSERT_NE(dropped.counts.buffer_bytes_needed, 0u);
        request_.buffer_bytes = dropped.counts.buffer_bytes_needed;
        const record::Plan plan = plan_of(request_);
        instrument_for(plan);
        const auto launched = launch(plan);
        if (::testing::Test::HasFailure()) return;
        EXPECT_EQ(launched.run.counts.dropped_records, 0u) << request_.buffer_bytes;
        EXPECT_EQ(launched.run.counts.dropped_events, 0u);
        EXPECT_FALSE(lost_values(launched.run));
    }

    Launched launch(const record::Plan& plan) {
        const auto module = ptx::parse(instrumented_.ptx);
        EXPECT_TRUE(module.ok());
        witness_.emplace(*module, instrumented_);
        DeviceMemory memory;
        const std::uint64_t buffer = memory.allocate(plan.total_bytes);
        const std::uint64_t data = memory.allocate(256 * sizeof(std::uint32_t));
        std::mt19937 random(seed_ / 2);
        for (std::size_t i = 0; i < 256; ++i) *memory.at(data + 4 * i, 1) = random() % 64;
        Simulation simulation = simulation_of(plan.at(buffer), data);
        witness_->grid = kernel_.grid;
        witness_->first_clock = simulation.first_clock;
        simulation.observe = [this](const Passing& passing) { witness_->see(passing); };
        Launched launched{};
        const std::string failure = simulate(*module, "k", simulation, &memory);
        EXPECT_EQ(failure, "");
        launched.memory = memory.block(buffer);
        BlockReader reader(launched.memory);
        auto raw = record::read_records(plan, kernel_.grid, kernel_.block, reader);
        EXPECT_TRUE(raw.ok());
        launched.raw = *std::move(raw);
        auto decoded = trace::decode(launched.raw, instrumented_.sites);
        EXPECT_TRUE(decoded.ok()) << (decoded.ok() ? "" : decoded.error().to_string());
        if (decoded.ok()) launched.run = *std::move(decoded);
        return launched;
    }

    Simulation simulation_of(const record::LaunchConstants& constants, std::uint64_t data) const {
        Simulation simulation;
        simulation.grid = kernel_.grid;
        simulation.block = kernel_.block;
        simulation.schedule = schedule_;
        simulation.seed = seed_;
        simulation.own_cycles = 1000;
        simulation.first_clock = 0xffff'0000ull * (seed_ % 5);
        simulation.sm_offsets = {0, 1ull << 40, 12'345, (1ull << 48) - 5000};
        if (seed_ % 8 == 0) simulation.pauses = {0, 1ull << 32, (3ull << 32) + 77, 500};
        simulation.constants[record::kConstantsName] = bytes_of(&constants, sizeof constants);
        simulation.parameters[record::kParameterName] = bytes_of(&constants, sizeof constants);
        simulation.parameters["out"] = bytes_of(&data, sizeof data);
        return simulation;
    }

    void add(const Launched& launched, bool is_timed, Tally* tally) const {
        ++tally->launches;
        tally->events += launched.run.counts.events;
        tally->dropped += launched.run.counts.dropped_events != 0;
        tally->timed += is_timed;
        tally->cold += launched.raw.pool.empty() ? 0 : 1;
        const auto taken =
            std::min(launched.raw.control.chunks_taken, launched.raw.plan.constants.pool_chunks);
        tally->spilled += taken > launched.raw.pool.size() / record::kChunkUnits;
        tally->payloads += launched.run.slices.payloads.size() +
                           launched.run.marks.payloads.size() +
                           launched.run.orphan_starts.payloads.size();
        tally->late_headers += instrumented_.ptx.find(kLateHeader) != std::string::npos;
        for (const trace::Site& site : launched.run.sites) {
            if (site.actions == std::vector<std::string>{"timer"}) tally->readings += site.records;
        }
        for (const instrument::Site& site : instrumented_.sites.sites) {
            tally->series += site.series > 1 && site.place == 0;
            tally->parted += site.placement == instrument::Placement::kParted;
        }
    }

    std::uint32_t seed_;
    Schedule schedule_;
    RandomKernel kernel_;
    instrument::Instrumented instrumented_;
    instrument::Options options_;
    record::PlanRequest request_{};
    std::optional<Witness> witness_;
};

Tally check_launches(Schedule schedule, std::uint32_t count) {
    Tally tally;
    for (std::uint32_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
        RandomLaunch(seed, schedule).run(&tally);
    }
    return tally;
}

/// Enough of everything, or the test would prove little.
void expect_variety(const Tally& tally, std::uint64_t launches) {
    EXPECT_GT(tally.launches, launches * 8 / 10);
    EXPECT_GT(tally.events, launches * 20);
    EXPECT_GT(tally.dropped, launches / 20);
    EXPECT_GT(tally.cold, launches / 3);
    EXPECT_GT(tally.spilled, launches / 20);
    EXPECT_GT(tally.series, launches / 2);
    EXPECT_GT(tally.parted, launches / 5);
    EXPECT_GT(tally.payloads, launches * 5);
    EXPECT_GT(tally.late_headers, launches / 20);
    EXPECT_GT(tally.readings, launches / 5);
}

TEST(RandomLaunch, OfWarpsThatMeetAgain) {
    const Tally tally = check_launches(Schedule::kLowestFirst, 240);
    expect_variety(tally, 240);
    EXPECT_GT(tally.timed, 150u);
}

TEST(RandomLaunch, OfGroupsOfLanesInAnyOrder) {
    const Tally tally = check_launches(Schedule::kGroups, 120);
    expect_variety(tally, 120);
    EXPECT_GT(tally.timed, 70u);
}

TEST(RandomLaunch, OfLanesInAnyOrder) {
    expect_variety(check_launches(Schedule::kRandom, 80), 80);
}

}  // namespace
}  // namespace gwatch::testing
