#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "ptx/module.h"

// The tables that the CuTe DSL puts into a kernel annotated with its IKET functions
// (docs/iket.md).
namespace gwatch::instrument {

enum class IketKind : std::uint8_t {
    kMark,  ///< an instant
    kPush,  ///< begins a range that the next pop without a push of its own ends
    kRange  ///< begins and ends a range in turns
};

/// Types of payloads that say more than how many bits they have.
enum class IketType : std::uint32_t {
    kSigned8 = 1,
    kSigned16 = 3,
    kSigned32 = 5,
    kUnsigned32 = 6,
    kSigned64 = 7,
    kFloat32 = 13,
    kFloat64 = 14
};

struct IketEvent {
    std::string name;
    IketKind kind;
    IketType type;  ///< of the payload; also values that the enum has not
};

/// By number.
using IketTables = std::map<std::uint32_t, IketEvent>;

/// The number that every pop has, and no event of the tables.
inline constexpr std::uint32_t kIketPop = 31;

/// Nothing for a module without such tables. kInstrument for tables of a version that is not known.
Result<std::optional<IketTables>> read_iket_tables(const ptx::Module& module);

}  // namespace gwatch::instrument
