#include "instrument/auto_scopes_acts.h"

#include <algorithm>
#include <iterator>

namespace gwatch::instrument {

namespace {

/// An act by what its opcode begins with, whole words between dots; the first that fits counts.
struct KnownAct {
    std::string_view opcode;
    Act act;
};

constexpr KnownAct kActs[] = {
    {"mbarrier.try_wait", {AutoKind::kMbarrier, Part::kWhole, "mbarrier.try_wait"}},
    {"bar.sync", {AutoKind::kBarrier, Part::kWhole, "barrier.wait"}},
    {"bar.red", {AutoKind::kBarrier, Part::kWhole, "barrier.wait"}},
    {"bar.cta.sync", {AutoKind::kBarrier, Part::kWhole, "barrier.wait"}},
    {"bar.cta.red", {AutoKind::kBarrier, Part::kWhole, "barrier.wait"}},
    {"barrier.sync", {AutoKind::kBarrier, Part::kWhole, "barrier.wait"}},
    {"barrier.red", {AutoKind::kBarrier, Part::kWhole, "barrier.wait"}},
    {"barrier.cta.sync", {AutoKind::kBarrier, Part::kWhole, "barrier.wait"}},
    {"barrier.cta.red", {AutoKind::kBarrier, Part::kWhole, "barrier.wait"}},
    {"barrier.cluster.arrive", {AutoKind::kBarrier, Part::kArrives, "cluster.wait"}},
    {"barrier.cluster.wait", {AutoKind::kBarrier, Part::kWhole, "cluster.wait"}},
    {"griddepcontrol.wait", {AutoKind::kBarrier, Part::kWhole, "grid.wait"}},
    {"cp.async.wait_group", {AutoKind::kAsyncCopy, Part::kWhole, "async_copy.wait"}},
    {"cp.async.wait_all", {AutoKind::kAsyncCopy, Part::kWhole, "async_copy.wait"}},
    {"cp.async.bulk.wait_group", {AutoKind::kTma, Part::kWhole, "tma.wait"}},
    {"wgmma.fence", {AutoKind::kMma, Part::kOpens, "wgmma.issue"}},
    {"wgmma.mma_async", {AutoKind::kMma, Part::kWork, "wgmma.issue"}},
    {"wgmma.commit_group", {AutoKind::kMma, Part::kCloses, "wgmma.issue"}},
    {"wgmma.wait_group", {AutoKind::kMma, Part::kWhole, "wgmma.wait"}},
    {"tcgen05.mma", {AutoKind::kMma, Part::kWork, "tcgen05.issue"}},
    {"tcgen05.commit", {AutoKind::kMma, Part::kCloses, "tcgen05.issue"}},
    {"tcgen05.wait", {AutoKind::kMma, Part::kWhole, "tcgen05.wait"}},
    {"ldmatrix", {AutoKind::kMma, Part::kFeeds, "mma"}},
    {"wmma.load", {AutoKind::kMma, Part::kFeeds, "mma"}},
    {"mma", {AutoKind::kMma, Part::kWork, "mma"}},
    {"wmma.mma", {AutoKind::kMma, Part::kWork, "mma"}},
};

constexpr Act kLoad = {AutoKind::kTma, Part::kWork, "tma.load"};
constexpr Act kStore = {AutoKind::kTma, Part::kWork, "tma.store"};
constexpr Act kReduce = {AutoKind::kTma, Part::kWork, "tma.reduce"};
constexpr Act kPrefetch = {AutoKind::kTma, Part::kWork, "tma.prefetch"};

/// Whether the opcode is these words, or goes on behind them with another.
bool begins_with(std::string_view opcode, std::string_view words) {
    if (!opcode.starts_with(words)) return false;
    const std::string_view rest = opcode.substr(words.size());
    return rest.empty() || rest.front() == '.' || rest.front() == ':';
}

/// cp.async.bulk and its kin: `cp.async.bulk.tensor.2d.DESTINATION.SOURCE...`.
const Act* bulk_act(std::string_view opcode) {
    if (begins_with(opcode, "cp.reduce.async.bulk")) return &kReduce;
    if (begins_with(opcode, "cp.async.bulk.prefetch")) return &kPrefetch;
    if (!begins_with(opcode, "cp.async.bulk")) return nullptr;
    if (begins_with(opcode, "cp.async.bulk.commit_group")) return nullptr;
    const std::size_t to_shared = opcode.find(".shared");
    const std::size_t to_global = opcode.find(".global");
    return to_shared < to_global ? &kLoad : &kStore;
}

// By the first word of the opcode.
constexpr std::string_view kQuiet[] = {"bra",  "nanosleep", "elect",   "activemask",
                                       "vote", "isspacep",  "pmevent", "mapa"};
constexpr std::string_view kArithmetic[] = {
    "add", "sub", "mul",  "mad",  "and", "or",  "xor", "not", "shl",  "shr",  "min",  "max",
    "neg", "abs", "setp", "selp", "set", "mov", "cvt", "bfe", "lop3", "cvta", "slct", "prmt"};

}  // namespace

const Act* act_of(std::string_view opcode) {
    for (const KnownAct& known : kActs) {
        if (begins_with(opcode, known.opcode)) return &known.act;
    }
    return bulk_act(opcode);
}

bool asks_mbarrier(std::string_view opcode) {
    return begins_with(opcode, "mbarrier.try_wait") || begins_with(opcode, "mbarrier.test_wait");
}

bool may_stand_in_wait_loop(std::string_view opcode) {
    if (asks_mbarrier(opcode)) return true;
    const std::string_view first = opcode.substr(0, opcode.find('.'));
    const auto is_first = [&](std::string_view word) { return word == first; };
    return std::any_of(std::begin(kQuiet), std::end(kQuiet), is_first) ||
           std::any_of(std::begin(kArithmetic), std::end(kArithmetic), is_first) ||
           begins_with(opcode, "ld.param") || begins_with(opcode, "ld.const");
}

}  // namespace gwatch::instrument
