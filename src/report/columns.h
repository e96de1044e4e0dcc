#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Columns of whole numbers in the shape that deflate likes and a browser decodes without branches:
// each column as byte planes, first the lowest byte of every value, then the second of every value,
// as many planes as its largest value has bytes. src/viewer/columns.ts reads them back.
namespace gwatch::report {

/// What a reader must know of one column.
struct ColumnFacts {
    std::string name;
    std::uint64_t count;
    unsigned planes;  ///< bytes a value; 0 when all values are 0
};

/// Puts columns one behind the other.
class ColumnPacker {
  public:
    void add(std::string_view name, const std::vector<std::uint64_t>& values);

    const std::vector<ColumnFacts>& facts() const { return facts_; }
    const std::string& bytes() const { return bytes_; }

  private:
    std::vector<ColumnFacts> facts_;
    std::string bytes_;
};

/// Signed to unsigned with small results for small numbers: 0, -1, 1, -2 become 0, 1, 2, 3.
constexpr std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

}  // namespace gwatch::report
