// Elements as hash keys: two elements have equal keys if they compare equal (0.0 and -0.0 do). A NaN equals nothing and
// has no key.
#pragma once

#include <bit>
#include <optional>
#include <string_view>

#include "op/kernel.h"

namespace weir::ops {

// Whether elements of this type have 64-bit keys: plain, at most 8 bytes, not complex.
inline bool HasWordKeys(DType dtype) { return IsPlain(dtype) && !IsComplex(dtype) && ElementSize(dtype) <= 8; }

// REQUIRES: HasWordKeys(t.dtype()).
inline std::optional<uint64_t> WordKey(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case kFloat: {
      const float v = t.data<float>()[i];
      if (v != v) return std::nullopt;
      return v == 0 ? 0 : std::bit_cast<uint32_t>(v);
    }
    case kDouble: {
      const double v = t.data<double>()[i];
      if (v != v) return std::nullopt;
      return v == 0 ? 0 : std::bit_cast<uint64_t>(v);
    }
    case kHalf:
    case kBFloat16: {
      const uint16_t bits = static_cast<const uint16_t*>(t.raw())[i];
      const uint16_t magnitude = bits & 0x7fff;
      if (magnitude > (t.dtype() == kHalf ? 0x7c00 : 0x7f80)) return std::nullopt;
      return magnitude == 0 ? 0 : bits;
    }
    default:
      break;
  }
  switch (ElementSize(t.dtype())) {
    case 1:
      return static_cast<const uint8_t*>(t.raw())[i];
    case 2:
      return static_cast<const uint16_t*>(t.raw())[i];
    case 4:
      return static_cast<const uint32_t*>(t.raw())[i];
    default:
      return static_cast<const uint64_t*>(t.raw())[i];
  }
}

}  // namespace weir::ops
