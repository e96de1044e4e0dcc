#include "instrument/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "instrument/exits.h"
#include "instrument/markers.h"
#include "instrument/reach.h"

namespace gwatch::instrument {

namespace {

using ptx::Statement;
using ptx::StatementKind;

// The files of the marker functions: their callers' lines are what a user wants to see.
const std::vector<std::string>& marker_files() {
    static const std::vector<std::string> files = {
        "gwatch/cuda/trace/triton.py",   "gwatch/cuda/xtrace/triton.py",
        "gwatch/cuda/trace/cute.py",     "gwatch/cuda/xtrace/cute.py",
        "gwatch/cuda/trace/tilelang.py", "gwatch/cuda/xtrace/tilelang.py",
        "gwatch/cuda/_markers.py",       "gwatch/cuda/trace.hpp",
    };
    return files;
}

const char* reason_for(Placement placement) {
    switch (placement) {
        case Placement::kProven:
            return "";
        case Placement::kUnknown:
        case Placement::kParted:
            return "not analysed for uniformity: the active mask decides at run time";
        case Placement::kFunction:
            return "in a device function, which shares no register with the kernel";
    }
    return "";
}

bool has_payload(const FoundMarker& marker) {
    return marker.payload.kind != record::PayloadKind::kNone;
}

/// Markers with nothing but carriers, braces, .loc and .reg between them.
class Fusion {
  public:
    explicit Fusion(const ptx::Module& module) : module_(module) {}

    bool joins(const FoundMarker& previous, const FoundMarker& next) const {
        if (has_guard(previous.carrier) || has_guard(next.carrier)) return false;
        for (std::uint32_t i = previous.carrier + 1; i < next.carrier; ++i) {
            if (!is_transparent(module_.statements()[i])) return false;
        }
        return true;
    }

  private:
    bool has_guard(std::uint32_t statement) const {
        return module_.head(module_.statements()[statement]) == "@";
    }

    bool is_transparent(const Statement& statement) const {
        if (statement.kind == StatementKind::kScopeOpen ||
            statement.kind == StatementKind::kScopeClose)
            return true;
        if (statement.kind != StatementKind::kDirective) return false;
        const std::string_view head = module_.head(statement);
        return head == ".loc" || head == ".reg";
    }

    const ptx::Module& module_;
};

class Planner {
  public:
    explicit Planner(const ptx::Module& module) : module_(module) {}

    Result<Plan> run(const std::vector<std::uint32_t>& entries) {
        for (const std::uint32_t function : reachable_functions(module_, entries)) {
            auto markers = find_markers(module_, module_.functions()[function]);
            if (!markers) return markers.error();
            markers_[function] = *std::move(markers);
        }
        for (const std::uint32_t function : reachable_functions(module_, marked(entries))) {
            add_function(function);
        }
        if (plan_.table.sites.size() > kMostSites) {
            return Error{ErrorKind::kInstrument,
                         std::to_string(plan_.table.sites.size()) +
                             " marked places; a record can tell 65534 apart",
                         {},
                         "Mark fewer places, or unroll less: every unrolled copy counts."};
        }
        return std::move(plan_);
    }

  private:
    /// Those that may pass a marker.
    std::vector<std::uint32_t> marked(const std::vector<std::uint32_t>& entries) const {
        std::vector<std::uint32_t> kept;
        for (const std::uint32_t entry : entries) {
            const auto reached = reachable_functions(module_, {entry});
            const bool is_marked =
                std::any_of(reached.begin(), reached.end(),
                            [&](std::uint32_t function) { return !markers_.at(function).empty(); });
            if (is_marked) kept.push_back(entry);
        }
        return kept;
    }

    void add_function(std::uint32_t index) {
        const ptx::Function& function = module_.functions()[index];
        const std::vector<FoundMarker>& markers = markers_.at(index);
        const auto exits = find_exits(module_, function);
        plan_.functions.push_back({index});
        auto exit = exits.begin();
        for (std::size_t begin = 0, end = 0; begin < markers.size(); begin = end) {
            end = end_of_fused(markers, begin);
            for (; exit != exits.end() && *exit < markers[begin].carrier; ++exit) add_exit(*exit);
            add_markers(markers, begin, end);
        }
        for (; exit != exits.end(); ++exit) add_exit(*exit);
        if (plan_.functions.back().sites.empty() && !function.is_entry) plan_.functions.pop_back();
    }

    /// Behind the last marker that fuses with the one at `begin`. At most one of them has a
    /// payload: their record has room for one.
    std::size_t end_of_fused(const std::vector<FoundMarker>& markers, std::size_t begin) const {
        bool any_payload = has_payload(markers[begin]);
        std::size_t end = begin + 1;
        for (; end < markers.size() && fusion_.joins(markers[end - 1], markers[end]); ++end) {
            if (any_payload && has_payload(markers[end])) break;
            any_payload = any_payload || has_payload(markers[end]);
        }
        return end;
    }

    void add_exit(std::uint32_t statement) {
        Site& site = add_site(statement, true);
        site.source = module_.source_line(statement, marker_files(), true);
        site.actions.push_back({ActionKind::kExit, ptx::kNone});
    }

    void add_markers(const std::vector<FoundMarker>& markers, std::size_t begin, std::size_t end) {
        const auto first = markers.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = markers.begin() + static_cast<std::ptrdiff_t>(end);
        const auto found = std::find_if(first, last, has_payload);
        // A value can be read in front of its own carrier.
        const FoundMarker& recorded = found == last ? *first : *found;
        Site& site = add_site(recorded.carrier, false);
        plan_.functions.back().sites.back().payload = recorded.payload;
        site.markers = static_cast<std::uint32_t>(end - begin);
        for (std::size_t i = begin; i < end; ++i) add_marker(markers[i], site);
        site.source = plan_.markers[plan_.markers.size() - site.markers].source;
    }

    Site& add_site(std::uint32_t statement, bool is_exit) {
        FunctionPlan& owner = plan_.functions.back();
        const ptx::Function& function = module_.functions()[owner.function];
        Site& site = plan_.table.sites.emplace_back();
        site.placement = function.is_entry ? Placement::kUnknown : Placement::kFunction;
        site.function = function.name;
        PlannedSite planned{static_cast<std::uint16_t>(plan_.table.sites.size()), statement,
                            is_exit};
        planned.in_inner_scope = module_.statements()[statement].scope != function.body_scope;
        if (module_.statements()[statement].kind == StatementKind::kInstruction) {
            const ptx::Instruction instruction =
                module_.instruction(module_.statements()[statement]);
            planned.guard = instruction.guard;
            planned.guard_negated = instruction.guard_negated;
        }
        owner.sites.push_back(planned);
        return site;
    }

    void add_marker(const FoundMarker& found, Site& site) {
        const Verb verb = found.text.verb;
        const ptx::SourceLine source =
            module_.source_line(found.next_statement, marker_files(), true);
        const bool first_starts = verb == Verb::kStart || verb == Verb::kMark;
        const std::uint32_t first = scope_of(found.text.scopes[0], source, first_starts);
        std::uint32_t second = ptx::kNone;
        const record::PayloadKind payload = found.payload.kind;
        if (verb == Verb::kStart) site.actions.push_back({ActionKind::kStart, first, payload});
        if (verb == Verb::kMark) site.actions.push_back({ActionKind::kMark, first, payload});
        if (verb == Verb::kEnd || verb == Verb::kSwitch)
            site.actions.push_back({ActionKind::kEnd, first});
        if (verb == Verb::kSwitch) {
            second = scope_of(found.text.scopes[1], source, true);
            site.actions.push_back({ActionKind::kStart, second});
        }
        const ptx::Function& function = module_.functions()[plan_.functions.back().function];
        const std::uint32_t line =
            module_.position(module_.tokens()[found.comment_token].offset).line;
        plan_.markers.push_back({verb, first, second, std::string(function.name), function.is_entry,
                                 line, source, site.placement, reason_for(site.placement),
                                 static_cast<std::uint16_t>(plan_.table.sites.size()), payload});
    }

    std::uint32_t scope_of(const ScopeName& name, const ptx::SourceLine& source, bool begins) {
        auto& scopes = plan_.table.scopes;
        const auto [found, is_new] = scope_numbers_.try_emplace(
            {name.name, name.id}, static_cast<std::uint32_t>(scopes.size()));
        if (is_new) scopes.push_back({name.name, name.id, {}});
        Scope& scope = scopes[found->second];
        if (begins && sourced_.insert(found->second).second) scope.source = source;
        return found->second;
    }

    const ptx::Module& module_;
    Fusion fusion_{module_};
    Plan plan_;
    std::map<std::uint32_t, std::vector<FoundMarker>> markers_;  ///< by function
    std::map<std::pair<std::string, std::int32_t>, std::uint32_t> scope_numbers_;
    std::set<std::uint32_t> sourced_;  ///< scopes whose first start or mark was seen
};

}  // namespace

Result<Plan> make_plan(const ptx::Module& module, const std::vector<std::uint32_t>& entries) {
    return Planner(module).run(entries);
}

}  // namespace gwatch::instrument
