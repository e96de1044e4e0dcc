#include "fidelity/scopes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "fidelity/regions.h"

namespace gwatch::fidelity {

namespace {

std::size_t index_of(Kind kind) {
    return static_cast<std::size_t>(kind);
}

/// Whether a machine instruction of one kind may be what became of a PTX one of another: the
/// assembler finds out what space a generic address is in.
bool may_become(Kind ptx, Kind sass) {
    switch (ptx) {
        case Kind::kGenericLoad:
            return sass == Kind::kGlobalLoad || sass == Kind::kSharedLoad ||
                   sass == Kind::kLocalLoad || sass == ptx;
        case Kind::kGenericStore:
            return sass == Kind::kGlobalStore || sass == Kind::kSharedStore ||
                   sass == Kind::kLocalStore || sass == ptx;
        default:
            return sass == ptx;
    }
}

/// How machine instructions of one kind are told to be those of PTX statements.
enum class Match : std::uint8_t {
    kByLine,   ///< by the line information
    kByCount,  ///< it lacks some, yet there are as many of one as of the other
    kUnknown
};

/// The kernel's key instructions, PTX and machine, and which belong together. The line table of
/// ptxas has no row for some instructions (wgmma): they seem to be of a statement in front.
class Pairing {
  public:
    Pairing(const Code& ptx, const Code& sass) {
        std::array<std::uint32_t, kKindCount> statements{};
        std::array<std::uint32_t, kKindCount> machine{};
        std::array<std::uint32_t, kKindCount> unlined{};
        for (const Step& step : ptx.steps) {
            if (step.kind == Kind::kNone) continue;
            kinds_[step.line] = step.kind;
            if (!step.is_own) ++statements[index_of(step.kind)];
        }
        for (const Step& step : sass.steps) {
            if (step.kind == Kind::kNone || is_own(step)) continue;
            ++machine[index_of(step.kind)];
            if (has_line(step)) {
                used_.insert(step.line);
            } else {
                ++unlined[index_of(step.kind)];
            }
        }
        for (std::size_t i = 0; i < kKindCount; ++i) {
            const bool has_gone = std::any_of(
                ptx.steps.begin(), ptx.steps.end(),
                [&](const Step& step) { return index_of(step.kind) == i && is_gone(step); });
            if (!has_gone || unlined[i] == 0) continue;
            match_[i] = statements[i] == machine[i] ? Match::kByCount : Match::kUnknown;
        }
    }

    Match match(Kind kind) const { return match_[index_of(kind)]; }

    /// A machine instruction of gwatch's code.
    bool is_own(const Step& sass) const { return sass.is_own && has_line(sass); }
    /// A machine instruction whose line is that of a statement of its kind.
    bool has_line(const Step& sass) const {
        const auto found = kinds_.find(sass.line);
        return found != kinds_.end() && may_become(found->second, sass.kind);
    }
    /// A statement of PTX that no machine instruction is known to come from.
    bool is_gone(const Step& ptx) const { return !ptx.is_own && !used_.contains(ptx.line); }

  private:
    std::unordered_map<std::uint32_t, Kind> kinds_;  ///< of the statement in a line
    std::set<std::uint32_t> used_;                   ///< lines that machine instructions have
    std::array<Match, kKindCount> match_{};
};

class ScopeComparison {
  public:
    ScopeComparison(const ptx::Module& module, const Code& ptx, const Code& sass,
                    const OwnLines& own)
        : module_(module), ptx_(ptx), sass_(sass), own_(own), pairing_(ptx, sass) {
        for (std::uint32_t i = 0; i < module.statements().size(); ++i) {
            const ptx::Statement& statement = module.statements()[i];
            if (statement.kind != ptx::StatementKind::kInstruction) continue;
            statement_of_[module.position(module.begin_of(statement)).line] = i;
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
        lines_inside_.clear();
        movements_.clear();
        count_ptx(ptx);
        count_sass(sass);
        fill_counts(&check);
        for (auto& [key, movement] : movements_) check.movements.push_back(std::move(movement));
        return check;
    }

  private:
    static std::string why_unknown(const Region& ptx, const Region& sass) {
        if (ptx.starts == 0 || sass.starts == 0) {
            return "no timer read of the machine code is known to start it";
        }
        if (ptx.ends == 0 || sass.ends == 0) {
            return "no timer read that ends it is met behind one that starts it: it ends in "
                   "another function, or never";
        }
        return {};
    }

    KindCount& count_of(Kind kind) { return counts_[index_of(kind)]; }

    void count_ptx(const Region& region) {
        for (std::size_t i = 0; i < ptx_.steps.size(); ++i) {
            const Step& step = ptx_.steps[i];
            if (step.is_own || !region.inside[i]) continue;
            lines_inside_.insert(step.line);
            if (step.kind == Kind::kNone) continue;
            ++count_of(step.kind).ptx;
            count_of(step.kind).gone += pairing_.is_gone(step);
        }
    }

    void count_sass(const Region& region) {
        for (std::size_t i = 0; i < sass_.steps.size(); ++i) {
            const Step& step = sass_.steps[i];
            if (step.kind == Kind::kNone || pairing_.is_own(step)) continue;
            const bool is_inside = region.inside[i];
            KindCount& count = count_of(step.kind);
            count.sass += is_inside;
            if (pairing_.match(step.kind) != Match::kByLine) continue;
            const bool has_line = pairing_.has_line(step);
            count.added += is_inside && !has_line;
            if (!has_line || lines_inside_.contains(step.line) == is_inside) continue;
            ++(is_inside ? count.moved_in : count.moved_out);
            note(step, is_inside);
        }
    }

    void fill_counts(ScopeCheck* check) {
        for (std::size_t i = 0; i < kKindCount; ++i) {
            KindCount count = counts_[i];
            const auto kind = static_cast<Kind>(i);
            if (pairing_.match(kind) != Match::kByLine) settle_by_count(kind, &count);
            if (count.ptx + count.sass + count.moved_out == 0) continue;
            count.kind = name_of(kind);
            count.waits = waits(kind);
            check->counts.push_back(std::move(count));
        }
    }

    void settle_by_count(Kind kind, KindCount* count) {
        count->gone = 0;
        count->is_compared = pairing_.match(kind) == Match::kByCount;
        if (!count->is_compared) return;
        count->moved_in = count->sass > count->ptx ? count->sass - count->ptx : 0;
        count->moved_out = count->ptx > count->sass ? count->ptx - count->sass : 0;
        const std::uint32_t moved = count->moved_in + count->moved_out;
        if (moved == 0) return;
        const bool into = count->moved_in != 0;
        movements_[{0, into, name_of(kind)}] = {name_of(kind), {}, into, moved, 0, {}, 0};
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
    const Pairing pairing_;
    std::unordered_map<std::uint32_t, std::uint32_t>
        statement_of_;  ///< by line: its last instruction

    // Of the scope that is being checked.
    std::array<KindCount, kKindCount> counts_;
    std::set<std::uint32_t> lines_inside_;
    std::map<std::tuple<std::uint32_t, bool, std::string_view>, Movement> movements_;
};

}  // namespace

std::vector<ScopeCheck> check_scopes(const ptx::Module& module, const Code& ptx, const Code& sass,
                                     const instrument::SiteTable& sites, const OwnLines& own) {
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
