#include "trace/site_actions.h"

#include <string>

namespace gwatch::trace {

using instrument::ActionKind;

Result<SiteActions> SiteActions::make(const instrument::SiteTable& sites) {
    SiteActions result;
    result.scope_count_ = static_cast<std::uint32_t>(sites.scopes.size());
    for (const instrument::Site& site : sites.sites) {
        Site entry{static_cast<std::uint32_t>(result.actions_.size()),
                   static_cast<std::uint32_t>(site.actions.size()), site.markers, 0,
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
        result.is_exit_.push_back(is_exit ? 1 : 0);
    }
    return result;
}

}  // namespace gwatch::trace
