#include "report/html_facts.h"

#include <algorithm>

#include "report/html_fidelity.h"
#include "report/run_facts.h"
#include "trace/statistics.h"

namespace gwatch::report {

namespace {

using Json = nlohmann::ordered_json;

Json launch_facts(const trace::LaunchFacts& launch) {
    Json facts = {{"kernel", launch.kernel},
                  {"kernel_demangled", launch.kernel_demangled},
                  {"dsl", launch.dsl},
                  {"device", launch.device},
                  {"device_index", launch.device_index},
                  {"grid", launch.grid},
                  {"block", launch.block},
                  {"cluster", launch.cluster},
                  {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                  {"in_graph", launch.in_graph},
                  {"sm_count", launch.sm_count}};
    if (launch.rank) facts["rank"] = *launch.rank;
    if (launch.host) facts["host"] = *launch.host;
    return facts;
}

Json time_facts(const trace::TimeFacts& time) {
    return {{"clock_mhz", time.clock_mhz},
            {"resolution_ns", time.resolution_ns},
            {"alignment_ns", time.alignment_ns},
            {"span_ns", time.span_ns},
            // As text: 64 bits do not fit a number of JavaScript.
            {"start_globaltimer_ns", std::to_string(time.start_globaltimer_ns)}};
}

Json scope_facts(const std::vector<trace::Scope>& scopes) {
    Json list = Json::array();
    for (const trace::Scope& scope : scopes) {
        list.push_back(
            {{"name", scope.name}, {"id", scope.id}, {"file", scope.file}, {"line", scope.line}});
        if (scope.payload != trace::PayloadKind::kNone)
            list.back()["payload"] = record::payload_name(scope.payload);
    }
    return list;
}

Json statistics_facts(const trace::Run& run) {
    Json list = Json::array();
    for (const trace::ScopeStatistics& entry : trace::scope_statistics(run)) {
        list.push_back({{"scope", entry.scope},
                        {"count", entry.count},
                        {"min_ns", entry.min_ns},
                        {"p50_ns", entry.p50_ns},
                        {"mean_ns", entry.mean_ns},
                        {"p95_ns", entry.p95_ns},
                        {"max_ns", entry.max_ns},
                        {"total_ns", entry.total_ns},
                        {"warps", entry.warps}});
    }
    return list;
}

Json pipeline_facts(const trace::Run& run) {
    const trace::PipelineSummary summary = trace::pipeline_summary(run);
    Json most_gap = Json::array();
    for (const trace::LaneActivity& entry : summary.most_gap) {
        most_gap.push_back({{"row", entry.lane},
                            {"block", run.lanes[entry.lane].block},
                            {"warp", run.lanes[entry.lane].warp},
                            {"lifetime_ns", entry.lifetime_ns},
                            {"gap_ns", entry.gap_ns},
                            {"longest_gap_ns", entry.longest_gap_ns},
                            {"longest_gap_start_ns", entry.longest_gap_start_ns}});
    }
    return {{"warps", summary.warps},
            {"lifetime_ns", summary.lifetime_ns},
            {"active_ns", summary.active_ns},
            {"gap_ns", summary.gap_ns},
            {"active_ratio", summary.active_ratio},
            {"most_gap", std::move(most_gap)}};
}

struct TimeRange {
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;

    void add(std::int64_t time_ns) {
        first_ns = std::min(first_ns, time_ns);
        last_ns = std::max(last_ns, time_ns);
    }
};

/// Every time of the run lies in it; so does 0.
TimeRange time_range(const trace::Run& run) {
    TimeRange range;
    for (const trace::Lane& lane : run.lanes) {
        range.add(lane.enter_ns);
        if (lane.exit_ns != trace::kUnknownTime) range.add(lane.exit_ns);
    }
    for (std::size_t slice = 0; slice < run.slices.size(); ++slice) {
        range.add(run.slices.start_ns[slice]);
        range.add(run.slices.start_ns[slice] + run.slices.duration_ns[slice]);
    }
    for (const trace::Instants* instants : {&run.marks, &run.orphan_starts, &run.orphan_ends}) {
        for (const std::int64_t time_ns : instants->time_ns) range.add(time_ns);
    }
    return range;
}

Json column_facts(const ColumnPacker& columns) {
    Json list = Json::array();
    for (const ColumnFacts& column : columns.facts())
        list.push_back({{"name", column.name}, {"count", column.count}, {"planes", column.planes}});
    return list;
}

}  // namespace

Json run_facts(const trace::Run& run, const ColumnPacker& columns, std::size_t chunk_count) {
    const TimeRange range = time_range(run);
    return {{"launch", launch_facts(run.launch)},
            {"compile", archive_fields(run.compile)},
            {"scopes", scope_facts(run.scopes)},
            {"counts", archive_fields(run.counts)},
            {"time", time_facts(run.time)},
            {"stage_seconds", run.stage_seconds},
            {"warnings", run.warnings},
            {"fidelity", fidelity_facts(run)},
            {"statistics", statistics_facts(run)},
            {"pipeline", pipeline_facts(run)},
            {"first_ns", range.first_ns},
            {"last_ns", range.last_ns},
            {"columns", column_facts(columns)},
            {"bytes", columns.bytes().size()},
            {"chunks", chunk_count}};
}

std::string script_safe(const Json& facts) {
    std::string text;
    for (const char character : facts.dump(-1, ' ', false, Json::error_handler_t::replace)) {
        if (character == '<') {
            text += "\\u003c";
        } else {
            text += character;
        }
    }
    return text;
}

}  // namespace gwatch::report
