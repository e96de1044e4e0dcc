// How fast raw records become a run, its archive, and a run again. Prints records and slices a
// second on one core.
//   decode [million records]

#include "trace/decode.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "trace/archive.h"
#include "trace/statistics.h"

namespace {

using namespace gwatch;  // NOLINT: a program of its own

constexpr std::uint32_t kWarps = 1584;  // a persistent kernel: 132 blocks of 12 warps

/// Scopes 0..3; sites: start and end of each, then the exit.
instrument::SiteTable sites() {
    instrument::SiteTable table;
    for (std::uint32_t scope = 0; scope < 4; ++scope) {
        table.scopes.push_back({"scope" + std::to_string(scope), -1, {}});
        table.sites.push_back({{{instrument::ActionKind::kStart, scope}},
                               1,
                               instrument::Placement::kProven,
                               {},
                               "k"});
        table.sites.push_back(
            {{{instrument::ActionKind::kEnd, scope}}, 1, instrument::Placement::kProven, {}, "k"});
    }
    table.sites.push_back({{{instrument::ActionKind::kExit, ptx::kNone}},
                           0,
                           instrument::Placement::kProven,
                           {},
                           "k"});
    return table;
}

/// The same with a value on the starts of the two inner scopes.
instrument::SiteTable sites_with_values() {
    instrument::SiteTable table = sites();
    for (const std::size_t start : {2u, 4u})
        table.sites[start].actions[0].payload = record::PayloadKind::kUnsigned64;
    return table;
}

/// The loop of a kernel: an outer scope around two inner ones, one after the other.
constexpr std::uint16_t kLoop[] = {1, 3, 4, 5, 6, 2};

class Launch {
  public:
    explicit Launch(std::uint64_t records_per_warp) {
        raw_.grid = {132, 1, 1};
        raw_.block = {384, 1, 1};
        raw_.plan = record::plan_memory({raw_.grid, raw_.block, 8ull << 30, 0, 0, false}).value();
        raw_.control = {};
        split_records_ = records_per_warp / 60 * 6;
        for (std::uint32_t warp = 0; warp < kWarps; ++warp) add_warp(warp, records_per_warp);
    }

    /// Adds a fifth of the rounds again, halfway: there the two halves of each warp run apart.
    void split_halfway() {
        for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
            for (std::uint64_t i = 0; i < split_records_; ++i) {
                cold(warp, 0, kLoop[i % 6], halfway_ + i * 700);
                cold(warp, 16, kLoop[i % 6], halfway_ + i * 700 + 250);
            }
            cursors_[0] = cursors_[1] = 0;
        }
        raw_.control.chunks_taken = raw_.pool.size() / record::kChunkUnits;
    }
    const record::RawRecords& raw() const { return raw_; }

  private:
    std::uint64_t clock(std::uint32_t warp, std::uint64_t cycles) const {
        return 1'000'000'000'000 + warp * 17 + cycles;
    }
    std::uint64_t timer(std::uint64_t cycles) const {
        return (1'700'000'000'000'000'000 + cycles / 2) / 32 * 32;
    }

    void add_warp(std::uint32_t warp, std::uint64_t records) {
        const record::RegionHeader header{timer(0), clock(warp, 0), warp / 12, warp / 12, 0};
        std::uint64_t words[record::kHeaderSlots];
        std::memcpy(words, &header, sizeof header);
        raw_.slots.insert(raw_.slots.end(), words, words + record::kHeaderSlots);
        std::uint64_t cycles = 100;
        for (std::uint64_t i = 0; i < records; ++i, cycles += 300 + (i * 7919) % 501) {
            if (i == records / 12 * 6) {
                halfway_ = cycles;
                cycles += (split_records_ + 1) * 700;
            }
            raw_.slots.push_back(slot(kLoop[i % 6], clock(warp, cycles)));
            raw_.slots.push_back(0);
        }
        raw_.slots.push_back(slot(9, clock(warp, cycles)));
        raw_.slots.push_back(timer(cycles));
        raw_.region_slots.push_back(static_cast<std::uint32_t>(
            record::kHeaderSlots + record::series_slots(1) * records + record::kExitSlots));
    }
    static std::uint64_t slot(std::uint64_t site, std::uint64_t at) {
        return (at & 0xffffffff) | site << 32 | at >> 32 << 48;
    }
    void cold(std::uint32_t warp, std::uint32_t lane, std::uint16_t site, std::uint64_t cycles) {
        std::size_t& cursor = cursors_[lane / 16];
        if (cursor % record::kChunkUnits == 0) {
            cursor = raw_.pool.size();
            raw_.pool.resize(cursor + record::kChunkUnits);
            const record::ChunkHeader header{warp + 1, lane, warp / 12, 0};
            std::memcpy(&raw_.pool[cursor++], &header, sizeof header);
        }
        const std::uint64_t at = clock(warp, cycles);
        raw_.pool[cursor++] = {static_cast<std::uint32_t>(at), site,
                               static_cast<std::uint16_t>(at >> 32), 0xffffu << lane, 0};
    }

    record::RawRecords raw_{};
    std::uint64_t split_records_ = 0;  ///< of each half of a warp
    std::uint64_t halfway_ = 0;        ///< cycles after the entry
    std::size_t cursors_[2] = {};
};

/// CPU time: other programs on the machine do not count.
double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The best of three, so that the first touch of memory does not count twice.
template <class Work>
double best_seconds(const Work& work) {
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
        const double start = cpu_seconds();
        work();
        best = std::min(best, cpu_seconds() - start);
    }
    return best;
}

trace::Run measure_decode(const char* name, const Launch& launch,
                          const instrument::SiteTable& table) {
    trace::Run run;
    const double seconds = best_seconds([&] { run = trace::decode(launch.raw(), table).value(); });
    std::printf("%-10s %12llu records %12zu slices  decode %7.3f s  %6.1f M records/s\n", name,
                static_cast<unsigned long long>(run.counts.records), run.slices.size(), seconds,
                static_cast<double>(run.counts.records) / seconds / 1e6);
    return run;
}

void measure_archive(const trace::Run& run) {
    trace::Trace trace{"benchmark", "2026-01-01T00:00:00Z", {run}};
    const auto slices = static_cast<double>(run.slices.size());
    std::string text;
    const double write = best_seconds([&] { text = trace::to_json(trace, "gwatch"); });
    const double read = best_seconds([&] {
        if (!trace::from_json(text, "benchmark")) std::abort();
    });
    const double statistics = best_seconds([&] {
        if (trace::scope_statistics(run).empty() || trace::pipeline_summary(run).warps == 0)
            std::abort();
    });
    std::printf(
        "           %.1f bytes a slice; write %.1f M slices/s, read %.1f M slices/s, statistics "
        "%.1f M slices/s\n",
        static_cast<double>(text.size()) / slices, slices / write / 1e6, slices / read / 1e6,
        slices / statistics / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
    const double millions = argc > 1 ? std::atof(argv[1]) : 20;
    const auto per_warp = static_cast<std::uint64_t>(millions * 1e6 / kWarps) / 6 * 6;
    Launch launch(per_warp);
    measure_archive(measure_decode("hot", launch, sites()));
    measure_archive(measure_decode("values", launch, sites_with_values()));
    launch.split_halfway();
    measure_archive(measure_decode("hot + cold", launch, sites()));
    return 0;
}
