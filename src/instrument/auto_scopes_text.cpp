#include "instrument/auto_scopes_text.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace gwatch::instrument {

namespace {

using ptx::Statement;
using ptx::StatementKind;
using ptx::TokenKind;

/// Folders of libraries whose functions wrap an instruction or two: their callers' lines tell more.
constexpr std::string_view kWrapperFolders[] = {
    "/triton/language/",    "/triton/experimental/", "/cuda/std/",         "/cuda/__",    "/cccl/",
    "/cooperative_groups/", "/cutlass/arch/",        "/cutlass/pipeline/", "/cute/arch/", "/crt/"};
constexpr std::string_view kWrapperFiles[] = {"/cooperative_groups.h", "/cuda_pipeline.h",
                                              "/cuda_pipeline_primitives.h",
                                              "/sm_20_intrinsics.hpp", "/sm_30_intrinsics.hpp"};

bool is_wrapper_file(std::string_view file) {
    const auto contains = [&](std::string_view part) { return file.find(part) != file.npos; };
    return std::any_of(std::begin(kWrapperFolders), std::end(kWrapperFolders), contains) ||
           std::any_of(std::begin(kWrapperFiles), std::end(kWrapperFiles),
                       [&](std::string_view name) { return file.ends_with(name); });
}

/// Number and name of a .file directive.
struct FileDirective {
    std::string_view number;
    std::string_view name;
};

FileDirective read_file_directive(const ptx::Module& module, const Statement& statement) {
    FileDirective file;
    for (std::uint32_t t = statement.first_token; t < statement.end_token; ++t) {
        const ptx::Token& token = module.tokens()[t];
        const std::string_view text = module.text_of(token);
        if (token.kind == TokenKind::kNumber && file.number.empty()) file.number = text;
        if (token.kind == TokenKind::kString && file.name.empty())
            file.name = text.substr(1, text.size() - 2);
    }
    return file;
}

template <class Visit>
void each_file(const ptx::Module& module, const Visit& visit) {
    for (const Statement& statement : module.statements()) {
        if (statement.kind == StatementKind::kDirective && module.head(statement) == ".file")
            visit(read_file_directive(module, statement));
    }
}

bool is_location(const ptx::Module& module, const Statement& statement) {
    return statement.kind == StatementKind::kDirective && module.head(statement) == ".loc";
}

bool ends_line(std::string_view text) {
    return text.find('\n') != std::string_view::npos;
}

}  // namespace

FunctionText::FunctionText(const ptx::Module& module, const ptx::Function& function)
    : module_(module) {
    const ptx::Scope& body = module.scopes()[function.body_scope];
    first_statement_ = body.open_statement;
    end_statement_ = body.close_statement;
    const std::uint32_t end = module.statements()[end_statement_].first_token;
    std::uint32_t begin = ptx::kNone;
    for (auto t = module.statements()[first_statement_].end_token; t < end; ++t) {
        if (module.tokens()[t].kind != TokenKind::kLineComment) continue;
        const std::string_view comment = module.text_of(module.tokens()[t]);
        if (comment.find("begin inline asm") != comment.npos) begin = t;
        if (comment.find("end inline asm") == comment.npos || begin == ptx::kNone) continue;
        pieces_.push_back({begin, t});
        begin = ptx::kNone;
    }
    each_file(module, [&](const FileDirective& file) {
        if (is_wrapper_file(file.name)) library_files_.emplace_back(file.name);
    });
}

const FunctionText::Piece* FunctionText::piece_around(std::uint32_t token) const {
    const auto next =
        std::lower_bound(pieces_.begin(), pieces_.end(), token,
                         [](const Piece& piece, std::uint32_t t) { return piece.end_token < t; });
    return next != pieces_.end() && next->begin_token < token ? &*next : nullptr;
}

std::uint32_t FunctionText::first_statement_behind(std::uint32_t token) const {
    const auto& statements = module_.statements();
    const auto found = std::lower_bound(
        statements.begin() + first_statement_, statements.begin() + end_statement_, token,
        [](const Statement& statement, std::uint32_t t) { return statement.first_token <= t; });
    return static_cast<std::uint32_t>(found - statements.begin());
}

ptx::SourceLine FunctionText::line_of(std::uint32_t statement) const {
    const Piece* piece = piece_around(module_.statements()[statement].first_token);
    if (piece != nullptr) statement = first_statement_behind(piece->begin_token);
    ptx::SourceLine line = module_.source_line(statement, library_files_);
    // A kernel of such a library has no other caller.
    return is_wrapper_file(line.file) ? module_.source_line(statement) : line;
}

bool FunctionText::may_leave(std::uint32_t begin_token, std::uint32_t end_token,
                             bool has_guard) const {
    for (std::uint32_t i = first_statement_behind(begin_token); i < end_statement_; ++i) {
        const Statement& statement = module_.statements()[i];
        if (statement.first_token >= end_token) return true;
        const bool is_brace = statement.kind == StatementKind::kScopeOpen ||
                              statement.kind == StatementKind::kScopeClose;
        if (is_brace && !has_guard) continue;
        if (statement.kind != StatementKind::kDirective) return false;
        const std::string_view head = module_.head(statement);
        if (head != ".loc" && head != ".reg") return false;
    }
    return true;
}

FunctionText::Spot FunctionText::in_front_of(std::uint32_t token,
                                             std::uint32_t next_statement) const {
    const std::uint32_t begin = module_.tokens()[token].offset;
    const std::string_view before = module_.text().substr(0, begin);
    const std::size_t blanks = before.find_last_not_of(" \t");
    const bool is_first = blanks == before.npos || before[blanks] == '\n' || before[blanks] == '\r';
    if (!is_first) return {begin, true, false, next_statement};
    const auto line = blanks == before.npos ? 0 : static_cast<std::uint32_t>(blanks + 1);
    return {line, false, false, next_statement};
}

FunctionText::Spot FunctionText::behind(std::uint32_t token, std::uint32_t next_statement) const {
    const ptx::Token& last = module_.tokens()[token];
    for (std::uint32_t t = token + 1; t < module_.tokens().size(); ++t) {
        const ptx::Token& next = module_.tokens()[t];
        const std::string_view text = module_.text_of(next);
        if (next.kind == TokenKind::kWhitespace && ends_line(text)) {
            const auto line = next.offset + static_cast<std::uint32_t>(text.find('\n')) + 1;
            return {line, false, true, next_statement};
        }
        if (next.kind != TokenKind::kWhitespace && next.kind != TokenKind::kLineComment) break;
    }
    return {last.offset + last.length, true, true, next_statement};
}

FunctionText::Spot FunctionText::spot_of(const MarkerPlace& place) const {
    const Statement& statement = module_.statements()[place.statement];
    const Piece* piece = piece_around(statement.first_token);
    const bool has_guard = !place.guard.empty();
    if (!place.is_behind) {
        if (piece != nullptr && may_leave(piece->begin_token, statement.first_token, has_guard)) {
            return in_front_of(piece->begin_token, first_statement_behind(piece->begin_token));
        }
        return in_front_of(statement.first_token, place.statement);
    }
    if (piece != nullptr && may_leave(statement.end_token - 1, piece->end_token, has_guard)) {
        return behind(piece->end_token, first_statement_behind(piece->end_token));
    }
    return behind(statement.end_token - 1, place.statement + 1);
}

FunctionText::Locations FunctionText::locations_for(const ptx::SourceLine& line,
                                                    std::uint32_t statement) const {
    const ptx::SourceLine in_force = module_.source_line(statement);
    if (line.line == 0 || (in_force.file == line.file && in_force.line == line.line)) return {};
    Locations locations;
    each_file(module_, [&](const FileDirective& file) {
        if (file.name != line.file || !locations.before.empty()) return;
        locations.before = "\t.loc\t";
        locations.before.append(file.number).append(" ");
        locations.before.append(std::to_string(line.line)).append(" 0\n");
    });
    if (locations.before.empty()) return {};
    for (std::uint32_t i = statement; i-- > first_statement_;) {
        const Statement& previous = module_.statements()[i];
        if (!is_location(module_, previous)) continue;
        locations.after.append("\t").append(module_.text_of(previous)).append("\n");
        break;
    }
    return locations;
}

}  // namespace gwatch::instrument
