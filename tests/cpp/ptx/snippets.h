#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace gwatch::ptx {

/// A module header and this text: two lines in front of it.
std::string with_header(std::string_view text);

/// A module whose only entry, `k`, has this body: four lines in front of it.
std::string with_body(std::string_view body);

/// Parses what must parse; the test fails, and an empty module comes back, when it does not.
Module must_parse(std::string text);

/// The texts of all statements of a kind.
std::vector<std::string> texts_of(const Module& module, StatementKind kind);

/// The parts of the first instruction of a body.
Instruction first_instruction(const Module& module);

/// Index of the first statement that begins with this text, or kNone.
std::uint32_t find_statement(const Module& module, std::string_view beginning);

}  // namespace gwatch::ptx
