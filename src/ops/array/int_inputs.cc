#include "ops/array/int_inputs.h"

namespace weir::ops {

int64_t IntAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case kInt8:
      return t.data<int8_t>()[i];
    case kUint8:
      return t.data<uint8_t>()[i];
    case kInt16:
      return t.data<int16_t>()[i];
    case kUint16:
      return t.data<uint16_t>()[i];
    case kInt32:
      return t.data<int32_t>()[i];
    case kUint32:
      return t.data<uint32_t>()[i];
    default:
      return t.data<int64_t>()[i];
  }
}

Ints IntsOf(const Tensor& t) {
  Ints out(static_cast<size_t>(t.num_elements()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = IntAt(t, static_cast<int64_t>(i));
  return out;
}

Result<int64_t> ScalarInt(const Tensor& t, std::string_view what) {
  if (t.num_elements() != 1) return InvalidArgument("{} must be a scalar, got shape {}", what, t.shape());
  return IntAt(t, 0);
}

Result<Ints> VectorInts(const Tensor& t, std::string_view what) {
  if (t.rank() > 1) return InvalidArgument("{} must be a vector, got shape {}", what, t.shape());
  return IntsOf(t);
}

Result<Shape> ShapeFromTensor(const Tensor& t, std::string_view what) {
  if (t.rank() != 1) return InvalidArgument("{} must be a vector of {{int32,int64}}, got shape {}", what, t.shape());
  const Ints dims = IntsOf(t);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) return InvalidArgument("Dimension {} must be >= 0: dimension {} of {}", dims[i], i, what);
  }
  return Shape::Make(dims);
}

Result<int> CheckedAxis(int64_t axis, int rank, std::string_view what) {
  if (axis < -rank || axis >= rank) return InvalidArgument("{} = {} is not in [{}, {})", what, axis, -rank, rank);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<Tensor> IntVector(DType dtype, absl::Span<const int64_t> values) {
  WEIR_ASSIGN(Tensor t, Tensor::Allocate(dtype, Shape{static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == kInt32) {
      t.data<int32_t>()[i] = static_cast<int32_t>(values[i]);
    } else {
      t.data<int64_t>()[i] = values[i];
    }
  }
  return t;
}

std::optional<int64_t> ConstantInt(ShapeContext& ctx, int i) {
  const Tensor* t = ctx.constant(i);
  if (t == nullptr || t->num_elements() != 1 || !IsInteger(t->dtype())) return std::nullopt;
  return IntAt(*t, 0);
}

std::optional<Ints> ConstantInts(ShapeContext& ctx, int i) {
  const Tensor* t = ctx.constant(i);
  if (t == nullptr || !IsInteger(t->dtype())) return std::nullopt;
  return IntsOf(*t);
}

Result<PartialShape> ShapeArgument(ShapeContext& ctx, int i) {
  WEIR_ASSIGN(PartialShape vector, ctx.WithRank(i, 1));
  if (const Tensor* t = ctx.constant(i); t != nullptr) {
    const Ints dims = IntsOf(*t);
    return PartialShape::Make(dims);
  }
  PartialShape shape = ctx.constant_as_shape(i);
  if (!shape.known_rank() && vector.known_rank() && vector[0] >= 0) {
    if (vector[0] > kMaxRank)
      return InvalidArgument("the rank {} of a shape exceeds the limit of {}", vector[0], kMaxRank);
    return PartialShape::OfRank(static_cast<int>(vector[0]));
  }
  return shape;
}

}  // namespace weir::ops
