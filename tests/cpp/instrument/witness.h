#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "instrument/instrument.h"
#include "ptx/module.h"
#include "random_kernel.h"
#include "simulator.h"

namespace gwatch::testing {

/// What a thread, or several together, did at one site; the clock was in [earliest, latest].
struct Witnessed {
    std::uint16_t site;
    std::vector<std::uint32_t> markers;  ///< indices; none for an exit
    std::uint32_t lanes;
    std::uint64_t earliest;
    std::uint64_t latest;
    std::array<std::uint64_t, 32> payloads;  ///< of each lane, if a marker has one
};

/// Keeps of a simulation, without a look at what the injected code does, which lanes of each warp
/// passed which site, and when.
class Witness {
  public:
    /// The instrumented module of a random kernel.
    Witness(const ptx::Module& module, const instrument::Instrumented& instrumented);

    void see(const Passing& passing);

    using WarpKey = std::pair<std::uint64_t, std::uint32_t>;  ///< linear block, warp
    /// In order of time. Fused markers are one, when the one with a payload is passed, or the
    /// first.
    const std::map<WarpKey, std::vector<Witnessed>>& warps() const { return warps_; }

    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::uint64_t first_clock = 0;

  private:
    struct Place {
        std::uint16_t site = 0;  ///< 0: neither a marker nor an exit
        std::uint32_t marker = ptx::kNone;
    };

    std::vector<Place> places_;                           ///< by statement
    std::vector<std::vector<std::uint32_t>> markers_of_;  ///< by the number of the site
    std::vector<std::uint32_t> recorded_;                 ///< of these the one that is witnessed
    std::map<WarpKey, std::vector<Witnessed>> warps_;
    std::map<WarpKey, std::array<std::uint64_t, 32>> last_clocks_;  ///< of the lanes' own steps
};

}  // namespace gwatch::testing
