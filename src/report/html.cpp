#include "report/html.h"

#include <fstream>

#include "base/progress.h"
#include "report/embed.h"
#include "report/html_columns.h"
#include "report/html_facts.h"
#include "report/html_source.h"
#include "report/sha256.h"
#include "report/tracks.h"
#include "trace/time_axis.h"

namespace gwatch::report {

namespace {

constexpr std::size_t kThoroughSlices =
    2'000'000;  ///< above it, speed of writing counts more than the last tenth

/// The page may run its own script and style, and fetch nothing.
std::string policy(const ViewerAssets& assets) {
    return "default-src 'none'; script-src 'sha256-" + base64(sha256(assets.script)) +
           "'; style-src 'sha256-" + base64(sha256(assets.style)) +
           "'; base-uri 'none'; form-action 'none'";
}

void append_head(std::string& page, const trace::Trace& trace, const ViewerAssets& assets) {
    page += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    page += "<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy(assets) + "\">\n";
    page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    page += "<meta name=\"color-scheme\" content=\"light dark\">\n";
    page += "<title>" + escape_html(trace.title.empty() ? "gwatch" : trace.title) + "</title>\n";
    page += "<style>" + assets.style + "</style>\n</head>\n<body>\n";
    page +=
        "<noscript>This page draws its timeline with JavaScript, which is off. "
        "<code>gwatch show trace.json</code> prints the same facts as text.</noscript>\n";
    page += "<main id=\"report\"></main>\n";
}

/// Appends the slices of one run and returns its facts.
nlohmann::ordered_json append_run(std::string& page, const trace::Trace& trace,
                                  std::size_t run_index, const PageOptions& options) {
    const trace::Run& run = trace.runs[run_index];
    const ColumnPacker columns = pack_columns(run);
    progress::advance(run.slices.size());
    const int level = run.slices.size() > kThoroughSlices ? 1 : 6;
    const std::vector<std::string> chunks = base64_chunks(deflate(columns.bytes(), level));
    for (std::size_t index = 0; index < chunks.size(); ++index) {
        page += "<script type=\"text/plain\" id=\"run-" + std::to_string(run_index) + "-" +
                std::to_string(index) + "\">" + chunks[index] + "</script>\n";
    }
    progress::advance(run.slices.size());
    nlohmann::ordered_json facts = run_facts(run, columns, chunks.size());
    facts["source"] = source_facts(run, trace.created, options.embed_source);
    return facts;
}

}  // namespace

std::string to_html(const trace::Trace& trace, const ViewerAssets& assets,
                    std::string_view producer, const PageOptions& options) {
    std::string page;
    append_head(page, trace, assets);
    nlohmann::ordered_json facts = {{"version", kPageVersion},
                                    {"producer", producer},
                                    {"title", trace.title},
                                    {"created", trace.created},
                                    {"runs", nlohmann::ordered_json::array()}};
    progress::begin(2 * count_slices(trace));
    const trace::TimeAxes axes = trace::time_axes(trace);
    for (std::size_t index = 0; index < trace.runs.size(); ++index) {
        nlohmann::ordered_json& run = facts["runs"].emplace_back();
        run = append_run(page, trace, index, options);
        if (trace.runs[index].time.start_globaltimer_ns != 0)
            run["start_ns"] = axes.runs[index].offset_ns;
    }
    page += "<script type=\"application/json\" id=\"facts\">" + script_safe(facts) + "</script>\n";
    page += "<script>" + assets.script + "</script>\n</body>\n</html>\n";
    return page;
}

Result<void> write_html(const trace::Trace& trace, const ViewerAssets& assets,
                        std::string_view producer, const std::string& path,
                        const PageOptions& options) {
    const std::string page = to_html(trace, assets, producer, options);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(page.data(), static_cast<std::streamsize>(page.size()));
    file.close();
    if (file) return {};
    return Error{ErrorKind::kIo, "cannot write the report to '" + path + "'", "",
                 "Check that its folder exists, may be written to, and has " +
                     std::to_string(page.size()) + " bytes free."};
}

}  // namespace gwatch::report
