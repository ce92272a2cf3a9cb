// Quantized numbers: integers that stand for the floats between two ends. The arithmetic is that of TensorFlow, in
// float where it computes in float, so that equal inputs give equal integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "op/kernel.h"
#include "op/shape_context.h"

namespace weir::ops {

inline constexpr char kQuantizedAttr[] = "T: {qint8, quint8, qint32, qint16, quint16}";

// Calls f(TypeTag<Q>{}) with the integer type of a quantized type. REQUIRES: IsQuantized(dtype).
template <class F>
void WithQuantizedType(DType dtype, F&& f) {
  switch (dtype) {
    case kQint8:
      return f(TypeTag<int8_t>{});
    case kQuint8:
      return f(TypeTag<uint8_t>{});
    case kQint16:
      return f(TypeTag<int16_t>{});
    case kQuint16:
      return f(TypeTag<uint16_t>{});
    default:
      return f(TypeTag<int32_t>{});
  }
}

// Rounds toward zero and clamps to the range of Q. NaN becomes the lowest value.
template <class Q, class Real>
Q SaturateTo(Real v) {
  constexpr Q lowest = std::numeric_limits<Q>::lowest();
  constexpr Q highest = std::numeric_limits<Q>::max();
  if (!(v > static_cast<Real>(lowest))) return lowest;
  return v < static_cast<Real>(highest) ? static_cast<Q>(v) : highest;
}

// The number of steps between the lowest and the highest value of Q.
template <class Q>
constexpr double kQuantizedSteps = static_cast<double>(std::numeric_limits<Q>::max()) -
                                   static_cast<double>(std::numeric_limits<Q>::lowest());

// From floats between `low` and `high`. Zero is exact if it lies between them (mode MIN_FIRST).
template <class Q>
class FloatToQuantized {
 public:
  FloatToQuantized(float low, float high)
      : scale_(low == high ? 0.0f : static_cast<float>(kQuantizedSteps<Q> / static_cast<double>(high - low))),
        shift_(std::round(low * scale_) - static_cast<float>(std::numeric_limits<Q>::lowest())) {}
  Q operator()(float x) const {
    // The highest float below 2^31.
    constexpr float highest = sizeof(Q) == 4 ? 2147483520.0f : static_cast<float>(std::numeric_limits<Q>::max());
    return SaturateTo<Q>(std::min(std::round(x * scale_) - shift_, highest));
  }

 private:
  float scale_;
  float shift_;
};

// To floats, the inverse of FloatToQuantized.
template <class Q>
class QuantizedToFloat {
 public:
  QuantizedToFloat(float low, float high)
      : scale_(static_cast<float>(static_cast<double>(high - low) / kQuantizedSteps<Q>)),
        start_((low == high ? low : std::round(low / scale_) * scale_) -
               static_cast<float>(std::numeric_limits<Q>::lowest()) * scale_) {}
  float operator()(Q x) const { return start_ + static_cast<float>(x) * scale_; }

 private:
  float scale_;
  float start_;
};

// One float, in double precision.
template <class Q>
Q QuantizeExactly(float x, float low, float high) {
  if (low == high) return 0;
  const double scale = kQuantizedSteps<Q> / static_cast<double>(high - low);
  const double steps = std::round(static_cast<double>(x) * scale) - std::round(static_cast<double>(low) * scale);
  return SaturateTo<Q>(steps + static_cast<double>(std::numeric_limits<Q>::lowest()));
}

// For shape functions: inputs 1 and 2, the ends of input 0, are scalars or, with an axis, vectors as long as that
// dimension. Returns their shape.
Result<PartialShape> CheckQuantizedRange(ShapeContext& ctx);

// The ends of the range in inputs `first` and `first` + 1.
struct QuantizedRange {
  float low = 0, high = 0;
  static Result<QuantizedRange> FromInputs(const KernelContext& ctx, int first);
};
// Stores the ends of a range in scalar outputs 1 and 2.
Status StoreQuantizedRange(KernelContext& ctx, const QuantizedRange& range);

}  // namespace weir::ops
