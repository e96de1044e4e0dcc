#include <string>
#include <vector>

#include "ptx/module.h"

namespace gwatch::ptx {

std::string print(const Module& module) {
    std::string text;
    text.reserve(module.text().size());
    for (const Token& token : module.tokens()) text += module.text_of(token);
    return text;
}

std::string print(const Module& module, const std::vector<Insertion>& insertions) {
    std::size_t size = module.text().size();
    for (const Insertion& insertion : insertions) size += insertion.text.size();
    std::string text;
    text.reserve(size);
    std::size_t copied = 0;
    for (const Insertion& insertion : insertions) {
        text += module.text().substr(copied, insertion.offset - copied);
        text += insertion.text;
        copied = insertion.offset;
    }
    text += module.text().substr(copied);
    return text;
}

}  // namespace gwatch::ptx
