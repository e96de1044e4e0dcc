// Where an entry reads the device's timer on the way, and what it records there.
#include "instrument/timer_readings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "traced_kernel.h"

namespace gwatch::testing {
namespace {

using instrument::ActionKind;

bool is_reading(const instrument::Site& site) {
    return site.actions.size() == 1 && site.actions[0].kind == ActionKind::kTimer;
}

/// The markers at which a kernel reads the timer, by the last word of each.
std::string read_at(const std::string& body, const instrument::Options& options = {}) {
    const PlacedKernel placed = placed_kernel(body, "", options);
    std::string found;
    for (const instrument::FunctionPlan& function : placed.plan.functions) {
        for (const instrument::PlannedSite& planned : function.sites) {
            const auto& sites = placed.plan.table.sites;
            if (planned.reading == 0) continue;
            EXPECT_TRUE(is_reading(sites[planned.reading - 1]));
            const instrument::Site& last = sites[planned.number - 1];
            EXPECT_EQ(last.place + 1, last.series);
            found += placed.plan.table.scopes[last.actions[0].scope].name + " ";
        }
    }
    return found;
}

std::string loop(const std::string& name, int turns, const std::string& body) {
    const std::string counter = "%r" + name;
    return "\tmov.u32 " + counter + ", 0;\nLOOP" + name + ":\n" + body + "\tadd.u32 " + counter +
           ", " + counter + ", 1;\n\tsetp.lt.u32 %p1, " + counter + ", " + std::to_string(turns) +
           ";\n\t@%p1 bra LOOP" + name + ";\n";
}

const std::string kWork = "\tadd.u32 %r6, %r1, 1;\n";
const std::string kReturn = "\tret;\n";
const std::string kWait =
    "WAIT:\n\tmbarrier.try_wait.parity.shared.b64 %p2, [%r6], 0;\n\t@!%p2 bra WAIT;\n";

TEST(TimerReadings, AreInLoopsAroundLoops) {
    const std::string inner = loop("3", 4, marker("mark inner") + kWork);
    EXPECT_EQ(read_at(loop("2", 3, marker("mark outer") + kWork + inner) + kReturn), "outer ");
    EXPECT_EQ(read_at(loop("2", 3, inner + marker("mark behind") + kWork) + kReturn), "behind ");
    EXPECT_EQ(read_at(loop("2", 3, marker("mark outer") + loop("3", 4, kWork)) + kReturn),
              "outer ");
}

TEST(TimerReadings, AreNoneInInnerLoopsAndStraightCode) {
    EXPECT_EQ(read_at(marker("mark 1") + kReturn), "");
    EXPECT_EQ(read_at(marker("mark 1") + loop("2", 3, marker("mark 2") + kWork) + kReturn), "");
    EXPECT_EQ(read_at(loop("2", 3, loop("3", 4, marker("mark 1") + kWork)) + kReturn), "")
        << "the outer loop has no place of its own";
}

/// A pipeline waits in each turn of its innermost loop.
TEST(TimerReadings, AreNoneAroundLoopsThatOnlyWait) {
    EXPECT_EQ(read_at(loop("2", 3, marker("start w") + kWait + marker("end w") + kWork) + kReturn),
              "");
}

TEST(TimerReadings, AreAtTheEndOfASeriesAndNoneWhereLanesPart) {
    const std::string inner = loop("3", 4, marker("mark inner") + kWork);
    EXPECT_EQ(
        read_at(loop("2", 3, marker("mark first") + kWork + marker("mark second") + kWork + inner) +
                kReturn),
        "second ");
    EXPECT_EQ(read_at("\tsetp.eq.u32 %p3, %r1, 0;\n\t@%p3 bra END;\n" +
                      loop("2", 3, marker("mark outer") + kWork + inner) + "END:\n" + kReturn),
              "");
    EXPECT_EQ(
        read_at(loop("2", 3, marker("mark outer") + kWork + inner) + kReturn, {.series = false}),
        "");
}

const std::string kNest =
    loop("2", 3, marker("mark outer") + kWork + loop("3", 4, marker("mark inner") + kWork)) +
    kReturn;

TEST(TimerReadings, AreRecordsOfTheClockAndTheTimer) {
    const TracedKernel kernel(kernel_text(kNest), "k", std::nullopt);
    Simulation simulation;
    simulation.block = {32, 1, 1};
    const Traced traced = kernel.run({}, simulation);
    ASSERT_EQ(traced.failure, "");
    std::uint64_t last = 0;
    int readings = 0;
    for (const Event& event : traced.events) {
        EXPECT_GE(event.clock, last);
        last = event.clock;
        if (!is_reading(kernel.sites().sites[event.site - 1])) continue;
        ++readings;
        EXPECT_NEAR(static_cast<double>(event.globaltimer - 1'000'000'000'000),
                    static_cast<double>(event.clock) / 2, 40);
    }
    EXPECT_EQ(readings, 3);
    EXPECT_EQ(traced.events.size(), 3u + 3 * 5 + 1);
}

TEST(TimerReadings, GoToThePoolWithTheRecords) {
    const TracedKernel kernel(kernel_text(kNest), "k", std::nullopt);
    Memory memory;
    memory.region_slots = 16;
    const Traced traced = kernel.run(memory, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.events.size(), 3u + 3 * 5 + 1);
    EXPECT_EQ(traced.control.chunks_taken, 1u);
}

TEST(TimerReadings, AreLeftOutUncountedWithoutMemory) {
    const TracedKernel kernel(kernel_text(kNest), "k", std::nullopt);
    Simulation simulation;
    simulation.block = {32, 1, 1};
    Memory memory;
    memory.region_slots = 16;
    memory.pool_chunks = 0;
    const Traced traced = kernel.run(memory, simulation);
    ASSERT_EQ(traced.failure, "");
    const auto recorded = std::count_if(traced.events.begin(), traced.events.end(), [&](auto& one) {
        return kernel.sites().sites[one.site - 1].markers != 0;
    });
    EXPECT_GT(traced.control.dropped_events, 0u);
    EXPECT_EQ(traced.control.dropped_events + static_cast<std::uint64_t>(recorded), 15u);
}

}  // namespace
}  // namespace gwatch::testing
