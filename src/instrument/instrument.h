#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/uniformity.h"
#include "base/result.h"
#include "instrument/sites.h"
#include "ptx/module.h"
#include "record/layout.h"

namespace gwatch::instrument {

/// A marker as it stands in the text.
struct Marker {
    Verb verb;
    std::uint32_t scope;       ///< index into SiteTable::scopes; for kSwitch the scope that ends
    std::uint32_t next_scope;  ///< kSwitch: the scope that starts; else ptx::kNone
    std::string function;      ///< name of the .entry or .func that holds it
    bool in_entry;
    std::uint32_t ptx_line;  ///< line of the comment in the text, from 1
    ptx::SourceLine source;
    Placement placement;
    std::string placement_reason;  ///< why it is not proven to be passed by the whole warp
    std::uint16_t site;            ///< fused markers share one
    record::PayloadKind payload;   ///< of the value that it records
};

/// Whole lines of an instrumented text that the original has not.
struct InsertedLines {
    std::uint16_t site;        ///< whose code it is; 0: the declarations and the entry's code
    std::uint32_t first_line;  ///< from 1, in the instrumented text; lines end with LF
    std::uint32_t end_line;    ///< behind the last one
};

/// An instrumented module.
struct Instrumented {
    std::string ptx;
    std::vector<InsertedLines> inserted;  ///< in text order
    std::vector<Marker> markers;  ///< of the entry and the functions it may reach, in text order
    SiteTable sites;
    bool uses_lane_cursors = false;     ///< a device function has a marker
    bool grid_counts_clusters = false;  ///< an entry has .blocksareclusters
    /// The module's .global and .const variables that the entries, or what they may reach, name.
    std::vector<std::string> variables;
    /// Of the last entry: where it has the launch constants. nullopt: it reads the .const variable.
    std::optional<record::ParameterPlace> parameter;
};

/// What is known and wanted when a module is instrumented.
struct Options {
    analysis::LaunchShape shape = {};  ///< of the launch to be traced
    bool prove = true;                 ///< false: no site of an entry is placed as proven
    bool series = true;  ///< false: a record a site, which holds no registers between sites
    /// Every warp of the launch has a region: the code that chooses is left out. Needs the shape.
    bool every_warp = false;
};

/// The markers of the entries whose names match `kernel_pattern` (ECMAScript regex, searched in the
/// name) and of the functions they may reach; an empty vector when there are none. kUsage for a bad
/// pattern or one that matches no entry (the message lists the entries).
Result<std::vector<Marker>> list_markers(const ptx::Module& module,
                                         const std::string& kernel_pattern, SiteTable* table,
                                         const Options& options = {});

/// The names of the entries that match a regex as in list_markers().
Result<std::vector<std::string>> matching_entries(const ptx::Module& module,
                                                  const std::string& kernel_pattern);

/// Puts the code that records every marker, entry and exit of `entry` into the module
/// (record/layout.h says what it writes). Everything outside the entry and the marked functions it
/// may reach stays as it is. kNoMarkers when there is none; kInstrument when the module is
/// instrumented already, has no such entry, or has more than 65534 sites.
Result<Instrumented> instrument(const ptx::Module& module, std::string_view entry,
                                const Options& options = {});

/// The same for all entries with a marker whose names match a regex as in list_markers(); they
/// share one site table.
Result<Instrumented> instrument_matching(const ptx::Module& module,
                                         const std::string& kernel_pattern,
                                         const Options& options = {});

}  // namespace gwatch::instrument
