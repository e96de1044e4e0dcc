#include "corpus.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace gwatch::ptx {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(GWATCH_TEST_DATA) / "ptx";

}  // namespace

std::string read_corpus(const std::string& name) {
    std::ifstream file(kFolder / (name + ".ptx"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> corpus_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
        if (entry.path().extension() == ".ptx") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace gwatch::ptx
