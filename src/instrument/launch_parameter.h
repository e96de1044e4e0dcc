#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/module.h"
#include "record/layout.h"

namespace gwatch::instrument {

/// Where the text of an entry takes one more parameter, which becomes its last.
struct ParameterRoom {
    std::uint32_t offset;     ///< of the text
    std::string_view before;  ///< what stands in front of the new one
    std::string_view behind;
    record::ParameterPlace place;
};

/// Room for the launch constants. nullopt when the parameters would pass 4096 bytes, which every
/// driver takes, when the entry has a prototype too, or when a parameter has no size known here.
std::optional<ParameterRoom> room_for_parameter(const ptx::Module& module,
                                                const ptx::Function& entry);

}  // namespace gwatch::instrument
