#include "instrument/instrument.h"

#include <algorithm>
#include <regex>

#include "instrument/place_sites.h"
#include "instrument/plan.h"
#include "instrument/rewrite.h"
#include "instrument/target.h"
#include "instrument/variables.h"
#include "record/layout.h"

namespace gwatch::instrument {

namespace {

std::string entry_list(const ptx::Module& module) {
    std::string list;
    for (const ptx::Function& function : module.functions()) {
        if (!function.is_entry || function.body_scope == ptx::kNone) continue;
        list.append("    ").append(function.name).append("\n");
    }
    if (list.empty()) return "The module has no entry.";
    list.pop_back();
    return "Its entries:\n" + list;
}

Result<std::uint32_t> find_entry(const ptx::Module& module, std::string_view name) {
    const ptx::Function* function = module.find_definition(name);
    if (function == nullptr || !function->is_entry) {
        return Error{ErrorKind::kInstrument, "the PTX has no entry " + std::string(name),
                     entry_list(module)};
    }
    return static_cast<std::uint32_t>(function - module.functions().data());
}

Result<std::vector<std::uint32_t>> match_entries(const ptx::Module& module,
                                                 const std::string& pattern) {
    std::vector<std::uint32_t> entries;
    try {
        const std::regex expression(pattern);
        for (std::uint32_t i = 0; i < module.functions().size(); ++i) {
            const ptx::Function& function = module.functions()[i];
            if (!function.is_entry || function.body_scope == ptx::kNone) continue;
            if (std::regex_search(function.name.begin(), function.name.end(), expression))
                entries.push_back(i);
        }
    } catch (const std::regex_error& error) {
        return Error{ErrorKind::kUsage,
                     "'" + pattern + "' is no regular expression: " + error.what()};
    }
    if (entries.empty())
        return Error{ErrorKind::kUsage, "no entry matches '" + pattern + "'", entry_list(module)};
    return entries;
}

std::string names_of(const ptx::Module& module, const std::vector<std::uint32_t>& entries) {
    std::string names;
    for (const std::uint32_t entry : entries) {
        if (!names.empty()) names += ", ";
        names += module.functions()[entry].name;
    }
    return names;
}

bool grid_counts_clusters(const ptx::Module& module, const std::vector<std::uint32_t>& entries) {
    const auto has_directive = [&](std::uint32_t entry) {
        const ptx::Statement& header = module.statements()[module.functions()[entry].header];
        const auto first = module.tokens().begin() + header.first_token;
        return std::any_of(
            first, module.tokens().begin() + header.end_token,
            [&](const ptx::Token& token) { return module.text_of(token) == ".blocksareclusters"; });
    };
    return std::any_of(entries.begin(), entries.end(), has_directive);
}

Result<void> check_not_instrumented(const ptx::Module& module) {
    for (const char* name : {record::kConstantsName, record::kParameterName}) {
        if (!module.uses_name(name)) continue;
        return Error{ErrorKind::kInstrument,
                     std::string("the PTX is instrumented already: it has the name ") + name,
                     {},
                     "Instrument the original text."};
    }
    return {};
}

Result<Instrumented> instrument_entries(const ptx::Module& module,
                                        const std::vector<std::uint32_t>& entries,
                                        const Options& options) {
    if (auto fresh = check_not_instrumented(module); !fresh) return fresh.error();
    const auto capabilities = capabilities_of(module);
    if (!capabilities) return capabilities.error();
    auto plan = make_plan(module, entries);
    if (!plan) return plan.error();
    if (plan->markers.empty()) {
        return Error{ErrorKind::kNoMarkers,
                     "no marker in " + names_of(module, entries) + " or in what it calls",
                     {},
                     "Mark the kernel with gwatch's scope_start, scope_end, scope_switch or mark."};
    }
    place_sites(module, options, &*plan);
    Instrumented result;
    Rewritten rewritten = rewrite(module, *plan, *capabilities, options);
    result.ptx = std::move(rewritten.ptx);
    result.inserted = std::move(rewritten.inserted);
    result.parameter = rewritten.parameter;
    result.uses_lane_cursors =
        std::any_of(plan->table.sites.begin(), plan->table.sites.end(),
                    [](const Site& site) { return site.placement == Placement::kFunction; });
    result.variables = used_variables(module, entries);
    result.grid_counts_clusters = grid_counts_clusters(module, entries);
    result.markers = std::move(plan->markers);
    result.sites = std::move(plan->table);
    return result;
}

}  // namespace

Result<std::vector<Marker>> list_markers(const ptx::Module& module,
                                         const std::string& kernel_pattern, SiteTable* table,
                                         const Options& options) {
    if (auto fresh = check_not_instrumented(module); !fresh) return fresh.error();
    const auto entries = match_entries(module, kernel_pattern);
    if (!entries) return entries.error();
    auto plan = make_plan(module, *entries);
    if (!plan) return plan.error();
    place_sites(module, options, &*plan);
    *table = std::move(plan->table);
    return std::move(plan->markers);
}

Result<std::vector<std::string>> matching_entries(const ptx::Module& module,
                                                  const std::string& kernel_pattern) {
    const auto entries = match_entries(module, kernel_pattern);
    if (!entries) return entries.error();
    std::vector<std::string> names;
    for (const std::uint32_t entry : *entries) names.emplace_back(module.functions()[entry].name);
    return names;
}

Result<Instrumented> instrument(const ptx::Module& module, std::string_view entry,
                                const Options& options) {
    const auto found = find_entry(module, entry);
    if (!found) return found.error();
    return instrument_entries(module, {*found}, options);
}

Result<Instrumented> instrument_matching(const ptx::Module& module,
                                         const std::string& kernel_pattern,
                                         const Options& options) {
    const auto entries = match_entries(module, kernel_pattern);
    if (!entries) return entries.error();
    return instrument_entries(module, *entries, options);
}

}  // namespace gwatch::instrument
