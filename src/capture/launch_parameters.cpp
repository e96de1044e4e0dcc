#include "capture/launch_parameters.h"

#include <algorithm>
#include <cstring>

namespace gwatch::capture {

namespace {

struct PackedBuffer {
    const void* bytes = nullptr;
    std::size_t size = 0;
};

/// Keys and values in turn, up to the end mark.
PackedBuffer packed_buffer_of(void* const* extra) {
    PackedBuffer packed;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) packed.bytes = extra[1];
        if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            packed.size = *static_cast<const std::size_t*>(extra[1]);
    }
    return packed;
}

}  // namespace

void LaunchParameters::put_into(const LaunchCall& call, const record::ParameterPlace& place,
                                const record::LaunchConstants& constants) {
    constants_ = constants;
    if (call.extra && *call.extra) return pass_buffer(call, place.offset);
    if (*call.kernel_parameters || place.index == 0) pass_pointers(call, place.index);
}

void LaunchParameters::pass_pointers(const LaunchCall& call, std::size_t own_count) {
    pointers_.assign(own_count, nullptr);
    std::copy_n(*call.kernel_parameters, own_count, pointers_.begin());
    pointers_.push_back(&constants_);
    *call.kernel_parameters = pointers_.data();
}

void LaunchParameters::pass_buffer(const LaunchCall& call, std::size_t offset) {
    const PackedBuffer packed = packed_buffer_of(*call.extra);
    buffer_.assign(offset + sizeof constants_, std::byte{0});
    if (packed.bytes) std::memcpy(buffer_.data(), packed.bytes, std::min(packed.size, offset));
    std::memcpy(buffer_.data() + offset, &constants_, sizeof constants_);
    buffer_bytes_ = buffer_.size();
    extra_ = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer_.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
              &buffer_bytes_, CU_LAUNCH_PARAM_END};
    *call.extra = extra_.data();
}

}  // namespace gwatch::capture
