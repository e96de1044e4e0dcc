#include "instrument/auto_scopes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "instrument/auto_scopes_spans.h"
#include "instrument/auto_scopes_text.h"
#include "instrument/marker_text.h"
#include "instrument/markers.h"
#include "instrument/reach.h"

namespace gwatch::instrument {

namespace {

constexpr std::pair<std::string_view, AutoKind> kKinds[] = {{"mbarrier", AutoKind::kMbarrier},
                                                            {"barrier", AutoKind::kBarrier},
                                                            {"async_copy", AutoKind::kAsyncCopy},
                                                            {"tma", AutoKind::kTma},
                                                            {"mma", AutoKind::kMma}};

std::string all_kinds() {
    std::string names;
    for (const auto& [name, kind] : kKinds) {
        names.append(names.empty() ? "" : ", ").append(name);
    }
    return names;
}

/// What is found in one function.
struct FoundSpans {
    FunctionText text;
    std::vector<Span> spans;  ///< in text order
};

Result<FoundSpans> find_spans(const ptx::Module& module, const ptx::Function& function,
                              const std::vector<AutoKind>& kinds) {
    const auto markers = find_markers(module, function);
    if (!markers) return markers.error();
    std::vector<std::uint32_t> stops;
    for (const FoundMarker& marker : *markers) stops.push_back(marker.carrier);
    const analysis::FunctionCode code = analysis::read_function(module, function);
    WaitLoops loops = find_wait_loops(code);
    FoundSpans found{FunctionText(module, function), find_block_spans(code, loops, stops)};
    found.spans.insert(found.spans.end(), std::make_move_iterator(loops.spans.begin()),
                       std::make_move_iterator(loops.spans.end()));
    std::erase_if(found.spans, [&](const Span& span) {
        return std::find(kinds.begin(), kinds.end(), span.kind) == kinds.end();
    });
    std::sort(found.spans.begin(), found.spans.end(),
              [](const Span& a, const Span& b) { return a.first_statement < b.first_statement; });
    return found;
}

std::string_view last_component(std::string_view path) {
    const std::size_t slash = path.find_last_of("/\\");
    return slash == path.npos ? path : path.substr(slash + 1);
}

/// Makes the markers of all functions.
class Marking {
  public:
    explicit Marking(const ptx::Module& module) : module_(module) {
        while (module.uses_name(carrier_)) carrier_ += '_';
    }

    /// Before the functions are added.
    void know_files(const FoundSpans& found) {
        for (const Span& span : found.spans) {
            const std::string file = found.text.line_of(span.first_statement).file;
            paths_[std::string(last_component(file))].insert(file);
        }
    }

    void add(const ptx::Function& function, const FoundSpans& found) {
        if (found.spans.empty()) return;
        const std::uint32_t open = module_.scopes()[function.body_scope].open_statement;
        put({module_.end_of(module_.statements()[open]), 0, "\n\t.reg .b32 " + carrier_ + ";"});
        for (const Span& span : found.spans) add_span(function, found.text, span);
    }

    AutoMarked finish() {
        std::stable_sort(texts_.begin(), texts_.end(), [](const Text& a, const Text& b) {
            return std::pair(a.offset, a.order) < std::pair(b.offset, b.order);
        });
        for (Text& text : texts_) marked_.inserted.push_back({text.offset, std::move(text.text)});
        marked_.ptx = ptx::print(module_, marked_.inserted);
        return std::move(marked_);
    }

  private:
    struct Text {
        std::uint32_t offset;
        int order;  ///< at one offset: a declaration, then ends, then starts
        std::string text;
    };

    void put(Text text) { texts_.push_back(std::move(text)); }

    void add_span(const ptx::Function& function, const FunctionText& text, const Span& span) {
        const ptx::SourceLine line = text.line_of(span.first_statement);
        AutoFind find{span.kind,
                      name_of(span, line),
                      std::string(function.name),
                      line_at(span.first_statement),
                      line_at(span.last_statement),
                      line};
        for (const MarkerPlace& place : span.starts) add_marker(text, place, "start", find);
        for (const MarkerPlace& place : span.ends) add_marker(text, place, "end", find);
        marked_.finds.push_back(std::move(find));
    }

    std::uint32_t line_at(std::uint32_t statement) const {
        return module_.position(module_.begin_of(module_.statements()[statement])).line;
    }

    std::string name_of(const Span& span, const ptx::SourceLine& line) const {
        const std::string label = std::string(span.label) + ":";
        if (line.line == 0 || line.file.empty())
            return label + "ptx:" + std::to_string(line_at(span.first_statement));
        const std::string name(last_component(line.file));
        const bool is_one = paths_.at(name).size() == 1;
        return label + (is_one ? name : line.file) + ":" + std::to_string(line.line);
    }

    void add_marker(const FunctionText& text, const MarkerPlace& place, const std::string& verb,
                    const AutoFind& find) {
        const FunctionText::Spot spot = text.spot_of(place);
        const auto locations = text.locations_for(find.source, spot.next_statement);
        std::string lines = locations.before + "\t// gwatch:" + verb + " " +
                            spell_name(find.scope) + "\n\t" + guard_of(place) + "mov.u32 " +
                            carrier_ + ", 0;\n" + locations.after;
        if (spot.splits_line) lines.insert(0, 1, '\n');
        if (spot.splits_line && spot.is_behind) lines.pop_back();
        put({spot.offset, verb == "end" ? 1 : 2, std::move(lines)});
    }

    static std::string guard_of(const MarkerPlace& place) {
        if (place.guard.empty()) return {};
        return std::string(place.guard_negated ? "@!" : "@") + std::string(place.guard) + " ";
    }

    const ptx::Module& module_;
    std::string carrier_ = "%gwatch_auto";
    std::map<std::string, std::set<std::string>> paths_;  ///< by their last component
    std::vector<Text> texts_;
    AutoMarked marked_;
};

Result<std::vector<std::uint32_t>> entries_named(const ptx::Module& module,
                                                 const std::vector<std::string>& names) {
    std::vector<std::uint32_t> entries;
    for (const std::string& name : names) {
        const ptx::Function* function = module.find_definition(name);
        if (function == nullptr || !function->is_entry)
            return Error{ErrorKind::kInstrument, "the PTX has no entry " + name};
        entries.push_back(static_cast<std::uint32_t>(function - module.functions().data()));
    }
    return entries;
}

}  // namespace

std::string_view name_of(AutoKind kind) {
    const auto* const found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                           [&](const auto& known) { return known.second == kind; });
    return found->first;
}

Result<std::vector<AutoKind>> auto_kinds(const std::vector<std::string>& names) {
    std::vector<AutoKind> kinds;
    for (const std::string& name : names) {
        const auto* const found =
            std::find_if(std::begin(kKinds), std::end(kKinds),
                         [&](const auto& known) { return known.first == name; });
        if (found == std::end(kKinds)) {
            return Error{ErrorKind::kUsage,
                         "'" + name + "' is no kind of automatic scope",
                         {},
                         "The kinds are " + all_kinds() + "."};
        }
        if (std::find(kinds.begin(), kinds.end(), found->second) == kinds.end())
            kinds.push_back(found->second);
    }
    return kinds;
}

Result<AutoMarked> mark_automatically(const ptx::Module& module,
                                      const std::vector<std::string>& entries,
                                      const std::vector<AutoKind>& kinds) {
    const auto known = entries_named(module, entries);
    if (!known) return known.error();
    Marking marking(module);
    std::vector<std::pair<const ptx::Function*, FoundSpans>> functions;
    for (const std::uint32_t index : reachable_functions(module, *known)) {
        const ptx::Function& function = module.functions()[index];
        auto found = find_spans(module, function, kinds);
        if (!found) return found.error();
        marking.know_files(*found);
        functions.emplace_back(&function, *std::move(found));
    }
    for (const auto& [function, found] : functions) marking.add(*function, found);
    return marking.finish();
}

}  // namespace gwatch::instrument
