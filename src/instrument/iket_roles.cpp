#include "instrument/iket_roles.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "analysis/function_code.h"

namespace gwatch::instrument {

namespace {

/// The blocks of one entry along its control flow.
class Paths {
  public:
    Paths(const ptx::Module& module, const ptx::Function& entry,
          const std::vector<IketBlock>& blocks)
        : flow_(analysis::read_function(module, entry).flow), passed_(flow_.blocks.size()) {
        for (std::uint32_t i = 0; i < blocks.size(); ++i) {
            const std::uint32_t statement = blocks[i].close_statement - 1;
            passed_[flow_.block_of[statement - flow_.first_statement]].push_back(i);
        }
    }

    std::size_t nodes() const { return flow_.blocks.size(); }
    /// The IKET blocks in a node, in order.
    const std::vector<std::uint32_t>& passed(std::uint32_t node) const { return passed_[node]; }

    template <class Visit>
    void each_successor(std::uint32_t node, const Visit& visit) const {
        for (const std::uint32_t next : flow_.successors_of(flow_.blocks[node])) visit(next);
    }
    /// Whether threads end there, in one way or the other.
    bool is_end(std::uint32_t node) const { return node >= flow_.blocks.size(); }

  private:
    analysis::ControlFlow flow_;
    std::vector<std::vector<std::uint32_t>> passed_;  ///< [node]
};

/// Which of some blocks may follow which, with none of them between. The two last numbers stand for
/// the kernel's begin and end.
struct Order {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::uint32_t begin;
    std::uint32_t end;
};

/// Finds the order of the blocks of one range.
class OrderFinder {
  public:
    OrderFinder(const Paths& paths, std::vector<std::uint32_t> blocks)
        : paths_(paths), blocks_(std::move(blocks)) {
        const auto count = static_cast<std::uint32_t>(blocks_.size());
        order_.begin = count;
        order_.end = count + 1;
    }

    Order find() {
        follow(order_.begin, 0, 0);
        for (std::uint32_t node = 0; node < paths_.nodes(); ++node) {
            const auto& passed = paths_.passed(node);
            for (std::uint32_t i = 0; i < passed.size(); ++i) {
                if (const std::uint32_t number = number_of(passed[i]); number != ptx::kNone)
                    follow(number, node, i + 1);
            }
        }
        std::sort(order_.pairs.begin(), order_.pairs.end());
        order_.pairs.erase(std::unique(order_.pairs.begin(), order_.pairs.end()),
                           order_.pairs.end());
        return std::move(order_);
    }

  private:
    std::uint32_t number_of(std::uint32_t block) const {
        const auto found = std::find(blocks_.begin(), blocks_.end(), block);
        return found == blocks_.end() ? ptx::kNone
                                      : static_cast<std::uint32_t>(found - blocks_.begin());
    }

    /// Notes what may come behind a place, the `skip` first blocks of its node left out.
    void follow(std::uint32_t from, std::uint32_t node, std::uint32_t skip) {
        std::vector<bool> seen(paths_.nodes(), false);
        std::vector<std::uint32_t> ways;
        const auto leave = [&](std::uint32_t next) {
            if (paths_.is_end(next)) {
                order_.pairs.emplace_back(from, order_.end);
            } else if (!seen[next]) {
                seen[next] = true;
                ways.push_back(next);
            }
        };
        if (!stop_in(from, node, skip)) paths_.each_successor(node, leave);
        while (!ways.empty()) {
            const std::uint32_t next = ways.back();
            ways.pop_back();
            if (!stop_in(from, next, 0)) paths_.each_successor(next, leave);
        }
    }

    bool stop_in(std::uint32_t from, std::uint32_t node, std::uint32_t skip) {
        const auto& passed = paths_.passed(node);
        for (std::uint32_t i = skip; i < passed.size(); ++i) {
            const std::uint32_t number = number_of(passed[i]);
            if (number == ptx::kNone) continue;
            order_.pairs.emplace_back(from, number);
            return true;
        }
        return false;
    }

    const Paths& paths_;
    std::vector<std::uint32_t> blocks_;
    Order order_;
};

/// Says of each block of a range whether it starts it. Neighbours have different roles where that
/// can be; what the kernel begins with is a start, and before it ends there was an end.
class Starts {
  public:
    Starts(const Order& order, std::size_t blocks) : order_(order), starts_(blocks + 2, false) {
        starts_[order.end] = true;  // so that what comes before ends the range
        spread();
        while (improve()) {
        }
    }
    bool operator[](std::size_t block) const { return starts_[block]; }

  private:
    /// In turns from the kernel's begin on.
    void spread() {
        std::vector<bool> seen(starts_.size(), false);
        std::deque<std::uint32_t> next{order_.begin};
        seen[order_.begin] = seen[order_.end] = true;
        while (!next.empty()) {
            const std::uint32_t from = next.front();
            next.pop_front();
            for (const auto& [before, behind] : order_.pairs) {
                if (before != from || seen[behind]) continue;
                seen[behind] = true;
                starts_[behind] = !starts_[from];
                next.push_back(behind);
            }
        }
    }

    /// Turns the first role that contradicts more of its neighbours than it agrees with.
    bool improve() {
        for (std::uint32_t block = 0; block < order_.begin; ++block) {
            int balance = 0;
            for (const auto& [before, behind] : order_.pairs) {
                if (before == behind || (before != block && behind != block)) continue;
                balance += starts_[before] == starts_[behind] ? 1 : -1;
            }
            if (balance <= 0) continue;
            starts_[block] = !starts_[block];
            return true;
        }
        return false;
    }

    const Order& order_;
    std::vector<bool> starts_;
};

/// Gives the roles of an entry's blocks.
class RoleFinder {
  public:
    RoleFinder(const Paths& paths, const std::vector<IketBlock>& blocks, const IketTables& tables)
        : paths_(paths), blocks_(blocks), tables_(tables), roles_(blocks.size()) {}

    Result<std::vector<IketRole>> find() {
        std::map<std::uint32_t, std::vector<std::uint32_t>> ranges;
        for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
            if (blocks_[i].event == kIketPop) continue;
            const auto event = tables_.find(blocks_[i].event);
            if (event == tables_.end()) {
                return Error{ErrorKind::kInstrument, "the kernel's IKET tables have no event " +
                                                         std::to_string(blocks_[i].event)};
            }
            const Verb verb = event->second.kind == IketKind::kPush ? Verb::kStart : Verb::kMark;
            roles_[i] = {verb, event->second.name};
            if (event->second.kind == IketKind::kRange) ranges[blocks_[i].event].push_back(i);
        }
        for (const auto& [event, blocks] : ranges) take_turns(blocks);
        if (auto popped = name_pops(); !popped) return popped.error();
        return std::move(roles_);
    }

  private:
    void take_turns(const std::vector<std::uint32_t>& blocks) {
        const Order order = OrderFinder(paths_, blocks).find();
        const Starts starts(order, blocks.size());
        for (std::size_t i = 0; i < blocks.size(); ++i)
            roles_[blocks[i]].verb = starts[i] ? Verb::kStart : Verb::kEnd;
    }

    using Pushed = std::vector<std::string>;  ///< names of the ranges that are pushed

    /// Walks from the kernel's begin with the pushed ranges at hand.
    Result<void> name_pops() {
        std::vector<bool> seen(paths_.nodes(), false);
        std::vector<std::pair<std::uint32_t, Pushed>> ways{{0, {}}};
        seen[0] = true;
        while (!ways.empty()) {
            auto [node, pushed] = std::move(ways.back());
            ways.pop_back();
            if (auto passed = pass(node, &pushed); !passed) return passed;
            paths_.each_successor(node, [&, &pushed = pushed](std::uint32_t next) {
                if (paths_.is_end(next) || seen[next]) return;
                seen[next] = true;
                ways.emplace_back(next, pushed);
            });
        }
        return {};
    }

    Result<void> pass(std::uint32_t node, Pushed* pushed) {
        for (const std::uint32_t block : paths_.passed(node)) {
            const std::uint32_t event = blocks_[block].event;
            if (event != kIketPop) {
                if (tables_.at(event).kind == IketKind::kPush)
                    pushed->push_back(roles_[block].name);
                continue;
            }
            if (pushed->empty()) {
                return Error{ErrorKind::kInstrument,
                             "an IKET range is popped that was not pushed",
                             {},
                             "Let every range_pop follow a range_push on each way through the "
                             "kernel."};
            }
            roles_[block] = {Verb::kEnd, std::move(pushed->back())};
            pushed->pop_back();
        }
        return {};
    }

    const Paths& paths_;
    const std::vector<IketBlock>& blocks_;
    const IketTables& tables_;
    std::vector<IketRole> roles_;
};

}  // namespace

Result<std::vector<IketRole>> iket_roles(const ptx::Module& module, const ptx::Function& entry,
                                         const std::vector<IketBlock>& blocks,
                                         const IketTables& tables) {
    if (blocks.empty()) return std::vector<IketRole>();
    return RoleFinder(Paths(module, entry, blocks), blocks, tables).find();
}

}  // namespace gwatch::instrument
