// Shared by the versions of non-maximum suppression. A box is given by two opposite corners, in any order.
#pragma once

#include <algorithm>

#include "op/kernel.h"

namespace weir::ops {

// Intersection over union of two boxes.
template <class T>
float Overlap(const T* boxes, int64_t i, int64_t j) {
  struct Corners {
    float top, left, bottom, right;
    float area() const { return (bottom - top) * (right - left); }
  };
  const auto corners = [&](int64_t k) -> Corners {
    const auto at = [&](int c) { return static_cast<float>(boxes[k * 4 + c]); };
    return {std::min(at(0), at(2)), std::min(at(1), at(3)), std::max(at(0), at(2)), std::max(at(1), at(3))};
  };
  const Corners a = corners(i), b = corners(j);
  if (a.area() <= 0 || b.area() <= 0) return 0;
  const float height = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0f);
  const float width = std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0f);
  const float shared = height * width;
  return shared / (a.area() + b.area() - shared);
}

// The value of a scalar of type half or float.
inline Result<float> ThresholdOf(const Tensor& value, const char* name) {
  if (value.rank() != 0) return InvalidArgument("{} must be 0-D, got shape {}", name, value.shape());
  return value.dtype() == kHalf ? static_cast<float>(value.scalar<half>()) : value.scalar<float>();
}

}  // namespace weir::ops
