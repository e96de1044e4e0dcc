#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "trace/archive_fields.h"
#include "trace/text.h"

namespace gwatch::trace {

/// Puts plain fields into a JSON object, in their order. Texts become UTF-8.
class FieldWriter {
  public:
    template <class T>
    void operator()(const char* name, T& value) {
        object_[name] = to_value(value);
    }
    /// Left out when there is none.
    template <class T>
    void optional(const char* name, std::optional<T>& value) {
        if (value) (*this)(name, *value);
    }
    /// Left out when there is none.
    void payload_kind(const char* name, PayloadKind kind) {
        if (kind != PayloadKind::kNone) object_[name] = record::payload_name(kind);
    }
    nlohmann::ordered_json take() { return std::move(object_); }

    template <class T>
    static nlohmann::ordered_json to_value(T& value) {
        if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
            FieldWriter writer;
            visit(writer, value);
            return writer.take();
        } else {
            return value;
        }
    }
    static nlohmann::ordered_json to_value(std::string& value) { return to_utf8(value); }
    static nlohmann::ordered_json to_value(double& value) {
        return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(0.0);
    }
    static nlohmann::ordered_json to_value(std::array<std::uint32_t, 3>& value) { return value; }
    static nlohmann::ordered_json to_value(std::map<std::string, double>& values) {
        nlohmann::ordered_json object = nlohmann::ordered_json::object();
        for (auto& [name, value] : values) object[to_utf8(name)] = to_value(value);
        return object;
    }
    template <class T>
    static nlohmann::ordered_json to_value(std::vector<T>& values) {
        nlohmann::ordered_json array = nlohmann::ordered_json::array();
        for (T& value : values) array.push_back(to_value(value));
        return array;
    }

  private:
    nlohmann::ordered_json object_ = nlohmann::ordered_json::object();
};

}  // namespace gwatch::trace
