#include "report/html_fidelity.h"

#include "trace/field_writer.h"

namespace gwatch::report {

nlohmann::ordered_json fidelity_facts(const trace::Run& run) {
    if (!run.fidelity) return nullptr;
    fidelity::Facts facts = *run.fidelity;
    return trace::FieldWriter::to_value(facts);
}

}  // namespace gwatch::report
