#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/module.h"

namespace gwatch::testing {

struct Operand {
    enum class Kind { kRegister, kImmediate, kSpecial, kAddress, kVector, kLabel, kFunction };
    Kind kind = Kind::kImmediate;
    std::uint32_t slot = ptx::kNone;  ///< register, or base register of an address
    std::uint64_t value =
        0;  ///< immediate, offset of an address, statement of a label, index of a function
    std::string name;            ///< special register, or the variable or parameter of an address
    std::vector<Operand> parts;  ///< of a vector
};

struct Step {
    bool is_instruction = false;
    bool is_own_label = false;  ///< of the kernel, not of the injected code
    bool is_injected = false;
    std::uint32_t guard = ptx::kNone;
    bool guard_negated = false;
    std::vector<std::string> opcode;  ///< split at its dots
    std::vector<Operand> operands;
};

/// The module with all names resolved, scope by scope. Steps have the indices of statements.
class Program {
  public:
    /// What cannot be resolved stands in error().
    explicit Program(const ptx::Module& module);

    const std::vector<Step>& steps() const { return steps_; }
    std::uint32_t slots() const { return slot_count_; }
    const std::string& error() const { return error_; }
    const ptx::Module& module() const { return module_; }

  private:
    void declare(std::uint32_t statement);
    void add_step(std::uint32_t statement);
    Operand parse(std::string_view text, std::uint32_t scope);
    Operand parse_address(std::string_view text, std::uint32_t scope);
    Operand parse_number(std::string_view text);
    std::uint32_t find(const std::map<std::pair<std::uint32_t, std::string>, std::uint32_t>& names,
                       std::string_view name, std::uint32_t scope) const;

    const ptx::Module& module_;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> registers_;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> labels_;
    std::vector<Step> steps_;
    std::uint32_t slot_count_ = 0;
    std::string error_;
};

}  // namespace gwatch::testing
