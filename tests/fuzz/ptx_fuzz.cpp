// libFuzzer entry of the PTX parser: it never crashes, and what parses prints the same bytes.
// Corpus to start from: tests/data/ptx.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ptx/module.h"

namespace {

using namespace gwatch::ptx;

void require(bool condition) {
    if (!condition) std::abort();
}

void ask_everything(const Module& module) {
    for (std::uint32_t i = 0; i < module.statements().size(); ++i) {
        const Statement& statement = module.statements()[i];
        require(statement.first_token < statement.end_token);
        require(statement.end_token <= module.tokens().size());
        require(!module.head(statement).empty());
        if (statement.kind == StatementKind::kInstruction) {
            require(!module.instruction(statement).opcode.empty());
        }
        module.source_line(i, {"k.py"});
    }
    for (const Function& function : module.functions()) require(module.uses_name(function.name));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto module = parse(text);
    if (!module) {
        require(!module.error().message.empty());
        return 0;
    }
    require(print(*module) == text);
    ask_everything(*module);
    return 0;
}
