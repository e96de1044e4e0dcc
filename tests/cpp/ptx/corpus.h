#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gwatch::ptx {

/// The bytes of one module of tests/data/ptx, by its name without ".ptx".
std::string read_corpus(const std::string& name);

/// The names of all modules of tests/data/ptx, sorted.
std::vector<std::string> corpus_names();

}  // namespace gwatch::ptx
