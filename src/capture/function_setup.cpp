#include "capture/function_setup.h"

#include <array>

namespace gwatch::capture {

namespace {

constexpr std::array kCopiedAttributes{
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
    CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
};
constexpr std::uint64_t kPortableClusterBlocks = 8;

std::uint64_t volume(const record::Dim3& size) {
    return std::uint64_t{size[0]} * size[1] * size[2];
}

}  // namespace

std::optional<int> FunctionSetup::attribute(CUfunction function, CUfunction_attribute which) {
    int value = 0;
    if (driver_.function_get_attribute(&value, which, function) != CUDA_SUCCESS)
        return std::nullopt;
    return value;
}

FunctionFacts FunctionSetup::facts_of(CUfunction function) {
    return {attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS).value_or(-1),
            attribute(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES).value_or(-1),
            attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES).value_or(-1),
            blocks_or_unknown(function)};
}

Result<void> FunctionSetup::set_attribute(CUfunction_attribute which, int value) {
    return check(driver_, driver_.function_set_attribute(traced_, which, value),
                 "cuFuncSetAttribute",
                 "to set attribute " + std::to_string(which) + " of the traced build of kernel " +
                     info_.kernel + " to " + std::to_string(value));
}

Result<void> FunctionSetup::raise_attribute(CUfunction_attribute which, std::uint64_t least) {
    const int value = attribute(traced_, which).value_or(0);
    if (value >= 0 && static_cast<std::uint64_t>(value) >= least) return {};
    return set_attribute(which, static_cast<int>(least));
}

Result<void> FunctionSetup::copy_attributes() {
    for (const CUfunction_attribute which : kCopiedAttributes) {
        const std::optional<int> wanted = attribute(original_, which);
        if (!wanted || wanted == attribute(traced_, which)) continue;
        if (Result<void> set = set_attribute(which, *wanted); !set.ok()) return set;
    }
    Result<void> raised = raise_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          call_.dynamic_shared_bytes);
    if (!raised.ok() || volume(info_.cluster) <= kPortableClusterBlocks) return raised;
    return raise_attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
}

Result<int> FunctionSetup::blocks_per_sm(CUfunction function) {
    int blocks = 0;
    const CUresult code = driver_.blocks_per_sm(
        &blocks, function, static_cast<int>(volume(call_.block)), call_.dynamic_shared_bytes);
    Result<void> known = check(driver_, code, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                               "to see whether a block of kernel " + info_.kernel + " fits");
    if (!known.ok()) return known.error();
    return blocks;
}

int FunctionSetup::blocks_or_unknown(CUfunction function) {
    const Result<int> blocks = blocks_per_sm(function);
    return blocks.ok() ? *blocks : -1;
}

Result<void> FunctionSetup::check_fit() {
    const Result<int> traced = blocks_per_sm(traced_);
    if (!traced.ok()) return traced.error();
    const std::uint64_t blocks = call_.cooperative ? volume(info_.grid) : 1;
    const std::uint64_t sms = call_.cooperative ? info_.sm_count : 1;
    if (*traced * sms >= blocks) return {};
    const Result<int> original = blocks_per_sm(original_);
    if (!original.ok()) return original.error();
    if (*original <= *traced) return {};
    return misfit(*original, *traced);
}

Error FunctionSetup::misfit(int original, int traced) {
    return {ErrorKind::kCapture,
            "the traced build of kernel " + info_.kernel +
                " needs too much of an SM: " + std::to_string(traced) + " blocks fit, and " +
                std::to_string(original) + " of the original",
            "registers a thread: " + std::to_string(traced_facts().registers) + ", original " +
                std::to_string(original_facts().registers),
            "Use fewer markers, or smaller blocks."};
}

}  // namespace gwatch::capture
