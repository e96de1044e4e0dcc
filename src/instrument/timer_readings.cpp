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
          loops_(analysis::find_loops(entry.flow)),
          sites_of_(flow_.blocks.size()),
          loop_of_head_(flow_.blocks.size(), kNone),
          inner_of_(flow_.blocks.size(), kNone) {
        for (std::size_t i = 0; i < function_.sites.size(); ++i) {
            const std::uint32_t statement = function_.sites[i].statement;
            sites_of_[flow_.block_of[statement - flow_.first_statement]].push_back(i);
        }
        for (std::size_t i = 0; i < loops_.size(); ++i) loop_of_head_[loops_[i].head] = i;
        for (const Loop& loop : loops_) works_.push_back(works(loop));
    }

    void run() {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < loops_.size(); ++i) {
            const std::size_t place = place_in(i);
            if (place != kNone) places.push_back(place);
        }
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        while (!places.empty() && table_.sites.size() < kMostSites) {
            add_at(places.back());
            places.pop_back();
        }
    }

  private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    /// The first series of a loop that is in no loop inside, by its first site; kNone if there is
    /// none, or no loop inside that works.
    std::size_t place_in(std::size_t number) {
        if (!mark_inner(number)) return kNone;
        std::size_t first = kNone;
        for (const std::uint32_t block : loops_[number].blocks) {
            if (inner_of_[block] == number) continue;
            for (const std::size_t site : sites_of_[block]) {
                if (begins_series(function_.sites[site])) first = std::min(first, site);
            }
        }
        return first;
    }

    /// Notes the blocks of the loops inside that work; false if there are none.
    bool mark_inner(std::size_t number) {
        bool any = false;
        for (const std::uint32_t block : loops_[number].blocks) {
            const std::size_t inner = loop_of_head_[block];
            if (inner == kNone || inner == number || !works_[inner]) continue;
            any = true;
            for (const std::uint32_t inside : loops_[inner].blocks) inner_of_[inside] = number;
        }
        return any;
    }

    bool begins_series(const PlannedSite& planned) const {
        const Site& site = table_.sites[planned.number - 1];
        return !planned.is_exit && planned.guard.empty() && site.place == 0 &&
               site.placement == Placement::kProven;
    }

    /// False for one that only waits.
    bool works(const Loop& loop) const {
        const auto is_recorded = [this](std::uint32_t block) { return !sites_of_[block].empty(); };
        return std::any_of(loop.blocks.begin(), loop.blocks.end(), is_recorded) ||
               std::none_of(loop.blocks.begin(), loop.blocks.end(),
                            [this](std::uint32_t block) { return polls(flow_.blocks[block]); });
    }

    bool polls(const analysis::Block& block) const {
        for (auto i = block.first_operation; i < block.end_operation; ++i) {
            if (polls(entry_.program.operations[i])) return true;
        }
        return false;
    }

    bool polls(const analysis::Operation& operation) const {
        const std::string_view opcode = entry_.instruction_of(operation).opcode;
        const auto says = [&](std::string_view word) {
            return opcode.find(word) != std::string_view::npos;
        };
        return says("_wait") || says(".acquire") || says(".volatile") || says(".relaxed") ||
               opcode.starts_with("atom") || opcode.starts_with("nanosleep");
    }

    /// To the last site of the series that begins there.
    void add_at(std::size_t place) {
        const Site& first = table_.sites[function_.sites[place].number - 1];
        Site reading;
        reading.actions.push_back(
            {ActionKind::kTimer, ptx::kNone, record::PayloadKind::kUnsigned64});
        reading.placement = Placement::kProven;
        reading.source = first.source;
        reading.function = first.function;
        const std::size_t last = place + first.series - 1u;
        table_.sites.push_back(std::move(reading));
        function_.sites[last].reading = static_cast<std::uint16_t>(table_.sites.size());
    }

    const analysis::FunctionCode& entry_;
    const analysis::ControlFlow& flow_;
    FunctionPlan& function_;
    SiteTable& table_;
    const std::vector<Loop> loops_;
    std::vector<bool> works_;                         // by loop
    std::vector<std::vector<std::size_t>> sites_of_;  // of each block, as indices into the plan's
    std::vector<std::size_t> loop_of_head_;           // by block: a loop whose head it is
    std::vector<std::size_t> inner_of_;  // by block: the last loop that it was seen deeper inside
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
