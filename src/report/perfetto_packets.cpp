#include "report/perfetto_packets.h"

#include "report/payload.h"

namespace gwatch::report::perfetto {

namespace {

void add_object(Message<Annotation>& annotation, const nlohmann::ordered_json& object) {
    for (const auto& [name, value] : object.items()) {
        Message<Annotation> entry(annotation, Annotation::kDictEntries);
        entry.add_string(Annotation::kName, name);
        add_value(entry, value);
    }
}

}  // namespace

void add_value(Message<Annotation>& annotation, const nlohmann::ordered_json& value) {
    if (value.is_object()) {
        add_object(annotation, value);
    } else if (value.is_array()) {
        for (const auto& element : value) {
            Message<Annotation> entry(annotation, Annotation::kArrayValues);
            add_value(entry, element);
        }
    } else if (value.is_string()) {
        annotation.add_string(Annotation::kString, value.get_ref<const std::string&>());
    } else if (value.is_boolean()) {
        annotation.add_bool(Annotation::kBool, value.get<bool>());
    } else if (value.is_number_unsigned()) {
        annotation.add_uint64(Annotation::kUint, value.get<std::uint64_t>());
    } else if (value.is_number_integer()) {
        annotation.add_int64(Annotation::kInt, value.get<std::int64_t>());
    } else if (value.is_number()) {
        annotation.add_double(Annotation::kDouble, value.get<double>());
    }
}

void add_payload(Message<Annotation>& annotation, trace::PayloadKind kind, std::uint64_t bits) {
    switch (number_type(kind)) {
        case NumberType::kSigned:
            annotation.add_int64(Annotation::kInt, signed_value(kind, bits));
            break;
        case NumberType::kUnsigned:
            annotation.add_uint64(
                kind == trace::PayloadKind::kBits ? Annotation::kPointer : Annotation::kUint, bits);
            break;
        case NumberType::kFloat:
            annotation.add_double(Annotation::kDouble, float_value(kind, bits));
            break;
        case NumberType::kNone:
            break;
    }
}

void add_counter_value(Message<TrackEvent>& event, trace::PayloadKind kind, std::uint64_t bits) {
    const NumberType type = number_type(kind);
    if (type == NumberType::kFloat) {
        event.add_double(TrackEvent::kDoubleCounterValue, float_value(kind, bits));
    } else if (type == NumberType::kUnsigned && bits >> 63 != 0) {
        event.add_double(TrackEvent::kDoubleCounterValue, static_cast<double>(bits));
    } else {
        event.add_int64(TrackEvent::kCounterValue, signed_value(kind, bits));
    }
}

void annotate(Message<TrackEvent>& event, const nlohmann::ordered_json& facts) {
    for (const auto& [name, value] : facts.items()) {
        Message<Annotation> annotation(event, TrackEvent::kDebugAnnotations);
        annotation.add_string(Annotation::kName, name);
        add_value(annotation, value);
    }
}

}  // namespace gwatch::report::perfetto
