#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "capture/observer.h"
#include "capture/traced_build.h"

namespace gwatch::capture {

/// One capture, from begin_capture to end_capture. Thread-safe; never throws out of enter() and
/// leave().
class Session : public LaunchObserver {
  public:
    /// kUsage for a bad pattern.
    static Result<std::shared_ptr<Session>> make(Options options,
                                                 std::shared_ptr<Preparer> preparer, Driver& driver,
                                                 Clock& clock, ImageStore& images);

    /// At the enter callback: swaps the handle when the launch is to be traced, and gives what
    /// leave() wants; else null.
    std::shared_ptr<ActiveLaunch> enter(const LaunchCall& call,
                                        const char* symbol_name) noexcept override;
    /// At the exit callback of a launch that enter() swapped.
    void leave(ActiveLaunch& launch, CUresult code) noexcept override;

    /// Handles may come back for other kernels: what is known of them is forgotten.
    void forget_handles() override;

    void see_graph_launch() noexcept override { ++graph_launches_; }

    /// Reads the traced launches that there are: later it would be too late.
    void before_context_ends() noexcept override;

    /// No more launches are traced; reads those that were. Call once.
    CaptureResult finish();

  private:
    /// A traced build fits one function and block shape.
    using Key = std::tuple<CUfunction, record::Dim3>;
    struct Preparation {
        std::shared_ptr<const PreparedKernel> kernel;
        double seconds;  ///< that this launch spent on it
    };

    Session(Options options, std::shared_ptr<Preparer> preparer,
            std::unique_ptr<KernelFilter> filter, Driver& driver, Clock& clock, ImageStore& images);

    void read(const std::shared_ptr<ActiveLaunch>& launch, CaptureResult& result);
    bool reserve(const Key& key);
    void give_back(const Key& key, const std::string& kernel, Error error);
    Result<Preparation> prepare(const Key& key, const LaunchInfo& info);
    Result<std::shared_ptr<ActiveLaunch>> build(const LaunchCall& call, const SeenKernel& kernel,
                                                const Key& key);
    Result<std::shared_ptr<ActiveLaunch>> try_build(const LaunchCall& call,
                                                    const SeenKernel& kernel, const Key& key);
    std::shared_ptr<ActiveLaunch> swap(const LaunchCall& call,
                                       std::shared_ptr<ActiveLaunch> launch);

    const Options options_;
    const std::shared_ptr<Preparer> preparer_;
    const std::unique_ptr<KernelFilter> filter_;
    Driver& driver_;
    Clock& clock_;
    ImageStore& images_;

    std::atomic<std::uint64_t> matching_launches_ = 0;
    std::atomic<std::uint64_t> graph_launches_ = 0;
    std::mutex mutex_;  ///< of all below; never held while the preparer or the driver is called
    std::uint32_t reserved_ = 0;
    std::uint64_t skipped_launches_ = 0;
    bool closed_ = false;
    std::vector<std::shared_ptr<ActiveLaunch>> launches_;
    std::vector<FailedLaunch> failures_;
    CaptureResult read_early_;  ///< launches and failures of contexts that have ended
    std::set<Key> failed_;
    /// By the kernel and whether every warp of the launch has a region.
    std::map<std::pair<Key, bool>, std::shared_ptr<const PreparedKernel>> prepared_;
};

}  // namespace gwatch::capture
