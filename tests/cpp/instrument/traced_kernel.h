#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/plan.h"
#include "record/layout.h"
#include "simulator.h"

namespace gwatch::testing {

/// A record as the memory shows it.
struct Event {
    std::uint32_t region;
    std::uint16_t site;
    std::uint32_t mask;
    std::uint64_t clock;        ///< 48 bits
    std::uint64_t globaltimer;  ///< of an exit: all of it when hot, its low word when cold
    bool is_cold;
    std::uint64_t payload = 0;
    bool lacks_high_half = false;  ///< of its payload
};

/// A kernel_text(), and where its code goes.
struct PlacedKernel {
    ptx::Module module;
    std::uint32_t entry;  ///< index of `k` into Module::functions()
    instrument::Plan plan;
};
PlacedKernel placed_kernel(const std::string& body, const std::string& before = "",
                           const instrument::Options& options = {});

/// How much memory a simulated launch gets, and what of it is recorded.
struct Memory {
    std::uint32_t region_slots = 64;
    std::uint32_t region_count = 16;
    std::uint32_t pool_chunks = 64;
    std::uint32_t block_first = 0;
    std::uint32_t block_stride = 1;
    std::uint32_t block_count = 8;
    std::uint32_t warp_mask = 0b11;
};

/// What a simulated launch left.
struct Traced {
    std::string failure;  ///< of the simulation, or a record that breaks the layout's rules
    record::Control control{};
    std::vector<record::RegionHeader>
        headers;                       ///< of every region; globaltimer is 0 where no warp entered
    std::vector<Event> events;         ///< those of the regions, then those of the pool
    std::vector<std::uint8_t> output;  ///< what the kernel wrote to its parameter `out`

    std::vector<Event> of_region(std::uint32_t region) const;
    std::uint64_t threads_at(std::uint16_t site) const;  ///< bits in the masks of a site's records
    std::size_t cold_count() const;
};

/// Instruments a text and runs its entry, which may have one parameter `out`, with 4 KiB behind it.
class TracedKernel {
  public:
    /// All sites of entries get the placement; without one, that which the analysis gives them.
    explicit TracedKernel(
        const std::string& ptx, const std::string& entry = "k",
        std::optional<instrument::Placement> placement = instrument::Placement::kUnknown);

    const std::string& text() const { return text_; }
    const instrument::SiteTable& sites() const { return plan_.table; }
    const std::string& error() const { return error_; }
    Traced run(const Memory& layout, Simulation simulation) const;
    /// Of another traced text of the same sites.
    Traced run(const Memory& layout, Simulation simulation, const std::string& text) const;

  private:
    std::string entry_;
    std::string text_;
    std::string error_;
    instrument::Plan plan_;
};

/// A kernel with some common registers, around a body.
std::string kernel_text(const std::string& body, const std::string& before = "");

/// A marker with its carrier, on lines of its own.
std::string marker(const std::string& words);

}  // namespace gwatch::testing
