#include "unpack.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

namespace gwatch::report::testing {

std::string from_base64(std::string_view text) {
    static const std::string alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int held = 0;
    for (const char character : text) {
        if (character == '=') break;
        const std::size_t value = alphabet.find(character);
        EXPECT_NE(value, std::string::npos) << "not base64: " << character;
        bits = (bits << 6 | static_cast<unsigned>(value)) & 0xffff;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes += static_cast<char>(bits >> held);
    }
    return bytes;
}

std::string inflate(std::string_view bytes, std::size_t size) {
    std::string out(size + 1, '\0');
    uLongf length = out.size();
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &length,
                         reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
              Z_OK);
    EXPECT_EQ(length, size);
    out.resize(length);
    return out;
}

std::string element_text(std::string_view page, const std::string& id) {
    const std::size_t attribute = page.find(" id=\"" + id + "\">");
    EXPECT_NE(attribute, std::string_view::npos) << "no element " << id;
    const std::size_t begin = page.find('>', attribute) + 1;
    return std::string(page.substr(begin, page.find("</script>", begin) - begin));
}

std::int64_t unzigzag(std::uint64_t value) {
    return value % 2 == 0 ? static_cast<std::int64_t>(value / 2)
                          : -static_cast<std::int64_t>(value / 2) - 1;
}

std::map<std::string, std::vector<std::uint64_t>> read_columns(std::string_view page,
                                                               std::size_t run) {
    const auto facts = nlohmann::json::parse(element_text(page, "facts")).at("runs").at(run);
    std::string packed;
    for (std::size_t chunk = 0; chunk < facts.at("chunks").get<std::size_t>(); ++chunk)
        packed += from_base64(
            element_text(page, "run-" + std::to_string(run) + "-" + std::to_string(chunk)));
    const std::string bytes = inflate(packed, facts.at("bytes").get<std::size_t>());
    std::map<std::string, std::vector<std::uint64_t>> columns;
    std::size_t at = 0;
    for (const auto& column : facts.at("columns")) {
        std::vector<std::uint64_t> values(column.at("count").get<std::size_t>(), 0);
        for (unsigned plane = 0; plane < column.at("planes").get<unsigned>(); ++plane) {
            for (std::uint64_t& value : values)
                value |= std::uint64_t{static_cast<unsigned char>(bytes.at(at++))} << (8 * plane);
        }
        columns[column.at("name")] = std::move(values);
    }
    EXPECT_EQ(at, bytes.size());
    return columns;
}

}  // namespace gwatch::report::testing
