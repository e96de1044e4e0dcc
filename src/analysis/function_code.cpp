#include "analysis/function_code.h"

#include <utility>

#include "analysis/special_registers.h"

namespace gwatch::analysis {

FunctionCode read_function(const ptx::Module& module, const ptx::Function& function,
                           const LaunchShape& shape) {
    Program program = read_program(module, function, complete_shape(module, function, shape));
    ControlFlow flow = build_control_flow(module, program);
    return {module, std::move(program), std::move(flow)};
}

}  // namespace gwatch::analysis
