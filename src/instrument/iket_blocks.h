#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// A `{ }` that reports one event: it stores the timer to shared memory and ends in pmevent.mask.
struct IketBlock {
    std::uint32_t open_statement;    ///< its `{`, in Module::statements()
    std::uint32_t close_statement;   ///< its `}`
    std::uint32_t event;             ///< number
    std::string payload;             ///< the register or value that it stores, too; may be empty
    std::uint32_t payload_bits = 0;  ///< 32 or 64; 0: none
};

/// Those of a function with a body, in text order. kInstrument for a block that ends in
/// pmevent.mask, but is of a form that is not known. Only for a module with IKET tables.
Result<std::vector<IketBlock>> find_iket_blocks(const ptx::Module& module,
                                                const ptx::Function& function);

}  // namespace gwatch::instrument
