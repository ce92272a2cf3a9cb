// Rng: the interface for unpredictable numbers (seeds, session handles, retry delays), so that tests can replay a run.
// Thread-safe.
#ifndef WEIR_BASE_RNG_H_
#define WEIR_BASE_RNG_H_

#include <cstdint>
#include <mutex>

#include "base/philox.h"

namespace weir {

class Rng {
 public:
  virtual ~Rng() = default;
  virtual uint64_t Next64() = 0;

  // In [0, 1).
  double NextUnit() { return static_cast<double>(Next64() >> 11) * 0x1p-53; }
  // Uniform in [0, bound). REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound) {
    const uint64_t unfair = (0 - bound) % bound;  // 2^64 mod bound
    uint64_t value;
    do {
      value = Next64();
    } while (value < unfair);
    return value % bound;
  }
};

// Deterministic: the same seed gives the same numbers.
class SeededRng final : public Rng {
 public:
  explicit SeededRng(uint64_t seed) : philox_(seed) {}
  uint64_t Next64() override {
    std::lock_guard lock(mutex_);
    const Philox::Block block = philox_();
    return (uint64_t{block[1]} << 32) | block[0];
  }

 private:
  std::mutex mutex_;
  Philox philox_;
};

// Random numbers from the operating system (getrandom). Lives as long as the process.
Rng& RealRng();

}  // namespace weir

#endif  // WEIR_BASE_RNG_H_
