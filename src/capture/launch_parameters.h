#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "capture/launch_call.h"
#include "record/layout.h"

namespace gwatch::capture {

/// The kernel's own parameters and, behind them, the launch constants. A launch call reads them
/// until it returns.
class LaunchParameters {
  public:
    LaunchParameters() = default;
    LaunchParameters(const LaunchParameters&) = delete;
    LaunchParameters& operator=(const LaunchParameters&) = delete;

    /// Has the call pass them. A call without the parameters that the kernel needs stays as it is:
    /// the driver refuses it.
    void put_into(const LaunchCall& call, const record::ParameterPlace& place,
                  const record::LaunchConstants& constants);

  private:
    void pass_pointers(const LaunchCall& call, std::size_t own_count);
    void pass_buffer(const LaunchCall& call, const record::ParameterPlace& place);

    record::LaunchConstants constants_{};
    std::vector<void*> pointers_;    ///< one a parameter
    std::vector<std::byte> buffer_;  ///< all parameters
    std::size_t buffer_bytes_ = 0;
    std::array<void*, 5> extra_{};
};

}  // namespace gwatch::capture
