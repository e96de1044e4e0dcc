#include "report/run_facts.h"

#include "trace/field_writer.h"

namespace gwatch::report {

using Json = nlohmann::ordered_json;

namespace {

template <class Facts>
Json values_of(const Facts& facts) {
    // The visitor is shared with the reader; this one changes nothing.
    return trace::FieldWriter::to_value(const_cast<Facts&>(facts));
}

}  // namespace

Json archive_fields(const trace::CompileFacts& facts) {
    return values_of(facts);
}

Json archive_fields(const trace::Counts& facts) {
    return values_of(facts);
}

Json facts_of(const trace::Run& run) {
    Json facts = {{"launch", values_of(run.launch)},
                  {"compile", values_of(run.compile)},
                  {"counts", values_of(run.counts)},
                  {"time", values_of(run.time)},
                  {"scopes", Json::object()}};
    for (const trace::Scope& scope : run.scopes) {
        if (scope.line == 0) continue;
        facts["scopes"][trace::to_utf8(scope.name)] =
            trace::to_utf8(scope.file) + ":" + std::to_string(scope.line);
    }
    if (!run.warnings.empty()) facts["warnings"] = values_of(run.warnings);
    return facts;
}

}  // namespace gwatch::report
