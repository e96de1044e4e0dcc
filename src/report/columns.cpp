#include "report/columns.h"

#include <bit>

namespace gwatch::report {

void ColumnPacker::add(std::string_view name, const std::vector<std::uint64_t>& values) {
    std::uint64_t used_bits = 0;
    for (const std::uint64_t value : values) used_bits |= value;
    const auto planes = static_cast<unsigned>((std::bit_width(used_bits) + 7) / 8);
    facts_.push_back({std::string(name), values.size(), planes});
    const std::size_t begin = bytes_.size();
    bytes_.resize(begin + planes * values.size());
    char* to = bytes_.data() + begin;
    for (unsigned plane = 0; plane < planes; ++plane) {
        for (const std::uint64_t value : values) *to++ = static_cast<char>(value >> (8 * plane));
    }
}

}  // namespace gwatch::report
