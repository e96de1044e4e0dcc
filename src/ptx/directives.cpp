#include "ptx/directives.h"

#include <utility>

namespace gwatch::ptx {

Extent extent_of(std::string_view directive) {
    static constexpr std::pair<std::string_view, Extent> kExtents[] = {
#define GWATCH_PTX_DIRECTIVE(word, extent) {word, Extent::extent},
#include "ptx/directives.def"
#undef GWATCH_PTX_DIRECTIVE
    };
    for (const auto& [word, extent] : kExtents) {
        if (word == directive) return extent;
    }
    return Extent::kSemicolon;
}

}  // namespace gwatch::ptx
