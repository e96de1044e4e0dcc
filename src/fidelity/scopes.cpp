#include "fidelity/scopes.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace gwatch::fidelity {

namespace {

using instrument::Action;
using instrument::ActionKind;
using instrument::SiteTable;

/// What a site does to one scope, taken together with what is fused into it.
struct Boundary {
    bool starts = false;  ///< the scope is open behind it
    bool ends = false;    ///< a scope that was open in front of it ends
};

Boundary boundary_of(const instrument::Site& site, std::uint32_t scope) {
    Boundary boundary;
    bool is_first = true;
    for (const Action& action : site.actions) {
        const bool concerns = action.kind == ActionKind::kStart || action.kind == ActionKind::kEnd;
        if (!concerns || action.scope != scope) continue;
        if (is_first) boundary.ends = action.kind == ActionKind::kEnd;
        boundary.starts = action.kind == ActionKind::kStart;
        is_first = false;
    }
    return boundary;
}

/// By site number; 0 is no site.
std::vector<Boundary> boundaries_of(const SiteTable& sites, std::uint32_t scope) {
    std::vector<Boundary> boundaries(1);
    for (const instrument::Site& site : sites.sites) boundaries.push_back(boundary_of(site, scope));
    return boundaries;
}

/// The steps that may run while the scope is open, and the timer reads around them.
struct Region {
    std::vector<bool> inside;
    std::uint32_t starts = 0;
    std::uint32_t ends = 0;  ///< that a way from a start meets
};

Region region_of(const Code& code, const std::vector<Boundary>& boundaries) {
    Region region;
    region.inside.resize(code.steps.size());
    std::vector<std::uint32_t> waiting;
    const auto follow = [&](const Step& step) {
        waiting.insert(waiting.end(), step.next.begin(), step.next.end());
    };
    for (const Step& step : code.steps) {
        if (!boundaries[step.clock_site].starts) continue;
        ++region.starts;
        follow(step);
    }
    while (!waiting.empty()) {
        const std::uint32_t at = waiting.back();
        waiting.pop_back();
        if (region.inside[at]) continue;
        region.inside[at] = true;
        const Step& step = code.steps[at];
        if (boundaries[step.clock_site].ends) {
            ++region.ends;
        } else {
            follow(step);
        }
    }
    return region;
}

/// What is known of one line of PTX that is no code of gwatch's.
struct PtxLine {
    Kind kind = Kind::kNone;
    bool is_inside = false;
};

class ScopeComparison {
  public:
    ScopeComparison(const ptx::Module& module, const Code& ptx, const Code& sass,
                    const OwnLines& own)
        : module_(module), ptx_(ptx), sass_(sass), own_(own) {
        for (const Step& step : sass.steps) has_machine_code_[step.line] = true;
        for (const ptx::Statement& statement : module.statements()) {
            if (statement.kind != ptx::StatementKind::kInstruction) continue;
            const auto index = static_cast<std::uint32_t>(&statement - module.statements().data());
            statement_of_[module.position(module.begin_of(statement)).line] = index;
        }
    }

    ScopeCheck check(std::uint32_t scope, const std::vector<Boundary>& boundaries) {
        ScopeCheck check;
        check.scope = scope;
        const Region ptx = region_of(ptx_, boundaries);
        const Region sass = region_of(sass_, boundaries);
        check.start_reads = sass.starts;
        check.end_reads = sass.ends;
        check.unknown = why_unknown(ptx, sass);
        if (!check.unknown.empty()) return check;
        counts_ = {};
        lines_.clear();
        movements_.clear();
        count_ptx(ptx);
        count_sass(sass);
        for (std::size_t i = 0; i < kKindCount; ++i) {
            const KindCount& count = counts_[i];
            if (count.ptx + count.sass + count.moved_out == 0) continue;
            check.counts.push_back(count);
            check.counts.back().kind = name_of(static_cast<Kind>(i));
            check.counts.back().waits = waits(static_cast<Kind>(i));
        }
        for (auto& [key, movement] : movements_) check.movements.push_back(std::move(movement));
        return check;
    }

  private:
    static std::string why_unknown(const Region& ptx, const Region& sass) {
        if (ptx.starts == 0 || sass.starts == 0) {
            return "no timer read in the machine code is known to start it";
        }
        if (ptx.ends == 0 || sass.ends == 0) {
            return "no timer read that ends it is met behind one that starts it: it ends in "
                   "another function, or never";
        }
        return {};
    }

    KindCount& count_of(Kind kind) { return counts_[static_cast<std::size_t>(kind)]; }

    void count_ptx(const Region& region) {
        for (std::size_t i = 0; i < ptx_.steps.size(); ++i) {
            const Step& step = ptx_.steps[i];
            if (step.is_own) continue;
            // Several statements may stand in one line: the key one, and the one inside, count.
            PtxLine& line = lines_[step.line];
            if (line.kind == Kind::kNone) line.kind = step.kind;
            line.is_inside = line.is_inside || region.inside[i];
            if (step.kind == Kind::kNone || !region.inside[i]) continue;
            ++count_of(step.kind).ptx;
            if (!has_machine_code_.contains(step.line)) ++count_of(step.kind).gone;
        }
    }

    void count_sass(const Region& region) {
        for (std::size_t i = 0; i < sass_.steps.size(); ++i) {
            const Step& step = sass_.steps[i];
            if (step.is_own || step.kind == Kind::kNone) continue;
            const auto found = lines_.find(step.line);
            const bool is_key = found != lines_.end() && found->second.kind != Kind::kNone;
            const bool was_inside = found != lines_.end() && found->second.is_inside;
            const bool is_inside = region.inside[i];
            KindCount& count = count_of(step.kind);
            count.sass += is_inside;
            count.added += is_inside && !is_key;
            if (!is_key || was_inside == is_inside) continue;
            ++(is_inside ? count.moved_in : count.moved_out);
            note(step, is_inside);
        }
    }

    void note(const Step& step, bool into) {
        Movement& movement = movements_[{step.line, into, step.opcode}];
        if (++movement.count > 1) return;
        movement.kind = name_of(step.kind);
        movement.opcode = step.opcode;
        movement.into = into;
        movement.ptx_line = own_.original(step.line);
        const ptx::SourceLine source = module_.source_line(statement_of_.at(step.line));
        movement.file = source.file;
        movement.line = source.line;
    }

    const ptx::Module& module_;
    const Code& ptx_;
    const Code& sass_;
    const OwnLines& own_;
    std::map<std::uint32_t, bool> has_machine_code_;
    std::map<std::uint32_t, std::uint32_t> statement_of_;  ///< by line: its last instruction

    // Of the scope that is being checked.
    std::array<KindCount, kKindCount> counts_;
    std::map<std::uint32_t, PtxLine> lines_;
    std::map<std::tuple<std::uint32_t, bool, std::string_view>, Movement> movements_;
};

}  // namespace

std::vector<ScopeCheck> check_scopes(const ptx::Module& module, const Code& ptx, const Code& sass,
                                     const SiteTable& sites, const OwnLines& own) {
    std::vector<ScopeCheck> checks;
    ScopeComparison comparison(module, ptx, sass, own);
    for (std::uint32_t scope = 0; scope < sites.scopes.size(); ++scope) {
        const std::vector<Boundary> boundaries = boundaries_of(sites, scope);
        const bool has_start = std::any_of(boundaries.begin(), boundaries.end(),
                                           [](const Boundary& at) { return at.starts; });
        if (has_start) checks.push_back(comparison.check(scope, boundaries));
    }
    return checks;
}

}  // namespace gwatch::fidelity
