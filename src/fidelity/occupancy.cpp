#include <algorithm>
#include <array>

#include "fidelity/fidelity.h"

namespace gwatch::fidelity {

namespace {

struct SmLimits {
    int compute_capability;
    int warps;
    int blocks;
    int shared_bytes;
    int reserved_bytes;
};
constexpr SmLimits kLimits[] = {
#define GWATCH_SM(capability, warps, blocks, shared, reserved) \
    {capability, warps, blocks, shared, reserved},
#include "fidelity/sm_limits.def"
#undef GWATCH_SM
};
constexpr int kRegistersPerPartition = 16384;
constexpr int kPartitions = 4;
constexpr int kRegisterUnit = 256;
constexpr int kThreadsPerWarp = 32;
constexpr int kFirstWithSmallSharedUnits = 80;

int rounded_up(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

int blocks_by_registers(int registers, int warps) {
    const int a_warp = rounded_up(registers * kThreadsPerWarp, kRegisterUnit);
    return kRegistersPerPartition / a_warp * kPartitions / warps;
}

int blocks_by_shared(const SmLimits& limits, int shared_bytes) {
    const int unit = limits.compute_capability >= kFirstWithSmallSharedUnits ? 128 : 256;
    const int a_block = rounded_up(shared_bytes + limits.reserved_bytes, unit);
    return a_block == 0 ? limits.blocks : limits.shared_bytes / a_block;
}

const SmLimits* limits_of(int compute_capability) {
    const auto found = std::find_if(
        std::begin(kLimits), std::end(kLimits),
        [&](const SmLimits& limits) { return limits.compute_capability == compute_capability; });
    return found == std::end(kLimits) ? nullptr : found;
}

}  // namespace

Occupancy occupancy(int compute_capability, const BlockNeeds& needs, int known_blocks) {
    Occupancy result;
    result.blocks_per_sm = known_blocks;
    const int warps = (static_cast<int>(needs.threads) + kThreadsPerWarp - 1) / kThreadsPerWarp;
    const SmLimits* limits = limits_of(compute_capability);
    if (limits != nullptr) result.max_warps_per_sm = limits->warps;
    if (limits != nullptr && warps > 0 && needs.registers > 0 && needs.shared_bytes >= 0) {
        struct Limit {
            const char* name;
            int blocks;
        };
        const std::array<Limit, 4> candidates{
            {{"registers", blocks_by_registers(needs.registers, warps)},
             {"shared memory", blocks_by_shared(*limits, needs.shared_bytes)},
             {"threads", limits->warps / warps},
             {"blocks", limits->blocks}}};
        const Limit& least = *std::min_element(
            candidates.begin(), candidates.end(),
            [](const Limit& left, const Limit& right) { return left.blocks < right.blocks; });
        if (known_blocks < 0) result.blocks_per_sm = least.blocks;
        // A driver that says otherwise knows a limit that is not in the table.
        if (result.blocks_per_sm == least.blocks) result.limited_by = least.name;
    }
    if (result.blocks_per_sm >= 0 && warps > 0) result.warps_per_sm = result.blocks_per_sm * warps;
    return result;
}

}  // namespace gwatch::fidelity
