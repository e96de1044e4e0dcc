#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gwatch::remote {

/// Writes values one after the other, in this machine's byte order. Both ends are of one build.
class Writer {
  public:
    template <class... Values>
    void operator()(const Values&... values) {
        (write(values), ...);
    }
    std::string take() { return std::move(bytes_); }

  private:
    template <class Value>
        requires std::is_trivially_copyable_v<Value>
    void write(const Value& value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void write(const std::string& text) {
        write(std::uint64_t{text.size()});
        bytes_ += text;
    }
    template <class Element>
    void write(const std::vector<Element>& elements) {
        write(std::uint64_t{elements.size()});
        if constexpr (std::is_trivially_copyable_v<Element>) {
            bytes_.append(reinterpret_cast<const char*>(elements.data()),
                          elements.size() * sizeof(Element));
        } else {
            for (const Element& element : elements) write(element);
        }
    }
    template <class Value>
    void write(const std::map<std::string, Value>& entries) {
        write(std::uint64_t{entries.size()});
        for (const auto& [key, value] : entries) (*this)(key, value);
    }
    template <class Value>
        requires(!std::is_trivially_copyable_v<Value>)
    void write(const Value& value) {
        fields(*this, value);
    }

    std::string bytes_;
};

/// Reads what a Writer wrote. After a value that is cut off, all further ones stay as they are.
class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    template <class... Values>
    void operator()(Values&... values) {
        (read(values), ...);
    }
    /// Whether nothing was cut off and nothing is left.
    bool is_complete() const { return is_good_ && rest_.empty(); }

  private:
    bool take(void* to, std::uint64_t count) {
        is_good_ = is_good_ && count <= rest_.size();
        if (!is_good_ || count == 0) return is_good_;
        std::memcpy(to, rest_.data(), count);
        rest_.remove_prefix(count);
        return true;
    }
    /// A number of elements of at least one byte each.
    std::uint64_t take_count() {
        std::uint64_t count = 0;
        take(&count, sizeof count);
        is_good_ = is_good_ && count <= rest_.size();
        return is_good_ ? count : 0;
    }
    template <class Value>
        requires std::is_trivially_copyable_v<Value>
    void read(Value& value) {
        take(&value, sizeof value);
    }
    void read(std::string& text) {
        text.resize(take_count());
        take(text.data(), text.size());
    }
    template <class Element>
    void read(std::vector<Element>& elements) {
        const std::uint64_t count = take_count();
        if constexpr (std::is_trivially_copyable_v<Element>) {
            is_good_ = is_good_ && count <= rest_.size() / sizeof(Element);
            elements.resize(is_good_ ? count : 0);
            take(elements.data(), elements.size() * sizeof(Element));
        } else {
            for (std::uint64_t i = 0; i < count && is_good_; ++i) read(elements.emplace_back());
        }
    }
    template <class Value>
    void read(std::map<std::string, Value>& entries) {
        const std::uint64_t count = take_count();
        for (std::uint64_t i = 0; i < count && is_good_; ++i) {
            std::string key;
            Value value{};
            (*this)(key, value);
            entries.emplace(std::move(key), std::move(value));
        }
    }
    template <class Value>
        requires(!std::is_trivially_copyable_v<Value>)
    void read(Value& value) {
        fields(*this, value);
    }

    std::string_view rest_;
    bool is_good_ = true;
};

}  // namespace gwatch::remote
