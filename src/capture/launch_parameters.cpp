#include "capture/launch_parameters.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace gwatch::capture {

namespace {

struct PackedBuffer {
    const void* bytes = nullptr;
    std::size_t size = 0;
};

/// Keys and values in turn, up to the end mark. nullopt for what the driver refuses.
std::optional<PackedBuffer> packed_buffer_of(void* const* extra) {
    PackedBuffer packed;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            packed.bytes = extra[1];
        } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1]) {
            packed.size = *static_cast<const std::size_t*>(extra[1]);
        } else {
            return std::nullopt;
        }
    }
    return packed;
}

}  // namespace

void LaunchParameters::put_into(const LaunchCall& call, const record::ParameterPlace& place,
                                const record::LaunchConstants& constants) {
    constants_ = constants;
    if (call.passes_buffer()) return pass_buffer(call, place);
    if (*call.kernel_parameters || place.index == 0) pass_pointers(call, place.index);
}

void LaunchParameters::pass_pointers(const LaunchCall& call, std::size_t own_count) {
    pointers_.assign(own_count, nullptr);
    std::copy_n(*call.kernel_parameters, own_count, pointers_.begin());
    pointers_.push_back(&constants_);
    *call.kernel_parameters = pointers_.data();
}

void LaunchParameters::pass_buffer(const LaunchCall& call, const record::ParameterPlace& place) {
    const std::optional<PackedBuffer> packed = packed_buffer_of(*call.extra);
    if (!packed || !place.is_offset_known()) return;
    const std::size_t offset = place.offset;
    const bool has_bytes = packed->bytes && packed->size != 0;
    // The last of the kernel's own ends less than an alignment of the constants in front of them.
    if (place.index != 0 && (!has_bytes || packed->size + alignof(decltype(constants_)) <= offset))
        return;
    buffer_.assign(offset + sizeof constants_, std::byte{0});
    if (has_bytes) std::memcpy(buffer_.data(), packed->bytes, std::min(packed->size, offset));
    std::memcpy(buffer_.data() + offset, &constants_, sizeof constants_);
    buffer_bytes_ = buffer_.size();
    extra_ = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer_.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
              &buffer_bytes_, CU_LAUNCH_PARAM_END};
    *call.extra = extra_.data();
}

}  // namespace gwatch::capture
