#include "trace/merge.h"

#include <iterator>
#include <utility>

#include "base/progress.h"
#include "trace/archive.h"

namespace gwatch::trace {

Result<Trace> merge_archives(const std::vector<std::string>& paths) {
    Trace merged;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        progress::begin_part(i, paths.size());
        Result<Trace> read = read_archive(paths[i]);
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
