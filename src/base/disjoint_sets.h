// DisjointSets: which of the elements 0, 1, 2, … belong together. A set is known by its lowest element. Not
// thread-safe.
#ifndef WEIR_BASE_DISJOINT_SETS_H_
#define WEIR_BASE_DISJOINT_SETS_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace weir {

class DisjointSets final {
 public:
  // Each element is a set of its own.
  explicit DisjointSets(size_t size = 0) : parents_(size) { std::iota(parents_.begin(), parents_.end(), 0); }
  // One element more, which it returns.
  int32_t Add() {
    parents_.push_back(static_cast<int32_t>(parents_.size()));
    return parents_.back();
  }
  size_t size() const { return parents_.size(); }
  // The element by which the set of x is known.
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
