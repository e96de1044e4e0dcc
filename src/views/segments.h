#pragma once

#include <cstdint>
#include <vector>

#include "report/flatten.h"
#include "trace/trace.h"

namespace gwatch::views {

/// Turns lanes into rows of segments, as report::flatten_lane does, and several times as fast where
/// slices nest, as they do unless threads of a warp run apart.
class Segmenter {
  public:
    explicit Segmenter(const trace::Run& run) : run_(run) {}

    /// The lane's stretches of time by innermost slice, in order; valid until the next call.
    const std::vector<report::Segment>& segments_of(const trace::Lane& lane);

  private:
    struct Open {
        std::int64_t end_ns;
        std::uint64_t slice;
    };

    bool flatten_nested(const trace::Lane& lane);
    void close_until(std::int64_t time_ns);
    void emit(std::int64_t until_ns, std::uint64_t slice);

    const trace::Run& run_;
    std::vector<report::Segment> segments_;
    std::vector<Open> open_;
    std::int64_t now_ns_ = 0;
};

}  // namespace gwatch::views
