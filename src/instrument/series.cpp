#include "instrument/series.h"

#include <string_view>
#include <unordered_set>

#include "instrument/opcodes.h"
#include "record/layout.h"

namespace gwatch::instrument {

namespace {

using ptx::Statement;
using ptx::StatementKind;

bool leaves_block(std::string_view opcode) {
    return opcode == "bra" || opcode == "brx" || opcode == "call" || opcode == "ret" ||
           opcode == "exit" || opcode == "trap" || opcode == "brkpt";
}

/// Until another warp or grid comes along, which may take any time.
bool waits_for_others(std::string_view opcode) {
    return opcode == "bar" || opcode == "barrier" || opcode == "griddepcontrol";
}

/// What stands between two sites.
struct Gap {
    bool parts_block = false;
    bool waits = false;
};

class SeriesFormer {
  public:
    SeriesFormer(const ptx::Module& module, SiteTable* table) : module_(module), table_(*table) {}

    void run(const FunctionPlan& function) {
        words_ =
            words_of(module_, module_.scopes()[module_.functions()[function.function].body_scope]);
        for (std::size_t first = 0, next = 0; first < function.sites.size(); first = next) {
            next = first + 1;
            while (next < function.sites.size() && next - first < record::kMaxSeriesSites &&
                   joins(function.sites[next - 1], function.sites[next])) {
                ++next;
            }
            number(function, first, next);
        }
    }

  private:
    bool joins(const PlannedSite& previous, const PlannedSite& next) {
        if (!is_proven_marker(previous) || !is_proven_marker(next)) return false;
        const Gap gap = gap_between(previous.statement, next.statement);
        table_.sites[next.number - 1].waits_before = !gap.parts_block && gap.waits;
        return !gap.parts_block;
    }

    bool is_proven_marker(const PlannedSite& planned) const {
        return !planned.is_exit && planned.guard.empty() &&
               table_.sites[planned.number - 1].placement == Placement::kProven;
    }

    Gap gap_between(std::uint32_t first, std::uint32_t end) const {
        Gap gap;
        for (std::uint32_t i = first; i < end; ++i) {
            const Statement& statement = module_.statements()[i];
            const std::string_view opcode = base_opcode(module_, statement);
            gap.waits = gap.waits || waits_for_others(opcode);
            gap.parts_block = gap.parts_block || leaves_block(opcode) ||
                              (statement.kind == StatementKind::kLabel &&
                               words_.count(module_.head(statement)) != 0);
        }
        return gap;
    }

    void number(const FunctionPlan& function, std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) {
            Site& site = table_.sites[function.sites[i].number - 1];
            site.series = static_cast<std::uint8_t>(end - first);
            site.place = static_cast<std::uint8_t>(i - first);
            if (i == first) site.waits_before = false;
        }
    }

    const ptx::Module& module_;
    SiteTable& table_;
    std::unordered_set<std::string_view> words_;
};

}  // namespace

void form_series(const ptx::Module& module, Plan* plan) {
    SeriesFormer former(module, &plan->table);
    for (const FunctionPlan& function : plan->functions) {
        if (module.functions()[function.function].is_entry) former.run(function);
    }
}

}  // namespace gwatch::instrument
