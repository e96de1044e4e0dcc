#pragma once

#include <protozero/types.hpp>

// The field numbers of Perfetto's trace format that are used here. Source: the public schema,
// protos/perfetto/trace/perfetto_trace.proto of https://github.com/google/perfetto; the tests read
// what is written back with the protos of the package `perfetto` 0.59.1. One enumeration a message.
namespace gwatch::report::perfetto {

using protozero::pbf_tag_type;

enum class Trace : pbf_tag_type { kPacket = 1 };

enum class Packet : pbf_tag_type {
    kClockSnapshot = 6,
    kTimestamp = 8,
    kSequenceId = 10,  // trusted_packet_sequence_id
    kTrackEvent = 11,
    kInternedData = 12,
    kSequenceFlags = 13,
    kTimestampClockId = 58,
    kDefaults = 59,
    kTrackDescriptor = 60
};

enum class Defaults : pbf_tag_type { kTrackEvent = 11, kTimestampClockId = 58 };
enum class TrackEventDefaults : pbf_tag_type { kTrackUuid = 11 };

enum class TrackEvent : pbf_tag_type {
    kCategoryIids = 3,
    kDebugAnnotations = 4,
    kType = 9,
    kNameIid = 10,
    kTrackUuid = 11,
    kName = 23,
    kCounterValue = 30,
    kDoubleCounterValue = 44
};

enum class Annotation : pbf_tag_type {
    kNameIid = 1,
    kBool = 2,
    kUint = 3,
    kInt = 4,
    kDouble = 5,
    kString = 6,
    kPointer = 7,  // shown in hexadecimal digits
    kName = 10,
    kDictEntries = 11,
    kArrayValues = 12
};

enum class InternedData : pbf_tag_type { kCategories = 1, kEventNames = 2, kAnnotationNames = 3 };
enum class InternedName : pbf_tag_type { kIid = 1, kName = 2 };

enum class Track : pbf_tag_type {
    kUuid = 1,
    kName = 2,
    kProcess = 3,
    kThread = 4,
    kParentUuid = 5,
    kCounter = 8,
    kDescription = 14,
    kSiblingMergeBehavior = 15
};
enum class Process : pbf_tag_type { kPid = 1, kSortIndex = 3, kName = 6, kLabels = 8 };
enum class Thread : pbf_tag_type { kPid = 1, kTid = 2, kSortIndex = 3, kName = 5 };

enum class Snapshot : pbf_tag_type { kClocks = 1, kPrimaryTraceClock = 2 };
enum class Clock : pbf_tag_type { kId = 1, kTimestamp = 2, kIsIncremental = 3 };

enum class EventType : int { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };
enum class SequenceFlag : unsigned { kStateCleared = 1, kNeedsState = 2 };

/// TrackDescriptor.SIBLING_MERGE_BEHAVIOR_NONE: tracks of one name stay apart.
inline constexpr int kNeverMerge = 2;

/// BUILTIN_CLOCK_BOOTTIME: what viewers take timestamps as.
inline constexpr unsigned kTraceClock = 6;
/// The first of the clocks that belong to one sequence of packets.
inline constexpr unsigned kDeltaClock = 64;

}  // namespace gwatch::report::perfetto
