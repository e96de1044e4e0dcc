#include "trace/site_actions.h"

#include <string>

#include "record/layout.h"

namespace gwatch::trace {

using instrument::ActionKind;

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
        for (const instrument::Action& action : site.actions) {
            if (action.kind == ActionKind::kExit) {
                is_exit = true;
            } else if (action.scope >= sites.scopes.size()) {
                return Error{ErrorKind::kArchive,
                             "site " + std::to_string(result.sites_.size() + 1) +
                                 " of the site table names scope " + std::to_string(action.scope) +
                                 ", but the table has " + std::to_string(sites.scopes.size()) +
                                 " scopes"};
            }
            entry.starts += action.kind == ActionKind::kStart ? 1 : 0;
            result.actions_.push_back(action);
        }
        result.sites_.push_back(entry);
        result.series_.push_back(is_exit ? 0 : site.series);
    }
    if (auto checked = result.check_series(); !checked) return checked.error();
    return result;
}

/// A series is whole: its sites follow each other and know their place in it.
Result<void> SiteActions::check_series() const {
    for (std::uint32_t site = 1; site <= site_count(); ++site) {
        if (is_exit(site)) continue;
        const std::uint32_t first = site - place(site);
        const bool is_whole = place(site) < series(site) &&
                              series(site) <= record::kMaxSeriesSites && place(site) < site &&
                              first + series(site) - 1 <= site_count();
        if (!is_whole || series(first) != series(site) || place(first) != 0) {
            return Error{ErrorKind::kArchive,
                         "site " + std::to_string(site) +
                             " of the site table is part of a series that is not whole"};
        }
    }
    return {};
}

}  // namespace gwatch::trace
