#include "instrument/timer_readings.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "analysis/loops.h"
#include "instrument/opcodes.h"

namespace gwatch::instrument {

namespace {

using analysis::Loop;

class Adder {
  public:
    Adder(const analysis::FunctionCode& entry, FunctionPlan* function, SiteTable* table)
        : entry_(entry),
          flow_(entry.flow),
          function_(*function),
          table_(*table),
          loops_(analysis::find_loops(entry.flow)) {}

    void run() {
        std::vector<std::size_t> places;
        for (const Loop& loop : loops_) {
            const std::size_t place = place_in(loop);
            if (place < function_.sites.size()) places.push_back(place);
        }
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        while (!places.empty() && table_.sites.size() < kMostSites) {
            add_at(places.back());
            places.pop_back();
        }
    }

  private:
    static bool has(const Loop& loop, std::uint32_t block) {
        return std::binary_search(loop.blocks.begin(), loop.blocks.end(), block);
    }

    /// The first site of the loop that may have a reading in front of it, and is in no loop inside;
    /// the number of sites if there is none, or no loop inside that works.
    std::size_t place_in(const Loop& loop) const {
        std::vector<const Loop*> inner;
        for (const Loop& other : loops_) {
            if (other.head != loop.head && has(loop, other.head) && works(other))
                inner.push_back(&other);
        }
        if (inner.empty()) return function_.sites.size();
        const auto found =
            std::find_if(function_.sites.begin(), function_.sites.end(), [&](const auto& site) {
                const std::uint32_t block = block_of(site);
                return may_follow_reading(site) && has(loop, block) &&
                       std::none_of(inner.begin(), inner.end(),
                                    [&](const Loop* one) { return has(*one, block); });
            });
        return static_cast<std::size_t>(found - function_.sites.begin());
    }

    std::uint32_t block_of(const PlannedSite& site) const {
        return flow_.block_of[site.statement - flow_.first_statement];
    }

    /// Behind the first site of a series the record's place in the memory is taken.
    bool may_follow_reading(const PlannedSite& planned) const {
        const Site& site = table_.sites[planned.number - 1];
        return !planned.is_exit && planned.guard.empty() && site.place == 0 &&
               site.placement == Placement::kProven;
    }

    /// False for one that only waits.
    bool works(const Loop& loop) const {
        const bool is_recorded =
            std::any_of(function_.sites.begin(), function_.sites.end(),
                        [&](const PlannedSite& site) { return has(loop, block_of(site)); });
        if (is_recorded) return true;
        return std::none_of(loop.blocks.begin(), loop.blocks.end(), [this](std::uint32_t number) {
            const analysis::Block& block = flow_.blocks[number];
            for (auto i = block.first_operation; i < block.end_operation; ++i) {
                if (polls(entry_.program.operations[i])) return true;
            }
            return false;
        });
    }

    bool polls(const analysis::Operation& operation) const {
        const std::string_view opcode = entry_.instruction_of(operation).opcode;
        const auto says = [&](std::string_view word) {
            return opcode.find(word) != std::string_view::npos;
        };
        return says("_wait") || says(".acquire") || says(".volatile") || says(".relaxed") ||
               opcode.starts_with("atom") || opcode.starts_with("nanosleep");
    }

    void add_at(std::size_t place) {
        const PlannedSite& next = function_.sites[place];
        Site site;
        site.actions.push_back({ActionKind::kTimer, ptx::kNone, record::PayloadKind::kUnsigned64});
        site.placement = Placement::kProven;
        site.source = table_.sites[next.number - 1].source;
        site.function = table_.sites[next.number - 1].function;
        table_.sites.push_back(std::move(site));
        const auto number = static_cast<std::uint16_t>(table_.sites.size());
        function_.sites.insert(function_.sites.begin() + static_cast<std::ptrdiff_t>(place),
                               PlannedSite{number, next.statement, false});
    }

    const analysis::FunctionCode& entry_;
    const analysis::ControlFlow& flow_;
    FunctionPlan& function_;
    SiteTable& table_;
    const std::vector<Loop> loops_;
};

}  // namespace

void add_timer_readings(const analysis::FunctionCode& entry, FunctionPlan* function,
                        SiteTable* table) {
    const bool any_proven =
        std::any_of(function->sites.begin(), function->sites.end(), [&](const PlannedSite& site) {
            return !site.is_exit && table->sites[site.number - 1].placement == Placement::kProven;
        });
    if (any_proven) Adder(entry, function, table).run();
}

}  // namespace gwatch::instrument
