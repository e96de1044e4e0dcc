#include "analysis/uniformity.h"

#include "analysis/function_code.h"
#include "analysis/lane_selection.h"
#include "analysis/solver.h"

namespace gwatch::analysis {

using ptx::kNone;

/// Keeps of a solution what the verdicts need.
class UniformityBuilder {
  public:
    static Uniformity build(const Program& program, const ControlFlow& flow, const Solver& solver) {
        Uniformity uniformity;
        uniformity.first_statement_ = flow.first_statement;
        uniformity.causes_ = solver.causes();
        uniformity.origins_ = solver.origins();
        uniformity.registers_ = program.registers;
        for (const std::uint32_t block : flow.block_of) {
            uniformity.cause_of_.push_back(solver.cause_of_block(block));
        }
        add_guards(program, solver, uniformity);
        const LaneSelection selection(program, solver);
        for (Cause& cause : uniformity.causes_) {
            cause.selects_lanes = cause.by != kNone && selection.decides(cause.by);
        }
        return uniformity;
    }

  private:
    static void add_guards(const Program& program, const Solver& solver, Uniformity& uniformity) {
        for (const Operation& operation : program.operations) {
            if (operation.guard == kNone || !solver.varies(operation.guard)) continue;
            std::uint32_t& cause =
                uniformity.cause_of_[operation.statement - uniformity.first_statement_];
            if (cause != kNone) continue;
            cause = static_cast<std::uint32_t>(uniformity.causes_.size());
            uniformity.causes_.push_back({operation.statement, operation.guard});
        }
    }
};

Uniformity analyze(const FunctionCode& entry) {
    Solver solver(entry.program, entry.flow);
    solver.run();
    return UniformityBuilder::build(entry.program, entry.flow, solver);
}

Uniformity analyze(const ptx::Module& module, const ptx::Function& entry,
                   const LaunchShape& shape) {
    return analyze(read_function(module, entry, shape));
}

}  // namespace gwatch::analysis
