#pragma once

#include "capture/driver.h"
#include "record/plan.h"

namespace gwatch::capture {

/// What one traced launch holds on its device. Frees it when it goes, unless abandoned.
class DeviceResources {
  public:
    DeviceResources(Driver& driver, CUcontext context) : driver_(driver), context_(context) {}
    ~DeviceResources() { release(); }
    DeviceResources(const DeviceResources&) = delete;
    DeviceResources& operator=(const DeviceResources&) = delete;

    CUcontext context() const { return context_; }

    CUstream stream = nullptr;  ///< gwatch's own: waits for no other stream
    CUmodule module = nullptr;
    CUdeviceptr memory = 0;
    CUevent launched = nullptr;  ///< recorded behind the launch

    /// Frees all, in its context.
    void release();
    /// Forgets all without freeing: the context is lost, or a graph still uses it.
    void abandon();

  private:
    Driver& driver_;
    CUcontext context_;
};

/// Reads a launch's memory over a stream.
class DeviceMemoryReader : public record::MemoryReader {
  public:
    DeviceMemoryReader(Driver& driver, CUdeviceptr memory, CUstream stream)
        : driver_(driver), memory_(memory), stream_(stream) {}
    Result<void> read(std::uint64_t offset, std::uint64_t pitch, std::uint64_t row_bytes,
                      std::uint64_t rows, void* to) override;

  private:
    Result<void> copy(CUdeviceptr from, std::uint64_t pitch, std::uint64_t row_bytes,
                      std::uint64_t rows, void* to);

    Driver& driver_;
    CUdeviceptr memory_;
    CUstream stream_;
};

}  // namespace gwatch::capture
