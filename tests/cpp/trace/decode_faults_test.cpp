// Raw records that no sound launch leaves: told or refused, never undefined.

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "simulated_launch.h"
#include "trace/archive.h"
#include "trace/decode.h"
#include "trace/statistics.h"

namespace gwatch::trace {
namespace {

using namespace simulated;  // NOLINT: the simulated GPU

const instrument::SiteTable kSites = simple_sites(2);

/// Two blocks of two warps with hot and cold records.
record::RawRecords sound_records() {
    SimulatedLaunch launch(small_request(2, 64, 64 << 10), SimulatedGpu{}, exit_site(kSites));
    for (std::uint32_t region = 0; region < 4; ++region) {
        launch.enter(region, 0, 10.0 * region);
        launch.hot(region, start_site(0), 1000);
        launch.cold(region, 3, start_site(1), 0xf8, 2000);
        launch.cold(region, 3, end_site(1), 0xf8, 3000);
        launch.hot(region, end_site(0), 4000);
        launch.exit(region, 50'000);
    }
    return launch.records();
}

void expect_refused(const record::RawRecords& raw, const std::string& why) {
    const auto run = decode(raw, kSites);
    ASSERT_FALSE(run.ok());
    EXPECT_EQ(run.error().kind, ErrorKind::kArchive);
    EXPECT_EQ(run.error().message, "the raw records contradict themselves: " + why);
    EXPECT_EQ(run.error().hint,
              "The capture is damaged, or the kernel wrote into the trace's memory.");
}

void expect_warned(const record::RawRecords& raw, const std::string& warning) {
    const auto run = decode(raw, kSites);
    ASSERT_TRUE(run.ok()) << run.error().to_string();
    ASSERT_FALSE(run->warnings.empty());
    EXPECT_EQ(run->warnings.back(), warning);
}

constexpr std::uint64_t kSiteOne = 1ull << 32;

TEST(DecodeFaults, SoundRecordsAreSound) {
    const auto run = decode(sound_records(), kSites);
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->warnings, std::vector<std::string>{});
    EXPECT_EQ(run->slices.size(), 8u);
}

TEST(DecodeFaults, HotRecordOfAnUnknownSite) {
    record::RawRecords raw = sound_records();
    raw.slots[4] = 99 * kSiteOne;
    expect_refused(raw, "a record of region 0 names site 99, but the site table has 7");
}

TEST(DecodeFaults, HotRecordOfSiteZero) {
    record::RawRecords raw = sound_records();
    raw.slots[4] = 1;
    expect_refused(raw, "a record of region 0 names site 0, but the site table has 7");
}

TEST(DecodeFaults, ColdRecordOfAnUnknownSite) {
    record::RawRecords raw = sound_records();
    raw.pool[64 + 1].site = 8;
    expect_refused(raw, "a record of chunk 1 names site 8, but the site table has 7");
}

TEST(DecodeFaults, RegionOfAnotherBlock) {
    record::RawRecords raw = sound_records();
    raw.slots[2] = 77;  // block in the header of region 0
    expect_refused(raw, "region 0 belongs to warp 0 of block 0, but block 77 wrote it");
}

TEST(DecodeFaults, RegionsThatDoNotAddUp) {
    record::RawRecords raw = sound_records();
    raw.slots.pop_back();
    expect_refused(raw, "its regions add up to 40 slots, it has 39");
}

TEST(DecodeFaults, TooFewRegions) {
    record::RawRecords raw = sound_records();
    raw.region_slots.pop_back();
    expect_refused(raw, "the plan has 4 regions, the capture 3");
}

TEST(DecodeFaults, RegionThatEndsInItsHeader) {
    record::RawRecords raw = sound_records();
    raw.region_slots[0] = 3;
    expect_refused(raw, "a region ends inside its header");
}

TEST(DecodeFaults, ChunkThatIsNotWhole) {
    record::RawRecords raw = sound_records();
    raw.pool.pop_back();
    expect_refused(raw, "its last chunk is not whole");
}

TEST(DecodeFaults, PlanWithoutWarps) {
    record::RawRecords raw = sound_records();
    raw.plan.constants.warp_mask = 0;
    expect_refused(raw, "its regions do not split into blocks");
}

TEST(DecodeFaults, WarpThatTheBlockDoesNotHave) {
    record::RawRecords raw = sound_records();
    raw.block = {32, 1, 1};
    expect_refused(raw, "a block of its shape has no warp 1");
}

TEST(DecodeFaults, RegionWithoutEntry) {
    record::RawRecords raw = sound_records();
    raw.slots[0] = 0;  // globaltimer in the header of region 0
    const auto run = decode(raw, kSites);
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->lanes.size(), 3u);
    EXPECT_EQ(run->warnings,
              (std::vector<std::string>{
                  "1 selected warp left no records: the launch ended before they began.",
                  "1 chunk of the pool named no recorded warp and were left out: the kernel may "
                  "have written "
                  "into the trace's memory.",
                  "1 region had records but no entry and were left out: the kernel may have "
                  "written into the "
                  "trace's memory."}));
}

TEST(DecodeFaults, ChunkOfNoRegionOrLane) {
    for (const record::ChunkHeader header :
         {record::ChunkHeader{99, 0, 0, 0}, {0, 0, 0, 0}, {1, 32, 0, 0}}) {
        record::RawRecords raw = sound_records();
        std::memcpy(&raw.pool[0], &header, sizeof header);
        expect_warned(
            raw,
            "1 chunk of the pool named no recorded warp and were left out: the kernel may have "
            "written into the trace's memory.");
    }
}

TEST(DecodeFaults, MaskOfNoThread) {
    record::RawRecords raw = sound_records();
    raw.pool[1].mask = 0;
    const auto run = decode(raw, kSites);
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->counts.orphan_ends, 1u);
    EXPECT_EQ(run->warnings.back(),
              "1 record named threads that their warp does not have and were left out: the kernel "
              "may have "
              "written into the trace's memory.");
}

/// Whatever a decoder accepts, all that reads a run can take.
void expect_consistent(const trace::Run& run) {
    ASSERT_EQ(run.slices.size(), run.slices.mask.size());
    for (const Lane& lane : run.lanes) {
        ASSERT_LE(lane.first_slice, lane.end_slice);
        ASSERT_LE(lane.end_slice, run.slices.size());
        std::int64_t before = lane.enter_ns;
        for (std::uint64_t i = lane.first_slice; i < lane.end_slice; ++i) {
            ASSERT_GE(run.slices.start_ns[i], before);
            ASSERT_GE(run.slices.duration_ns[i], 0);
            ASSERT_LT(run.slices.scope[i], run.scopes.size());
            ASSERT_NE(run.slices.mask[i], 0u);
            before = run.slices.start_ns[i];
        }
    }
    scope_statistics(run);
    pipeline_summary(run);
    const auto again = from_json(to_json({"", "", {run}}, "gwatch"), "fuzz");
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(again->runs[0].slices.start_ns, run.slices.start_ns);
}

TEST(DecodeFaults, AnyBytesInSlotsAndPool) {
    std::mt19937_64 random(3);
    int accepted = 0;
    for (int round = 0; round < 4000; ++round) {
        record::RawRecords raw = sound_records();
        const int faults = 1 + static_cast<int>(random() % 4);
        for (int i = 0; i < faults; ++i) {
            if (random() % 2 == 0) {
                raw.slots[random() % raw.slots.size()] = random() >> (random() % 64);
            } else {
                auto* words = reinterpret_cast<std::uint32_t*>(raw.pool.data());
                words[random() % (raw.pool.size() * 4)] =
                    static_cast<std::uint32_t>(random() >> (random() % 64));
            }
        }
        const auto run = decode(raw, kSites);
        if (!run.ok()) continue;
        ++accepted;
        expect_consistent(*run);
    }
    EXPECT_GT(accepted, 400);
}

TEST(DecodeFaults, AnySequenceOfRecords) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 1500; ++round) {
        SimulatedLaunch launch(small_request(1, 64, 32 << 10), SimulatedGpu{}, exit_site(kSites));
        launch.enter(0, 0, 0);
        launch.enter(1, 0, 50);
        double ns = 100;
        for (int i = 0; i < 60; ++i, ns += static_cast<double>(random() % 500)) {
            const std::uint32_t region = random() % 2;
            const auto site = static_cast<std::uint16_t>(1 + random() % 6);
            const std::uint32_t mask = static_cast<std::uint32_t>(random()) | 1;
            if (random() % 3 == 0)
                launch.hot(region, site, ns);
            else
                launch.cold(region, random() % 32, site, random() % 2 == 0 ? mask : 0xf, ns);
        }
        launch.exit(0, ns + 30'000);
        const record::RawRecords raw = launch.records();
        const auto run = decode(raw, kSites);
        ASSERT_TRUE(run.ok());
        expect_consistent(*run);
        EXPECT_EQ(run->counts.events + run->counts.dropped_events, 60u);
    }
}

/// Threads in slices, plus threads in orphans, are the threads of all starts and ends: nothing is
/// lost or made up.
TEST(DecodeFaults, EveryThreadsStartsAndEndsAreKept) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 500; ++round) {
        SimulatedLaunch launch(small_request(1, 32, 1 << 20), SimulatedGpu{}, exit_site(kSites));
        launch.enter(0, 0, 0);
        std::uint64_t starts = 0;
        std::uint64_t ends = 0;
        for (int i = 0; i < 200; ++i) {
            const std::uint32_t scope = random() % 2;
            const bool starting = random() % 2 == 0;
            std::uint32_t mask = 0xffffffff;
            if (random() % 2 == 0) mask = 0xffu << (8 * (random() % 4));
            launch.cold(0, 0, starting ? start_site(scope) : end_site(scope), mask, 100.0 * i);
            (starting ? starts : ends) += static_cast<std::uint64_t>(std::popcount(mask));
        }
        launch.exit(0, 50'000);
        const trace::Run run = decode(launch.records(), kSites).value();
        std::uint64_t in_slices = 0;
        std::uint64_t in_starts = 0;
        std::uint64_t in_ends = 0;
        for (const std::uint32_t mask : run.slices.mask)
            in_slices += static_cast<std::uint64_t>(std::popcount(mask));
        for (const std::uint32_t mask : run.orphan_starts.mask)
            in_starts += static_cast<std::uint64_t>(std::popcount(mask));
        for (const std::uint32_t mask : run.orphan_ends.mask)
            in_ends += static_cast<std::uint64_t>(std::popcount(mask));
        EXPECT_EQ(in_slices + in_starts, starts);
        EXPECT_EQ(in_slices + in_ends, ends);
    }
}

}  // namespace
}  // namespace gwatch::trace
