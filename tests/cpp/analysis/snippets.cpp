#include "snippets.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace gwatch::analysis {

ptx::Module parse_body(std::string_view body, std::string_view before) {
    std::string text = ".version 8.5\n.target sm_90a\n.address_size 64\n";
    text += before;
    text +=
        ".entry k(.param .u32 n)\n{\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n.reg .pred %p<10>;\n";
    text += body;
    text += "\n}\n";
    auto module = ptx::parse(std::move(text));
    if (module.ok()) return *std::move(module);
    ADD_FAILURE() << module.error().to_string();
    return *ptx::parse(".version 8.5");
}

}  // namespace gwatch::analysis
