#pragma once

#include <cuda.h>
#include <cupti_callbacks.h>

#include <array>
#include <optional>

#include "record/plan.h"

namespace gwatch::capture {

/// The callbacks of the launch calls, which are on during a capture only.
extern const std::array<CUpti_CallbackId, 6> kLaunchCallbacks;

/// The callbacks of the calls that launch a graph; on during a capture, too.
extern const std::array<CUpti_CallbackId, 2> kGraphLaunchCallbacks;

/// The parameters of a launch call, whichever it is.
struct LaunchCall {
    CUfunction* function =
        nullptr;  ///< in CUPTI's copy of the parameters: what stands there is launched
    /// The same of the kernel's parameters: a pointer to each, or all in a buffer. `extra` is null
    /// for a call that has no buffer.
    void*** kernel_parameters = nullptr;
    void*** extra = nullptr;
    record::Dim3 grid{};  ///< as passed: clusters for a .blocksareclusters kernel
    record::Dim3 block{};
    std::optional<record::Dim3> cluster;  ///< when the launch says so
    std::uint32_t dynamic_shared_bytes = 0;
    CUstream stream = nullptr;  ///< CU_STREAM_PER_THREAD when a _ptsz call names no stream
    bool cooperative = false;
    bool programmatic = false;  ///< may start before the kernel ahead of it ends

    bool passes_buffer() const { return extra && *extra; }
};

/// nullopt when this is no launch call.
std::optional<LaunchCall> read_launch_call(CUpti_CallbackId id, const CUpti_CallbackData& data);

}  // namespace gwatch::capture
