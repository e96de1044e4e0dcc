#include "report/chrome.h"

#include <charconv>
#include <cstdio>

#include "report/run_facts.h"
#include "report/run_walk.h"
#include "trace/output_file.h"
#include "trace/text.h"
#include "trace/time_axis.h"

namespace gwatch::report {

namespace {

using Json = nlohmann::ordered_json;

void append_number(std::string& out, std::int64_t number) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// ns as microseconds: 1234567 becomes 1234.567.
void append_microseconds(std::string& out, std::int64_t ns) {
    append_number(out, ns / 1000);
    const auto rest = static_cast<unsigned>(ns % 1000);
    if (rest == 0) return;
    out += '.';
    out += static_cast<char>('0' + rest / 100);
    out += static_cast<char>('0' + rest / 10 % 10);
    out += static_cast<char>('0' + rest % 10);
}

std::string quoted(const std::string& text) {
    return Json(trace::to_utf8(text)).dump();
}

/// A row of the viewer.
struct Row {
    std::int64_t pid = 0;
    std::int64_t tid = 0;
};

/// Writes the events of a trace, one a line.
class EventWriter {
  public:
    explicit EventWriter(trace::OutputFile& file) : file_(file) {}

    /// Says something about a process or thread: "process_name", "thread_sort_index", ...
    void describe(const Row& row, const char* what, const char* key, const Json& value) {
        begin(what, 'M', row);
        bytes_ += ",\"args\":{\"" + std::string(key) + "\":" + value.dump() + "}";
        end();
    }

    /// `name` in quotes.
    void slice(const std::string& name, const Row& row, std::int64_t start_ns,
               std::int64_t duration_ns, const std::string& args) {
        begin_quoted(name, 'X', row);
        add_time(start_ns);
        bytes_ += ",\"dur\":";
        append_microseconds(bytes_, duration_ns);
        bytes_ += args;
        end();
    }

    void instant(const std::string& name, const Row& row, std::int64_t time_ns,
                 const std::string& args) {
        begin_quoted(name, 'i', row);
        bytes_ += ",\"s\":\"t\"";
        add_time(time_ns);
        bytes_ += args;
        end();
    }

    /// A value over time; those of one process and name are one.
    void counter(const std::string& name, const Row& row, std::int64_t time_ns,
                 const std::string& value) {
        begin_quoted(name, 'C', row);
        add_time(time_ns);
        bytes_ += ",\"args\":{\"value\":" + value + "}";
        end();
    }

    void text(std::string_view text) { bytes_ += text; }
    void flush() {
        file_.write(bytes_);
        bytes_.clear();
    }

  private:
    static constexpr std::size_t kPiece = 1 << 18;

    void begin(const char* name, char phase, const Row& row) {
        begin_quoted('"' + std::string(name) + '"', phase, row);
    }
    void begin_quoted(const std::string& name, char phase, const Row& row) {
        bytes_ += is_first_ ? "\n{\"name\":" : ",\n{\"name\":";
        is_first_ = false;
        bytes_ += name;
        bytes_ += ",\"ph\":\"";
        bytes_ += phase;
        bytes_ += "\",\"pid\":";
        append_number(bytes_, row.pid);
        bytes_ += ",\"tid\":";
        append_number(bytes_, row.tid);
    }
    void add_time(std::int64_t time_ns) {
        bytes_ += ",\"ts\":";
        append_microseconds(bytes_, time_ns);
    }
    void end() {
        bytes_ += '}';
        if (bytes_.size() > kPiece) flush();
    }

    trace::OutputFile& file_;
    std::string bytes_;
    bool is_first_ = true;
};

/// Numbers that no two processes or threads of the trace share.
struct Numbers {
    std::int64_t next = 1;
};

/// Which threads were there, unless all of the warp were, and what the marker carried.
std::string arguments(const Threads& threads, const Payload& payload) {
    if (threads.are_all && !payload.bits) return {};
    std::string text = ",\"args\":{";
    if (!threads.are_all) {
        char mask[32];
        std::snprintf(mask, sizeof mask, "\"threads\":\"0x%x\"", threads.mask);
        text += mask;
        if (payload.bits) text += ',';
    }
    if (payload.bits) text += "\"payload\":" + payload_json(payload.kind, *payload.bits).dump();
    return text + '}';
}

/// Writes the events of one run.
class RunWriter {
  public:
    RunWriter(EventWriter& out, const trace::Run& run, GroupBy by, std::int64_t offset_ns,
              Numbers& numbers)
        : out_(out),
          run_(run),
          by_(by),
          offset_ns_(offset_ns),
          numbers_(numbers),
          rows_(run.lanes.size()) {
        for (const trace::Scope& scope : run.scopes) names_.push_back(quoted(scope.name));
    }

    void write_group(const Group& group, const std::string& name, std::int64_t position) {
        const Row process{numbers_.next++, 0};
        out_.describe(process, "process_name", "name", name);
        out_.describe(process, "process_sort_index", "sort_index", position);
        write_blocks(group, process);
        for (const std::uint32_t lane : group.lanes) {
            const std::int64_t sort_index = 1000 + numbers_.next;
            rows_[lane] = add_row(process, lane_name(run_, run_.lanes[lane], by_), sort_index);
        }
    }

    void write_slices(std::uint32_t index) {
        const trace::Lane& lane = run_.lanes[index];
        const trace::Slices& slices = run_.slices;
        const std::vector<Row> rows =
            rows_of_tracks(index, lay_out_slices(run_, lane, &track_of_slice_));
        PayloadCursor payloads(slices.payloads, lane.first_slice);
        for (std::uint64_t i = lane.first_slice; i < lane.end_slice; ++i) {
            out_.slice(names_[slices.scope[i]], rows[track_of_slice_[i - lane.first_slice]],
                       offset_ns_ + slices.start_ns[i], slices.duration_ns[i],
                       arguments(threads_of(run_, lane, slices.mask[i]),
                                 payload_of(run_, slices.scope[i], payloads.of(i))));
        }
    }

    void write_instant(const Instant& instant) {
        static constexpr const char* kSuffixes[] = {"", ": start without an end",
                                                    ": end without a start"};
        const char* suffix = kSuffixes[static_cast<int>(instant.kind)];
        out_.instant(quoted(run_.scopes[instant.scope].name + suffix), rows_[instant.lane],
                     offset_ns_ + instant.time_ns, arguments(instant.threads, instant.payload));
    }

    /// A counter for each warp and scope.
    void write_sample(const Sample& sample) {
        const std::string warp = lane_name(run_, run_.lanes[sample.lane], by_);
        out_.counter(quoted(run_.scopes[sample.scope].name + ", " + warp), rows_[sample.lane],
                     offset_ns_ + sample.time_ns, payload_text(sample.kind, sample.bits));
    }

  private:
    Row add_row(const Row& process, const std::string& name, std::int64_t sort_index) {
        const Row row{process.pid, numbers_.next++};
        out_.describe(row, "thread_name", "name", trace::to_utf8(name));
        out_.describe(row, "thread_sort_index", "sort_index", sort_index);
        return row;
    }

    void write_blocks(const Group& group, const Row& process) {
        std::vector<Row> rows;
        for (std::uint32_t i = 0; i < group.rows; ++i)
            rows.push_back(add_row(process, "blocks", i));
        for (const BlockSpan& span : group.blocks) {
            const Json args = {
                {"block", span.block}, {"sm", span.sm}, {"cluster_rank", span.cluster_rank}};
            out_.slice(quoted(block_name(run_, span.block)), rows[span.row],
                       offset_ns_ + span.begin_ns, span.end_ns - span.begin_ns,
                       ",\"args\":" + args.dump());
        }
    }

    /// The rows of a lane's tracks: its own, and more behind it for slices that overlap.
    std::vector<Row> rows_of_tracks(std::size_t lane, std::uint32_t tracks) {
        std::vector<Row> rows = {rows_[lane]};
        while (rows.size() < tracks) {
            rows.push_back(add_row(rows_[lane],
                                   lane_name(run_, run_.lanes[lane], by_) + ", overlapping " +
                                       std::to_string(rows.size()),
                                   1000 + rows_[lane].tid));
        }
        return rows;
    }

    EventWriter& out_;
    const trace::Run& run_;
    GroupBy by_;
    std::int64_t offset_ns_;
    Numbers& numbers_;
    std::vector<Row> rows_;                      ///< of each lane
    std::vector<std::string> names_;             ///< of each scope, in quotes
    std::vector<std::uint32_t> track_of_slice_;  ///< of one lane
};

/// The object's other entries: viewers show them as information on the trace.
Json other_data(const trace::Trace& trace, std::string_view producer,
                const std::vector<std::string>& notes) {
    Json data = {{"title", trace::to_utf8(trace.title)},
                 {"created", trace::to_utf8(trace.created)},
                 {"producer", trace::to_utf8(producer)},
                 {"notes", notes},
                 {"runs", Json::array()}};
    for (const trace::Run& run : trace.runs) data["runs"].push_back(facts_of(run));
    return data;
}

}  // namespace

Result<void> write_chrome(const trace::Trace& trace, std::string_view producer,
                          const std::string& path, GroupBy by) {
    Result<trace::OutputFile> file = trace::OutputFile::create(path);
    if (!file) return file.error();
    const trace::TimeAxes axes = trace::time_axes(trace);
    EventWriter out(*file);
    out.text("{\"displayTimeUnit\":\"ns\",\n\"otherData\":" +
             other_data(trace, producer, axes.notes).dump() + ",\n\"traceEvents\":[");
    Numbers numbers;
    progress::begin(count_slices(trace));
    for (std::size_t i = 0; i < trace.runs.size(); ++i) {
        RunWriter writer(out, trace.runs[i], by, axes.runs[i].offset_ns, numbers);
        walk_run(trace.runs[i], by, process_prefix(trace, i), writer);
    }
    out.text("\n]}\n");
    out.flush();
    return file->close();
}

}  // namespace gwatch::report
