#include "trace/merge.h"

#include <iterator>
#include <utility>

#include "trace/archive.h"

namespace gwatch::trace {

Result<Trace> merge_archives(const std::vector<std::string>& paths) {
    Trace merged;
    for (const std::string& path : paths) {
        Result<Trace> read = read_archive(path);
        if (!read) return read.error();
        if (merged.created.empty()) {
            merged.title = read->title;
            merged.created = read->created;
        }
        merged.runs.insert(merged.runs.end(), std::make_move_iterator(read->runs.begin()),
                           std::make_move_iterator(read->runs.end()));
    }
    return merged;
}

}  // namespace gwatch::trace
