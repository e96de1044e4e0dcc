#include "base/error.h"

namespace gwatch {

std::string Error::to_string() const {
    std::string text = message;
    for (const std::string* part : {&detail, &hint}) {
        if (!part->empty()) text += "\n" + *part;
    }
    return text;
}

}  // namespace gwatch
