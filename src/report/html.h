#pragma once

#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace gwatch::report {

/// The parts of the page that ship with the package (src/viewer, built).
struct ViewerAssets {
    std::string script;
    std::string style;
};

struct PageOptions {
    bool embed_source = true;  ///< the lines around scopes, of files that are at hand
};

/// One self-contained page: opens from disk, needs nothing else.
std::string to_html(const trace::Trace& trace, const ViewerAssets& assets,
                    std::string_view producer, const PageOptions& options = {});

/// Writes to_html(...) to a file. kIo when it cannot.
Result<void> write_html(const trace::Trace& trace, const ViewerAssets& assets,
                        std::string_view producer, const std::string& path,
                        const PageOptions& options = {});

}  // namespace gwatch::report
