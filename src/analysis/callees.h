#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace gwatch::analysis {

/// Says which calls may not come back in every lane.
class Callees {
  public:
    explicit Callees(const ptx::Module& module);

    /// Whether lanes may end inside the callee of this call: it, or what it calls, has an `exit`,
    /// is called through a register, or is unknown.
    bool may_exit(const ptx::Instruction& call);

  private:
    enum class Answer : std::uint8_t { kNotAsked, kNo, kYes };

    bool name_may_exit(std::string_view name);
    bool function_may_exit(std::uint32_t function);
    bool body_may_exit(const ptx::Function& function);

    const ptx::Module& module_;
    std::vector<Answer> answers_;  // by function
};

}  // namespace gwatch::analysis
