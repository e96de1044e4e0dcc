#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrument/auto_scopes_spans.h"

namespace gwatch::instrument {

/// The text of one function: where its pieces of inline assembly are, and its source lines.
class FunctionText {
  public:
    FunctionText(const ptx::Module& module, const ptx::Function& function);

    /// The source line of a statement. Inside inline assembly it is that of the whole piece: a
    /// compiler counts on from there, a line of the piece a line. For code of a library that only
    /// wraps instructions it is its caller's.
    ptx::SourceLine line_of(std::uint32_t statement) const;

    /// Where a marker's text goes, on lines of its own where that can be. It leaves inline assembly
    /// when nothing but declarations and braces is in between.
    struct Spot {
        std::uint32_t offset;
        bool splits_line;  ///< other text stands in front of it, or behind it, in its line
        bool is_behind;
        std::uint32_t next_statement;  ///< the first one behind it
    };
    Spot spot_of(const MarkerPlace& place) const;

    /// A `.loc` of this line, and one of that in force at the statement; both empty when the
    /// statement has that line.
    struct Locations {
        std::string before;
        std::string after;
    };
    Locations locations_for(const ptx::SourceLine& line, std::uint32_t statement) const;

  private:
    /// A piece of inline assembly between two comments.
    struct Piece {
        std::uint32_t begin_token;
        std::uint32_t end_token;
    };

    const Piece* piece_around(std::uint32_t token) const;
    std::uint32_t first_statement_behind(std::uint32_t token) const;
    bool may_leave(std::uint32_t begin_token, std::uint32_t end_token, bool has_guard) const;
    Spot in_front_of(std::uint32_t token, std::uint32_t next_statement) const;
    Spot behind(std::uint32_t token, std::uint32_t next_statement) const;
    bool is_library(const std::string& file) const;

    const ptx::Module& module_;
    std::uint32_t first_statement_;
    std::uint32_t end_statement_;
    std::vector<Piece> pieces_;
    std::vector<std::string> library_files_;
};

}  // namespace gwatch::instrument
