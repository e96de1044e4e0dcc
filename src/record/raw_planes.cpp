#include "record/raw_planes.h"

#include <bit>
#include <cstring>

namespace gwatch::record {

namespace {

static_assert(std::endian::native == std::endian::little, "raw files hold little-endian words");

template <class T>
std::string split_bytes(const std::vector<T>& values) {
    std::string planes(values.size() * sizeof(T), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
        char bytes[sizeof(T)];
        std::memcpy(bytes, &values[i], sizeof(T));
        for (std::size_t plane = 0; plane < sizeof(T); ++plane) {
            planes[plane * values.size() + i] = bytes[plane];
        }
    }
    return planes;
}

template <class T>
std::vector<T> join_bytes(std::string_view planes) {
    std::vector<T> values(planes.size() / sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        char bytes[sizeof(T)];
        for (std::size_t plane = 0; plane < sizeof(T); ++plane) {
            bytes[plane] = planes[plane * values.size() + i];
        }
        std::memcpy(&values[i], bytes, sizeof(T));
    }
    return values;
}

/// Replaces both parts of the clock by their step from `before`, or back again with `sign` -1.
template <class Record>
void step_clock(Record* record, const Record& before, int sign) {
    const auto factor = static_cast<std::uint32_t>(sign);
    record->clock_low -= factor * before.clock_low;
    record->clock_high =
        static_cast<std::uint16_t>(record->clock_high - factor * before.clock_high);
}

Unit stepped(Unit unit, const Unit& before, int sign) {
    step_clock(&unit, before, sign);
    unit.word -= static_cast<std::uint32_t>(sign) * before.word;
    return unit;
}

Slot stepped(Slot slot, const Slot& before, int sign) {
    step_clock(&slot, before, sign);
    return slot;
}

template <class Record>
void to_steps(std::vector<Record>* records) {
    Record before{};
    for (Record& record : *records) {
        const Record value = record;
        record = stepped(record, before, 1);
        before = value;
    }
}

template <class Record>
void from_steps(std::vector<Record>* records) {
    Record before{};
    for (Record& record : *records) {
        record = stepped(record, before, -1);
        before = record;
    }
}

}  // namespace

std::string to_planes(const std::vector<std::uint32_t>& words) {
    return split_bytes(words);
}

std::string to_planes(const std::vector<std::uint64_t>& slots) {
    std::vector<Slot> records(slots.size());
    if (!slots.empty()) std::memcpy(records.data(), slots.data(), slots.size() * sizeof(Slot));
    to_steps(&records);
    return split_bytes(records);
}

std::string to_planes(const std::vector<Unit>& units) {
    std::vector<Unit> records = units;
    to_steps(&records);
    return split_bytes(records);
}

std::vector<std::uint32_t> words_from_planes(std::string_view bytes) {
    return join_bytes<std::uint32_t>(bytes);
}

std::vector<std::uint64_t> slots_from_planes(std::string_view bytes) {
    std::vector<Slot> records = join_bytes<Slot>(bytes);
    from_steps(&records);
    std::vector<std::uint64_t> slots(records.size());
    if (!slots.empty()) std::memcpy(slots.data(), records.data(), slots.size() * sizeof(Slot));
    return slots;
}

std::vector<Unit> units_from_planes(std::string_view bytes) {
    std::vector<Unit> units = join_bytes<Unit>(bytes);
    from_steps(&units);
    return units;
}

}  // namespace gwatch::record
