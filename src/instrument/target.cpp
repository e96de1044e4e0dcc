#include "instrument/target.h"

#include <charconv>
#include <string>
#include <string_view>
#include <tuple>

namespace gwatch::instrument {

namespace {

struct Version {
    int major = 0;
    int minor = 0;
    bool at_least(int wanted_major, int wanted_minor) const {
        return std::tie(major, minor) >= std::tie(wanted_major, wanted_minor);
    }
};

int number_at(std::string_view text) {
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

Version parse_version(std::string_view text) {
    const auto dot = text.find('.');
    return {number_at(text), dot == std::string_view::npos ? 0 : number_at(text.substr(dot + 1))};
}

/// 90 for sm_90a; 0 when no target of the list is an sm_ one.
int sm_number(const ptx::Module& module) {
    for (const std::string_view target : module.targets()) {
        if (target.starts_with("sm_")) return number_at(target.substr(3));
    }
    return 0;
}

bool has_32_bit_addresses(const ptx::Module& module) {
    for (const ptx::Statement& statement : module.statements()) {
        if (statement.kind != ptx::StatementKind::kDirective) break;
        if (module.head(statement) != ".address_size") continue;
        return module.text_of(module.tokens()[statement.end_token - 1]) == "32";
    }
    return false;
}

}  // namespace

Result<Capabilities> capabilities_of(const ptx::Module& module) {
    const Version version = parse_version(module.version());
    const int sm = sm_number(module);
    if (!version.at_least(3, 1) || (sm != 0 && sm < 30)) {
        return Error{ErrorKind::kInstrument,
                     "PTX " + std::string(module.version()) + " for sm_" + std::to_string(sm) +
                         " is too old to be instrumented: it has no 64-bit %globaltimer",
                     {},
                     "Compile to PTX 3.1 or newer, for sm_30 or newer."};
    }
    if (has_32_bit_addresses(module)) {
        return Error{ErrorKind::kInstrument,
                     "the module has 32-bit addresses (.address_size 32)",
                     {},
                     "Compile for 64 bits: no current GPU runs 32-bit code."};
    }
    return Capabilities{version.at_least(6, 2), version.at_least(6, 0),
                        version.at_least(7, 8) && sm >= 90};
}

}  // namespace gwatch::instrument
