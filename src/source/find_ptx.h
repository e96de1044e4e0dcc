#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gwatch::source {

/// A kernel and the device that it runs on.
struct Query {
    std::string kernel;          ///< mangled name
    int compute_capability = 0;  ///< 90 for 9.0
    std::string_view image{};    ///< fat binary that it was loaded from; empty when not known
};

/// A kernel's PTX and what belongs to it.
struct KernelPtx {
    std::string ptx;     ///< with the comments of its markers
    std::string target;  ///< that it was compiled for: "sm_90a"
    std::string flags;   ///< what nvcc passes to ptxas for it, as one line
    std::string cubin;   ///< the untraced build for the same target; empty when there is none
    std::string where;   ///< "fat binary of /path/program"
};

/// Whether a PTX text defines the kernel.
bool defines_entry(std::string_view ptx, std::string_view kernel);

/// Whether PTX or code for this target runs on a device: sm_90 from 9.0 on, sm_90a on 9.0 alone,
/// sm_100f on 10.x from 10.0 on.
bool runs_on(int architecture, char variant, int compute_capability);

/// The PTX of a kernel in a fat binary: that of the newest target that runs on the device, the
/// architecture's own variant first. kSource when the binary has none; the message says what it has
/// instead and the hint how to build it.
Result<KernelPtx> find_in_fatbin(std::string_view fatbin, const Query& query);

/// The same for all fat binaries in ELF files, such as the program and the libraries that a process
/// has loaded. Files without any, or that never name the kernel, are passed over; so are those that
/// do not hold the image of the query. kSource when files disagree on the kernel's PTX.
Result<KernelPtx> find_in_files(const std::vector<std::string>& paths, const Query& query);

}  // namespace gwatch::source
