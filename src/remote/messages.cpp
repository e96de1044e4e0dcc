#include "remote/messages.h"

#include <type_traits>
#include <utility>

// The fields of each class, for Writer and Reader alike. A structured binding names them all, so a
// new one cannot be forgotten. In the classes' namespaces, where a call finds them.

namespace gwatch {

template <class Archive, class Self>
    requires std::is_same_v<std::remove_const_t<Self>, Error>
void fields(Archive& archive, Self& self) {
    auto& [kind, message, detail, hint] = self;
    archive(kind, message, detail, hint);
}

namespace record {

template <class Archive, class Self>
    requires std::is_same_v<std::remove_const_t<Self>, RawRecords>
void fields(Archive& archive, Self& self) {
    auto& [plan, grid, block, control, region_slots, slots, pool] = self;
    archive(plan, grid, block, control, region_slots, slots, pool);
}

}  // namespace record

namespace capture {

template <class Archive, class Self>
    requires std::is_same_v<std::remove_const_t<Self>, LaunchInfo>
void fields(Archive& archive, Self& self) {
    auto& [kernel, demangled, function, resolved, context, device, device_name, sm_count,
           capability, max_clock_khz, grid, block, cluster, shared_bytes, stream, in_capture,
           every_warp, image] = self;
    archive(kernel, demangled, function, resolved, context, device, device_name, sm_count,
            capability, max_clock_khz, grid, block, cluster, shared_bytes, stream, in_capture,
            every_warp, image);
}

template <class Archive, class Self>
    requires std::is_same_v<std::remove_const_t<Self>, PreparedKernel>
void fields(Archive& archive, Self& self) {
    auto& [image, uses_lane_cursors, token, variables, grid_counts_clusters, parameter] = self;
    archive(image, uses_lane_cursors, token, variables, grid_counts_clusters, parameter);
}

template <class Archive, class Self>
    requires std::is_same_v<std::remove_const_t<Self>, Options>
void fields(Archive& archive, Self& self) {
    auto& [pattern, max_launches, buffer_bytes, warp_mask, blocks] = self;
    archive(pattern, max_launches, buffer_bytes, warp_mask, blocks.first, blocks.stride,
            blocks.count);
}

template <class Archive, class Self>
    requires std::is_same_v<std::remove_const_t<Self>, TracedLaunch>
void fields(Archive& archive, Self& self) {
    auto& [info, token, records, original, traced, seconds] = self;
    archive(info, token, records, original, traced, seconds);
}

template <class Archive, class Self>
    requires std::is_same_v<std::remove_const_t<Self>, FailedLaunch>
void fields(Archive& archive, Self& self) {
    auto& [kernel, error] = self;
    archive(kernel, error);
}

template <class Archive, class Self>
    requires std::is_same_v<std::remove_const_t<Self>, CaptureResult>
void fields(Archive& archive, Self& self) {
    auto& [launches, failures, seen, matching, skipped, graphs] = self;
    archive(launches, failures, seen, matching, skipped, graphs);
}

}  // namespace capture

namespace remote {

template <class Archive, class Self>
    requires std::is_same_v<std::remove_const_t<Self>, Hello>
void fields(Archive& archive, Self& self) {
    auto& [process_id, program] = self;
    archive(process_id, program);
}

template <class Archive, class Self>
    requires std::is_same_v<std::remove_const_t<Self>, Orders>
void fields(Archive& archive, Self& self) {
    auto& [options, cupti_paths] = self;
    archive(options, cupti_paths);
}

}  // namespace remote
}  // namespace gwatch

#include "remote/archive.h"

namespace gwatch::remote {

namespace {

/// Stands before every message; changes with the layout of what is sent as it lies in memory.
constexpr std::uint64_t kBuild =
    (std::uint64_t{2} << 32) | (sizeof(record::Plan) << 16) | sizeof(capture::FunctionFacts);

Error unreadable() {
    return {ErrorKind::kCapture,
            "a message between gwatch and the traced program cannot be read",
            {},
            "Both must be of one installation: install gwatch again."};
}

template <class Value>
std::string written(const Value& value) {
    Writer writer;
    writer(kBuild, value);
    return writer.take();
}

template <class... Values>
std::string written(const std::variant<Values...>& value) {
    Writer writer;
    writer(kBuild, std::uint64_t{value.index()});
    std::visit([&](const auto& held) { writer(held); }, value);
    return writer.take();
}

template <class Value>
Result<Value> read_as(std::string_view bytes) {
    std::uint64_t build = 0;
    Value value{};
    Reader reader(bytes);
    reader(build, value);
    if (build != kBuild || !reader.is_complete()) return unreadable();
    return value;
}

/// Reads the alternative of this number into a variant.
template <class Variant, std::size_t Index = 0>
bool read_alternative(std::uint64_t index, Reader& reader, Variant* variant) {
    if constexpr (Index < std::variant_size_v<Variant>) {
        if (index != Index) return read_alternative<Variant, Index + 1>(index, reader, variant);
        reader(variant->template emplace<Index>());
        return reader.is_complete();
    } else {
        return false;
    }
}

template <class Variant>
Result<Variant> read_variant(std::string_view bytes) {
    std::uint64_t build = 0;
    std::uint64_t index = 0;
    Reader reader(bytes);
    reader(build, index);
    Variant variant;
    if (build != kBuild || !read_alternative(index, reader, &variant)) return unreadable();
    return variant;
}

}  // namespace

std::string to_bytes(const Message& message) {
    return written(message);
}
std::string to_bytes(const Orders& orders) {
    return written(orders);
}
std::string to_bytes(const Answer& answer) {
    return written(answer);
}

Result<Message> message_from(std::string_view bytes) {
    return read_variant<Message>(bytes);
}
Result<Orders> orders_from(std::string_view bytes) {
    return read_as<Orders>(bytes);
}
Result<Answer> answer_from(std::string_view bytes) {
    return read_variant<Answer>(bytes);
}

}  // namespace gwatch::remote
