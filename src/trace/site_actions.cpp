#include "trace/site_actions.h"

#include <algorithm>
#include <string>

#include "record/layout.h"

namespace gwatch::trace {

using instrument::ActionKind;

namespace {

Error part_of_no_whole_series(std::size_t site) {
    return Error{ErrorKind::kArchive,
                 "site " + std::to_string(site) +
                     " of the site table is part of a series that is not whole"};
}

}  // namespace

Result<SiteActions> SiteActions::make(const instrument::SiteTable& sites) {
    SiteActions result;
    result.scope_count_ = static_cast<std::uint32_t>(sites.scopes.size());
    for (const instrument::Site& site : sites.sites) {
        Site entry{static_cast<std::uint32_t>(result.actions_.size()),
                   static_cast<std::uint32_t>(site.actions.size()),
                   site.markers,
                   0,
                   site.place,
                   site.waits_before,
                   site.placement == instrument::Placement::kFunction};
        bool is_exit = false;
        std::uint32_t payload_bits = 0;
        for (const instrument::Action& action : site.actions) {
            is_exit |= action.kind == ActionKind::kExit;
            result.has_timers_ |= action.kind == ActionKind::kTimer;
            if (has_scope(action.kind) && action.scope >= sites.scopes.size()) {
                return Error{ErrorKind::kArchive,
                             "site " + std::to_string(result.sites_.size() + 1) +
                                 " of the site table names scope " + std::to_string(action.scope) +
                                 ", but the table has " + std::to_string(sites.scopes.size()) +
                                 " scopes"};
            }
            payload_bits += record::payload_bits(action.payload);
            entry.starts += action.kind == ActionKind::kStart ? 1 : 0;
            result.actions_.push_back(
                {action.kind, action.payload != record::PayloadKind::kNone, action.scope});
        }
        if (!is_exit && site.series == 0) return part_of_no_whole_series(result.sites_.size() + 1);
        result.sites_.push_back(entry);
        result.series_.push_back(is_exit ? 0 : site.series);
        result.payload_bits_.push_back(static_cast<std::uint8_t>(payload_bits));
        result.has_payloads_ |= payload_bits != 0;
    }
    if (auto checked = result.check_payloads(sites); !checked) return checked.error();
    if (auto checked = result.check_series(); !checked) return checked.error();
    return result;
}

/// A series is whole: its sites follow each other and know their place in it.
Result<void> SiteActions::check_series() const {
    for (std::uint32_t site = 1; site <= site_count(); ++site) {
        const bool begins = place(site) == 0;
        const bool ends = place(site) + 1u == series(site);
        const bool is_whole = place(site) < series(site) &&
                              series(site) <= record::kMaxSeriesSites &&
                              (begins || goes_on(site - 1)) && (ends || goes_on(site));
        if (!is_exit(site) && !is_whole) {
            return part_of_no_whole_series(site);
        }
    }
    return {};
}

/// At most one start, mark or reading of a site has a payload, and then the site is no series.
Result<void> SiteActions::check_payloads(const instrument::SiteTable& sites) const {
    for (std::uint32_t site = 1; site <= site_count(); ++site) {
        std::uint32_t payloads = 0;
        bool any_misplaced = false;
        for (const instrument::Action& action : sites.sites[site - 1].actions) {
            if (action.payload == record::PayloadKind::kNone) continue;
            ++payloads;
            any_misplaced |= action.kind == ActionKind::kEnd || action.kind == ActionKind::kExit;
        }
        if (payloads > 1 || any_misplaced || (payloads == 1 && series(site) != 1)) {
            return Error{ErrorKind::kArchive,
                         "site " + std::to_string(site) +
                             " of the site table has a payload that no record has room for"};
        }
    }
    return {};
}

std::uint32_t SiteActions::most_units() const {
    const bool any_wide =
        std::find(payload_bits_.begin(), payload_bits_.end(), 64) != payload_bits_.end();
    return any_wide ? 2 : 1;
}

/// Whether the next site is the next one of the same series.
bool SiteActions::goes_on(std::uint32_t site) const {
    return has(site) && has(site + 1) && series(site) == series(site + 1) &&
           place(site) + 1 == place(site + 1);
}

}  // namespace gwatch::trace
