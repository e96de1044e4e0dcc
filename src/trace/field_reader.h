#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "trace/archive_fields.h"

namespace gwatch::trace {

/// Reads plain fields from a JSON object; keeps the first thing that is wrong.
class FieldReader {
  public:
    FieldReader(const nlohmann::json& object, std::string path, std::string* problem)
        : object_(object), path_(std::move(path)), problem_(*problem) {
        if (!object.is_object()) fail(path_, "is no object");
    }

    template <class T>
    void operator()(const char* name, T& value) {
        if (!problem_.empty()) return;
        const auto found = object_.find(name);
        const std::string path = path_ + "." + name;
        if (found == object_.end()) return fail(path, "is missing");
        read(*found, path, value);
    }

    /// A field that may be missing: older versions of gwatch did not write it.
    template <class T>
    void optional(const char* name, std::optional<T>& value) {
        value.reset();
        if (problem_.empty() && object_.contains(name)) (*this)(name, value.emplace());
    }

    /// None when the field is missing.
    void payload_kind(const char* name, PayloadKind& kind) {
        kind = PayloadKind::kNone;
        if (!problem_.empty() || !object_.contains(name)) return;
        std::string text;
        (*this)(name, text);
        const auto named = record::payload_named(text);
        if (named && *named != PayloadKind::kNone) {
            kind = *named;
        } else {
            fail(path_ + "." + name, "is no kind of payload: s32, u32, f32, s64, u64, f64, bits");
        }
    }

  private:
    void fail(const std::string& path, const std::string& what) {
        if (problem_.empty()) problem_ = path + " " + what;
    }

    void read(const nlohmann::json& json, const std::string& path, std::string& value) {
        if (!json.is_string()) return fail(path, "is no string");
        value = json.get<std::string>();
    }
    void read(const nlohmann::json& json, const std::string& path, bool& value) {
        if (!json.is_boolean()) return fail(path, "is neither true nor false");
        value = json.get<bool>();
    }
    void read(const nlohmann::json& json, const std::string& path, double& value) {
        if (!json.is_number()) return fail(path, "is no number");
        value = json.get<double>();
    }
    template <class T>
        requires std::is_integral_v<T>
    void read(const nlohmann::json& json, const std::string& path, T& value) {
        const bool fits =
            json.is_number_unsigned()
                ? std::in_range<T>(json.get<std::uint64_t>())
                : json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
        if (!fits) {
            return fail(path, "is no whole number from " +
                                  std::to_string(std::numeric_limits<T>::min()) + " to " +
                                  std::to_string(std::numeric_limits<T>::max()));
        }
        value = json.get<T>();
    }
    void read(const nlohmann::json& json, const std::string& path,
              std::array<std::uint32_t, 3>& value) {
        if (!json.is_array() || json.size() != 3) return fail(path, "is no array of three numbers");
        for (std::size_t i = 0; i < 3; ++i)
            read(json[i], path + "[" + std::to_string(i) + "]", value[i]);
    }
    void read(const nlohmann::json& json, const std::string& path,
              std::map<std::string, double>& value) {
        if (!json.is_object()) return fail(path, "is no object");
        for (const auto& [name, number] : json.items())
            read(number, path + "." + name, value[name]);
    }
    template <class T>
    void read(const nlohmann::json& json, const std::string& path, std::vector<T>& values) {
        if (!json.is_array()) return fail(path, "is no array");
        values.resize(json.size());
        for (std::size_t i = 0; i < json.size(); ++i) {
            read(json[i], path + "[" + std::to_string(i) + "]", values[i]);
        }
    }
    template <class T>
        requires std::is_class_v<T>
    void read(const nlohmann::json& json, const std::string& path, T& value) {
        FieldReader reader(json, path, &problem_);
        visit(reader, value);
    }

    const nlohmann::json& object_;
    std::string path_;
    std::string& problem_;
};

}  // namespace gwatch::trace
