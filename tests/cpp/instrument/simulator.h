#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

// A small interpreter of PTX, so that tests can run what the instrumenter wrote. It knows the
// instructions of the injected code and a few more for kernels of tests; an unknown one is a
// failure.
namespace gwatch::testing {

/// Zeroed blocks of memory at addresses far apart: what reaches outside of one is found.
class DeviceMemory {
  public:
    /// The address of a new block.
    std::uint64_t allocate(std::size_t bytes);
    /// `bytes` bytes from an address on, or nullptr when not all of them lie in one block.
    std::uint8_t* at(std::uint64_t address, std::size_t bytes);
    /// As long as a block that begins at the address.
    void fill(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
        blocks_.at(address) = bytes;
    }
    /// The whole block that begins at an address.
    const std::vector<std::uint8_t>& block(std::uint64_t address) const {
        return blocks_.at(address);
    }

  private:
    std::map<std::uint64_t, std::vector<std::uint8_t>> blocks_;
};

enum class Schedule {
    kLowestFirst,  ///< of the lanes of a warp, all that stand at the lowest instruction go together
    kGroups,       ///< any group of lanes at the same one; it goes on to the next label
    kRandom        ///< any warp, any group of lanes that stand at the same one, or a part of it
};

/// Lanes of a warp that execute a statement of the kernel's own together, or step over its label.
struct Passing {
    std::array<std::uint32_t, 3> block;
    std::uint32_t warp;  ///< of the block
    std::uint32_t statement;
    std::uint32_t lanes;                       ///< whose guard holds
    std::uint64_t clock;                       ///< of SMs without an offset
    std::array<std::uint64_t, 32> moved = {};  ///< of a mov: what each of the lanes moves
};

struct Simulation {
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{32, 1, 1};
    Schedule schedule = Schedule::kLowestFirst;
    std::uint32_t seed = 0;
    std::uint64_t first_clock = 0;
    /// Cycles that an instruction of the kernel's own takes, more than one of the injected code.
    std::uint64_t own_cycles = 0;
    /// Cycles that a `bar` waits, one of these.
    std::vector<std::uint64_t> pauses{0};
    /// How far the clock of each SM is ahead, over and over.
    std::vector<std::uint64_t> sm_offsets{0};
    std::function<void(const Passing&)> observe;
    /// Adds to every block index that the kernel sees, for blocks of a huge grid.
    std::array<std::uint32_t, 3> first_block{0, 0, 0};
    /// %nctaid; all zero: the grid.
    std::array<std::uint32_t, 3> seen_grid{0, 0, 0};
    std::map<std::string, std::vector<std::uint8_t>, std::less<>> constants;
    std::map<std::string, std::vector<std::uint8_t>, std::less<>> parameters;
};

/// Runs an entry to its end. Returns what went wrong, with the instruction, or an empty string.
std::string simulate(const ptx::Module& module, std::string_view entry,
                     const Simulation& simulation, DeviceMemory* memory);

}  // namespace gwatch::testing
