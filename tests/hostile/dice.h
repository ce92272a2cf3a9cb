// Dice: the random numbers of one case. The same seed gives the same numbers on every machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace weir::hostile {

class Dice final {
 public:
  Dice(uint64_t seed, uint64_t number) : state_(Mix(seed) ^ Mix(number + 0x5851f42d4c957f2dULL)) {}

  uint64_t Next() {  // SplitMix64
    state_ += 0x9e3779b97f4a7c15ULL;
    return Mix(state_);
  }
  // 0 to n - 1. REQUIRES: n > 0.
  int64_t Below(int64_t n) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(n)); }
  bool Percent(int percent) { return Below(100) < percent; }
  template <class T>
  const T& Pick(const std::vector<T>& values) {
    return values[static_cast<size_t>(Below(static_cast<int64_t>(values.size())))];
  }
  template <class T>
  T Pick(std::initializer_list<T> values) {
    return values.begin()[Below(static_cast<int64_t>(values.size()))];
  }

 private:
  static uint64_t Mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

}  // namespace weir::hostile
