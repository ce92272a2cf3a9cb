// The two 16-bit floating-point types, for storage only. Arithmetic converts to float (implicitly); the conversion back
// rounds to nearest even.
#ifndef WEIR_TENSOR_HALF_H_
#define WEIR_TENSOR_HALF_H_

#include <bit>
#include <cstdint>
#include <limits>

namespace weir {

struct half {
  uint16_t bits = 0;

  half() = default;
  half(float f) : bits(FromFloat(f)) {}
  explicit half(double d) : half(static_cast<float>(d)) {}
  template <class I>
  requires std::numeric_limits<I>::is_integer explicit half(I i) : half(static_cast<float>(i)) {}
  operator float() const { return ToFloat(bits); }
  static half FromBits(uint16_t bits) {
    half h;
    h.bits = bits;
    return h;
  }

 private:
  static uint16_t FromFloat(float f);
  static float ToFloat(uint16_t bits);
};

struct bfloat16 {
  uint16_t bits = 0;

  bfloat16() = default;
  bfloat16(float f) {
    uint32_t u = std::bit_cast<uint32_t>(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<uint16_t>((u >> 16) | 0x40u);  // keep a NaN a NaN
    } else {
      bits = static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
    }
  }
  explicit bfloat16(double d) : bfloat16(static_cast<float>(d)) {}
  template <class I>
  requires std::numeric_limits<I>::is_integer explicit bfloat16(I i) : bfloat16(static_cast<float>(i)) {}
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
  static bfloat16 FromBits(uint16_t bits) {
    bfloat16 b;
    b.bits = bits;
    return b;
  }
};

inline uint16_t half::FromFloat(float f) {
  uint32_t u = std::bit_cast<uint32_t>(f);
  const uint32_t sign = (u >> 16) & 0x8000u;
  u &= 0x7fffffffu;
  if (u > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (u >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (u < 0x38800000u) {  // subnormal or zero: let the float adder do the rounding
    const float magic = std::bit_cast<float>(uint32_t{126} << 23);
    const float r = std::bit_cast<float>(u) + magic;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(r) - std::bit_cast<uint32_t>(magic)));
  }
  u += 0xc8000fffu + ((u >> 13) & 1u);  // rebias the exponent, round to nearest even
  return static_cast<uint16_t>(sign | (u >> 13));
}

inline float half::ToFloat(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float value = static_cast<float>(mantissa) * 5.9604644775390625e-8f;  // 2^-24
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

}  // namespace weir

#endif  // WEIR_TENSOR_HALF_H_
