#include "instrument/series.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instrument/opcodes.h"
#include "instrument/site_order.h"
#include "instrument/store_schedule.h"
#include "record/layout.h"

namespace gwatch::instrument {

namespace {

using ptx::Statement;
using ptx::StatementKind;

/// Farther apart the registers that a series needs would be missed.
constexpr std::uint32_t kFarthestSite = 600;  // statements

/// Until another warp or grid comes along or gives something back (registers, tensor memory), which
/// may take any time; or for what it calls.
bool may_wait(std::string_view opcode, std::string_view base) {
    return base == "bar" || base == "barrier" || base == "griddepcontrol" || base == "call" ||
           opcode.starts_with("setmaxnreg.inc") || opcode.starts_with("tcgen05.alloc");
}

/// Until what was stored before can be seen by others, or has been read from its registers.
bool waits_for_stores(std::string_view opcode, std::string_view base) {
    return base == "fence" || base == "membar" || base == "setmaxnreg" ||
           opcode.find(".release") != std::string_view::npos ||
           opcode.find(".acq_rel") != std::string_view::npos;
}

class SeriesFormer {
  public:
    SeriesFormer(const analysis::FunctionCode& entry, FunctionPlan* function, SiteTable* table)
        : module_(entry.module),
          function_(*function),
          table_(*table),
          order_(entry.flow, *function) {
        note_labels();
    }

    void run() {
        for (std::size_t first = 0, next = 0; first < function_.sites.size(); first = next) {
            gaps_.assign(1, {});
            next = first + 1;
            while (next < function_.sites.size() && next - first < record::kMaxSeriesSites &&
                   joins(next - 1, next)) {
                ++next;
            }
            number(first, next);
        }
    }

  private:
    void note_labels() {
        const ptx::Function& function = module_.functions()[function_.function];
        const ptx::Scope& body = module_.scopes()[function.body_scope];
        for (std::uint32_t i = body.open_statement; i < body.close_statement; ++i) {
            const Statement& statement = module_.statements()[i];
            if (statement.kind == StatementKind::kLabel)
                labels_[module_.head(statement)].push_back(i);
        }
    }

    bool joins(std::size_t previous, std::size_t next) {
        const PlannedSite& first = function_.sites[previous];
        const PlannedSite& second = function_.sites[next];
        if (!may_join(first) || !may_join(second)) return false;
        if (second.statement - first.statement > kFarthestSite) return false;
        if (!order_.always_follows(static_cast<std::uint32_t>(previous),
                                   static_cast<std::uint32_t>(next)))
            return false;
        gaps_.push_back(gap_between(first.statement, second.statement));
        table_.sites[second.number - 1].waits_before = gaps_.back().waits;
        return true;
    }

    /// A value stands where the next site's clock would.
    bool may_join(const PlannedSite& planned) const {
        return !planned.is_exit && planned.guard.empty() &&
               planned.payload.kind == record::PayloadKind::kNone &&
               table_.sites[planned.number - 1].placement == Placement::kProven;
    }

    /// Of all that stands between them in the text, which may be more than what lies on the way.
    SeriesGap gap_between(std::uint32_t first, std::uint32_t end) const {
        SeriesGap gap{end - first, false, false};
        for (std::uint32_t i = first; i < end; ++i) {
            const Statement& statement = module_.statements()[i];
            const std::string_view base = base_opcode(module_, statement);
            if (base.empty()) continue;
            const ptx::Instruction instruction = module_.instruction(statement);
            gap.fences = gap.fences || waits_for_stores(instruction.opcode, base);
            gap.waits = gap.waits || may_wait(instruction.opcode, base) || base == "brx" ||
                        (base == "bra" && goes_back(instruction, i));
        }
        return gap;
    }

    /// Names of labels are not unique: scopes may have their own.
    bool goes_back(const ptx::Instruction& branch, std::uint32_t statement) const {
        if (branch.operands.empty()) return true;
        const auto found = labels_.find(branch.operands.front());
        return found == labels_.end() || found->second.front() < statement;
    }

    void number(std::size_t first, std::size_t end) {
        StoreSchedule schedule(gaps_);
        for (std::size_t i = first; i < end; ++i) {
            Site& site = table_.sites[function_.sites[i].number - 1];
            site.series = static_cast<std::uint8_t>(end - first);
            site.place = static_cast<std::uint8_t>(i - first);
            schedule.apply(i - first, &function_.sites[i]);
        }
    }

    const ptx::Module& module_;
    FunctionPlan& function_;
    SiteTable& table_;
    SiteOrder order_;
    std::unordered_map<std::string_view, std::vector<std::uint32_t>> labels_;  // statements by name
    std::vector<SeriesGap> gaps_;  // of the series so far, by site
};

}  // namespace

void form_series(const analysis::FunctionCode& entry, FunctionPlan* function, SiteTable* table) {
    SeriesFormer(entry, function, table).run();
}

}  // namespace gwatch::instrument
