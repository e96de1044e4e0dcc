#include "capture/device_resources.h"

#include "capture/guards.h"

namespace gwatch::capture {

namespace {

/// CU_DEVICE_ATTRIBUTE_MAX_PITCH of every device so far.
constexpr std::uint64_t kMaxPitch = 0x7fffffff;

}  // namespace

void DeviceResources::release() {
    if (!stream && !module && !memory && !launched) return;
    const RelaxedStreamCapture relaxed(driver_);
    const CurrentContext current(driver_, context_);
    if (memory) driver_.memory_free(memory);
    if (module) driver_.module_unload(module);
    if (launched) driver_.event_destroy(launched);
    if (stream) driver_.stream_destroy(stream);
    abandon();
}

void DeviceResources::abandon() {
    stream = nullptr;
    module = nullptr;
    memory = 0;
    launched = nullptr;
}

Result<void> DeviceMemoryReader::copy(CUdeviceptr from, std::uint64_t pitch,
                                      std::uint64_t row_bytes, std::uint64_t rows, void* to) {
    const std::string purpose =
        "to read " + std::to_string(rows) + " x " + std::to_string(row_bytes) + " bytes of records";
    if (rows == 1 || pitch == row_bytes) {
        return check(driver_, driver_.copy_to_host(to, from, row_bytes * rows, stream_),
                     "cuMemcpyDtoHAsync_v2", purpose);
    }
    CUDA_MEMCPY2D rectangle{};
    rectangle.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    rectangle.srcDevice = from;
    rectangle.srcPitch = pitch;
    rectangle.dstMemoryType = CU_MEMORYTYPE_HOST;
    rectangle.dstHost = to;
    rectangle.dstPitch = row_bytes;
    rectangle.WidthInBytes = row_bytes;
    rectangle.Height = rows;
    return check(driver_, driver_.copy_rows(&rectangle, stream_), "cuMemcpy2DAsync_v2", purpose);
}

Result<void> DeviceMemoryReader::read(std::uint64_t offset, std::uint64_t pitch,
                                      std::uint64_t row_bytes, std::uint64_t rows, void* to) {
    if (row_bytes == 0 || rows == 0) return {};
    const std::uint64_t rows_at_once = pitch > kMaxPitch ? 1 : rows;
    for (std::uint64_t row = 0; row < rows; row += rows_at_once) {
        Result<void> copied = copy(memory_ + offset + row * pitch, pitch, row_bytes, rows_at_once,
                                   static_cast<char*>(to) + row * row_bytes);
        if (!copied.ok()) return copied;
    }
    return check(driver_, driver_.stream_synchronize(stream_), "cuStreamSynchronize",
                 "to wait for records");
}

}  // namespace gwatch::capture
