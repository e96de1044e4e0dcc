#include "instrument/settling.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instrument/opcodes.h"

namespace gwatch::instrument {

namespace {

using analysis::Block;
using analysis::Effect;
using analysis::Operation;

/// Instructions behind a barrier that the assembler leaves there: each takes a cycle at least, so
/// by then the barrier holds the warp. The assembler may join four accesses to one.
constexpr int kFarthest = 8;

bool has_part(std::string_view opcode, std::string_view part) {
    const std::size_t at = opcode.find(part);
    if (at == std::string_view::npos) return false;
    const std::string_view rest = opcode.substr(at + part.size());
    return rest.empty() || rest.front() == '.' || rest.front() == ' ';
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Where the warp may go from a barrier.
struct Way {
    std::uint32_t block;
    std::uint32_t operation;
    int left;          ///< of kFarthest
    bool holds_whole;  ///< all lanes of the warp come to this place straight from the barrier
};

/// Follows the ways from each barrier to the next sites.
class Settler {
  public:
    Settler(const analysis::FunctionCode& code, const SiteTable& table, FunctionPlan* function)
        : code_(code), table_(table), left_at_(code.flow.blocks.size(), 0) {
        for (PlannedSite& site : function->sites) site_at_[site.statement] = &site;
    }

    void run() {
        for (std::uint32_t block = 0; block < code_.flow.blocks.size(); ++block) {
            const Block& all = code_.flow.blocks[block];
            for (std::uint32_t i = all.first_operation; i < all.end_operation; ++i) {
                const Operation& operation = code_.program.operations[i];
                if (is_barrier(operation))
                    follow({block, i + 1, kFarthest, holds_whole_warps(operation)});
            }
        }
    }

  private:
    void follow(const Way& first) {
        std::vector<Way> ways{first};
        while (!ways.empty()) {
            const Way way = ways.back();
            ways.pop_back();
            const int left = pass_block(way);
            for (const std::uint32_t next :
                 code_.flow.successors_of(code_.flow.blocks[way.block])) {
                if (next >= left_at_.size() || left <= left_at_[next]) continue;
                left_at_[next] = left;
                ways.push_back({next, code_.flow.blocks[next].first_operation, left, false});
            }
        }
    }

    /// What is left at the block's end; 0 where the way ends in it.
    int pass_block(Way way) {
        const Block& block = code_.flow.blocks[way.block];
        for (; way.operation < block.end_operation; ++way.operation) {
            const Operation& operation = code_.program.operations[way.operation];
            if (settle(operation.statement, way.holds_whole) || holds_again(operation)) return 0;
            if (stays_in_place(operation) && --way.left == 0) return 0;
            if (operation.opcode.effect == Effect::kCall) way.holds_whole = false;
        }
        const bool ends_body = block.end_statement == code_.program.body.end;
        return ends_body && settle(block.end_statement - 1, way.holds_whole) ? 0 : way.left;
    }

    /// Whether there is a site whose code holds all lanes that pass. The whole warp is waited for
    /// only where that is proven, lest a kernel that parts its lanes at a barrier, against the
    /// rules, hangs.
    bool settle(std::uint32_t statement, bool comes_whole) {
        const auto found = site_at_.find(statement);
        if (found == site_at_.end()) return false;
        PlannedSite& site = *found->second;
        const bool is_proven = table_.sites[site.number - 1].placement == Placement::kProven;
        site.settling = std::max(site.settling, comes_whole && is_proven ? Settling::kWholeWarp
                                                                         : Settling::kActiveLanes);
        return site.guard.empty();
    }

    std::string_view base_of(const Operation& operation) const {
        return base_opcode(code_.module, code_.module.statements()[operation.statement]);
    }

    /// Waits for other warps of the block.
    bool is_barrier(const Operation& operation) const {
        if (!is_one_of(base_of(operation), {"bar", "barrier"})) return false;
        const std::string_view opcode = code_.instruction_of(operation).opcode;
        if (has_part(opcode, ".warp") || has_part(opcode, ".cluster")) return false;
        return has_part(opcode, ".sync") || has_part(opcode, ".red");
    }

    bool holds_whole_warps(const Operation& operation) const {
        if (operation.guard != ptx::kNone) return false;
        return base_of(operation) == "bar" ||
               has_part(code_.instruction_of(operation).opcode, ".aligned");
    }

    /// A barrier has its own ways; behind one of the warp there is nothing left to wait for.
    bool holds_again(const Operation& operation) const {
        if (operation.guard != ptx::kNone) return false;
        return is_barrier(operation) || (base_of(operation) == "bar" &&
                                         has_part(code_.instruction_of(operation).opcode, ".warp"));
    }

    /// Whether the assembler neither moves the instruction over a barrier nor leaves it out, as it
    /// does with those that only calculate.
    bool stays_in_place(const Operation& operation) const {
        if (operation.opcode.effect == Effect::kNoResult) return true;
        if (operation.opcode.effect == Effect::kLoad) {
            const std::string_view opcode = code_.instruction_of(operation).opcode;
            return !has_part(opcode, ".param") && !has_part(opcode, ".const") &&
                   !has_part(opcode, ".nc");
        }
        return is_one_of(base_of(operation), {"atom", "ldmatrix", "mbarrier", "tcgen05", "wgmma"});
    }

    const analysis::FunctionCode& code_;
    const SiteTable& table_;
    std::unordered_map<std::uint32_t, PlannedSite*> site_at_;  // by statement
    std::vector<int> left_at_;  // by block: the most with which a way has come to its begin
};

}  // namespace

void find_settling(const analysis::FunctionCode& code, const SiteTable& table,
                   FunctionPlan* function) {
    Settler(code, table, function).run();
}

}  // namespace gwatch::instrument
