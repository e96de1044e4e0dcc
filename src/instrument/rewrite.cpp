#include "instrument/rewrite.h"

#include <utility>
#include <vector>

#include "instrument/emit.h"

namespace gwatch::instrument {

namespace {

/// Insertions of whole lines in front of statements, and behind some.
class Insertions {
  public:
    explicit Insertions(const ptx::Module& module) : module_(module) {}

    void put_behind(std::uint32_t statement, std::string lines) {
        lines.pop_back();
        list_.push_back(
            {module_.end_of(module_.statements()[statement]), lines.insert(0, 1, '\n')});
    }

    /// On lines of its own if nothing but blanks stands in front of the statement in its line.
    void put_in_front(std::uint32_t statement, std::string lines) {
        const std::uint32_t begin = module_.begin_of(module_.statements()[statement]);
        std::uint32_t line = begin;
        while (line > 0 && (module_.text()[line - 1] == ' ' || module_.text()[line - 1] == '\t'))
            --line;
        const bool is_first =
            line == 0 || module_.text()[line - 1] == '\n' || module_.text()[line - 1] == '\r';
        if (!is_first) lines.insert(0, 1, '\n');
        list_.push_back({is_first ? line : begin, std::move(lines)});
    }

    std::string print() { return ptx::print(module_, list_); }

  private:
    const ptx::Module& module_;
    std::vector<ptx::Insertion> list_;
};

}  // namespace

std::string rewrite(const ptx::Module& module, const Plan& plan, Capabilities capabilities) {
    const Emitter emitter(module, capabilities);
    Insertions insertions(module);
    insertions.put_behind(module.last_header_statement(), emitter.declaration());
    for (const FunctionPlan& planned : plan.functions) {
        const ptx::Function& function = module.functions()[planned.function];
        const Overflow overflow = overflow_of(planned, plan.table);
        if (function.is_entry) {
            insertions.put_behind(module.scopes()[function.body_scope].open_statement,
                                  emitter.prologue(overflow));
        }
        for (const PlannedSite& site : planned.sites) {
            insertions.put_in_front(
                site.statement, emitter.record(site, plan.table.sites[site.number - 1], overflow));
        }
    }
    return insertions.print();
}

}  // namespace gwatch::instrument
