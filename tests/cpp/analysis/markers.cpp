#include "markers.h"

#include <sstream>
#include <string_view>

#include "analysis/uniformity.h"

namespace gwatch::analysis {
namespace {

constexpr std::string_view kPrefix = "// gwatch:";

std::uint32_t next_instruction(const ptx::Module& module, std::uint32_t token) {
    for (std::uint32_t i = 0; i < module.statements().size(); ++i) {
        const ptx::Statement& statement = module.statements()[i];
        if (statement.kind == ptx::StatementKind::kInstruction && statement.first_token > token) {
            return i;
        }
    }
    return ptx::kNone;
}

LaunchShape parse_shape(const std::string& text) {
    LaunchShape shape;
    std::istringstream stream(text);
    for (std::uint32_t& size : shape.block) stream >> size;
    return shape;
}

}  // namespace

std::vector<TestMarker> find_test_markers(const ptx::Module& module,
                                          const ptx::Function& function) {
    const ptx::Scope& body = module.scopes()[function.body_scope];
    const std::uint32_t begin = module.statements()[body.open_statement].first_token;
    const std::uint32_t end = module.statements()[body.close_statement].first_token;
    std::vector<TestMarker> markers;
    for (std::uint32_t i = begin; i < end; ++i) {
        const ptx::Token& token = module.tokens()[i];
        const std::string_view text = module.text_of(token);
        if (token.kind != ptx::TokenKind::kLineComment || !text.starts_with(kPrefix)) continue;
        markers.push_back({std::string(text.substr(kPrefix.size())),
                           module.position(token.offset).line, next_instruction(module, i)});
    }
    return markers;
}

std::string describe_verdicts(const ptx::Module& module, const std::string& block) {
    std::ostringstream lines;
    for (const ptx::Function& function : module.functions()) {
        if (!function.is_entry || function.body_scope == ptx::kNone) continue;
        const Uniformity uniformity = analyze(module, function, parse_shape(block));
        for (const TestMarker& marker : find_test_markers(module, function)) {
            const auto spoiler = uniformity.spoiler(module, marker.statement);
            lines << "line " << marker.line << " " << marker.text << ": "
                  << (spoiler ? spoiler->reason : "proven") << "\n";
        }
    }
    return lines.str();
}

}  // namespace gwatch::analysis
