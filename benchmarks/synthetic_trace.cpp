// Writes the archive of a launch that never ran, of realistic shape and any size, for benchmarks of
// reports.
//   synthetic_trace FILE.json SLICES [waves|persistent]
// waves: blocks of 8 warps that follow each other on 132 SMs, 8 scopes nested three deep, about 120
// slices a warp. persistent: the same work on 132 blocks that stay until the end. Every duration
// has noise of its own (the worst case for compression); one in 200 is six times as long.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <string>
#include <vector>

#include "trace/archive.h"

namespace {

using namespace gwatch;  // NOLINT: a program of its own

constexpr std::uint32_t kSmCount = 132;
constexpr std::uint32_t kBlocksPerSm = 2;
constexpr std::uint32_t kWarpsPerBlock = 8;
constexpr std::uint32_t kSlicesPerWarp = 120;
constexpr std::uint32_t kAllThreads = 0xffffffff;
constexpr std::uint32_t kElectedThread = 1;

enum ScopeIndex : std::uint32_t { kTile, kLoad, kIssue, kWait, kScores, kSoftmax, kValues, kStore };
constexpr const char* kNames[] = {"tile",    "load_kv", "tma_issue", "wait_full",
                                  "qk_gemm", "softmax", "pv_gemm",   "store_o"};

class Random {
  public:
    std::uint32_t next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state_ >> 33);
    }
    /// A duration around `typical` ns with a tenth of noise.
    std::int64_t duration(std::int64_t typical) {
        const std::int64_t noise = next() % static_cast<std::uint32_t>(typical / 5 + 1);
        const std::int64_t plain = typical - typical / 10 + noise;
        return next() % 200 == 0 ? 6 * plain : plain;
    }

  private:
    std::uint64_t state_ = 20261130;
};

/// One warp's slices appended to a run in order of start.
class WarpWriter {
  public:
    WarpWriter(trace::Run& run, Random& random, std::int64_t now)
        : slices_(run.slices), random_(random), now_(now) {}

    std::int64_t now() const { return now_; }
    void idle(std::int64_t typical) { now_ += random_.duration(typical); }

    std::size_t open(ScopeIndex scope, std::uint16_t depth, std::uint32_t mask = kAllThreads) {
        slices_.start_ns.push_back(now_);
        slices_.duration_ns.push_back(0);
        slices_.scope.push_back(scope);
        slices_.depth.push_back(depth);
        slices_.mask.push_back(mask);
        return slices_.size() - 1;
    }
    void close(std::size_t slice) { slices_.duration_ns[slice] = now_ - slices_.start_ns[slice]; }

    void work(ScopeIndex scope, std::uint16_t depth, std::int64_t typical,
              std::uint32_t mask = kAllThreads) {
        const std::size_t slice = open(scope, depth, mask);
        idle(typical);
        close(slice);
    }

    /// Six slices.
    void step() {
        const std::size_t tile = open(kTile, 0);
        const std::size_t load = open(kLoad, 1);
        idle(8);
        work(kIssue, 2, 22, kElectedThread);
        idle(5);
        close(load);
        work(kWait, 1, 240);
        idle(4);
        work(kScores, 1, 150);
        work(kSoftmax, 1, 90);
        close(tile);
        idle(6);
    }

  private:
    trace::Slices& slices_;
    Random& random_;
    std::int64_t now_;
};

void add_warp(trace::Run& run, Random& random, std::uint64_t block, std::uint32_t warp,
              std::uint32_t sm, std::int64_t enter, std::uint64_t slices) {
    trace::Lane lane{};
    lane.block = block;
    lane.warp = warp;
    lane.sm = sm;
    lane.enter_ns = enter;
    lane.first_slice = run.slices.size();
    WarpWriter writer(run, random, enter);
    writer.idle(60);
    for (std::uint64_t made = 0; made + 8 <= slices; made += 6) writer.step();
    writer.work(kValues, 0, 400);
    writer.work(kStore, 0, 700);
    lane.end_slice = run.slices.size();
    lane.exit_ns = writer.now() + 20;
    lane.events = static_cast<std::uint32_t>(2 * (lane.end_slice - lane.first_slice));
    run.lanes.push_back(lane);
}

/// Blocks start where one ended first.
void add_blocks(trace::Run& run, std::uint64_t blocks, std::uint64_t slices_per_warp) {
    using Place = std::pair<std::int64_t, std::uint32_t>;
    std::priority_queue<Place, std::vector<Place>, std::greater<>> free;
    for (std::uint32_t place = 0; place < kSmCount * kBlocksPerSm; ++place)
        free.emplace(place / 4, place % kSmCount);
    Random random;
    for (std::uint64_t block = 0; block < blocks; ++block) {
        const auto [begin, sm] = free.top();
        free.pop();
        std::int64_t end = begin;
        for (std::uint32_t warp = 0; warp < kWarpsPerBlock; ++warp) {
            const std::int64_t enter = begin + 3 * warp;
            add_warp(run, random, block, warp, sm, enter, slices_per_warp);
            end = std::max(end, run.lanes.back().exit_ns);
        }
        free.emplace(end + 900, sm);
    }
}

trace::Run make_run(std::uint64_t slices, bool persistent) {
    trace::Run run;
    const std::uint64_t blocks =
        persistent ? kSmCount
                   : std::max<std::uint64_t>(slices / (kSlicesPerWarp * kWarpsPerBlock), 1);
    const std::uint64_t warps = blocks * kWarpsPerBlock;
    for (std::uint32_t scope = 0; scope < std::size(kNames); ++scope)
        run.scopes.push_back({kNames[scope], -1, "attention.py", 40 + 7 * scope});
    add_blocks(run, blocks, slices / warps);
    run.launch.kernel = run.launch.kernel_demangled = "attention_forward";
    run.launch.dsl = "triton";
    run.launch.device = "synthetic";
    run.launch.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
    run.launch.block = {32 * kWarpsPerBlock, 1, 1};
    run.launch.sm_count = kSmCount;
    run.counts.events = 2 * run.slices.size();
    run.counts.records = run.counts.events + warps;
    run.counts.warps_in_grid = run.counts.warps_recorded = warps;
    run.counts.blocks_in_grid = run.counts.blocks_selected = blocks;
    run.time.clock_mhz = 1755;
    run.time.resolution_ns = 0.57;
    run.time.alignment_ns = 32;
    for (const trace::Lane& lane : run.lanes)
        run.time.span_ns = std::max(run.time.span_ns, lane.exit_ns);
    return run;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string shape = argc > 3 ? argv[3] : "waves";
    if (argc < 3 || (shape != "waves" && shape != "persistent")) {
        std::fprintf(stderr, "usage: synthetic_trace FILE.json SLICES [waves|persistent]\n");
        return 2;
    }
    const trace::Trace trace{
        "Synthetic trace",
        "2026-01-01T00:00:00Z",
        {make_run(std::strtoull(argv[2], nullptr, 10), shape == "persistent")}};
    const auto written = trace::write_archive(trace, "gwatch synthetic_trace", argv[1]);
    if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
    return written ? 0 : 1;
}
