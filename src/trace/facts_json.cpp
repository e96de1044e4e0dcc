#include "trace/facts_json.h"

#include "trace/fidelity_warnings.h"
#include "trace/field_reader.h"
#include "trace/field_writer.h"

namespace gwatch::trace {

namespace {

struct Facts {
    LaunchFacts launch;
    CompileFacts compile;
    std::map<std::string, double> stage_seconds;
    std::optional<fidelity::Facts> fidelity;
};

template <class Visitor>
void visit(Visitor& field, Facts& facts) {
    field("launch", facts.launch);
    field("compile", facts.compile);
    field("stage_seconds", facts.stage_seconds);
    field.optional("fidelity", facts.fidelity);
}

}  // namespace

std::string facts_to_json(const Run& run) {
    Facts facts{run.launch, run.compile, run.stage_seconds, run.fidelity};
    FieldWriter writer;
    visit(writer, facts);
    return writer.take().dump();
}

Result<void> set_facts(std::string_view text, Run* run) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    std::string problem = json.is_discarded() ? "they are no JSON" : "";
    Facts facts;
    if (problem.empty()) {
        FieldReader reader(json, "facts", &problem);
        visit(reader, facts);
    }
    if (!problem.empty()) {
        return Error{ErrorKind::kArchive,
                     "the facts of a raw capture are broken: " + problem,
                     {},
                     "Record it again."};
    }
    run->launch = std::move(facts.launch);
    run->compile = std::move(facts.compile);
    run->stage_seconds = std::move(facts.stage_seconds);
    run->fidelity = std::move(facts.fidelity);
    const std::vector<std::string> warnings = fidelity_warnings(*run);
    run->warnings.insert(run->warnings.begin(), warnings.begin(), warnings.end());
    return {};
}

}  // namespace gwatch::trace
