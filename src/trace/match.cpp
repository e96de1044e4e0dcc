#include "trace/match.h"

#include <algorithm>

#include "trace/huge_pages.h"

namespace gwatch::trace {

using instrument::ActionKind;

namespace {

constexpr std::uint32_t kDeepest = 0xffff;

/// Resizes a column; a large new one is first touched in huge pages, where the system has them.
template <class T>
void resize(std::vector<T>* column, std::size_t size) {
    if (column->capacity() < size) {
        column->reserve(std::max(size, column->capacity() + column->capacity() / 2));
        prefer_huge_pages(column->data(), column->capacity() * sizeof(T));
    }
    column->resize(size);
}

void resize(Slices* slices, std::size_t size) {
    resize(&slices->start_ns, size);
    resize(&slices->duration_ns, size);
    resize(&slices->scope, size);
    resize(&slices->depth, size);
    resize(&slices->mask, size);
}

void add(Payloads* payloads, std::uint64_t row, std::uint64_t bits) {
    payloads->row.push_back(row);
    payloads->bits.push_back(bits);
}

void cut(Payloads* payloads, std::uint64_t rows) {
    while (!payloads->row.empty() && payloads->row.back() >= rows) payloads->row.pop_back();
    payloads->bits.resize(payloads->row.size());
}

void cut(Instants* instants, std::size_t size) {
    cut(&instants->payloads, size);
    instants->lane.resize(size);
    instants->time_ns.resize(size);
    instants->scope.resize(size);
    instants->mask.resize(size);
}

}  // namespace

Matcher::Matcher(const SiteActions& sites, std::uint64_t starts, Run* run)
    : sites_(sites), run_(run), starts_left_(starts), innermost_(sites.scope_count(), kNone) {
    resize(&run->slices, starts);
}

void Matcher::match(std::span<const Event> events, std::span<const EventPayload> payloads,
                    std::uint32_t lane) {
    payloads_ = payloads;
    const std::uint64_t first = next_;
    const std::size_t marks = run_->marks.size();
    const std::size_t orphan_ends = run_->orphan_ends.size();
    const bool is_simple =
        payloads.empty() ? match_simple<false>(events, lane) : match_simple<true>(events, lane);
    if (is_simple) {
        starts_left_ -= next_ - first;
        return;
    }
    forget_open();
    next_ = first;
    cut(&run_->slices.payloads, first);
    cut(&run_->marks, marks);
    cut(&run_->orphan_ends, orphan_ends);
    match_thorough(events, lane);
}

void Matcher::finish() {
    resize(&run_->slices, next_);
}

inline void Matcher::push_open(const Open& open) {
    innermost_[open.scope] = static_cast<std::uint32_t>(open_.size());
    masks_.add(open.mask);
    open_.push_back(open);
}

inline void Matcher::drop_closed() {
    while (!open_.empty() && open_.back().mask == 0) open_.pop_back();
}

/// The payload of an action of an event, not in front of the last event that it was called for.
inline const std::uint64_t* Matcher::payload_of(const SiteAction& action, std::size_t event) {
    if (!action.has_payload) return nullptr;
    while (next_payload_ < payloads_.size() && payloads_[next_payload_].event < event)
        ++next_payload_;
    const bool is_there =
        next_payload_ < payloads_.size() && payloads_[next_payload_].event == event;
    return is_there ? &payloads_[next_payload_].bits : nullptr;
}

inline void Matcher::start_simple(const Event& event, std::uint32_t scope,
                                  const std::uint64_t* payload) {
    Slices& slices = run_->slices;
    const std::uint64_t slice = next_++;
    slices.start_ns[slice] = event.time_ns;
    slices.scope[slice] = scope;
    slices.mask[slice] = event.mask;
    slices.depth[slice] =
        static_cast<std::uint16_t>(std::min(masks_.sharing(event.mask), kDeepest));
    push_open({slice, event.time_ns, scope, event.mask, innermost_[scope]});
    if (payload != nullptr) add(&slices.payloads, slice, *payload);
}

/// False when the end has a part of the threads of an open slice.
inline bool Matcher::end_simple(const Event& event, std::uint32_t scope, std::uint32_t lane) {
    std::uint32_t* link = &innermost_[scope];
    while (*link != kNone && (open_[*link].mask & event.mask) == 0) link = &open_[*link].previous;
    if (*link == kNone) {
        add_instant(&run_->orphan_ends, lane, event.time_ns, scope, event.mask);
        return true;
    }
    Open& open = open_[*link];
    if (open.mask != event.mask) return false;
    run_->slices.duration_ns[open.slice] = event.time_ns - open.start_ns;
    *link = open.previous;
    masks_.remove(open.mask);
    open.mask = 0;
    drop_closed();
    return true;
}

template <bool kHasPayloads>
bool Matcher::match_simple(std::span<const Event> events, std::uint32_t lane) {
    const auto payload_at = [&](const SiteAction& action, std::size_t event) {
        return kHasPayloads ? payload_of(action, event) : nullptr;
    };
    next_payload_ = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const Event& event = events[i];
        for (const SiteAction& action : sites_.actions(event.site)) {
            switch (action.kind) {
                case ActionKind::kStart:
                    start_simple(event, action.scope, payload_at(action, i));
                    break;
                case ActionKind::kEnd:
                    if (!end_simple(event, action.scope, lane)) return false;
                    break;
                case ActionKind::kMark:
                    add_instant(&run_->marks, lane, event.time_ns, action.scope, event.mask,
                                payload_at(action, i));
                    break;
                case ActionKind::kExit:
                case ActionKind::kTimer:
                    break;
            }
        }
    }
    return open_.empty();
}

void Matcher::match_thorough(std::span<const Event> events, std::uint32_t lane) {
    rows_.clear();
    starts_.clear();
    next_payload_ = 0;
    std::uint64_t step = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const Event& event = events[i];
        for (const SiteAction& action : sites_.actions(event.site)) {
            ++step;
            if (action.kind == ActionKind::kStart) {
                --starts_left_;
                starts_.push_back({step, payload_of(action, i)});
                push_open({starts_.size() - 1, event.time_ns, action.scope, event.mask,
                           innermost_[action.scope]});
            } else if (action.kind == ActionKind::kEnd) {
                end_thorough(event, action.scope, lane, step);
            } else if (action.kind == ActionKind::kMark) {
                add_instant(&run_->marks, lane, event.time_ns, action.scope, event.mask,
                            payload_of(action, i));
            }
        }
    }
    for (const Open& open : open_) {
        if (open.mask == 0) continue;
        add_instant(&run_->orphan_starts, lane, open.start_ns, open.scope, open.mask,
                    starts_[open.slice].payload);
    }
    forget_open();
    write_rows();
}

/// Closes the open slices of the scope, the innermost first, each for the threads it shares with
/// the end.
void Matcher::end_thorough(const Event& event, std::uint32_t scope, std::uint32_t lane,
                           std::uint64_t step) {
    std::uint32_t left = event.mask;
    std::uint32_t* link = &innermost_[scope];
    while (*link != kNone && left != 0) {
        Open& open = open_[*link];
        const std::uint32_t common = open.mask & left;
        if (common != 0) {
            rows_.push_back({static_cast<std::uint32_t>(open.slice), step, open.start_ns,
                             event.time_ns, scope, common});
            open.mask &= ~common;
            left &= ~common;
        }
        if (open.mask == 0) {
            *link = open.previous;
        } else {
            link = &open.previous;
        }
    }
    drop_closed();
    if (left != 0) add_instant(&run_->orphan_ends, lane, event.time_ns, scope, left);
}

/// [row]: rows of shared threads that were open when it started. Needs rows in order of end_step.
std::vector<std::uint32_t> Matcher::depths_of_rows(
    const std::vector<std::uint32_t>& by_start) const {
    std::vector<std::uint32_t> depths(rows_.size());
    OpenMasks masks;
    std::size_t ended = 0;
    for (const std::uint32_t row : by_start) {
        for (; rows_[ended].end_step < starts_[rows_[row].start].step; ++ended)
            masks.remove(rows_[ended].mask);
        depths[row] = masks.sharing(rows_[row].mask);
        masks.add(rows_[row].mask);
    }
    return depths;
}

/// Rows in order of start; those of one start keep the order in which they ended.
std::vector<std::uint32_t> Matcher::rows_by_start() const {
    std::vector<std::uint32_t> places(starts_.size() + 1);
    for (const Row& row : rows_) ++places[row.start + 1];
    for (std::size_t i = 1; i < places.size(); ++i) places[i] += places[i - 1];
    std::vector<std::uint32_t> order(rows_.size());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) order[places[rows_[i].start]++] = i;
    return order;
}

void Matcher::write_rows() {
    const std::vector<std::uint32_t> by_start = rows_by_start();
    const std::vector<std::uint32_t> depths = depths_of_rows(by_start);
    Slices& slices = run_->slices;
    // An end of some threads makes a slice that no start made room for.
    const std::uint64_t needed = next_ + rows_.size() + starts_left_;
    if (slices.size() < needed) resize(&slices, needed);
    for (const std::uint32_t index : by_start) {
        const Row& row = rows_[index];
        slices.start_ns[next_] = row.start_ns;
        slices.duration_ns[next_] = row.end_ns - row.start_ns;
        slices.scope[next_] = row.scope;
        slices.mask[next_] = row.mask;
        slices.depth[next_] = static_cast<std::uint16_t>(std::min(depths[index], kDeepest));
        const std::uint64_t* payload = starts_[row.start].payload;
        if (payload != nullptr) add(&slices.payloads, next_, *payload);
        ++next_;
    }
}

void Matcher::forget_open() {
    for (const Open& open : open_) innermost_[open.scope] = kNone;
    open_.clear();
    masks_.clear();
}

void Matcher::add_instant(Instants* instants, std::uint32_t lane, std::int64_t time_ns,
                          std::uint32_t scope, std::uint32_t mask, const std::uint64_t* payload) {
    if (payload != nullptr) add(&instants->payloads, instants->size(), *payload);
    instants->lane.push_back(lane);
    instants->time_ns.push_back(time_ns);
    instants->scope.push_back(scope);
    instants->mask.push_back(mask);
}

}  // namespace gwatch::trace
