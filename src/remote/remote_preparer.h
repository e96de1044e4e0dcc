#pragma once

#include <mutex>

#include "capture/capture.h"
#include "remote/channel.h"

namespace gwatch::remote {

/// Lets `gwatch run` make the traced builds.
class RemotePreparer : public capture::Preparer {
  public:
    /// The channel must live as long.
    explicit RemotePreparer(Channel& channel) : channel_(channel) {}

    /// kCapture when `gwatch run` is gone.
    Result<capture::PreparedKernel> prepare(const capture::LaunchInfo& launch) override;

  private:
    Channel& channel_;
    std::mutex mutex_;  ///< one question at a time
};

}  // namespace gwatch::remote
