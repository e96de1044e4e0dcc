#include "fidelity/listing.h"

#include <algorithm>
#include <charconv>

namespace gwatch::fidelity {

namespace {

constexpr std::string_view kSection = ".section\t.text.";
constexpr std::string_view kEntryMark = "@\"STO_CUDA_ENTRY";
constexpr std::string_view kPtxLine = "//## File \".nv_debug_ptx_txt\", line ";
constexpr std::string_view kOtherLine = "//## File ";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Takes the first word off a text.
std::string_view take_word(std::string_view* text) {
    *text = trimmed(*text);
    const std::string_view word = text->substr(0, text->find_first_of(" \t;"));
    text->remove_prefix(word.size());
    return word;
}

/// Behind an offset such as `/*00a0*/`, or empty.
std::string_view behind_offset(std::string_view line) {
    const std::size_t end = line.find("*/");
    if (!line.starts_with("/*") || end == std::string_view::npos) return {};
    const std::string_view offset = line.substr(2, end - 2);
    const bool is_offset =
        offset.size() >= 4 &&
        offset.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    return is_offset ? trimmed(line.substr(end + 2)) : std::string_view{};
}

class Reader {
  public:
    std::vector<Section> read(std::string_view listing) {
        while (!listing.empty()) {
            const std::size_t end = listing.find('\n');
            read_line(trimmed(listing.substr(0, end)));
            if (end == std::string_view::npos) break;
            listing.remove_prefix(end + 1);
        }
        return std::move(sections_);
    }

  private:
    void read_line(std::string_view line) {
        if (line.starts_with(kSection)) return open_section(line.substr(kSection.size()));
        if (line.starts_with(".section\t")) in_code_ = false;
        if (!in_code_) return;
        if (line.find(kEntryMark) != std::string_view::npos) sections_.back().is_entry = true;
        if (line.starts_with(kPtxLine)) return read_ptx_line(line.substr(kPtxLine.size()));
        if (line.starts_with(kOtherLine)) {
            ptx_line_ = 0;
        } else if (line.ends_with(':')) {
            labels_.push_back(line.substr(0, line.size() - 1));
        } else if (const std::string_view text = behind_offset(line); !text.empty()) {
            read_instruction(text);
        }
    }

    void open_section(std::string_view rest) {
        sections_.push_back({rest.substr(0, rest.find_first_of(",\"")), false, {}});
        in_code_ = true;
        ptx_line_ = 0;
        labels_.clear();
    }

    void read_ptx_line(std::string_view number) {
        ptx_line_ = 0;
        std::from_chars(number.data(), number.data() + number.size(), ptx_line_);
    }

    void read_instruction(std::string_view text) {
        MachineInstruction instruction{};
        instruction.ptx_line = ptx_line_;
        if (text.starts_with('@')) instruction.guard = take_word(&text);
        instruction.opcode = take_word(&text);
        instruction.operands = trimmed(text.substr(0, text.rfind(';')));
        instruction.labels = std::move(labels_);
        labels_.clear();
        sections_.back().instructions.push_back(std::move(instruction));
    }

    std::vector<Section> sections_;
    std::vector<std::string_view> labels_;
    std::uint32_t ptx_line_ = 0;
    bool in_code_ = false;
};

}  // namespace

std::vector<Section> read_listing(std::string_view listing) {
    return Reader().read(listing);
}

}  // namespace gwatch::fidelity
