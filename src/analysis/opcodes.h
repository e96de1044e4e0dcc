#pragma once

#include <cstdint>
#include <string_view>

namespace gwatch::analysis {

/// What an instruction does to the registers and to the control flow.
enum class Effect : std::uint8_t {
    kUnknown,        ///< not in opcodes.def
    kValue,          ///< operand 0 becomes a function of the others
    kLoad,           ///< operand 0 becomes what memory holds
    kShuffle,        ///< operand 0 becomes the value of one lane
    kVote,           ///< operand 0 becomes a function of all lanes of the mask, its last operand
    kBlockVote,      ///< operand 0 becomes a function of all threads of the block
    kPerLane,        ///< operand 0 becomes something else in each lane
    kElect,          ///< operand 0 becomes true in one lane
    kNoResult,       ///< writes no register
    kBranch,         ///< bra
    kIndexedBranch,  ///< brx.idx
    kCall,
    kExit,  ///< ret, exit
    kTrap
};

/// How the bits of a kValue result follow from those of its operands.
enum class Transfer : std::uint8_t {
    kOpaque,  ///< any bit may depend on any bit
    kMove,
    kAnd,
    kOr,
    kXor,
    kNot,
    kBitwise,  ///< each bit depends on the same bit of the first three operands
    kShiftLeft,
    kShiftRight,
    kAdd,
    kSubtract,
    kMultiply,
    kMultiplyAdd,
    kDivide,
    kRemainder,
    kExtract,  ///< bfe
    kCompare,
    kSelect,
    kConvert
};

enum class Comparison : std::uint8_t { kOther, kEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

/// What an opcode with its suffixes says.
struct Opcode {
    Effect effect = Effect::kUnknown;
    Transfer transfer = Transfer::kOpaque;  ///< kOpaque too for types that are no plain integers
    Comparison comparison = Comparison::kOther;
    std::uint8_t source_width = 64;  ///< in bits
    std::uint8_t result_width = 64;  ///< in bits
    bool is_signed = false;          ///< of the sources
    bool reads_carry = false;
    bool writes_carry = false;
};

/// Reads an opcode: "setp.lt.u32".
Opcode read_opcode(std::string_view opcode);

}  // namespace gwatch::analysis
