#include "fidelity/kinds.h"

#include <array>

namespace gwatch::fidelity {

namespace {

struct NamedKind {
    const char* name;
    bool waits;
};
constexpr std::array<NamedKind, kKindCount> kKinds{{
#define GWATCH_KIND(enumerator, name, waits) {name, waits},
#include "fidelity/kinds.def"
#undef GWATCH_KIND
}};

struct Rule {
    std::string_view parts;
    Kind kind;
};
constexpr Rule kSassRules[] = {
#define GWATCH_SASS(parts, kind) {parts, Kind::kind},
#include "fidelity/sass_kinds.def"
#undef GWATCH_SASS
};
constexpr Rule kPtxRules[] = {
#define GWATCH_PTX(parts, kind) {parts, Kind::kind},
#include "fidelity/ptx_kinds.def"
#undef GWATCH_PTX
};

bool leads(std::string_view parts, std::string_view opcode) {
    return opcode.starts_with(parts) &&
           (opcode.size() == parts.size() || opcode[parts.size()] == '.' ||
            opcode[parts.size()] == ':');
}

template <std::size_t size>
Kind find(const Rule (&rules)[size], std::string_view opcode) {
    for (const Rule& rule : rules) {
        if (leads(rule.parts, opcode)) return rule.kind;
    }
    return Kind::kNone;
}

/// Whether one of the parts behind the first is this one, qualified (".shared::cta") or not.
bool has_part(std::string_view opcode, std::string_view part) {
    for (std::size_t at = opcode.find('.'); at != std::string_view::npos;
         at = opcode.find('.', at + 1)) {
        if (leads(part, opcode.substr(at + 1))) return true;
    }
    return false;
}

struct SpaceKinds {
    std::string_view space;
    Kind load;
    Kind store;
};
constexpr SpaceKinds kSpaces[] = {
    {"global", Kind::kGlobalLoad, Kind::kGlobalStore},
    {"shared", Kind::kSharedLoad, Kind::kSharedStore},
    {"local", Kind::kLocalLoad, Kind::kLocalStore},
    {"param", Kind::kNone, Kind::kNone},
    {"const", Kind::kNone, Kind::kNone},
};

Kind kind_of_access(std::string_view opcode, bool is_load) {
    for (const SpaceKinds& entry : kSpaces) {
        if (has_part(opcode, entry.space)) return is_load ? entry.load : entry.store;
    }
    return is_load ? Kind::kGenericLoad : Kind::kGenericStore;
}

}  // namespace

const char* name_of(Kind kind) {
    return kind == Kind::kNone ? "" : kKinds[static_cast<std::size_t>(kind)].name;
}

bool waits(Kind kind) {
    return kind != Kind::kNone && kKinds[static_cast<std::size_t>(kind)].waits;
}

Kind kind_of_sass(std::string_view opcode) {
    return find(kSassRules, opcode);
}

Kind kind_of_ptx(std::string_view opcode) {
    const Kind kind = find(kPtxRules, opcode);
    if (kind != Kind::kNone) return kind;
    if (leads("ld", opcode)) return kind_of_access(opcode, true);
    if (leads("st", opcode)) return kind_of_access(opcode, false);
    return Kind::kNone;
}

}  // namespace gwatch::fidelity
