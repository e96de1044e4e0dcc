#include "instrument/rewrite.h"

#include <algorithm>
#include <string_view>
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

    /// What was put in last is code of this site.
    void name_site(std::uint16_t site) {
        sites_.resize(list_.size());
        sites_.back() = site;
    }

    Rewritten print() {
        sites_.resize(list_.size());
        return {ptx::print(module_, list_), lines()};
    }

  private:
    std::vector<InsertedLines> lines() const {
        std::vector<InsertedLines> inserted;
        std::uint32_t line = 1;
        std::size_t counted = 0;
        for (std::size_t i = 0; i < list_.size(); ++i) {
            const std::string& text = list_[i].text;
            line += line_ends(module_.text().substr(counted, list_[i].offset - counted));
            counted = list_[i].offset;
            const std::uint32_t end = line + line_ends(text);
            // Text that begins a line of its own ends with the line end in front of it.
            const bool starts_inside = text.starts_with('\n');
            const bool ends_inside = !text.ends_with('\n') && is_line_end(list_[i].offset);
            inserted.push_back({sites_[i], line + starts_inside, end + ends_inside});
            line = end;
        }
        return inserted;
    }

    /// Else the last inserted line goes on with text of the original, and counts as that.
    bool is_line_end(std::uint32_t offset) const {
        const std::string_view rest = module_.text().substr(offset);
        return rest.empty() || rest.front() == '\n' || rest.front() == '\r';
    }

    static std::uint32_t line_ends(std::string_view text) {
        return static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
    }

    const ptx::Module& module_;
    std::vector<ptx::Insertion> list_;
    std::vector<std::uint16_t> sites_;  // 0 where none was named
};

}  // namespace

Rewritten rewrite(const ptx::Module& module, const Plan& plan, Capabilities capabilities,
                  const Options& options) {
    const Emitter emitter(module, capabilities, options);
    Insertions insertions(module);
    insertions.put_behind(module.last_header_statement(), emitter.declaration());
    for (const FunctionPlan& planned : plan.functions) {
        const ptx::Function& function = module.functions()[planned.function];
        const EntryFacts facts = facts_of(planned, plan.table);
        std::uint32_t setup = ptx::kNone;
        if (function.is_entry) {
            setup = planned.setup;
            std::string code = emitter.enter();
            if (setup == ptx::kNone) code += emitter.setup(facts);
            insertions.put_behind(module.scopes()[function.body_scope].open_statement,
                                  std::move(code));
        }
        for (const PlannedSite& site : planned.sites) {
            if (setup <= site.statement) {
                insertions.put_in_front(setup, emitter.setup(facts));
                setup = ptx::kNone;
            }
            insertions.put_in_front(site.statement, emitter.record(site, plan.table, facts));
            insertions.name_site(site.number);
        }
        if (setup != ptx::kNone) insertions.put_in_front(setup, emitter.setup(facts));
    }
    return insertions.print();
}

}  // namespace gwatch::instrument
