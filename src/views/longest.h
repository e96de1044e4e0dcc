#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gwatch::views {

/// Keeps the `limit` first values of many by an order, `comes_first(a, b)`.
template <class Value, class Order>
class FirstOf {
  public:
    FirstOf(std::size_t limit, Order comes_first) : limit_(limit), comes_first_(comes_first) {}

    void offer(const Value& value) {
        if (heap_.size() < limit_) {
            heap_.push_back(value);
            std::push_heap(heap_.begin(), heap_.end(), comes_first_);
        } else if (limit_ > 0 && comes_first_(value, heap_.front())) {
            std::pop_heap(heap_.begin(), heap_.end(), comes_first_);
            heap_.back() = value;
            std::push_heap(heap_.begin(), heap_.end(), comes_first_);
        }
    }

    /// In order; empties the keeper.
    std::vector<Value> take() {
        std::sort_heap(heap_.begin(), heap_.end(), comes_first_);
        return std::move(heap_);
    }

  private:
    std::size_t limit_;
    Order comes_first_;
    std::vector<Value> heap_;
};

}  // namespace gwatch::views
