#include "random_kernel.h"

#include <iterator>
#include <random>

namespace gwatch::testing {

namespace {

using instrument::Verb;

constexpr std::uint32_t kValues = 12;  // %r0 to %r11, the first ones set to something of interest
constexpr std::uint32_t kFirstFree = 6;
constexpr std::uint32_t kPredicates = 6;
constexpr std::uint32_t kCounters = 40;
constexpr std::uint32_t kMostMarkers = 600;

class Writer {
  public:
    explicit Writer(std::uint32_t seed) : random_(seed) {}

    RandomKernel write() {
        choose_launch();
        const std::uint32_t functions = chance(35) ? 1 + below(2) : 0;
        const bool functions_exit = chance(10);
        text_ = ".version 8.0\n.target sm_90a\n.address_size 64\n";
        for (std::uint32_t i = 0; i < functions; ++i) function(i, functions_exit);
        callable_ = functions;
        text_ += ".visible .entry k(.param .u64 out)\n{\n";
        in_entry_ = true;
        begin_body();
        if (chance(20)) nest();
        if (chance(20)) roles();
        statements(10, 3);
        // Markers of functions that nothing calls are none.
        for (std::uint32_t i = 0; i < functions; ++i) {
            if (!is_called_[i]) call(i);
        }
        line("ret");
        text_ += "}\n";
        kernel_.text = std::move(text_);
        return std::move(kernel_);
    }

  private:
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
    bool chance(std::uint32_t percent) { return below(100) < percent; }
    std::string number(std::uint32_t end) { return std::to_string(below(end)); }
    std::string value() { return "%r" + number(kValues); }
    std::string new_value() {
        return "%r" + std::to_string(kFirstFree + below(kValues - kFirstFree));
    }
    std::string predicate() { return "%p" + number(kPredicates); }
    std::string label() { return "L" + std::to_string(labels_++); }
    void line(const std::string& instruction) { text_ += "\t" + instruction + ";\n"; }
    void stand(const std::string& label) { text_ += label + ":\n"; }

    void choose_launch() {
        static constexpr std::array<std::uint32_t, 3> kBlocks[] = {
            {32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {20, 1, 1},
            {48, 1, 1}, {16, 4, 1}, {8, 3, 2},  {24, 2, 1}};
        kernel_.block = kBlocks[below(std::size(kBlocks))];
        kernel_.grid = {1 + below(3), 1 + below(2), 1};
    }

    void begin_body() {
        text_ +=
            "\t.reg .b32 %r<12>, %c<40>, %mk<600>, %t<4>;\n\t.reg .b64 %rd<3>, %ml<600>;\n"
            "\t.reg .pred %p<6>, %q;\n";
        line("mov.u32 %r0, %tid.x");
        line("mov.u32 %r1, %laneid");
        line("mov.u32 %r2, %ctaid.x");
        line("mov.u32 %r3, %tid.y");
        line("shr.u32 %r4, %r0, 5");
        line("and.b32 %r5, %r0, 31");
        line("ld.param.u64 %rd0, [out]");
        line("mul.wide.u32 %rd1, %r1, 77");
        line("mul.wide.u32 %rd2, %r0, -3");
        for (std::uint32_t i = kFirstFree; i < kValues; ++i) {
            line("mov.u32 %r" + std::to_string(i) + ", " + number(9));
        }
        for (std::uint32_t i = 0; i < kPredicates; ++i) condition("%p" + std::to_string(i));
    }

    void function(std::uint32_t index, bool may_exit) {
        callable_ = index;
        text_ += ".func f" + std::to_string(index) + "\n{\n";
        in_entry_ = false;
        functions_exit_ = may_exit;
        begin_body();
        statements(4, 1);
        line("ret");
        text_ += "}\n";
    }

    void call(std::uint32_t index) {
        is_called_[index] = true;
        line("call f" + std::to_string(index));
    }

    void load() {
        line("and.b32 %t0, " + value() + ", 255");
        line("mul.wide.u32 %rd1, %t0, 4");
        line("add.u64 %rd1, %rd0, %rd1");
        line("ld.global.u32 " + new_value() + ", [%rd1]");
    }

    void calculate() {
        static const char* const kBinary[] = {"add.u32", "and.b32", "or.b32", "xor.b32",
                                              "mul.lo.u32"};
        if (chance(25)) return load();
        line(kBinary[below(std::size(kBinary))] + std::string(" ") + new_value() + ", " + value() +
             ", " + (chance(50) ? value() : number(40)));
    }

    /// Sets a predicate: by block or warp, by lane, by an election, by data.
    void condition(const std::string& result) {
        static const char* const kHow[] = {"eq.u32", "ne.u32", "lt.u32", "ge.u32"};
        const std::string compare =
            std::string("setp.") + kHow[below(std::size(kHow))] + " " + result + ", ";
        switch (below(7)) {
            case 0:
                return line(compare + "%r2, " + number(3));
            case 1:
                return line(compare + "%r4, " + number(3));
            case 2:
                return line(compare + (chance(50) ? "%r1, " : "%r5, ") + number(32));
            case 3:
                return line("elect.sync _|" + result + ", -1");
            case 4:
                return line(compare + "%r0, " + number(70));
            case 5:
                load();
                return line(compare + value() + ", " + value());
            default:
                return line(compare + value() + ", " + number(9));
        }
    }

    std::string scope() { return "s" + number(4); }

    void marker() {
        const std::uint32_t kind = below(10);
        RandomMarker marker{Verb::kMark, scope(), {}};
        std::string words = "mark ";
        if (kind < 3) marker.verb = Verb::kStart, words = "start ";
        if (kind >= 3 && kind < 6) marker.verb = Verb::kEnd, words = "end ";
        if (kind == 6) marker.verb = Verb::kSwitch, words = "switch ", marker.next_scope = scope();
        words += marker.scope;
        if (kind == 6) words += " " + marker.next_scope;
        if (kernel_.markers.size() == kMostMarkers) return;
        text_ += "\t// gwatch:" + words + "\n";
        const std::string guard = chance(12) ? (chance(50) ? "@" : "@!") + predicate() + " " : "";
        const bool takes_value = marker.verb == Verb::kStart || marker.verb == Verb::kMark;
        line(guard + (takes_value && chance(40) ? payload_carrier(&marker) : carrier()));
        kernel_.markers.push_back(std::move(marker));
    }

    std::string index() const { return std::to_string(kernel_.markers.size()); }
    std::string carrier() const { return "mov.u32 %mk" + index() + ", 0"; }

    /// A value of a register that lanes differ in, or a constant.
    std::string payload_carrier(RandomMarker* marker) {
        struct Form {
            const char* opcode;
            record::PayloadKind kind;
            const char* constant;
        };
        using enum record::PayloadKind;
        static constexpr Form kForms[] = {{"mov.s32", kSigned32, "-7"},
                                          {"mov.u32", kUnsigned32, "4000000000"},
                                          {"mov.b32", kUnsigned32, "0"},
                                          {"mov.f32", kFloat32, "0f3F800000"},
                                          {"mov.s32", kSigned32, "0"},
                                          {"mov.s64", kSigned64, "-7000000000"},
                                          {"mov.u64", kUnsigned64, "0"},
                                          {"mov.b64", kBits, "0xfedcba9876543210"},
                                          {"mov.f64", kFloat64, "0d400921FB54442D18"}};
        const Form& form = kForms[below(std::size(kForms))];
        marker->payload = form.kind;
        const bool is_wide = record::payload_bits(form.kind) == 64;
        const std::string source = chance(20) ? form.constant
                                   : is_wide  ? "%rd" + number(3)
                                              : value();
        return std::string(form.opcode) + (is_wide ? " %ml" : " %mk") + index() + ", " + source;
    }

    void statements(std::uint32_t count, std::uint32_t depth) {
        for (std::uint32_t i = 1 + below(count); i-- > 0;) statement(depth);
    }

    void statement(std::uint32_t depth) {
        const std::uint32_t kind = below(100);
        if (kind < 40) return row_of_markers();
        if (kind < 52 && depth > 0) return branch(depth - 1);
        if (kind < 64 && depth > 0) return loop(depth - 1);
        if (kind < 70 && callable_ > 0) return call(below(callable_));
        if (kind < 73) return leave();
        if (kind < 77) return line("bar.sync 0");
        if (kind < 80) return stand(label());  // one that nothing jumps to
        if (kind < 88) return condition(predicate());
        calculate();
    }

    void row_of_markers() {
        for (std::uint32_t i = chance(30) ? 1 + below(11) : 1; i-- > 0;) {
            marker();
            if (!chance(25)) calculate();
        }
    }

    void leave() {
        if (!ends_.empty() && chance(50)) return line("@%p1 bra " + ends_.back());
        if (!chance(40) || (!in_entry_ && !functions_exit_)) return;
        const std::string guard = (chance(50) ? "@" : "@!") + predicate() + " ";
        line(guard + (in_entry_ && chance(50) ? "ret" : "exit"));
    }

    void branch(std::uint32_t depth) {
        const std::string other = label();
        const std::string join = label();
        condition("%q");
        line((chance(50) ? "@%q bra " : "@!%q bra ") + other);
        statements(3, depth);
        line("bra " + join);
        stand(other);
        if (chance(60)) statements(3, depth);
        stand(join);
    }

    /// A loop around a loop, both of whole warps.
    void nest() {
        const std::string outer = begin_turns();
        row_of_markers();
        const std::string inner = begin_turns();
        row_of_markers();
        end_turns(inner, 2);
        if (chance(50)) row_of_markers();
        end_turns(outer, 3);
    }

    /// Returns the number of the counter.
    std::string begin_turns() {
        const std::string counter = std::to_string(counters_++);
        line("mov.u32 %c" + counter + ", 0");
        stand("TURN" + counter);
        return counter;
    }

    void end_turns(const std::string& counter, std::uint32_t turns) {
        line("add.u32 %c" + counter + ", %c" + counter + ", 1");
        line("setp.lt.u32 %q, %c" + counter + ", " + std::to_string(turns));
        line("@%q bra TURN" + counter);
    }

    /// Of warps or lanes that first change their registers, or do not.
    void roles() {
        const std::string other = label();
        const std::string join = label();
        condition("%q");
        line("@%q bra " + other);
        change_registers();
        statements(4, 2);
        line("bra " + join);
        stand(other);
        change_registers();
        statements(4, 2);
        stand(join);
    }

    void change_registers() {
        if (chance(80)) line("setmaxnreg.dec.sync.aligned.u32 40");
    }

    /// At most four turns; the bound may be a lane's own.
    void loop(std::uint32_t depth) {
        if (counters_ + 2 > kCounters) return;
        const std::string counter = "%c" + std::to_string(counters_++);
        const std::string bound = "%c" + std::to_string(counters_++);
        const std::string head = label();
        const std::string end = label();
        line("mov.u32 " + counter + ", 0");
        if (chance(50)) {
            line("mov.u32 " + bound + ", " + number(4));
        } else {
            line("and.b32 " + bound + ", " + value() + ", 3");
        }
        stand(head);
        ends_.push_back(end);
        statements(3, depth);
        ends_.pop_back();
        line("add.u32 " + counter + ", " + counter + ", 1");
        line("setp.le.u32 %q, " + counter + ", " + bound);
        line("@%q bra " + head);
        stand(end);
    }

    std::mt19937 random_;
    RandomKernel kernel_;
    std::string text_;
    std::uint32_t labels_ = 0;
    std::uint32_t counters_ = 0;
    std::uint32_t callable_ = 0;  ///< functions f0, f1, ... that may be called here
    std::array<bool, 2> is_called_{};
    bool in_entry_ = false;
    bool functions_exit_ = false;
    std::vector<std::string> ends_;  ///< of the loops around
};

}  // namespace

RandomKernel make_random_kernel(std::uint32_t seed) {
    return Writer(seed).write();
}

}  // namespace gwatch::testing
