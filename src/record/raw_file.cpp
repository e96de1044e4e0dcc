#include "record/raw_file.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "instrument/sites_json.h"
#include "record/raw_planes.h"

namespace gwatch::record {

namespace {

using Json = nlohmann::json;

// A raw file: the magic line, the size of the body (8 bytes), the body through zlib. The body: the
// size of the header (8 bytes), the header (JSON), then the planes of region sizes, slots and pool.
constexpr std::string_view kMagic = "gwatch raw capture 1\n";
/// zlib packs no better than this; a larger size is a lie.
constexpr std::uint64_t kBestRatio = 1040;

std::string size_bytes(std::uint64_t size) {
    return std::string(reinterpret_cast<const char*>(&size), sizeof size);
}

Json to_json(const Plan& plan) {
    const LaunchConstants& constants = plan.constants;
    return {{"total_bytes", plan.total_bytes},
            {"control_offset", plan.control_offset},
            {"regions_offset", plan.regions_offset},
            {"lane_cursors_offset", plan.lane_cursors_offset},
            {"pool_offset", plan.pool_offset},
            {"blocks_in_grid", plan.blocks_in_grid},
            {"sampled", plan.sampled},
            {"region_slots", constants.region_slots},
            {"region_count", constants.region_count},
            {"pool_chunks", constants.pool_chunks},
            {"warps_per_block", plan.warps_per_block},
            {"block_first", constants.block_first},
            {"block_stride", constants.block_stride},
            {"block_count", constants.block_count},
            {"warp_mask", constants.warp_mask}};
}

Plan plan_from(const Json& json) {
    Plan plan{};
    json.at("total_bytes").get_to(plan.total_bytes);
    json.at("control_offset").get_to(plan.control_offset);
    json.at("regions_offset").get_to(plan.regions_offset);
    json.at("lane_cursors_offset").get_to(plan.lane_cursors_offset);
    json.at("pool_offset").get_to(plan.pool_offset);
    json.at("blocks_in_grid").get_to(plan.blocks_in_grid);
    json.at("sampled").get_to(plan.sampled);
    json.at("region_slots").get_to(plan.constants.region_slots);
    json.at("region_count").get_to(plan.constants.region_count);
    json.at("pool_chunks").get_to(plan.constants.pool_chunks);
    plan.constants.pool_place = static_cast<std::uint32_t>(plan.pool_offset - plan.regions_offset);
    json.at("warps_per_block").get_to(plan.warps_per_block);
    json.at("block_first").get_to(plan.constants.block_first);
    json.at("block_stride").get_to(plan.constants.block_stride);
    json.at("block_count").get_to(plan.constants.block_count);
    json.at("warp_mask").get_to(plan.constants.warp_mask);
    return plan;
}

Json to_json(const Control& control) {
    return {{"chunks_taken", control.chunks_taken},
            {"cold_misses", control.cold_misses},
            {"dropped_records", control.dropped_records},
            {"dropped_events", control.dropped_events},
            {"most_overflow", control.most_overflow}};
}

Control control_from(const Json& json) {
    Control control{};
    json.at("chunks_taken").get_to(control.chunks_taken);
    control.cold_misses = json.value("cold_misses", std::uint64_t{0});
    json.at("dropped_records").get_to(control.dropped_records);
    json.at("dropped_events").get_to(control.dropped_events);
    control.most_overflow = json.value("most_overflow", std::uint64_t{0});
    return control;
}

std::string header_of(const RawCapture& capture) {
    const RawRecords& records = capture.records;
    const Json header = {{"plan", to_json(records.plan)},
                         {"grid", records.grid},
                         {"block", records.block},
                         {"control", to_json(records.control)},
                         {"regions", records.region_slots.size()},
                         {"slots", records.slots.size()},
                         {"units", records.pool.size()},
                         {"sites", instrument::to_json(capture.sites)},
                         {"facts", capture.facts}};
    return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Error broken(const std::string& name, const std::string& what) {
    return Error{ErrorKind::kArchive,
                 name + " is no raw capture of gwatch: " + what,
                 {},
                 "Copy the file again, or record it again."};
}

/// Takes pieces off the front of the body.
class Body {
  public:
    explicit Body(std::string_view bytes) : rest_(bytes) {}

    /// False when fewer are left.
    bool take(std::uint64_t count, std::string_view* piece) {
        if (count > rest_.size()) return false;
        *piece = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return true;
    }
    bool take_elements(const Json& count, std::uint64_t size, std::string_view* piece) {
        const auto elements = count.get<std::uint64_t>();
        return elements <= rest_.size() && take(elements * size, piece);
    }
    bool empty() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

Result<RawCapture> parse_body(std::string_view bytes, const std::string& name) {
    Body body(bytes);
    std::string_view piece;
    std::uint64_t header_size = 0;
    if (!body.take(sizeof header_size, &piece)) return broken(name, "it has no header");
    std::memcpy(&header_size, piece.data(), sizeof header_size);
    if (!body.take(header_size, &piece)) return broken(name, "its header is cut off");
    try {
        const Json header = Json::parse(piece);
        auto sites = instrument::sites_from_json(header.at("sites").get<std::string>());
        if (!sites) return sites.error();
        RawCapture capture{{plan_from(header.at("plan")),
                            header.at("grid").get<Dim3>(),
                            header.at("block").get<Dim3>(),
                            control_from(header.at("control")),
                            {},
                            {},
                            {}},
                           std::move(*sites),
                           header.at("facts").get<std::string>()};
        std::string_view regions, slots, units;
        if (!body.take_elements(header.at("regions"), sizeof(std::uint32_t), &regions) ||
            !body.take_elements(header.at("slots"), sizeof(Slot), &slots) ||
            !body.take_elements(header.at("units"), sizeof(Unit), &units) || !body.empty()) {
            return broken(name, "it has not as many records as its header says");
        }
        capture.records.region_slots = words_from_planes(regions);
        capture.records.slots = slots_from_planes(slots);
        capture.records.pool = units_from_planes(units);
        return capture;
    } catch (const Json::exception&) {
        return broken(name, "its header lacks something");
    }
}

}  // namespace

std::string to_raw_bytes(const RawCapture& capture) {
    const std::string header = header_of(capture);
    std::string body = size_bytes(header.size()) + header;
    body += to_planes(capture.records.region_slots);
    body += to_planes(capture.records.slots);
    body += to_planes(capture.records.pool);
    std::string packed(compressBound(body.size()), '\0');
    uLongf size = packed.size();
    compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
              reinterpret_cast<const Bytef*>(body.data()), body.size(), Z_BEST_COMPRESSION);
    packed.resize(size);
    return std::string(kMagic) + size_bytes(body.size()) + packed;
}

Result<RawCapture> from_raw_bytes(const std::string& bytes, const std::string& name) {
    const std::size_t start = kMagic.size() + sizeof(std::uint64_t);
    if (bytes.compare(0, kMagic.size(), kMagic) != 0)
        return broken(name, "it does not begin as one");
    if (bytes.size() < start) return broken(name, "it is cut off");
    std::uint64_t body_size = 0;
    std::memcpy(&body_size, bytes.data() + kMagic.size(), sizeof body_size);
    if (body_size > (bytes.size() - start) * kBestRatio) return broken(name, "it is cut off");
    std::string body(body_size, '\0');
    uLongf size = body.size();
    const int code =
        uncompress(reinterpret_cast<Bytef*>(body.data()), &size,
                   reinterpret_cast<const Bytef*>(bytes.data()) + start, bytes.size() - start);
    if (code != Z_OK || size != body.size())
        return broken(name, "its zlib data are damaged or cut off");
    return parse_body(body, name);
}

Result<void> write_raw_file(const RawCapture& capture, const std::string& path) {
    errno = 0;
    std::ofstream file(path, std::ios::binary);
    file << to_raw_bytes(capture) << std::flush;
    if (file) return {};
    return Error{ErrorKind::kIo,
                 "cannot write " + path + ": " + std::strerror(errno),
                 {},
                 "Check that the folder exists and that you may write there."};
}

Result<RawCapture> read_raw_file(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    if (!file) {
        return Error{ErrorKind::kIo,
                     "cannot read " + path + ": " + std::strerror(errno),
                     {},
                     "Check that the file exists and that you may read it."};
    }
    return from_raw_bytes(bytes.str(), path);
}

}  // namespace gwatch::record
