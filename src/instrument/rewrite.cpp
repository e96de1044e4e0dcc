#include "instrument/rewrite.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instrument/emit.h"
#include "instrument/launch_parameter.h"

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

    /// Text without a line end, which makes no line of its own.
    void put_inside(std::uint32_t offset, std::string text) {
        list_.push_back({offset, std::move(text)});
    }

    /// What was put in last is code of this site.
    void name_site(std::uint16_t site) {
        sites_.resize(list_.size());
        sites_.back() = site;
    }

    Rewritten print() {
        sites_.resize(list_.size());
        return {ptx::print(module_, list_), lines(), std::nullopt};
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
            if (end == line) continue;
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

using Rooms = std::vector<std::optional<ParameterRoom>>;

/// Of each function of the plan; nullopt for what reads the .const variable.
Rooms rooms_of(const ptx::Module& module, const Plan& plan) {
    Rooms rooms;
    for (const FunctionPlan& planned : plan.functions) {
        const ptx::Function& function = module.functions()[planned.function];
        rooms.push_back(function.is_entry ? room_for_parameter(module, function) : std::nullopt);
    }
    return rooms;
}

void put_entry_code(const ptx::Module& module, const FunctionPlan& planned, const EntryFacts& facts,
                    const Emitter& emitter, Insertions* insertions) {
    const ptx::Function& function = module.functions()[planned.function];
    std::string code = emitter.enter();
    if (planned.setup == ptx::kNone) code += emitter.setup(facts);
    insertions->put_behind(module.scopes()[function.body_scope].open_statement, std::move(code));
}

/// What an entry needs in front of a statement beside the records, in text order.
class EntryCode {
  public:
    EntryCode(const FunctionPlan& planned, const EntryFacts& facts, const Emitter& emitter) {
        if (planned.setup != ptx::kNone) pieces_.emplace_back(planned.setup, emitter.setup(facts));
        for (const std::uint32_t place : planned.headers)
            pieces_.emplace_back(place, emitter.header());
    }

    /// Puts in what goes in front of the statement, or of earlier ones.
    void put_up_to(std::uint32_t statement, Insertions* insertions) {
        for (; next_ < pieces_.size() && pieces_[next_].first <= statement; ++next_)
            insertions->put_in_front(pieces_[next_].first, pieces_[next_].second);
    }

  private:
    std::vector<std::pair<std::uint32_t, std::string>> pieces_;
    std::size_t next_ = 0;
};

/// Behind the body's last statement, out of the way of what runs.
void put_refills(const ptx::Module& module, const Plan& plan, const FunctionPlan& planned,
                 const EntryFacts& facts, const Emitter& emitter, Insertions* insertions) {
    const ptx::Scope& body = module.scopes()[module.functions()[planned.function].body_scope];
    std::string before = "\tret;\n";
    for (const PlannedSite& site : planned.sites) {
        std::string code = emitter.refill(site, plan.table, facts);
        if (code.empty()) continue;
        insertions->put_in_front(body.close_statement, before + code);
        insertions->name_site(site.number);
        before.clear();
    }
}

void put_function_code(const ptx::Module& module, const Plan& plan, const FunctionPlan& planned,
                       const EntryFacts& facts, const Emitter& emitter, Insertions* insertions) {
    if (module.functions()[planned.function].is_entry)
        put_entry_code(module, planned, facts, emitter, insertions);
    EntryCode entry_code(planned, facts, emitter);
    for (const PlannedSite& site : planned.sites) {
        entry_code.put_up_to(site.statement, insertions);
        insertions->put_in_front(site.statement, emitter.record(site, plan.table, facts));
        insertions->name_site(site.number);
    }
    entry_code.put_up_to(ptx::kNone, insertions);
    put_refills(module, plan, planned, facts, emitter, insertions);
}

}  // namespace

Rewritten rewrite(const ptx::Module& module, const Plan& plan, Capabilities capabilities,
                  const Options& options) {
    const Emitter emitter(module, capabilities, options);
    const Rooms rooms = rooms_of(module, plan);
    std::optional<record::ParameterPlace> parameter;
    Insertions insertions(module);
    if (std::any_of(rooms.begin(), rooms.end(), [](const auto& room) { return !room; }))
        insertions.put_behind(module.last_header_statement(), emitter.declaration());
    for (std::size_t i = 0; i < rooms.size(); ++i) {
        const FunctionPlan& planned = plan.functions[i];
        EntryFacts facts = facts_of(planned, plan.table);
        facts.has_parameter = rooms[i].has_value();
        if (rooms[i]) {
            insertions.put_inside(rooms[i]->offset, std::string(rooms[i]->before) +
                                                        emitter.parameter() +
                                                        std::string(rooms[i]->behind));
            parameter = rooms[i]->place;
        }
        put_function_code(module, plan, planned, facts, emitter, &insertions);
    }
    Rewritten rewritten = insertions.print();
    rewritten.parameter = parameter;
    return rewritten;
}

}  // namespace gwatch::instrument
