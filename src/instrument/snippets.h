#pragma once

// PTX text with holes. `%_x` and `$_x` stand for a register and a label whose prefix is the
// module's own; `<x>` is filled in by the emitter: a launch constant as an operand, a number of the
// layout, or a part of the text.
namespace gwatch::instrument::snippets {

extern const char kDeclaration[];
extern const char kParameter[];
extern const char kEntryRegisters[];
extern const char kEnter[];
extern const char kSetup[];
extern const char kHeader[];
extern const char kPlaceRegisters[];
extern const char kBlockOfGrid[];
extern const char kWarpOfBlock[];
extern const char kWarpOfFlatBlock[];
extern const char kSelect[];
extern const char kSelectAny[];
extern const char kSeriesStart[];
extern const char kLowClock[];
extern const char kWholeClock[];
extern const char kLowOfWholeClock[];
extern const char kReadTimer[];
extern const char kStoreTimer[];
extern const char kStoreSlot[];
extern const char kStorePair[];
extern const char kStorePayload[];
extern const char kSeriesEnd[];
extern const char kRoom[];
extern const char kRoomInside[];
extern const char kRefill[];
extern const char kBeginToDrop[];
extern const char kBeginToDropAtOnce[];
extern const char kLeaveUncounted[];
extern const char kCountDrop[];
extern const char kCountDropAtOnce[];
extern const char kTake32[];
extern const char kTake64[];
extern const char kNoHighWord[];
extern const char kTakeHigh[];
extern const char kUnknownStore[];
extern const char kUnknownStorePayload[];
extern const char kDrop[];
extern const char kDropEvents[];
extern const char kTimerLow[];
extern const char kNoFourthWord[];
extern const char kUnknownRecord[];
extern const char kPartedRecord[];
extern const char kHotExit[];
extern const char kProvenExit[];
extern const char kUnknownExit[];
extern const char kFlush[];
extern const char kPack[];
extern const char kLowestOfMask[];
extern const char kColdUnit[];
extern const char kFunctionRecord[];

}  // namespace gwatch::instrument::snippets
