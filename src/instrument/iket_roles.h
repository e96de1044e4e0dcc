#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "instrument/iket_blocks.h"
#include "instrument/iket_tables.h"
#include "instrument/sites.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// What an IKET block does.
struct IketRole {
    Verb verb;         ///< kStart, kEnd or kMark
    std::string name;  ///< of the scope; empty for a block that control never reaches
};

/// The roles of the blocks of one entry, in their order.
///
/// The block that starts a range looks like the one that ends it, and a pop names no range: both
/// are told from the order in which control passes the blocks. Of blocks in a branch that only some
/// turns of a loop take (a range that is begun in one turn and ended in the next) the roles with
/// the fewest contradictions are taken. kInstrument for an event that the tables have not, and for
/// a pop without a push.
Result<std::vector<IketRole>> iket_roles(const ptx::Module& module, const ptx::Function& entry,
                                         const std::vector<IketBlock>& blocks,
                                         const IketTables& tables);

}  // namespace gwatch::instrument
