// Conversion of random bits to numbers. Uses TensorFlow's conversions and distributions, so that equal seeds give equal
// numbers. A distribution turns one block of the generator into kCount numbers; one that rejects samples takes single
// samples as needed.
#ifndef WEIR_OPS_MATH_RANDOM_NUMBERS_H_
#define WEIR_OPS_MATH_RANDOM_NUMBERS_H_

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "base/philox.h"
#include "tensor/half.h"

namespace weir::ops {

// --- uniform in [0, 1): random bits as the mantissa of a number in [1, 2), minus 1
inline float UnitFloat(uint32_t x) { return std::bit_cast<float>((uint32_t{127} << 23) | (x & 0x7fffffu)) - 1.0f; }
inline double UnitDouble(uint32_t high, uint32_t low) {
  const uint64_t mantissa = (uint64_t{high & 0xfffffu} << 32) | low;
  return std::bit_cast<double>((uint64_t{1023} << 52) | mantissa) - 1.0;
}
inline half UnitHalf(uint32_t x) {
  return half(static_cast<float>(half::FromBits(static_cast<uint16_t>((15u << 10) | (x & 0x3ffu)))) - 1.0f);
}
inline bfloat16 UnitBfloat16(uint32_t x) {
  return bfloat16(static_cast<float>(bfloat16::FromBits(static_cast<uint16_t>((127u << 7) | (x & 0x7fu)))) - 1.0f);
}

// --- two normal numbers from two uniform ones (Box-Muller)
template <class T>
std::array<T, 2> TwoNormals(T radius, T angle) {
  const T length = std::sqrt(T(-2) * std::log(std::max(radius, T(1.0e-7))));
  return {std::sin(angle) * length, std::cos(angle) * length};
}
inline std::array<float, 2> NormalFloats(uint32_t x0, uint32_t x1) {
  return TwoNormals(UnitFloat(x0), static_cast<float>(2 * std::numbers::pi * UnitFloat(x1)));
}
inline std::array<double, 2> NormalDoubles(uint32_t x0, uint32_t x1, uint32_t x2, uint32_t x3) {
  return TwoNormals(UnitDouble(x0, x1), 2 * std::numbers::pi * UnitDouble(x2, x3));
}

// The number of values of type T that one block yields.
template <class T>
constexpr int kPerBlock = sizeof(T) == 8 ? 2 : 4;

template <class T>
struct Uniform {
  static constexpr int kCount = kPerBlock<T>;
  static constexpr int kNanosPerNumber = 3;
  std::array<T, kCount> operator()(Philox& generator) const {
    const Philox::Block x = generator();
    if constexpr (std::is_same_v<T, double>) {
      return {UnitDouble(x[0], x[1]), UnitDouble(x[2], x[3])};
    } else if constexpr (std::is_same_v<T, half>) {
      return {UnitHalf(x[0]), UnitHalf(x[1]), UnitHalf(x[2]), UnitHalf(x[3])};
    } else if constexpr (std::is_same_v<T, bfloat16>) {
      return {UnitBfloat16(x[0]), UnitBfloat16(x[1]), UnitBfloat16(x[2]), UnitBfloat16(x[3])};
    } else {
      return {UnitFloat(x[0]), UnitFloat(x[1]), UnitFloat(x[2]), UnitFloat(x[3])};
    }
  }
};

// Integers in [low, low + range). T: int32_t or int64_t.
template <class T>
struct UniformInts {
  using Unsigned = std::make_unsigned_t<T>;
  static constexpr int kCount = kPerBlock<T>;
  static constexpr int kNanosPerNumber = 5;
  T low;
  Unsigned range;
  std::array<T, kCount> operator()(Philox& generator) const {
    const Philox::Block x = generator();
    std::array<T, kCount> out;
    for (int i = 0; i < kCount; ++i) {
      Unsigned bits = x[static_cast<size_t>(i)];
      if constexpr (kCount == 2)
        bits = x[static_cast<size_t>(2 * i)] | (uint64_t{x[static_cast<size_t>(2 * i + 1)]} << 32);
      out[static_cast<size_t>(i)] = static_cast<T>(static_cast<Unsigned>(low) + bits % range);
    }
    return out;
  }
};

template <class T>
struct Normal {
  static constexpr int kCount = kPerBlock<T>;
  static constexpr int kNanosPerNumber = 20;
  std::array<T, kCount> operator()(Philox& generator) const {
    const Philox::Block x = generator();
    if constexpr (std::is_same_v<T, double>) {
      return NormalDoubles(x[0], x[1], x[2], x[3]);
    } else {
      const std::array<float, 2> a = NormalFloats(x[0], x[1]);
      const std::array<float, 2> b = NormalFloats(x[2], x[3]);
      return {T(a[0]), T(a[1]), T(b[0]), T(b[1])};
    }
  }
};

// Yields 32 bits at a time.
class SingleSamples final {
 public:
  explicit SingleSamples(const Philox& generator) : generator_(generator) {}
  uint32_t operator()() {
    if (used_ == Philox::kBlockSize) {
      block_ = generator_();
      used_ = 0;
    }
    return block_[static_cast<size_t>(used_++)];
  }
  void Skip(uint64_t samples) {
    while (samples > 0 && used_ < Philox::kBlockSize) {
      ++used_;
      --samples;
    }
    generator_.Skip(samples / Philox::kBlockSize);
    for (uint64_t i = samples % Philox::kBlockSize; i > 0; --i) (*this)();
  }

 private:
  Philox generator_;
  Philox::Block block_{};
  int used_ = Philox::kBlockSize;
};

// Doubles in [0, 1) for rejection sampling: two per block, the second one first.
class UniformDoubles final {
 public:
  double operator()(Philox& generator) {
    if (left_ == 0) {
      numbers_ = Uniform<double>()(generator);
      left_ = 2;
    }
    return numbers_[static_cast<size_t>(--left_)];
  }

 private:
  std::array<double, 2> numbers_{};
  int left_ = 0;
};

// Normal numbers within two standard deviations; others are redrawn.
template <class T>
struct TruncatedNormal {
  static constexpr int kCount = kPerBlock<T>;
  static constexpr int kNanosPerNumber = 30;
  std::array<T, kCount> operator()(SingleSamples& samples) const {
    std::array<T, kCount> out;
    int count = 0;
    for (;;) {
      auto pair = [&] {
        const uint32_t x0 = samples();
        const uint32_t x1 = samples();
        if constexpr (std::is_same_v<T, double>) {
          const uint32_t x2 = samples();
          const uint32_t x3 = samples();
          return NormalDoubles(x0, x1, x2, x3);
        } else {
          return NormalFloats(x0, x1);
        }
      }();
      for (const auto x : pair) {
        if (!(std::abs(x) < 2)) continue;
        out[static_cast<size_t>(count)] = T(x);
        if (++count == kCount) return out;
      }
    }
  }
};

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_RANDOM_NUMBERS_H_
