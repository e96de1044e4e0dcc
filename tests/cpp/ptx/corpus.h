#pragma once

#include <string>
#include <vector>

namespace gwatch::ptx {

/// The bytes of a file below tests/data/ptx, "" when there is none: "crlf-line-ends.ptx".
std::string read_data(const std::string& path);

/// The bytes of one module of tests/data/ptx, by its name without ".ptx".
std::string read_corpus(const std::string& name);

/// The names of all modules of tests/data/ptx and of its folder compiled/, sorted:
/// "compiled/nvcc-debug".
std::vector<std::string> corpus_names();

}  // namespace gwatch::ptx
