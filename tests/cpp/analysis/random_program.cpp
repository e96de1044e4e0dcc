#include "random_program.h"

#include <algorithm>
#include <random>
#include <vector>

namespace gwatch::analysis {
namespace {

constexpr std::uint32_t kFirstRegisters = 8;  // set to something of interest at the start
constexpr std::uint32_t kRegisters = 28;
constexpr std::uint32_t kPredicates = 12;

template <class... Parts>
std::string joined(const Parts&... parts) {
    std::string text;
    ((text += parts), ...);
    return text;
}

class Writer {
  public:
    explicit Writer(std::uint32_t seed) : random_(seed) {}

    std::string structured() {
        begin();
        statements(12, 3);
        return end();
    }

    std::string tangled() {
        begin();
        const std::uint32_t blocks = 3 + below(6);
        for (std::uint32_t i = 0; i < blocks; ++i) {
            text_ += joined("B", std::to_string(i), ":\n");
            for (std::uint32_t j = below(5); j-- > 0;) simple();
            leave_block(blocks);
        }
        return end();
    }

  private:
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
    bool chance(std::uint32_t percent) { return below(100) < percent; }

    template <class... Parts>
    void line(const Parts&... parts) {
        text_ += joined("    ", parts..., ";\n");
    }

    // One to read: often one that was just set, so that values flow on.
    std::string reg() {
        return joined("%r", std::to_string(recent(kRegisters, next_register_ % kRegisters)));
    }
    std::string predicate() {
        return joined("%p", std::to_string(recent(kPredicates, next_predicate_ % kPredicates)));
    }
    std::string guard() { return joined(chance(50) ? "@" : "@!", predicate(), " "); }

    std::uint32_t recent(std::uint32_t count, std::uint32_t next) {
        return chance(60) ? (next + count - 1 - below(3)) % count : below(count);
    }

    // One to set: mostly each in its turn, else one that has another use already.
    std::string new_reg() {
        return chance(80) ? joined("%r", std::to_string(next_register_++ % kRegisters)) : reg();
    }
    std::string new_predicate() {
        return chance(80) ? joined("%p", std::to_string(next_predicate_++ % kPredicates))
                          : predicate();
    }
    std::string label() { return joined("L", std::to_string(labels_++)); }

    std::string number() {
        static constexpr int kNumbers[] = {0,  1,  2,  3,  5,   7,  15,  16,  31,
                                           32, 63, 64, 96, 127, -1, -31, -32, -64};
        return std::to_string(kNumbers[below(std::size(kNumbers))]);
    }

    std::string source() { return chance(50) ? reg() : number(); }

    void begin() {
        text_ =
            ".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n"
            "    .reg .b32 %r<28>, %c<40>;\n    .reg .b64 %rd<2>;\n    .reg .pred %p<12>, %q;\n";
        line("ld.param.u32 %r0, [n]");
        line("mov.u32 %r1, %tid.x");
        line("mov.u32 %r2, %ctaid.x");
        line("mov.u32 %r3, ", special());
        line("shr.u32 %r4, %r1, 5");
        line("mov.u32 %r5, 4");
        line("and.b32 %r6, %r0, 7");
        line("mov.u32 %r7, 0");
        for (std::uint32_t i = kFirstRegisters; i < kRegisters; ++i) {
            line("mov.u32 %r", std::to_string(i), ", 0");
        }
        for (std::uint32_t i = 0; i < kPredicates; ++i) {
            line("setp.eq.u32 %p", std::to_string(i), ", %r", std::to_string(i % 5), ", ",
                 number());
        }
    }

    std::string end() {
        line("ret");
        return joined(text_, "}\n");
    }

    std::string special() {
        static constexpr const char* kSpecial[] = {"%tid.x",  "%tid.y",  "%tid.z",  "%laneid",
                                                   "%ntid.x", "%ntid.y", "%ctaid.x"};
        return kSpecial[below(std::size(kSpecial))];
    }

    void compare(const std::string& result) {
        static constexpr const char* kHow[] = {"eq.u32", "ne.s32", "lt.u32", "lt.s32",
                                               "ge.u32", "gt.u32", "gt.s32", "le.s32"};
        line("setp.", std::string(kHow[below(std::size(kHow))]), " ", result, ", ", reg(), ", ",
             source());
    }

    std::string value() {
        static constexpr const char* kBinary[] = {"add.s32", "sub.s32",    "and.b32", "or.b32",
                                                  "xor.b32", "mul.lo.s32", "min.s32"};
        static constexpr const char* kShift[] = {"shr.u32", "shl.b32", "shr.s32"};
        switch (below(8)) {
            case 0:
                return joined(std::string(kShift[below(3)]), " ", new_reg(), ", ", reg(), ", ",
                              std::to_string(1 + below(6)));
            case 1:
                return joined("mov.u32 ", new_reg(), ", ", (chance(50) ? special() : source()));
            case 2:
                return joined("bfe.u32 ", new_reg(), ", ", reg(), ", ", std::to_string(below(7)),
                              ", ", std::to_string(1 + below(7)));
            case 3:
                return joined("selp.b32 ", new_reg(), ", ", source(), ", ", source(), ", ",
                              predicate());
            case 4:
                return joined("mad.lo.s32 ", new_reg(), ", ", reg(), ", ", source(), ", ",
                              source());
            case 5:
                return joined(std::string(chance(50) ? "div.u32 " : "rem.u32 "), new_reg(), ", ",
                              reg(), ", ", std::to_string(32 * (1 + below(3))));
            default:
                return joined(std::string(kBinary[below(std::size(kBinary))]), " ", new_reg(), ", ",
                              reg(), ", ", source());
        }
    }

    void load() {
        line("mul.wide.u32 %rd0, ", reg(), ", 4");
        line("ld.global.u32 ", new_reg(), ", [%rd0]");
    }

    void collective() {
        switch (below(4)) {
            case 0:
                return line("vote.sync.any.pred ", new_predicate(), ", ", predicate(), ", -1");
            case 1:
                return line("redux.sync.max.u32 ", new_reg(), ", ", reg(), ", -1");
            case 2:
                return line("shfl.sync.bfly.b32 ", new_reg(), ", ", reg(), ", 1, 31, -1");
            default:
                return line("shfl.sync.idx.b32 ", new_reg(), ", ", reg(), ", ",
                            (chance(80) ? "0" : reg()), ", 31, -1");
        }
    }

    void simple() {
        const std::uint32_t kind = below(100);
        if (kind < 50) return line((chance(20) ? guard() : ""), value());
        if (kind < 85) return compare(new_predicate());
        if (kind < 92) return load();
        if (kind < 97) return line(guard(), "mov.u32 ", reg(), ", ", number());
        collective();
    }

    void statements(std::uint32_t count, std::uint32_t depth) {
        for (std::uint32_t i = 1 + below(count); i-- > 0;) statement(depth);
    }

    void statement(std::uint32_t depth) {
        const std::uint32_t kind = depth == 0 ? 100 : below(100);
        if (kind < 20) return condition(depth - 1);
        if (kind < 29) return loop(depth - 1);
        if (kind < 33) return table(depth - 1);
        if (chance(3)) return line(guard(), (chance(50) ? "exit" : "ret"));
        if (chance(1)) return line(guard(), "trap");
        if (!exits_.empty() && chance(10))
            return line(guard(), "bra ", exits_[below(exits_count())]);
        simple();
    }

    std::uint32_t exits_count() const { return static_cast<std::uint32_t>(exits_.size()); }

    void condition(std::uint32_t depth) {
        const std::string other = label();
        const std::string join = label();
        line(guard(), "bra ", other);
        statements(3, depth);
        if (chance(10)) line("exit");
        line("bra.uni ", join);
        text_ += joined(other, ":\n");
        if (chance(60)) statements(3, depth);
        text_ += joined(join, ":\n");
    }

    // Runs at most five times; the bound may be a lane's own.
    void loop(std::uint32_t depth) {
        const std::string head = label();
        const std::string end = label();
        const std::string counter = joined("%c", std::to_string(counters_++ % 20));
        const std::string bound = joined("%c", std::to_string(20 + counters_ % 20));
        line("mov.u32 ", counter, ", 0");
        line("and.b32 ", bound, ", ", reg(), ", 3");
        text_ += joined(head, ":\n");
        exits_.push_back(end);
        statements(3, depth);
        exits_.pop_back();
        line("add.u32 ", counter, ", ", counter, ", 1");
        line("setp.le.u32 %q, ", counter, ", ", bound);
        line("@%q bra ", head);
        text_ += joined(end, ":\n");
    }

    void table(std::uint32_t depth) {
        const std::string name = label();
        const std::string join = label();
        const std::vector<std::string> cases = {label(), label(), label()};
        text_ += joined(name, ": .branchtargets ", cases[0], ", ", cases[1], ", ", cases[2], ";\n");
        line("brx.idx ", reg(), ", ", name);
        for (const std::string& target : cases) {
            text_ += joined(target, ":\n");
            statements(2, depth);
            if (chance(80)) line("bra ", join);
        }
        text_ += joined(join, ":\n");
    }

    void leave_block(std::uint32_t blocks) {
        const auto any = [&] { return joined("B", std::to_string(below(blocks))); };
        const std::uint32_t kind = below(100);
        if (kind < 60) line(guard(), "bra ", any());
        if (kind >= 60 && kind < 68) line(guard(), "exit");
        if (kind >= 68 && kind < 70) line(guard(), "trap");
        if (kind >= 70 && kind < 80) {
            const std::string name = label();
            text_ += joined(name, ": .branchtargets ", any(), ", ", any(), ";\n");
            line("brx.idx ", reg(), ", ", name);
        }
        if (kind >= 95) line("bra ", any());
    }

    std::mt19937 random_;
    std::string text_;
    std::uint32_t next_register_ = kFirstRegisters;
    std::uint32_t next_predicate_ = 0;
    std::uint32_t labels_ = 0;
    std::uint32_t counters_ = 0;
    std::vector<std::string> exits_;  // ends of the loops around
};

}  // namespace

std::string make_random_program(Shape shape, std::uint32_t seed) {
    Writer writer(seed);
    return shape == Shape::kStructured ? writer.structured() : writer.tangled();
}

}  // namespace gwatch::analysis
