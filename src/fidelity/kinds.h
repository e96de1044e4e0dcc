#pragma once

#include <cstdint>
#include <string_view>

namespace gwatch::fidelity {

/// Kinds of key instructions: kinds.def.
enum class Kind : std::uint8_t {
#define GWATCH_KIND(enumerator, name, waits) enumerator,
#include "fidelity/kinds.def"
#undef GWATCH_KIND
    kNone  ///< no key instruction
};
inline constexpr std::size_t kKindCount = static_cast<std::size_t>(Kind::kNone);

const char* name_of(Kind kind);
/// Whether the warp waits at it for what it names; else only its issue takes time.
bool waits(Kind kind);

/// Of a machine opcode with its suffixes: "LDG.E.128".
Kind kind_of_sass(std::string_view opcode);
/// Of a PTX opcode with its suffixes: "ld.volatile.global.u32".
Kind kind_of_ptx(std::string_view opcode);

}  // namespace gwatch::fidelity
