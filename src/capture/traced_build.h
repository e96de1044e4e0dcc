#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/capture.h"
#include "capture/clock.h"
#include "capture/device_resources.h"
#include "capture/image_store.h"
#include "capture/kernel_filter.h"
#include "capture/launch_call.h"
#include "capture/launch_parameters.h"

namespace gwatch::capture {

/// A variable of the original module and its twin in the traced one.
struct VariablePair {
    std::string name;
    CUdeviceptr original;
    CUdeviceptr traced;
    std::size_t bytes;
};

/// A launch that has a traced build, from the enter callback to the end of the capture.
struct ActiveLaunch {
    ActiveLaunch(Driver& driver, LaunchInfo launch_info)
        : info(std::move(launch_info)),
          resources(driver, reinterpret_cast<CUcontext>(info.context)) {}

    /// Has a launch call run the traced build. What it passes is kept in `passed` until it returns.
    void put_into(const LaunchCall& call, LaunchParameters& passed) const;

    LaunchInfo info;
    DeviceResources resources;
    std::uint64_t token = 0;
    CUfunction function = nullptr;                    ///< of the traced module
    std::optional<record::ParameterPlace> parameter;  ///< PreparedKernel's
    LaunchParameters parameters;                      ///< of the call
    record::Plan plan{};
    FunctionFacts original;
    FunctionFacts traced;
    std::vector<VariablePair> variables;
    std::map<std::string, double> stage_seconds;
    std::optional<Error> failure;        ///< found at the exit callback
    std::atomic<bool> returned = false;  ///< the launch call is over; the fields above are final
};

/// Tells what is known of a launch at its enter callback.
Result<LaunchInfo> describe_launch(Driver& driver, ImageStore& images, const LaunchCall& call,
                                   const SeenKernel& kernel);

/// Whether the launch's memory will hold each warp's records, with a margin: half of what there is
/// would do. Needs the launch's context to be current.
bool expects_every_warp(Driver& driver, const LaunchInfo& info, const Options& options);

/// Loads the traced build, gives it memory of its own, and copies the original's attributes and
/// variables. On failure nothing is left on the device.
Result<std::shared_ptr<ActiveLaunch>> build_launch(Driver& driver, Clock& clock,
                                                   const LaunchCall& call, const LaunchInfo& info,
                                                   const PreparedKernel& prepared,
                                                   const Options& options);

/// At the exit callback: copies variables back and marks the place in the stream that the end has
/// to wait for.
void leave_launch(Driver& driver, ActiveLaunch& launch, CUresult code);

/// Waits for the launch, reads its records and frees what it held.
Result<TracedLaunch> read_launch(Driver& driver, Clock& clock, ActiveLaunch& launch);

}  // namespace gwatch::capture
