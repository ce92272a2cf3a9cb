// DisjointSets: union-find over the elements 0, 1, 2, ... The lowest element represents its set. Not thread-safe.
#ifndef WEIR_BASE_DISJOINT_SETS_H_
#define WEIR_BASE_DISJOINT_SETS_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace weir {

class DisjointSets final {
 public:
  // Each element starts in a separate set.
  explicit DisjointSets(size_t size = 0) : parents_(size) { std::iota(parents_.begin(), parents_.end(), 0); }
  // Adds an element in a new set and returns it.
  int32_t Add() {
    parents_.push_back(static_cast<int32_t>(parents_.size()));
    return parents_.back();
  }
  size_t size() const { return parents_.size(); }
  // The lowest element of x's set.
  int32_t Find(int32_t x) {
    while (parents_[x] != x) x = parents_[x] = parents_[parents_[x]];
    return x;
  }
  void Join(int32_t a, int32_t b) {
    a = Find(a);
    b = Find(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int32_t> parents_;
};

}  // namespace weir

#endif  // WEIR_BASE_DISJOINT_SETS_H_
