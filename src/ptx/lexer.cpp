#include "ptx/lexer.h"

#include <algorithm>
#include <array>
#include <optional>

namespace gwatch::ptx {
namespace {

enum CharacterClass : std::uint8_t { kBlank = 1, kDigit = 2, kLetter = 4, kNameCharacter = 6 };

constexpr std::array<std::uint8_t, 256> make_classes() {
    std::array<std::uint8_t, 256> classes{};
    // ptxas skips a backslash as it skips a blank.
    for (const char c : {' ', '\t', '\r', '\n', '\\'})
        classes[static_cast<unsigned char>(c)] = kBlank;
    for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit;
    for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = kLetter;
    classes['_'] = classes['$'] = kLetter;
    return classes;
}

constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

bool is_a(char character, CharacterClass wanted) {
    return (kClasses[static_cast<unsigned char>(character)] & wanted) != 0;
}

class Lexer {
  public:
    explicit Lexer(const SourceText& source) : source_(source), text_(source.text) {
        // A C string's final NULs are no code.
        while (text_.ends_with('\0')) text_.remove_suffix(1);
    }

    Result<std::vector<Token>> run() {
        tokens_.reserve(text_.size() / 3);
        while (position_ < text_.size()) {
            const std::size_t start = position_;
            const TokenKind kind = scan();
            if (unclosed_) return describe(source_, *unclosed_);
            add(kind, start);
        }
        position_ = source_.text.size();
        if (position_ > text_.size()) add(TokenKind::kWhitespace, text_.size());
        return std::move(tokens_);
    }

  private:
    void add(TokenKind kind, std::size_t start) {
        tokens_.push_back({static_cast<std::uint32_t>(start),
                           static_cast<std::uint32_t>(position_ - start), kind});
    }

    char peek(std::size_t ahead = 0) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }

    TokenKind scan() {
        const char first = peek();
        if (is_a(first, kBlank)) return scan_blanks();
        if (is_a(first, kLetter)) return scan_word();
        if (is_a(first, kDigit)) return scan_number();
        if (first == '%' && is_a(peek(1), kNameCharacter)) return scan_word();
        if (first == '.' && is_a(peek(1), kNameCharacter)) return scan_directive();
        if (first == '/' && peek(1) == '/') return scan_line_comment();
        if (first == '/' && peek(1) == '*') return scan_block_comment();
        if (first == '#') return scan_line_marker();
        if (first == '"') return scan_string();
        ++position_;
        return TokenKind::kPunctuation;
    }

    TokenKind scan_blanks() {
        while (is_a(peek(), kBlank)) ++position_;
        return TokenKind::kWhitespace;
    }

    void skip_name() {
        while (is_a(peek(), kNameCharacter)) ++position_;
    }

    // The :: of shared::cluster, not the : of a label.
    bool skip_qualifier() {
        if (peek() != ':' || peek(1) != ':' || !is_a(peek(2), kNameCharacter)) return false;
        position_ += 2;
        skip_name();
        return true;
    }

    bool skip_suffix() {
        if (in_targets_ || peek() != '.' || !is_a(peek(1), kNameCharacter)) return false;
        ++position_;
        skip_name();
        return true;
    }

    TokenKind scan_word() {
        ++position_;
        skip_name();
        while (skip_suffix() || skip_qualifier()) continue;
        return TokenKind::kWord;
    }

    // ".5" is a number, ".2d" is not.
    TokenKind scan_directive() {
        const std::size_t start = position_;
        if (is_a(peek(1), kDigit)) {
            skip_decimal();
            if (!is_a(peek(), kNameCharacter)) return TokenKind::kNumber;
            position_ = start;
        }
        ++position_;
        skip_name();
        while (skip_qualifier()) continue;
        in_targets_ = text_.substr(start, position_ - start) == ".target";
        return TokenKind::kDirective;
    }

    void skip_digits() {
        while (is_a(peek(), kDigit)) ++position_;
    }

    void skip_decimal() {
        skip_digits();
        if (peek() == '.') {
            ++position_;
            skip_digits();
        }
        if (peek() != 'e' && peek() != 'E') return;
        const bool is_signed = peek(1) == '+' || peek(1) == '-';
        if (!is_a(peek(is_signed ? 2 : 1), kDigit)) return;
        position_ += is_signed ? 2 : 1;
        skip_digits();
    }

    // 0x1F, 0f3F800000, 0d3FF0000000000000, 0b101. What follows may touch: `.loc 1 3 0mov.u32 ...`.
    bool skip_radix_number() {
        static constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
        if (peek() != '0') return false;
        std::size_t maximum = text_.size();
        std::string_view digits = kHexDigits;
        switch (peek(1)) {
            case 'x':
            case 'X':
                break;
            case 'f':
            case 'F':
                maximum = 8;
                break;
            case 'd':
            case 'D':
                maximum = 16;
                break;
            case 'b':
            case 'B':
                digits = "01";
                break;
            default:
                return false;
        }
        const std::size_t start = position_ + 2;
        const std::size_t stop = std::min(text_.find_first_not_of(digits, start), text_.size());
        if (stop == start) return false;
        position_ = std::min(stop, start + std::min(maximum, text_.size() - start));
        return true;
    }

    TokenKind scan_number() {
        if (!skip_radix_number()) skip_decimal();
        if (peek() == 'U') ++position_;
        return TokenKind::kNumber;
    }

    // A CR alone ends neither a comment nor a line marker: ptxas reads on to the LF.
    void skip_to_line_feed() {
        position_ = std::min(text_.find('\n', position_), text_.size());
        if (peek() == '\n' && text_[position_ - 1] == '\r') --position_;
    }

    TokenKind scan_line_comment() {
        skip_to_line_feed();
        return TokenKind::kLineComment;
    }

    // The file name, a string, may hold line ends.
    TokenKind scan_line_marker() {
        position_ = std::min(text_.find_first_of("\"\n", position_), text_.size());
        if (peek() == '"') scan_string();
        skip_to_line_feed();
        return TokenKind::kLineMarker;
    }

    TokenKind scan_block_comment() {
        skip_past("*/", position_ + 2, "'*/' that closes this comment");
        return TokenKind::kBlockComment;
    }

    // PTX strings have no escapes and may hold line ends.
    TokenKind scan_string() {
        skip_past("\"", position_ + 1, "'\"' that closes this string");
        return TokenKind::kString;
    }

    void skip_past(std::string_view closer, std::size_t from, const char* expected) {
        const std::size_t found = text_.find(closer, from);
        if (found != std::string_view::npos) {
            position_ = found + closer.size();
        } else {
            unclosed_ = Mismatch{static_cast<std::uint32_t>(position_), expected, "end of text"};
        }
    }

    SourceText source_;
    std::string_view text_;
    std::size_t position_ = 0;
    bool in_targets_ = false;  // a target has no suffixes: `.target sm_90a.address_size 64`
    std::vector<Token> tokens_;
    std::optional<Mismatch> unclosed_;
};

}  // namespace

Result<std::vector<Token>> lex(const SourceText& source) {
    return Lexer(source).run();
}

}  // namespace gwatch::ptx
