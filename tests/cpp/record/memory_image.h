#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "record/plan.h"

namespace gwatch::record {

/// A launch's memory as plain bytes. Counts what is read from it.
class MemoryImage : public MemoryReader {
  public:
    explicit MemoryImage(const Plan& plan) : plan_(plan), bytes_(plan.total_bytes) {}

    Result<void> read(std::uint64_t offset, std::uint64_t pitch, std::uint64_t row_bytes,
                      std::uint64_t rows, void* to) override {
        if (++calls == failing_call) return Error{ErrorKind::kDriver, "the device is gone"};
        for (std::uint64_t row = 0; row < rows; ++row) {
            const std::uint64_t at = offset + row * pitch;
            if (at + row_bytes > bytes_.size())
                return Error{ErrorKind::kDriver, "read past the end"};
            std::memcpy(static_cast<char*>(to) + row * row_bytes, bytes_.data() + at, row_bytes);
        }
        bytes_read += row_bytes * rows;
        return {};
    }

    /// Fills a region as a warp does: the header, then `records` slots of site 1.
    void fill_region(std::uint32_t region, std::uint32_t records) {
        const RegionHeader header{1'000'000 + region, 500, 0, 0, 0};
        std::memcpy(slot(region, 0), &header, sizeof header);
        for (std::uint32_t i = 0; i < records; ++i) {
            const Slot record{i, 1, static_cast<std::uint16_t>(region)};
            std::memcpy(slot(region, kHeaderSlots + i), &record, sizeof record);
        }
    }
    /// A place in the middle of a region, and of a chunk.
    std::uint32_t place_in_region(std::uint32_t region) const {
        const std::uint32_t slots = plan_.constants.region_slots;
        return (region * slots + slots / 2) * std::uint32_t{sizeof(Slot)};
    }
    std::uint32_t place_in_chunk(std::uint32_t chunk) const {
        return plan_.constants.pool_place + chunk * kChunkBytes + kChunkBytes / 2;
    }

    /// A chunk of lane 3, with records of site 2.
    void fill_chunk(std::uint32_t chunk, std::uint32_t region, std::uint32_t records) {
        char* at = put_header(chunk, {place_in_region(region), 3, 0, 0});
        for (std::uint32_t i = 0; i < records; ++i) {
            const Unit unit{i, 2, 0, 0xff, chunk};
            std::memcpy(at + (i + 1) * sizeof unit, &unit, sizeof unit);
        }
    }
    /// A chunk in which a warp goes on, with slots of site 1 that tell the chunk.
    void fill_hot_chunk(std::uint32_t chunk, std::uint32_t place, std::uint32_t slots) {
        char* at = put_header(chunk, {place, kHotOwner, 0, 0});
        for (std::uint32_t i = 0; i < slots; ++i) {
            const Slot slot{i, 1, static_cast<std::uint16_t>(chunk)};
            std::memcpy(at + sizeof(ChunkHeader) + i * sizeof slot, &slot, sizeof slot);
        }
    }
    void take_chunks(std::uint32_t count) {
        Control control{};
        control.chunks_taken = count;
        set_control(control);
    }
    void set_control(const Control& control) {
        std::memcpy(bytes_.data() + plan_.control_offset, &control, sizeof control);
    }

    std::uint64_t bytes_read = 0;
    int calls = 0;
    int failing_call = 0;  ///< from 1

  private:
    char* put_header(std::uint32_t chunk, const ChunkHeader& header) {
        char* at = bytes_.data() + plan_.pool_offset + std::uint64_t{chunk} * kChunkBytes;
        std::memcpy(at, &header, sizeof header);
        return at;
    }
    char* slot(std::uint32_t region, std::uint32_t index) {
        const std::uint64_t at = std::uint64_t{region} * plan_.constants.region_slots + index;
        return bytes_.data() + plan_.regions_offset + at * sizeof(Slot);
    }

    Plan plan_;
    std::vector<char> bytes_;
};

}  // namespace gwatch::record
