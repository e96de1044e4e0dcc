#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "instrument/sites.h"

namespace gwatch::trace {

/// An action as the decoder walks it, in few bytes.
struct SiteAction {
    instrument::ActionKind kind;
    bool has_payload;
    std::uint32_t scope;
};
static_assert(sizeof(SiteAction) == 8);

/// The site table in the form that the decoder walks: the actions of all sites in one array.
class SiteActions {
  public:
    /// kArchive when an action names a scope that the table does not have, a series has holes, or a
    /// payload has no record of its own.
    static Result<SiteActions> make(const instrument::SiteTable& sites);

    std::uint32_t site_count() const { return static_cast<std::uint32_t>(sites_.size()); }
    std::uint32_t scope_count() const { return scope_count_; }
    bool has(std::uint32_t site) const { return site - 1 < sites_.size(); }

    // `site` counts from 1, as in a record; only when has(site).
    std::span<const SiteAction> actions(std::uint32_t site) const {
        const Site& entry = sites_[site - 1];
        return {actions_.data() + entry.first_action, entry.action_count};
    }
    std::uint32_t markers(std::uint32_t site) const { return sites_[site - 1].markers; }
    std::uint32_t starts(std::uint32_t site) const { return sites_[site - 1].starts; }
    bool has_payload(std::uint32_t site) const { return payload_bits_[site - 1] != 0; }
    /// Whether any site has one.
    bool has_payloads() const { return has_payloads_; }
    /// Of the value that its record holds: 0, 32 or 64.
    std::uint32_t payload_bits(std::uint32_t site) const { return payload_bits_[site - 1]; }
    /// Whether any site reads the device's timer.
    bool has_timers() const { return has_timers_; }
    /// Whether this one does: the value of its record.
    bool is_timer(std::uint32_t site) const {
        const auto of_site = actions(site);
        return of_site.size() == 1 && of_site[0].kind == instrument::ActionKind::kTimer;
    }
    /// Units of the longest cold record.
    std::uint32_t most_units() const;
    /// As many bits of a hot record's slot as the site's payload has.
    std::uint64_t cut_payload(std::uint32_t site, std::uint64_t slot) const {
        return payload_bits(site) == 32 ? slot & 0xffffffff : slot;
    }
    bool in_function(std::uint32_t site) const { return sites_[site - 1].in_function; }
    bool is_exit(std::uint32_t site) const { return series_[site - 1] == 0; }
    /// Sites of the series that begins here, or that this site is part of; 0 for an exit.
    std::uint32_t series(std::uint32_t site) const { return series_[site - 1]; }
    std::uint32_t place(std::uint32_t site) const { return sites_[site - 1].place; }
    bool waits_before(std::uint32_t site) const { return sites_[site - 1].waits_before; }
    /// Sites of the series that begins here before which the warp may wait for others.
    std::uint32_t series_waits(std::uint32_t site) const {
        std::uint32_t waits = 0;
        for (std::uint32_t i = 0; i < series(site); ++i) waits += waits_before(site + i);
        return waits;
    }

  private:
    Result<void> check_series() const;
    Result<void> check_payloads(const instrument::SiteTable& sites) const;
    bool goes_on(std::uint32_t site) const;

    struct Site {
        std::uint32_t first_action;
        std::uint32_t action_count;
        std::uint32_t markers;
        std::uint32_t starts;
        std::uint8_t place;
        bool waits_before;
        bool in_function;
    };
    std::vector<Site> sites_;
    std::vector<std::uint8_t> series_;  // apart: it is asked for every record
    std::vector<std::uint8_t> payload_bits_;
    std::vector<SiteAction> actions_;
    std::uint32_t scope_count_ = 0;
    bool has_payloads_ = false;
    bool has_timers_ = false;
};

}  // namespace gwatch::trace
