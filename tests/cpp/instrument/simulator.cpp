#include "simulator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

#include "simulator_program.h"

namespace gwatch::testing {

namespace {

constexpr std::uint64_t kBlockDistance = 0x1'0000'0000;
constexpr std::uint64_t kConstantDistance = 0x10'0000;
constexpr std::uint64_t kMaxSteps = 40'000'000;
constexpr std::uint32_t kLanes = 32;

struct Frame {
    std::uint32_t pc;  ///< index of a step
    std::vector<std::uint64_t> slots;
};

struct Lane {
    bool running = false;
    std::vector<Frame> frames;
    std::array<std::uint32_t, 3> thread{};
    Frame& top() { return frames.back(); }
};

struct Warp {
    std::array<std::uint32_t, 3> block{};
    std::uint32_t number = 0;
    std::array<Lane, kLanes> lanes;
};

struct Type {
    unsigned bits = 32;
    bool is_signed = false;
    bool is_float = false;
};

Type type_of(const std::string& suffix) {
    if (suffix == "pred") return {1};
    return {static_cast<unsigned>(std::stoi(suffix.substr(1))), suffix[0] == 's', suffix[0] == 'f'};
}

std::uint64_t cut(std::uint64_t value, unsigned bits) {
    return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

std::int64_t extend(std::uint64_t value, unsigned bits) {
    const unsigned shift = 64 - bits;
    return static_cast<std::int64_t>(value << shift) >> shift;
}

// As coarse as the hardware's: 20 bits of mantissa.
double approximate_reciprocal(double value) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0 / value) &
                                 ~std::uint64_t{0xffffffff});
}

bool compare(const std::string& relation, std::uint64_t a, std::uint64_t b, Type type) {
    if (type.is_signed) {
        const auto x = extend(a, type.bits), y = extend(b, type.bits);
        if (relation == "lt") return x < y;
        if (relation == "le") return x <= y;
        if (relation == "gt") return x > y;
        if (relation == "ge") return x >= y;
    }
    if (relation == "lt") return a < b;
    if (relation == "le") return a <= b;
    if (relation == "gt") return a > b;
    if (relation == "ge") return a >= b;
    return relation == "eq" ? a == b : a != b;
}

class Machine {
  public:
    Machine(const Program& program, const Simulation& simulation, DeviceMemory* memory)
        : program_(program),
          simulation_(simulation),
          memory_(*memory),
          random_(simulation.seed),
          clock_(simulation.first_clock) {}

    std::string run(const ptx::Function& entry) {
        start(program_.module().scopes()[entry.body_scope].open_statement);
        while (failure_.empty()) {
            if (++steps_ > kMaxSteps) return "the kernel does not end";
            const std::uint32_t group = pick();
            if (group == 0) break;
            step(group);
        }
        return failure_;
    }

  private:
    void start(std::uint32_t pc) {
        const auto& [nx, ny, nz] = simulation_.grid;
        const auto& [bx, by, bz] = simulation_.block;
        for (std::uint32_t b = 0; b < nx * ny * nz; ++b) {
            const std::array<std::uint32_t, 3> block = {b % nx, b / nx % ny, b / nx / ny};
            for (std::uint32_t t = 0; t < bx * by * bz; ++t) {
                if (t % kLanes == 0) {
                    warps_.emplace_back().block = block;
                    warps_.back().number = t / kLanes;
                }
                Lane& lane = warps_.back().lanes[t % kLanes];
                lane.running = true;
                lane.thread = {t % bx, t / bx % by, t / bx / by};
                // What a register holds before its first write must not matter.
                lane.frames.push_back(
                    {pc, std::vector<std::uint64_t>(program_.slots(), 0xdeadbeefdeadbeef)});
            }
        }
    }

    bool same_place(Lane& a, Lane& b) const {
        return std::equal(a.frames.begin(), a.frames.end(), b.frames.begin(), b.frames.end(),
                          [](const Frame& x, const Frame& y) { return x.pc == y.pc; });
    }

    std::uint32_t together_with(std::uint32_t leader) {
        std::uint32_t group = 0;
        for (std::uint32_t i = 0; i < kLanes; ++i) {
            Lane& lane = warp_->lanes[i];
            if (lane.running && same_place(lane, warp_->lanes[leader])) group |= 1u << i;
        }
        return group;
    }

    static std::uint32_t running_of(const Warp& warp) {
        std::uint32_t running = 0;
        for (std::uint32_t i = 0; i < kLanes; ++i) running |= warp.lanes[i].running ? 1u << i : 0;
        return running;
    }

    /// Chooses warp_ and returns the lanes of it that go; 0 when all threads have ended.
    std::uint32_t pick() {
        if (simulation_.schedule == Schedule::kGroups && held_ != 0) {
            if (const std::uint32_t group = go_on()) return group;
        }
        while (first_warp_ < warps_.size() && running_of(warps_[first_warp_]) == 0) ++first_warp_;
        if (first_warp_ == warps_.size()) return 0;
        if (simulation_.schedule == Schedule::kLowestFirst) {
            warp_ = &warps_[first_warp_];
            return together_with(lowest_of(running_of(*warp_)));
        }
        do {
            warp_ = &warps_[first_warp_ + random_() % (warps_.size() - first_warp_)];
        } while (running_of(*warp_) == 0);
        std::uint32_t lane = random_() % kLanes;
        while (!warp_->lanes[lane].running) lane = (lane + 1) % kLanes;
        held_ = together_with(lane);
        return simulation_.schedule == Schedule::kGroups ? held_ : part_of(held_);
    }

    /// Of these lanes of warp_, one whose code stands in front of the others'.
    std::uint32_t lowest_of(std::uint32_t lanes) {
        std::uint32_t lowest = static_cast<std::uint32_t>(std::countr_zero(lanes));
        for (std::uint32_t i = lowest; i < kLanes; ++i) {
            if ((lanes >> i & 1) == 0) continue;
            const auto& frames = warp_->lanes[i].frames;
            const auto& best = warp_->lanes[lowest].frames;
            if (frames.size() > best.size() ||
                (frames.size() == best.size() && frames.back().pc < best.back().pc))
                lowest = i;
        }
        return lowest;
    }

    /// The lanes of the held group that are next, or 0 when they stand at a label of the kernel's.
    std::uint32_t go_on() {
        held_ &= running_of(*warp_);
        if (held_ == 0) return 0;
        const std::uint32_t lowest = lowest_of(held_);
        if (program_.steps()[warp_->lanes[lowest].top().pc].is_own_label) return 0;
        return together_with(lowest) & held_;
    }

    std::uint32_t part_of(std::uint32_t group) {
        if (random_() % 4 != 0) return group;
        const auto part = static_cast<std::uint32_t>(group & random_());
        return part != 0 ? part : group;
    }

    void step(std::uint32_t group) {
        const std::uint32_t pc = warp_->lanes[std::countr_zero(group)].top().pc;
        const Step& step = program_.steps()[pc];
        if (is_end_of_body(pc)) {
            observe(pc, group);
            return leave(group, true);
        }
        if (!step.is_instruction) {
            if (step.is_own_label) observe(pc, group);
            return advance(group);
        }
        current_ = pc;
        if (const std::uint32_t together = lanes_of_sync(step, group)) {
            const std::uint32_t here = together_with(std::countr_zero(group));
            if ((here & together) != together) return yield_or_fail();
            group = held_ = together;
        }
        clock_ += 1 + random_() % 3 + (step.is_injected ? 0 : simulation_.own_cycles);
        group_ = 0;
        for (std::uint32_t i = 0; i < kLanes; ++i) {
            if ((group >> i & 1) == 0) continue;
            lane_ = i;
            const bool guard =
                step.guard == ptx::kNone || (slot(step.guard) != 0) != step.guard_negated;
            if (guard) group_ |= 1u << i;
        }
        if (!step.is_injected) observe(pc, group_);
        execute(step, group);
    }

    void observe(std::uint32_t pc, std::uint32_t lanes) {
        if (!simulation_.observe || lanes == 0) return;
        Passing passing{warp_->block, warp_->number, pc, lanes, clock_};
        const Step& step = program_.steps()[pc];
        const bool moves = step.is_instruction && step.opcode[0] == "mov" &&
                           step.operands[1].kind != Operand::Kind::kVector;
        for (std::uint32_t i = 0; moves && i < kLanes; ++i) {
            if ((lanes >> i & 1) == 0) continue;
            lane_ = i;
            passing.moved[i] = cut(read(step.operands[1]), type_of(step.opcode[1]).bits);
        }
        simulation_.observe(passing);
    }

    bool is_end_of_body(std::uint32_t pc) const {
        const ptx::Module& module = program_.module();
        const ptx::Statement& statement = module.statements()[pc];
        return statement.kind == ptx::StatementKind::kScopeClose &&
               module.scopes()[statement.scope].parent == 0;
    }

    /// Those that go on together, if at all; 0: the step is no shuffle and no bar.warp.sync of all.
    std::uint32_t lanes_of_sync(const Step& step, std::uint32_t group) {
        if (is_whole_warp_sync(step)) return running_of(*warp_);
        if (step.opcode[0] != "shfl") return 0;
        if (step.opcode[1] != "sync") return group;
        lane_ = static_cast<std::uint32_t>(std::countr_zero(group));
        return static_cast<std::uint32_t>(read(step.operands.at(4))) & running_of(*warp_);
    }

    // The others may come later, if there is a schedule that lets them.
    void yield_or_fail() {
        held_ = 0;
        if (simulation_.schedule == Schedule::kLowestFirst)
            fail("a shuffle or bar.warp.sync that not all lanes reach");
    }

    static bool is_whole_warp_sync(const Step& step) {
        return step.opcode[0] == "bar" && step.opcode.size() > 1 && step.opcode[1] == "warp" &&
               step.operands[0].kind == Operand::Kind::kImmediate &&
               cut(step.operands[0].value, 32) == 0xffffffff;
    }

    void advance(std::uint32_t group) {
        for (std::uint32_t i = 0; i < kLanes; ++i) {
            if (group >> i & 1) ++warp_->lanes[i].top().pc;
        }
    }

    void jump(std::uint32_t lanes, std::uint64_t pc) {
        for (std::uint32_t i = 0; i < kLanes; ++i) {
            if (lanes >> i & 1) warp_->lanes[i].top().pc = static_cast<std::uint32_t>(pc);
        }
    }

    void leave(std::uint32_t lanes, bool only_function) {
        for (std::uint32_t i = 0; i < kLanes; ++i) {
            if ((lanes >> i & 1) == 0) continue;
            Lane& lane = warp_->lanes[i];
            lane.frames.pop_back();
            if (!only_function || lane.frames.empty()) lane.running = false;
        }
    }

    /// Runs an instruction for the lanes of group_; those of `all` without it only go on.
    void execute(const Step& step, std::uint32_t all) {
        const std::string& name = step.opcode[0];
        if (name == "bra") {
            const bool is_uniform = step.opcode.size() > 1 && step.opcode[1] == "uni";
            if (is_uniform && simulation_.schedule == Schedule::kLowestFirst && group_ != 0 &&
                group_ != all) {
                return fail("a bra.uni that lanes disagree on");
            }
            advance(all & ~group_);
            return jump(group_, step.operands[0].value);
        }
        advance(all);
        if (name == "ret" || name == "exit") return leave(group_, name == "ret");
        if (name == "bar" && step.opcode.size() > 1 && step.opcode[1] == "warp") return;
        if (name == "setmaxnreg") return;
        if (name == "bar") {
            clock_ += simulation_.pauses[random_() % simulation_.pauses.size()];
            return;
        }
        if (name == "shfl") return shuffle(step);
        for (std::uint32_t i = 0; i < kLanes && failure_.empty(); ++i) {
            if ((group_ >> i & 1) == 0) continue;
            lane_ = i;
            execute_lane(step);
        }
    }

    void shuffle(const Step& step) {
        std::array<std::uint64_t, kLanes> values{};
        for (const bool writes : {false, true}) {
            for (lane_ = 0; lane_ < kLanes; ++lane_) {
                if ((group_ >> lane_ & 1) == 0) continue;
                if (writes) {
                    write(step.operands[0], values[lane_]);
                } else {
                    Lane& from = warp_->lanes[read(step.operands[2]) % kLanes];
                    values[lane_] = value_in(from, step.operands[1]);
                }
            }
        }
    }

    void execute_lane(const Step& step) {
        const std::string& name = step.opcode[0];
        if (name == "call") return call(step.operands.at(0));
        if (name == "ld") return load(step);
        if (name == "st") return store(step);
        if (name == "atom" || name == "red") return change_atomically(step);
        if (name == "mov") return move(step);
        if (name == "setp") return set_predicate(step);
        if (name == "selp") {
            return write(step.operands[0],
                         read(step.operands.at(read(step.operands.at(3)) != 0 ? 1 : 2)));
        }
        if (name == "elect")
            return write(step.operands[0],
                         lane_ == static_cast<unsigned>(std::countr_zero(group_)));
        if (name == "activemask" || name == "vote") return write(step.operands[0], group_);
        const Type type = type_of(step.opcode.back());
        const std::optional<std::uint64_t> result =
            type.is_float ? calculate_float(step) : calculate(step, type);
        if (!result) return fail("unknown instruction");
        write(step.operands[0], *result);
    }

    std::optional<std::uint64_t> calculate(const Step& step, Type type) {
        const std::string& name = step.opcode[0];
        const auto operand = [&](std::size_t i) {
            return cut(read(step.operands.at(i)), type.bits);
        };
        const bool is_wide = step.opcode[1] == "wide";
        const auto narrow = [&](std::uint64_t value) {
            return is_wide ? value : cut(value, type.bits);
        };
        if (name == "add") return narrow(operand(1) + operand(2));
        if (name == "sub") return narrow(operand(1) - operand(2));
        if (name == "mul") return narrow(operand(1) * operand(2));
        if (name == "mad") return narrow(operand(1) * operand(2) + read(step.operands.at(3)));
        if (name == "and") return operand(1) & operand(2);
        if (name == "or") return operand(1) | operand(2);
        if (name == "xor") return operand(1) ^ operand(2);
        if (name == "shl") return operand(2) >= type.bits ? 0 : narrow(operand(1) << operand(2));
        if (name == "shr") return operand(2) >= type.bits ? 0 : operand(1) >> operand(2);
        if (name == "neg") return narrow(0 - operand(1));
        if (name == "popc") return std::popcount(operand(1));
        if (name == "bfind") return 63u - static_cast<unsigned>(std::countl_zero(operand(1)));
        if (name == "cvt") return convert(step);
        return std::nullopt;
    }

    std::optional<std::uint64_t> convert(const Step& step) {
        const Type from = type_of(step.opcode.back());
        const Type to = type_of(step.opcode[step.opcode.size() - 2]);
        const std::uint64_t value = cut(read(step.operands[1]), from.bits);
        if (to.is_float) return std::bit_cast<std::uint64_t>(static_cast<double>(value));
        if (!from.is_float) return cut(value, to.bits);
        const double rounded = std::nearbyint(std::bit_cast<double>(value));
        return static_cast<std::uint64_t>(std::clamp(rounded, 0.0, 4294967295.0));
    }

    std::optional<std::uint64_t> calculate_float(const Step& step) {
        const std::string& name = step.opcode[0];
        const auto operand = [&](std::size_t i) {
            return std::bit_cast<double>(read(step.operands.at(i)));
        };
        if (name == "cvt") return convert(step);
        if (name == "rcp") return std::bit_cast<std::uint64_t>(approximate_reciprocal(operand(1)));
        if (name == "neg") return std::bit_cast<std::uint64_t>(-operand(1));
        if (name == "mul") return std::bit_cast<std::uint64_t>(operand(1) * operand(2));
        if (name == "fma")
            return std::bit_cast<std::uint64_t>(std::fma(operand(1), operand(2), operand(3)));
        return std::nullopt;
    }

    void set_predicate(const Step& step) {
        const Type type = type_of(step.opcode.back());
        const auto operand = [&](std::size_t i) {
            return cut(read(step.operands.at(i)), type.bits);
        };
        bool result = compare(step.opcode[1], operand(1), operand(2), type);
        if (step.opcode[2] == "and") result = result && read(step.operands.at(3)) != 0;
        if (step.opcode[2] == "or") result = result || read(step.operands.at(3)) != 0;
        write(step.operands[0], result);
    }

    void move(const Step& step) {
        const Operand& to = step.operands[0];
        const Operand& from = step.operands[1];
        const std::uint64_t value = from.kind == Operand::Kind::kVector
                                        ? cut(read(from.parts[0]), 32) | read(from.parts[1]) << 32
                                        : read(from);
        if (to.kind != Operand::Kind::kVector)
            return write(to, cut(value, type_of(step.opcode[1]).bits));
        write(to.parts[0], cut(value, 32));
        write(to.parts[1], value >> 32);
    }

    void call(const Operand& target) {
        if (target.kind != Operand::Kind::kFunction) return fail("a call of what is no function");
        const ptx::Function& function = program_.module().functions()[target.value];
        const std::uint32_t pc = program_.module().scopes()[function.body_scope].open_statement;
        current_lane().frames.push_back(
            {pc, std::vector<std::uint64_t>(program_.slots(), 0xdeadbeefdeadbeef)});
    }

    void load(const Step& step) {
        const std::size_t bytes = type_of(step.opcode.back()).bits / 8;
        const Operand& address = step.operands[1];
        std::uint64_t value = 0;
        const std::uint8_t* from = nullptr;
        if (step.opcode[1] == "global") {
            from = memory_.at(address_of(address), bytes);
        } else if (address.slot != ptx::kNone) {
            from = constant_at(address_of(address), bytes);
        } else {
            const auto& variables =
                step.opcode[1] == "const" ? simulation_.constants : simulation_.parameters;
            const auto found = variables.find(address.name);
            if (found != variables.end() && address.value + bytes <= found->second.size())
                from = found->second.data() + address.value;
        }
        if (from == nullptr) return fail("a read outside of all memory");
        std::memcpy(&value, from, bytes);
        write(step.operands[0], value);
    }

    /// Constants have addresses of their own, far apart.
    const std::uint8_t* constant_at(std::uint64_t address, std::size_t bytes) const {
        std::uint64_t begin = kConstantDistance;
        for (const auto& [name, content] : simulation_.constants) {
            if (address >= begin && address + bytes <= begin + content.size())
                return content.data() + (address - begin);
            begin += kConstantDistance;
        }
        return nullptr;
    }

    std::uint64_t address_of_constant(const std::string& name) const {
        const auto found = simulation_.constants.find(name);
        if (found == simulation_.constants.end()) return 0;
        return kConstantDistance *
               static_cast<std::uint64_t>(1 + std::distance(simulation_.constants.begin(), found));
    }

    void store(const Step& step) {
        const std::size_t bytes = type_of(step.opcode.back()).bits / 8;
        const Operand& value = step.operands[1];
        const std::vector<Operand> parts =
            value.kind == Operand::Kind::kVector ? value.parts : std::vector<Operand>{value};
        const std::uint64_t address = address_of(step.operands[0]);
        if (address % (bytes * parts.size()) != 0) return fail("a misaligned write");
        for (std::size_t i = 0; i < parts.size(); ++i) {
            std::uint8_t* const to = memory_.at(address + i * bytes, bytes);
            if (to == nullptr) return fail("a write outside of all memory");
            const std::uint64_t bits = read(parts[i]);
            std::memcpy(to, &bits, bytes);
        }
    }

    void change_atomically(const Step& step) {
        const bool returns = step.opcode[0] == "atom";
        const std::size_t bytes = type_of(step.opcode.back()).bits / 8;
        const Operand& address = step.operands[returns ? 1 : 0];
        std::uint8_t* const place = memory_.at(address_of(address), bytes);
        if (place == nullptr) return fail("an atomic outside of all memory");
        std::uint64_t old = 0;
        std::memcpy(&old, place, bytes);
        const std::uint64_t value = read(step.operands[returns ? 2 : 1]);
        const std::uint64_t result = step.opcode[2] == "max" ? std::max(old, value) : old + value;
        std::memcpy(place, &result, bytes);
        if (returns) write(step.operands[0], old);
    }

    std::uint64_t address_of(const Operand& address) {
        return (address.slot != ptx::kNone ? slot(address.slot) : 0) + address.value;
    }

    std::uint64_t read(const Operand& operand) { return value_in(current_lane(), operand); }

    std::uint64_t value_in(Lane& lane, const Operand& operand) {
        if (operand.kind == Operand::Kind::kRegister) return lane.top().slots[operand.slot];
        if (operand.kind == Operand::Kind::kSpecial) return special(operand.name);
        return operand.value;
    }

    void write(const Operand& operand, std::uint64_t value) {
        if (operand.kind != Operand::Kind::kRegister) return fail("a write to what is no register");
        slot(operand.slot) = value;
    }

    std::uint64_t special(const std::string& name) {
        static constexpr std::string_view kAxes = "xyz";
        const std::size_t axis = kAxes.find(name.back());
        if (name.starts_with("%tid.")) return current_lane().thread.at(axis);
        if (name.starts_with("%ntid.")) return simulation_.block.at(axis);
        if (name.starts_with("%ctaid."))
            return warp_->block.at(axis) + simulation_.first_block.at(axis);
        if (name.starts_with("%nctaid.")) {
            return simulation_.seen_grid.at(axis) != 0 ? simulation_.seen_grid[axis]
                                                       : simulation_.grid.at(axis);
        }
        if (name == "%laneid") return lane_;
        if (name == "%lanemask_lt") return (std::uint64_t{1} << lane_) - 1;
        if (name == "%clock64") return clock_of_sm();
        if (name == "%clock") return cut(clock_of_sm(), 32);
        if (name == "%globaltimer") return globaltimer();
        if (name == "%globaltimer_lo") return cut(globaltimer(), 32);
        if (name == "%smid") return sm();
        if (name == "%cluster_ctarank") return warp_->block[0] % 2;
        if (const std::uint64_t address = address_of_constant(name)) return address;
        fail("unknown special register or variable");
        return 0;
    }

    std::uint32_t sm() const { return warp_->block[0] % 7; }
    std::uint64_t clock_of_sm() const {
        return clock_ + simulation_.sm_offsets[sm() % simulation_.sm_offsets.size()];
    }
    /// Two cycles a ns, in ticks as a GPU has them.
    std::uint64_t globaltimer() const { return (1'000'000'000'000 + clock_ / 2) / 32 * 32; }

    Lane& current_lane() { return warp_->lanes[lane_]; }
    std::uint64_t& slot(std::uint32_t index) { return current_lane().top().slots[index]; }

    void fail(const std::string& what) {
        const ptx::Module& module = program_.module();
        const ptx::Statement& statement = module.statements()[current_];
        if (failure_.empty()) failure_ = what + ": " + std::string(module.text_of(statement));
    }

    const Program& program_;
    const Simulation& simulation_;
    DeviceMemory& memory_;
    std::mt19937 random_;
    std::uint64_t clock_;
    std::uint64_t steps_ = 0;
    std::vector<Warp> warps_;
    std::size_t first_warp_ = 0;  ///< those in front of it have ended
    Warp* warp_ = nullptr;
    std::uint32_t held_ = 0;     ///< lanes of warp_ that go on together
    std::uint32_t lane_ = 0;     ///< that executes
    std::uint32_t group_ = 0;    ///< lanes that execute together
    std::uint32_t current_ = 0;  ///< step
    std::string failure_;
};

}  // namespace

std::uint64_t DeviceMemory::allocate(std::size_t bytes) {
    const std::uint64_t address = (blocks_.size() + 1) * kBlockDistance;
    blocks_[address].resize(bytes);
    return address;
}

std::uint8_t* DeviceMemory::at(std::uint64_t address, std::size_t bytes) {
    const auto next = blocks_.upper_bound(address);
    if (next == blocks_.begin()) return nullptr;
    auto& [begin, block] = *std::prev(next);
    const std::uint64_t offset = address - begin;
    return offset + bytes <= block.size() ? block.data() + offset : nullptr;
}

std::string simulate(const ptx::Module& module, std::string_view entry,
                     const Simulation& simulation, DeviceMemory* memory) {
    const ptx::Function* function = module.find_definition(entry);
    if (function == nullptr) return "no such entry";
    const Program program(module);
    if (!program.error().empty()) return program.error();
    return Machine(program, simulation, memory).run(*function);
}

}  // namespace gwatch::testing
