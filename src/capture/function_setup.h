#pragma once

#include <optional>

#include "capture/capture.h"
#include "capture/driver.h"
#include "capture/launch_call.h"

namespace gwatch::capture {

/// Makes the function of a traced build launch as the original does.
class FunctionSetup {
  public:
    FunctionSetup(Driver& driver, const LaunchCall& call, const LaunchInfo& info, CUfunction traced)
        : driver_(driver),
          call_(call),
          info_(info),
          original_(reinterpret_cast<CUfunction>(info.resolved_function)),
          traced_(traced) {}

    /// Sets what differs; then what the launch itself shows, for attributes set on a CUkernel may
    /// not be seen on its function.
    Result<void> copy_attributes();

    /// kCapture when the driver would refuse the launch though it takes the original: too many
    /// registers, or a cooperative grid that no longer stays resident.
    Result<void> check_fit();

    FunctionFacts original_facts() { return facts_of(original_); }
    FunctionFacts traced_facts() { return facts_of(traced_); }

  private:
    std::optional<int> attribute(CUfunction function, CUfunction_attribute which);
    FunctionFacts facts_of(CUfunction function);
    Result<void> set_attribute(CUfunction_attribute which, int value);
    Result<void> raise_attribute(CUfunction_attribute which, std::uint64_t least);
    Result<int> blocks_per_sm(CUfunction function);
    int blocks_or_unknown(CUfunction function);
    Error misfit(int original, int traced);

    Driver& driver_;
    const LaunchCall& call_;
    const LaunchInfo& info_;
    CUfunction original_;
    CUfunction traced_;
};

}  // namespace gwatch::capture
