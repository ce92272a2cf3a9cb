// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3"): a generator whose only
// state is a counter, so any part of the sequence can be computed independently. Seeded like TensorFlow's.
// A value type: copy it and Skip to give each worker its own part of the sequence. Not thread-safe.
#ifndef WEIR_BASE_PHILOX_H_
#define WEIR_BASE_PHILOX_H_

#include <array>
#include <cstdint>

namespace weir {

class Philox final {
 public:
  using Block = std::array<uint32_t, 4>;
  using Key = std::array<uint32_t, 2>;
  static constexpr int kBlockSize = 4;

  Philox() = default;
  // `seed` is the key, `seed2` the upper half of the counter.
  explicit Philox(uint64_t seed, uint64_t seed2 = 0)
      : key_{Low(seed), High(seed)}, counter_{0, 0, Low(seed2), High(seed2)} {}
  Philox(const Block& counter, const Key& key) : key_(key), counter_(counter) {}

  const Block& counter() const { return counter_; }
  const Key& key() const { return key_; }

  // The next four numbers.
  Block operator()() {
    Block block = counter_;
    Key key = key_;
    for (int round = 0; round < kRounds; ++round) {
      const uint64_t a = uint64_t{kMultiplierA} * block[0];
      const uint64_t b = uint64_t{kMultiplierB} * block[2];
      block = {High(b) ^ block[1] ^ key[0], Low(b), High(a) ^ block[3] ^ key[1], Low(a)};
      key[0] += kWeylA;
      key[1] += kWeylB;
    }
    Skip(1);
    return block;
  }

  // Same as calling operator() `blocks` times.
  void Skip(uint64_t blocks) {
    const uint64_t low = Join(counter_[0], counter_[1]);
    const uint64_t sum = low + blocks;
    counter_[0] = Low(sum);
    counter_[1] = High(sum);
    if (sum < low && ++counter_[2] == 0) ++counter_[3];
  }

 private:
  static constexpr int kRounds = 10;
  static constexpr uint32_t kMultiplierA = 0xD2511F53;
  static constexpr uint32_t kMultiplierB = 0xCD9E8D57;
  static constexpr uint32_t kWeylA = 0x9E3779B9;
  static constexpr uint32_t kWeylB = 0xBB67AE85;

  static constexpr uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
  static constexpr uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
  static constexpr uint64_t Join(uint32_t low, uint32_t high) { return (uint64_t{high} << 32) | low; }

  Key key_{};
  Block counter_{};
};

}  // namespace weir

#endif  // WEIR_BASE_PHILOX_H_
