#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fidelity/kinds.h"
#include "instrument/instrument.h"

namespace gwatch::fidelity {

/// Which lines of an instrumented text are gwatch's own, and of which site.
class OwnLines {
  public:
    explicit OwnLines(const std::vector<instrument::InsertedLines>& inserted)
        : inserted_(inserted) {}

    bool contains(std::uint32_t line) const { return find(line) != nullptr; }
    /// The site whose code the line is; 0 for none.
    std::uint16_t site_of(std::uint32_t line) const {
        const instrument::InsertedLines* own = find(line);
        return own ? own->site : std::uint16_t{0};
    }
    /// The line of the original text that is now at `line`.
    std::uint32_t original(std::uint32_t line) const;

  private:
    const instrument::InsertedLines* find(std::uint32_t line) const;

    const std::vector<instrument::InsertedLines>& inserted_;
};

/// An instruction of PTX or of the machine, as far as the comparison looks at it.
struct Step {
    std::uint32_t line = 0;  ///< in the instrumented text; 0: unknown
    Kind kind = Kind::kNone;
    bool is_own = false;           ///< gwatch's code
    std::uint16_t clock_site = 0;  ///< it reads the timer for this site; 0: it does not
    std::string_view opcode;
    std::vector<std::uint32_t> next;  ///< steps that may follow
};

/// The kernel's code, in text order.
struct Code {
    std::vector<Step> steps;
    std::string unknown;  ///< why the ways through it cannot be told; else empty
};

/// The code of the instrumented text's functions. `module` is it, parsed, and must outlive the
/// code.
Code read_ptx(const ptx::Module& module, std::string_view entry, const OwnLines& own);

/// The code of one kernel's section, which must outlive it.
struct Section;
Code read_sass(const Section& section, const OwnLines& own);

}  // namespace gwatch::fidelity
