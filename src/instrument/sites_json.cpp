#include "instrument/sites_json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

namespace gwatch::instrument {

namespace {

using Json = nlohmann::json;
using record::payload_name;
using record::PayloadKind;

// In the order of their enums.
constexpr std::array<const char*, 5> kActionNames = {"start", "end", "mark", "exit", "timer"};
constexpr std::array<const char*, 4> kPlacementNames = {"proven", "unknown", "function", "parted"};

template <std::size_t kSize>
std::optional<std::uint8_t> index_of(const std::array<const char*, kSize>& names,
                                     const Json& name) {
    for (std::size_t i = 0; i < kSize; ++i) {
        if (name == names[i]) return static_cast<std::uint8_t>(i);
    }
    return std::nullopt;
}

Json scope_to_json(const Scope& scope) {
    return {{"name", scope.name},
            {"id", scope.id},
            {"file", scope.source.file},
            {"line", scope.source.line}};
}

Json site_to_json(const Site& site) {
    Json actions = Json::array();
    for (const Action& action : site.actions) {
        Json one = Json::array({kActionNames[static_cast<std::size_t>(action.kind)]});
        if (action.scope != ptx::kNone) one.push_back(action.scope);
        if (action.payload != PayloadKind::kNone && has_scope(action.kind))
            one.push_back(payload_name(action.payload));
        actions.push_back(std::move(one));
    }
    return {{"actions", std::move(actions)},
            {"markers", site.markers},
            {"series", site.series},
            {"place", site.place},
            {"waits_before", site.waits_before},
            {"placement", kPlacementNames[static_cast<std::size_t>(site.placement)]},
            {"function", site.function},
            {"file", site.source.file},
            {"line", site.source.line}};
}

/// Reads members of one object; remembers whether one was missing or of another type.
class Reader {
  public:
    explicit Reader(const Json& object) : object_(object) {}

    std::string text(const char* name) {
        const Json& value = member(name);
        ok_ = ok_ && value.is_string();
        return ok_ ? value.get<std::string>() : std::string();
    }
    std::int64_t number(const char* name) {
        const Json& value = member(name);
        ok_ = ok_ && value.is_number_integer();
        return ok_ ? value.get<std::int64_t>() : 0;
    }
    bool flag(const char* name) {
        const Json& value = member(name);
        ok_ = ok_ && value.is_boolean();
        return ok_ && value.get<bool>();
    }
    const Json& array(const char* name) {
        static const Json empty = Json::array();
        const Json& value = member(name);
        ok_ = ok_ && value.is_array();
        return ok_ ? value : empty;
    }
    bool ok() const { return ok_; }

  private:
    const Json& member(const char* name) {
        static const Json none;
        if (!object_.is_object()) return none;
        const auto found = object_.find(name);
        return found != object_.end() ? *found : none;
    }

    const Json& object_;
    bool ok_ = true;
};

bool read_scope(const Json& json, SiteTable* table) {
    Reader reader(json);
    Scope scope;
    scope.name = reader.text("name");
    scope.id = static_cast<std::int32_t>(reader.number("id"));
    scope.source = {reader.text("file"), static_cast<std::uint32_t>(reader.number("line"))};
    table->scopes.push_back(std::move(scope));
    return reader.ok();
}

bool read_payload(const Json& json, Action* action) {
    if (action->kind != ActionKind::kStart && action->kind != ActionKind::kMark) return false;
    if (!json.is_string()) return false;
    const auto kind = record::payload_named(json.get_ref<const std::string&>());
    if (!kind) return false;
    action->payload = *kind;
    return true;
}

bool read_action(const Json& json, std::size_t scope_count, Site* site) {
    if (!json.is_array() || json.empty()) return false;
    const auto kind = index_of(kActionNames, json[0]);
    if (!kind) return false;
    Action action{static_cast<ActionKind>(*kind), ptx::kNone};
    if (action.kind == ActionKind::kTimer) action.payload = PayloadKind::kUnsigned64;
    if (has_scope(action.kind)) {
        if (json.size() < 2 || json.size() > 3 || !json[1].is_number_unsigned() ||
            json[1].get<std::uint64_t>() >= scope_count)
            return false;
        action.scope = json[1].get<std::uint32_t>();
    }
    if (json.size() == 3 && !read_payload(json[2], &action)) return false;
    site->actions.push_back(action);
    return true;
}

bool read_site(const Json& json, SiteTable* table) {
    Reader reader(json);
    Site site;
    const auto placement = index_of(kPlacementNames, reader.text("placement"));
    for (const Json& action : reader.array("actions")) {
        if (!read_action(action, table->scopes.size(), &site)) return false;
    }
    site.markers = static_cast<std::uint32_t>(reader.number("markers"));
    site.series = static_cast<std::uint8_t>(reader.number("series"));
    site.place = static_cast<std::uint8_t>(reader.number("place"));
    site.waits_before = reader.flag("waits_before");
    site.function = reader.text("function");
    site.source = {reader.text("file"), static_cast<std::uint32_t>(reader.number("line"))};
    if (!placement || !reader.ok()) return false;
    site.placement = static_cast<Placement>(*placement);
    table->sites.push_back(std::move(site));
    return true;
}

bool read_table(const Json& json, SiteTable* table) {
    Reader reader(json);
    for (const Json& scope : reader.array("scopes")) {
        if (!read_scope(scope, table)) return false;
    }
    for (const Json& site : reader.array("sites")) {
        if (!read_site(site, table)) return false;
    }
    return reader.ok();
}

}  // namespace

std::string to_json(const SiteTable& table) {
    Json json = {{"scopes", Json::array()}, {"sites", Json::array()}};
    for (const Scope& scope : table.scopes) json["scopes"].push_back(scope_to_json(scope));
    for (const Site& site : table.sites) json["sites"].push_back(site_to_json(site));
    return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

Result<SiteTable> sites_from_json(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    SiteTable table;
    if (json.is_discarded() || !read_table(json, &table)) {
        return Error{ErrorKind::kArchive,
                     "the site table is no JSON that gwatch wrote",
                     {},
                     "Record the capture again."};
    }
    return table;
}

}  // namespace gwatch::instrument
