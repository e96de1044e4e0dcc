#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ptx/module.h"

namespace gwatch::analysis {

/// The statements of a function's body, its braces included: [begin, end).
struct StatementRange {
    std::uint32_t begin;
    std::uint32_t end;
};

/// Only for a function with a body.
StatementRange body_of(const ptx::Module& module, const ptx::Function& function);

/// A map from names to numbers in nested scopes; an inner name hides an outer one.
class ScopedNames {
  public:
    explicit ScopedNames(const ptx::Module& module) : module_(module) {}

    void add(std::uint32_t scope, std::string_view name, std::uint32_t number);
    /// The number of the innermost name seen from this scope, or ptx::kNone.
    std::uint32_t find(std::uint32_t scope, std::string_view name) const;
    /// Only in the scope itself.
    std::uint32_t find_in(std::uint32_t scope, std::string_view name) const;

  private:
    struct Key {
        std::uint32_t scope;
        std::string_view name;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return std::hash<std::string_view>{}(key.name) ^ (key.scope * std::size_t{0x9E3779B9});
        }
    };

    const ptx::Module& module_;
    std::unordered_map<Key, std::uint32_t, Hash> numbers_;
};

/// The labels of a function's body: name to the label's statement.
ScopedNames find_labels(const ptx::Module& module, StatementRange body);

/// The registers of a function's body, numbered as they are first named.
class Registers {
  public:
    explicit Registers(const ptx::Module& module);

    /// Takes a directive as it is passed in text order; all but .reg and .param are of no interest.
    void declare(const ptx::Statement& directive);
    /// The register that this word names, seen from this scope, or ptx::kNone. A component (%v.x)
    /// is its whole vector.
    std::uint32_t find(std::uint32_t scope, std::string_view word);
    /// A register with a name that no text can spell.
    std::uint32_t add_hidden(std::string_view name);
    /// Whether a .param of this name is declared in the body: the argument or result of a call.
    bool is_call_parameter(std::string_view name) const { return call_parameters_.contains(name); }

    const std::vector<std::string_view>& names() const { return names_; }

  private:
    void declare_register(std::uint32_t scope, std::string_view name, std::string_view count);
    std::uint32_t find_whole(std::uint32_t scope, std::string_view name);
    std::uint32_t find_in_ranges(std::uint32_t scope, std::string_view name);

    const ptx::Module& module_;
    ScopedNames numbers_;
    ScopedNames ranges_;  // prefix of %r<8> to 8
    std::unordered_set<std::string_view> call_parameters_;
    std::vector<std::string_view> names_;
};

}  // namespace gwatch::analysis
