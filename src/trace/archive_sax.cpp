#include "trace/archive_sax.h"

#include <array>
#include <iterator>
#include <limits>

#include "base/progress.h"
#include "trace/number_array.h"

namespace gwatch::trace {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 5> kTables = {"lanes", "slices", "marks", "orphan_starts",
                                                     "orphan_ends"};

/// Root object, runs, a run, a table: a column is an array in that, or in the table's payloads.
constexpr std::size_t kColumnDepth = 4;
constexpr std::string_view kPayloads = "payloads";
constexpr std::string_view kBits = "bits";  // the one column of 64 bits without a sign

/// Where the parser goes on; who else moves it lets the parser miss what lies between.
struct Cursor {
    const char* at;
    const char* end;
};

/// Lets the parser read at a cursor.
class CursorIterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CursorIterator() = default;  // the end
    explicit CursorIterator(Cursor* cursor) : cursor_(cursor) {}

    reference operator*() const { return *cursor_->at; }
    CursorIterator& operator++() {
        ++cursor_->at;
        return *this;
    }
    CursorIterator operator++(int) {
        const CursorIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CursorIterator& other) const { return is_at_end() == other.is_at_end(); }

  private:
    bool is_at_end() const { return cursor_ == nullptr || cursor_->at == cursor_->end; }

    Cursor* cursor_ = nullptr;
};

class Builder : public nlohmann::json_sax<Json> {
  public:
    Builder(ParsedArchive* archive, Cursor* cursor) : archive_(*archive), cursor_(*cursor) {}

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t& value) override { return add(Json::binary(std::move(value))); }

    bool number_integer(number_integer_t value) override {
        if (column_ == nullptr || is_bits_) return add(value);
        column_->push_back(value);
        return true;
    }
    bool number_unsigned(number_unsigned_t value) override {
        const bool fits = is_bits_ || value <= std::numeric_limits<std::int64_t>::max();
        if (column_ == nullptr || !fits) return add(value);
        column_->push_back(static_cast<std::int64_t>(value));
        return true;
    }

    bool start_object(std::size_t) override { return open(Json::object()); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override {
        if (column_ == nullptr && is_column()) {
            column_name_ = table();
            if (frames_.size() > kColumnDepth) column_name_.append(".").append(kPayloads);
            column_name_.append(".").append(frames_.back().key);
            is_bits_ = frames_.size() > kColumnDepth && frames_.back().key == kBits;
            column_ = &run_columns()[column_name_];
            column_->clear();
            take_numbers();
            return true;
        }
        return open(Json::array());
    }
    bool end_array() override {
        if (column_ != nullptr && depth_in_column_ == 0) {
            column_ = nullptr;
            return true;
        }
        return close();
    }
    bool key(string_t& name) override {
        if (column_ == nullptr) frames_.back().key = std::move(name);
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
        position_ = position + taken_bytes_;
        return false;
    }
    std::size_t error_position() const { return position_; }

  private:
    struct Frame {
        Json* value;
        std::string key;
    };

    bool is_column() const {
        if (frames_.size() != kColumnDepth && !is_in_payloads()) return false;
        if (frames_[0].key != "runs" || !frames_[0].value->is_object() ||
            !frames_[1].value->is_array() || !frames_[2].value->is_object() ||
            !frames_[3].value->is_object()) {
            return false;
        }
        for (const std::string_view name : kTables) {
            if (frames_[2].key == name) return true;
        }
        return false;
    }
    bool is_in_payloads() const {
        return frames_.size() == kColumnDepth + 1 && frames_[3].key == kPayloads &&
               frames_[4].value->is_object();
    }
    const std::string& table() const { return frames_[2].key; }
    std::size_t run_index() const { return frames_[1].value->size() - 1; }
    Columns& run_columns() {
        if (archive_.columns.size() <= run_index()) archive_.columns.resize(run_index() + 1);
        return archive_.columns[run_index()];
    }

    /// The first numbers of the column, past the parser and several times as fast.
    void take_numbers() {
        column_->reserve(last_size_);  // columns of a table are of equal length
        const char* const before = cursor_.at;
        cursor_.at = take_whole_numbers(before, cursor_.end, is_bits_, column_);
        taken_bytes_ += static_cast<std::size_t>(cursor_.at - before);
        last_size_ = column_->size();
    }

    void reject_in_column() {
        if (!archive_.column_error.empty()) return;
        archive_.column_error = "runs[" + std::to_string(run_index()) + "]." + column_name_ +
                                " holds something else than whole numbers " +
                                (is_bits_ ? "from 0 to 2^64 - 1" : "of 64 bits");
    }

    Json* place(Json value) {
        if (frames_.empty()) {
            archive_.root = std::move(value);
            return &archive_.root;
        }
        Json& parent = *frames_.back().value;
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        return &(parent[frames_.back().key] = std::move(value));
    }
    bool add(Json value) {
        if (column_ != nullptr) {
            reject_in_column();
        } else {
            place(std::move(value));
        }
        return true;
    }
    bool open(Json value) {
        if (column_ != nullptr) {
            reject_in_column();
            ++depth_in_column_;
        } else {
            frames_.push_back({place(std::move(value)), {}});
        }
        return true;
    }
    bool close() {
        if (column_ != nullptr) {
            --depth_in_column_;
        } else {
            frames_.pop_back();
        }
        return true;
    }

    ParsedArchive& archive_;
    Cursor& cursor_;
    std::vector<Frame> frames_;
    std::vector<std::int64_t>* column_ = nullptr;
    std::string column_name_;
    std::size_t depth_in_column_ = 0;
    bool is_bits_ = false;  ///< of the column
    std::size_t position_ = 0;
    std::size_t taken_bytes_ = 0;  ///< past the parser
    std::size_t last_size_ = 0;    ///< of the column before
};

}  // namespace

ParsedArchive parse_archive(std::string_view text) {
    ParsedArchive archive;
    progress::begin(text.size());
    Cursor cursor{text.data(), text.data() + text.size()};
    Builder builder(&archive, &cursor);
    if (!Json::sax_parse(CursorIterator(&cursor), CursorIterator(), &builder)) {
        const std::size_t at = builder.error_position();
        archive.syntax_error =
            at > text.size() ? "the text ends too early, after byte " + std::to_string(text.size())
                             : "its JSON breaks at byte " + std::to_string(at);
    }
    if (archive.root.is_object() && archive.root.contains("runs") &&
        archive.root["runs"].is_array()) {
        archive.columns.resize(archive.root["runs"].size());
    }
    return archive;
}

}  // namespace gwatch::trace
