#include "corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gwatch::ptx {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(GWATCH_TEST_DATA) / "ptx";

}  // namespace

std::string read_data(const std::string& path) {
    std::ifstream file(kFolder / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string read_corpus(const std::string& name) {
    return read_data(name + ".ptx");
}

std::vector<std::string> corpus_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
        if (entry.path().extension() != ".ptx") continue;
        const auto path = std::filesystem::relative(entry.path(), kFolder);
        names.push_back((path.parent_path() / path.stem()).string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace gwatch::ptx
