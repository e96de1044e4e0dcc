#include <charconv>

#include "trace/archive.h"
#include "trace/field_writer.h"
#include "trace/text.h"
#include "trace/warp_threads.h"

namespace gwatch::trace {

namespace {

using Json = nlohmann::ordered_json;

/// Writes tables of integer columns, one a line: {"a":[1,2],"b":[3,4]}.
class TableWriter {
  public:
    explicit TableWriter(std::string* out) : out_(*out) {}

    void open(const char* name) {
        out_ += ",\n\"";
        out_ += name;
        out_ += "\":{";
        first_ = true;
    }
    void close() { out_ += '}'; }

    /// The payloads of some rows: each row counted from the one before it.
    void payloads(const Payloads& payloads) {
        if (payloads.size() == 0) return;
        out_ += ",\n\"payloads\":{";
        first_ = true;
        column("row_delta", payloads.size(),
               [&](std::size_t i) { return payloads.row[i] - (i == 0 ? 0 : payloads.row[i - 1]); });
        column("bits", payloads.size(), [&](std::size_t i) { return payloads.bits[i]; });
        out_ += '}';
    }

    /// value(i) for each row.
    template <class Value>
    void column(const char* name, std::size_t rows, Value value) {
        out_ += first_ ? "\n\"" : ",\n\"";
        first_ = false;
        out_ += name;
        out_ += "\":[";
        for (std::size_t i = 0; i < rows; ++i) {
            if (i != 0) out_ += ',';
            add(value(i));
        }
        out_ += ']';
    }

  private:
    template <class T>
    void add(T number) {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
        out_.append(digits, static_cast<std::size_t>(end - digits));
    }

    std::string& out_;
    bool first_ = true;
};

/// The value of a mask column: 0 stands for all threads of the warp.
std::uint32_t stored_mask(const Run& run, std::uint32_t warp, std::uint32_t mask) {
    return mask == warp_threads(run.launch.block, warp) ? 0 : mask;
}

void write_lanes(const Run& run, TableWriter* table) {
    const auto column = [&](const char* name, auto member) {
        table->column(name, run.lanes.size(), [&](std::size_t i) { return run.lanes[i].*member; });
    };
    table->open("lanes");
    column("block", &Lane::block);
    column("warp", &Lane::warp);
    column("sm", &Lane::sm);
    column("cluster_rank", &Lane::cluster_rank);
    column("enter_ns", &Lane::enter_ns);
    column("exit_ns", &Lane::exit_ns);
    column("events", &Lane::events);
    table->column("slice_count", run.lanes.size(),
                  [&](std::size_t i) { return run.lanes[i].end_slice - run.lanes[i].first_slice; });
    table->close();
}

/// Each slice's start from the start of the one before it in its lane, the first one's from the
/// lane's entry.
std::vector<std::int64_t> start_deltas(const Run& run) {
    std::vector<std::int64_t> deltas;
    deltas.reserve(run.slices.size());
    for (const Lane& lane : run.lanes) {
        std::int64_t before = lane.enter_ns;
        for (std::uint64_t i = lane.first_slice; i < lane.end_slice; ++i) {
            deltas.push_back(run.slices.start_ns[i] - before);
            before = run.slices.start_ns[i];
        }
    }
    return deltas;
}

/// Masks as stored; empty when all are 0.
std::vector<std::uint32_t> slice_masks(const Run& run) {
    std::vector<std::uint32_t> masks;
    masks.reserve(run.slices.size());
    bool any = false;
    for (const Lane& lane : run.lanes) {
        for (std::uint64_t i = lane.first_slice; i < lane.end_slice; ++i) {
            masks.push_back(stored_mask(run, lane.warp, run.slices.mask[i]));
            any = any || masks.back() != 0;
        }
    }
    if (!any) masks.clear();
    return masks;
}

/// The one depth that each scope's slices have (0 without any); empty when a scope has several.
std::vector<std::uint32_t> depths_of_scopes(const Run& run) {
    constexpr std::uint32_t kUnseen = 0xffffffff;
    std::vector<std::uint32_t> depths(run.scopes.size(), kUnseen);
    for (std::size_t i = 0; i < run.slices.size(); ++i) {
        std::uint32_t& depth = depths[run.slices.scope[i]];
        if (depth == kUnseen) depth = run.slices.depth[i];
        if (depth != run.slices.depth[i]) return {};
    }
    for (std::uint32_t& depth : depths) depth = depth == kUnseen ? 0 : depth;
    return depths;
}

void write_slices(const Run& run, TableWriter* table) {
    const std::size_t rows = run.slices.size();
    const auto column = [&](const char* name, const auto& values) {
        table->column(name, values.size(), [&](std::size_t i) { return values[i]; });
    };
    table->open("slices");
    column("start_delta_ns", start_deltas(run));
    column("duration_ns", run.slices.duration_ns);
    column("scope", run.slices.scope);
    const std::vector<std::uint32_t> depths = depths_of_scopes(run);
    if (depths.empty() && rows != 0) {
        column("depth", run.slices.depth);
    } else {
        column("scope_depth", depths);
    }
    const std::vector<std::uint32_t> masks = slice_masks(run);
    if (!masks.empty()) column("mask", masks);
    table->payloads(run.slices.payloads);
    table->close();
}

void write_instants(const Run& run, const char* name, const Instants& instants,
                    TableWriter* table) {
    const auto column = [&](const char* column_name, const auto& values) {
        table->column(column_name, values.size(), [&](std::size_t i) { return values[i]; });
    };
    table->open(name);
    column("lane", instants.lane);
    column("time_ns", instants.time_ns);
    column("scope", instants.scope);
    table->column("mask", instants.size(), [&](std::size_t i) {
        return stored_mask(run, run.lanes[instants.lane[i]].warp, instants.mask[i]);
    });
    table->payloads(instants.payloads);
    table->close();
}

/// `{"launch":...` without the closing brace: the tables follow.
std::string open_run(const Run& run) {
    FieldWriter writer;
    // The visitor is shared with the reader, so it takes references to what it may change; this one
    // does not.
    visit(writer, const_cast<Run&>(run));
    const Json facts = writer.take();
    std::string text = "{";
    for (const auto& [name, value] : facts.items()) {
        if (text.size() > 1) text += ",\n";
        text += Json(name).dump() + ":" + value.dump();
    }
    return text;
}

}  // namespace

std::string to_json(const Trace& trace, std::string_view producer) {
    const auto quoted = [](std::string_view text) { return Json(to_utf8(text)).dump(); };
    std::string out = "{\"format\":\"gwatch-trace\",\"version\":" + std::to_string(kFormatVersion);
    out += ",\"producer\":" + quoted(producer) + ",\"title\":" + quoted(trace.title);
    out += ",\"created\":" + quoted(trace.created) + ",\"runs\":[";
    for (std::size_t i = 0; i < trace.runs.size(); ++i) {
        const Run& run = trace.runs[i];
        out += i == 0 ? "\n" : ",\n";
        out += open_run(run);
        TableWriter table(&out);
        write_lanes(run, &table);
        write_slices(run, &table);
        write_instants(run, "marks", run.marks, &table);
        write_instants(run, "orphan_starts", run.orphan_starts, &table);
        write_instants(run, "orphan_ends", run.orphan_ends, &table);
        out += '}';
    }
    out += "\n]}\n";
    return out;
}

}  // namespace gwatch::trace
