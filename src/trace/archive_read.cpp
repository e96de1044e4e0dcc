#include "trace/archive.h"
#include "trace/archive_sax.h"
#include "trace/archive_tables.h"
#include "trace/field_reader.h"

namespace gwatch::trace {

namespace {

using Json = nlohmann::json;

class ArchiveReader {
  public:
    ArchiveReader(std::string_view text, std::string_view name)
        : name_(name), archive_(parse_archive(text)) {}

    Result<Trace> read() {
        if (auto header = check_header(); !header) return header.error();
        if (!archive_.column_error.empty()) return broken(archive_.column_error);
        Trace trace;
        std::string problem = read_fields(&trace);
        if (problem.empty()) problem = read_tables(&trace);
        if (!problem.empty()) return broken(problem);
        return trace;
    }

  private:
    Error broken(const std::string& what) const {
        return Error{ErrorKind::kArchive,
                     name_ + " is a broken gwatch trace: " + what,
                     {},
                     "Trace again, or copy the file again."};
    }
    Error foreign(const std::string& what) const {
        return Error{ErrorKind::kArchive,
                     name_ + " is no gwatch trace: " + what,
                     {},
                     "Pass a file that File.render wrote, named trace.json or trace.json.gz."};
    }

    Result<void> check_header() const {
        if (!archive_.syntax_error.empty()) return foreign(archive_.syntax_error);
        const Json& root = archive_.root;
        if (!root.is_object()) return foreign("it is JSON, but no object");
        const auto format = root.find("format");
        if (format == root.end() || *format != "gwatch-trace") {
            return foreign("it lacks \"format\": \"gwatch-trace\"");
        }
        const auto version = root.find("version");
        if (version == root.end() || !version->is_number_unsigned() || *version == 0u) {
            return broken("version is no whole number from 1 up");
        }
        if (*version > static_cast<unsigned>(kFormatVersion)) return newer(*version);
        return {};
    }

    Error newer(const Json& version) const {
        const auto producer = archive_.root.find("producer");
        const std::string by = producer != archive_.root.end() && producer->is_string()
                                   ? " by " + producer->get<std::string>()
                                   : "";
        return Error{ErrorKind::kArchive,
                     name_ + " was written" + by + " in version " + version.dump() +
                         " of the format; this gwatch reads versions up to " +
                         std::to_string(kFormatVersion),
                     {},
                     "Update gwatch."};
    }

    std::string read_fields(Trace* trace) const {
        std::string problem;
        FieldReader field(archive_.root, "the file", &problem);
        std::string producer;
        field("producer", producer);
        field("title", trace->title);
        field("created", trace->created);
        if (!problem.empty()) return problem;
        const auto runs = archive_.root.find("runs");
        if (runs == archive_.root.end() || !runs->is_array()) return "runs is no array";
        trace->runs.resize(runs->size());
        for (std::size_t i = 0; i < runs->size() && problem.empty(); ++i) {
            FieldReader reader((*runs)[i], "runs[" + std::to_string(i) + "]", &problem);
            visit(reader, trace->runs[i]);
        }
        return problem;
    }

    std::string read_tables(Trace* trace) {
        for (std::size_t i = 0; i < trace->runs.size(); ++i) {
            const std::string problem = fill_tables(archive_.columns[i], &trace->runs[i]);
            if (!problem.empty()) return "runs[" + std::to_string(i) + "]." + problem;
            archive_.columns[i].clear();
        }
        return {};
    }

    std::string name_;
    ParsedArchive archive_;
};

}  // namespace

Result<Trace> from_json(std::string_view text, std::string_view name) {
    return ArchiveReader(text, name).read();
}

}  // namespace gwatch::trace
