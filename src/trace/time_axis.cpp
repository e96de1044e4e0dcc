#include "trace/time_axis.h"

#include <algorithm>
#include <map>
#include <set>

#include "trace/text.h"

namespace gwatch::trace {

namespace {

struct Axis {
    std::uint32_t number;
    std::uint64_t first_ns;  ///< the earliest start, by the timer of its GPU
    std::set<std::uint32_t> devices;
};

bool tells_start(const Run& run) {
    return run.time.start_globaltimer_ns != 0;
}

/// The axes by host; runs without a host are taken as of one.
std::map<std::string, Axis> axes_of_hosts(const Trace& trace) {
    std::map<std::string, Axis> axes;
    for (const Run& run : trace.runs) {
        if (!tells_start(run)) continue;
        const std::uint64_t start_ns = run.time.start_globaltimer_ns;
        const auto number = static_cast<std::uint32_t>(axes.size());
        Axis& axis = axes.try_emplace(run.launch.host.value_or(""), Axis{number, start_ns, {}})
                         .first->second;
        axis.first_ns = std::min(axis.first_ns, start_ns);
        axis.devices.insert(run.launch.device_index);
    }
    return axes;
}

void add_notes(const std::map<std::string, Axis>& axes, std::size_t without_start,
               std::vector<std::string>* notes) {
    if (axes.size() > 1) {
        notes->push_back("The runs are of " + count_of(axes.size(), "host") +
                         ": the times of different hosts cannot be compared.");
    }
    const bool shared = std::any_of(axes.begin(), axes.end(), [](const auto& entry) {
        return entry.second.devices.size() > 1;
    });
    if (shared) {
        notes->push_back(
            "GPUs of one host are on one time axis by their own timers: between GPUs it is as good "
            "as those timers agree.");
    }
    if (without_start != 0) {
        notes->push_back(count_of(without_start, "run") +
                         " without a start time on the device's timer: each begins at 0.");
    }
}

}  // namespace

TimeAxes time_axes(const Trace& trace) {
    const std::map<std::string, Axis> hosts = axes_of_hosts(trace);
    TimeAxes result;
    std::size_t without_start = 0;
    for (const Run& run : trace.runs) {
        if (tells_start(run)) {
            const Axis& axis = hosts.at(run.launch.host.value_or(""));
            const std::uint64_t offset = run.time.start_globaltimer_ns - axis.first_ns;
            result.runs.push_back({axis.number, static_cast<std::int64_t>(offset)});
        } else {
            result.runs.push_back({static_cast<std::uint32_t>(hosts.size() + without_start), 0});
            ++without_start;
        }
    }
    if (trace.runs.size() > 1) add_notes(hosts, without_start, &result.notes);
    return result;
}

}  // namespace gwatch::trace
