#include "graph/compose/array.h"

#include <algorithm>
#include <numeric>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/build/state_ops.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"
#include "graph/texts.h"

namespace weir {
namespace {

constexpr int64_t kSmallConstant = 1000;  // zeros and ones with fewer elements are Consts

// 0 or 1 as a scalar of any type.
Result<Tensor> Number(DType dtype, bool one) {
  if (dtype == kString) {
    if (one) return MarkTypeError(InvalidArgument("cannot create ones of type string"));
    return Tensor::Scalar("");
  }
  if (!IsPlain(dtype)) return MarkTypeError(InvalidArgument("cannot create constants of type {}", dtype));
  WEIR_ASSIGN(Tensor number, Tensor::Zeros(dtype, Shape{}));
  if (!one) return number;
  switch (dtype) {
    case kBool:
      return Tensor::Scalar(true);
    case kHalf:
      return Tensor::Scalar(half(1.0f));
    case kBFloat16:
      return Tensor::Scalar(bfloat16(1.0f));
    case kFloat:
      return Tensor::Scalar(1.0f);
    case kDouble:
      return Tensor::Scalar(1.0);
    case kComplex64:
      return Tensor::Scalar(std::complex<float>(1.0f));
    case kComplex128:
      return Tensor::Scalar(std::complex<double>(1.0));
    default:
      break;
  }
  // Integers of any width: set the lowest byte.
  static_cast<char*>(number.raw())[0] = 1;
  return number;
}

// The shape that a literal gives, if it is small.
std::optional<Shape> SmallShapeOf(const Input& shape_in) {
  if (shape_in.literal() == nullptr) return std::nullopt;
  std::optional<Tensor> value = shape_in.literal()->Value(kInvalidType);
  if (value.has_value() && value->num_elements() == 0)
    return value->shape() == Shape{0} ? std::optional<Shape>(Shape{}) : std::nullopt;  // []
  if (!value.has_value() || value->shape().rank() > 1 || (value->dtype() != kInt32 && value->dtype() != kInt64))
    return std::nullopt;
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < value->num_elements(); ++i)
    dims.push_back(value->dtype() == kInt32 ? value->data<int32_t>()[i] : value->data<int64_t>()[i]);
  const Result<Shape> shape = Shape::Make(dims);
  return shape.ok() && shape->num_elements() < kSmallConstant ? std::optional<Shape>(*shape) : std::nullopt;
}

// A tensor of this shape filled with 0 or 1.
Output Constants(Graph& graph, const Input& shape_in, DType dtype, bool one, std::string name) {
  NameScope scope(graph, std::move(name));
  Result<Tensor> number = Number(dtype, one);
  if (!number.ok()) return FailedOutput(graph, number.status());
  if (const std::optional<Shape> small = SmallShapeOf(shape_in)) {
    Result<Tensor> filled = Tensor::Zeros(dtype, *small);
    if (!filled.ok()) return FailedOutput(graph, filled.status());
    if (one) {
      const size_t size = ElementSize(dtype);
      for (int64_t i = 0; i < filled->num_elements(); ++i)
        std::memcpy(static_cast<char*>(filled->raw()) + i * size, number->raw(), size);
    }
    return Constant(graph, *filled, ExactScopeName(scope));
  }
  Result<Output> converted = ToOutput(graph, shape_in, kInvalidType, "shape_as_tensor");
  if (!converted.ok() && !shape_in.is_output())
    converted = ToOutput(graph, shape_in, kInt32, "shape_as_tensor");  // an empty list is float by default
  if (!converted.ok()) return FailedOutput(graph, converted.status());
  Output shape = *converted;
  if (shape.base_dtype() != kInt32 && shape.base_dtype() != kInt64) {
    if (shape.shape().num_elements() != 0)
      return FailedOutput(graph,
                          MarkTypeError(InvalidArgument("a shape must be int32 or int64, not {}", shape.base_dtype())));
    shape = Constant(graph, Tensor::Vector<int32_t>({}));
  }
  if (shape.shape().known_rank() && shape.shape().rank() == 0) shape = Reshape(shape, {-1});
  return Fill(graph, shape, Constant(graph, *number, "Const"), {.name = ExactScopeName(scope)});
}

// Zeros or ones with the shape of `tensor`, optionally of another type.
Output LikeOf(Graph& graph, const Input& tensor, DType dtype, bool one, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), one ? "ones_like" : "zeros_like"));
  Output x = ValueOf(graph, tensor, kInvalidType, "tensor");
  if (!x.valid()) return x;
  if (dtype == kInvalidType) dtype = x.base_dtype();
  if (x.shape().fully_defined() && x.base_dtype() != kVariant) {
    const PartialShape shape = x.shape();
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    Output y = dims.empty() ? Constants(graph, Tensor::Vector<int32_t>({}), dtype, one, ExactScopeName(scope))
                            : Constants(graph, Input(dims), dtype, one, ExactScopeName(scope));
    return y;
  }
  if (!one && dtype == x.base_dtype()) return ZerosLike(graph, x, {.name = ExactScopeName(scope)});
  Result<Tensor> number = Number(dtype, one);
  if (!number.ok()) return FailedOutput(graph, number.status());
  Output y =
      Fill(graph, ShapeOf(graph, x, {.name = "Shape"}), Constant(graph, *number), {.name = ExactScopeName(scope)});
  if (y.valid()) graph.RecordError(graph.SetShape(y, x.shape()));
  return y;
}

Output IntConstant(Graph& graph, absl::Span<const int64_t> values, bool scalar, DType type, const std::string& name) {
  Result<Tensor> tensor = Tensor::Zeros(type, scalar ? Shape{} : Shape{static_cast<int64_t>(values.size())});
  if (!tensor.ok()) return FailedOutput(graph, tensor.status());
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == kInt64)
      tensor->data<int64_t>()[i] = values[i];
    else
      tensor->data<int32_t>()[i] = static_cast<int32_t>(values[i]);
  }
  return Constant(graph, *tensor, name);
}

}  // namespace

// --- Constants ---
Output Zeros(Graph& graph, const Input& shape, DType dtype, std::string name) {
  return Constants(graph, shape, BaseType(dtype), false, NameOrDefault(std::move(name), "zeros"));
}
Output Ones(Graph& graph, const Input& shape, DType dtype, std::string name) {
  return Constants(graph, shape, BaseType(dtype), true, NameOrDefault(std::move(name), "ones"));
}
Output ZerosOf(Graph& graph, const Input& tensor, DType dtype, std::string name) {
  return LikeOf(graph, tensor, dtype, false, std::move(name));
}
Output OnesOf(Graph& graph, const Input& tensor, DType dtype, std::string name) {
  return LikeOf(graph, tensor, dtype, true, std::move(name));
}

Output Eye(Graph& graph, const Input& rows_in, const Input& columns_in, const Input& batch_in, DType dtype,
           std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "eye"));
  Output rows = ValueOf(graph, rows_in, kInt32, "num_rows");
  Output columns = columns_in.absent() ? rows : ValueOf(graph, columns_in, kInt32, "num_columns");
  if (!rows.valid() || !columns.valid()) return Output::Failed(graph);
  Output batch =
      batch_in.absent() ? Constant(graph, Tensor::Vector<int32_t>({})) : ValueOf(graph, batch_in, kInt32, "shape");
  if (!batch.valid()) return batch;
  const bool square = columns_in.absent();
  Output diagonal_size = square ? rows : Output(Minimum(rows, columns));
  Output diagonal = Ones(graph, ConcatV2(graph, {batch, ExpandDims(diagonal_size, 0)}, 0), dtype);
  if (!diagonal.valid()) return diagonal;
  if (square) return MatrixDiag(graph, diagonal);
  Output zeros = Zeros(graph, ConcatV2(graph, {batch, Pack(graph, {rows, columns})}, 0), dtype);
  return MatrixSetDiag(graph, zeros, diagonal);
}

// --- Sizes ---
Output ShapeValue(Graph& graph, const Input& input, DType out_type, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Shape"));
  Output x = ValueOf(graph, input, kInvalidType, "input");
  if (!x.valid()) return x;
  const PartialShape shape = x.shape();
  if (shape.fully_defined()) return IntConstant(graph, shape.dims(), false, out_type, ExactScopeName(scope));
  return ShapeOf(graph, x, {.out_type = out_type, .name = ExactScopeName(scope)});
}

Output SizeValue(Graph& graph, const Input& input, DType out_type, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Size"));
  Output x = ValueOf(graph, input, kInvalidType, "input");
  if (!x.valid()) return x;
  if (x.shape().fully_defined())
    return IntConstant(graph, {x.shape().num_elements()}, true, out_type, ExactScopeName(scope));
  return Size(graph, x, {.out_type = out_type, .name = ExactScopeName(scope)});
}

Output RankValue(Graph& graph, const Input& input, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Rank"));
  Output x = ValueOf(graph, input, kInvalidType, "input");
  if (!x.valid()) return x;
  if (x.shape().known_rank()) return IntConstant(graph, {x.shape().rank()}, true, kInt32, ExactScopeName(scope));
  return Rank(graph, x, {.name = ExactScopeName(scope)});
}

// --- Joining and splitting ---
Output Concat(Graph& graph, const InputList& values, const Input& axis, std::string name) {
  if (values.size() == 1) {  // still checks the axis
    NameScope scope(graph, NameOrDefault(std::move(name), "concat"));
    Output dim = ValueOf(graph, axis, kInt32, "concat_dim");
    if (!dim.valid()) return dim;
    if (dim.shape().known_rank() && dim.shape().rank() != 0)
      return FailedOutput(
          graph, InvalidArgument("the axis of a concatenation must be a scalar, not of shape {}", dim.shape()));
    return Identity(graph, values[0], {.name = ExactScopeName(scope)});
  }
  return ConcatV2(graph, values, axis, {.name = NameOrDefault(std::move(name), "concat")});
}

Output Stack(Graph& graph, const InputList& values, int64_t axis, std::string name) {
  for (const Input& value : values) {
    if (!value.is_output() || !value.output().shape().known_rank()) continue;
    const int rank = value.output().shape().rank() + 1;
    if (axis < -rank || axis >= rank)
      return FailedOutput(graph, InvalidArgument("axis = {} not in [{}, {})", axis, -rank, rank));
    break;
  }
  return Pack(graph, values, {.axis = axis, .name = NameOrDefault(std::move(name), "stack")});
}

OutputList Unstack(Graph& graph, const Input& value_in, std::optional<int64_t> num, int64_t axis, std::string name) {
  Output value = ValueOf(graph, value_in, kInvalidType, "value");
  if (!value.valid()) return {};
  if (!num.has_value()) {
    const PartialShape shape = value.shape();
    if (shape.known_rank()) {
      Result<int> at = NormalAxis(axis, shape.rank(), "unstack");
      if (!at.ok()) {
        graph.RecordError(at.status());
        return {};
      }
      num = shape[*at];
    }
    if (!num.has_value() || *num < 0) {
      graph.RecordError(InvalidArgument("Cannot infer num from shape {}", shape));
      return {};
    }
  }
  return Unpack(graph, value, *num, {.axis = axis, .name = NameOrDefault(std::move(name), "unstack")});
}

OutputList SplitEvenly(Graph& graph, const Input& value, int64_t count, const Input& axis, std::string name) {
  return Split(graph, axis, value, count, {.name = NameOrDefault(std::move(name), "split")});
}

OutputList SplitSizes(Graph& graph, const Input& value, const Input& sizes_in, std::optional<int64_t> count,
                      const Input& axis, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "split"));
  Output sizes = ValueOf(graph, sizes_in, kInvalidType, "Const");
  if (!sizes.valid()) return {};
  if (!count.has_value()) {
    const PartialShape shape = sizes.shape();
    if (!shape.known_rank() || shape.rank() != 1 || shape[0] < 0) {
      graph.RecordError(InvalidArgument("Cannot infer num from shape {} of the sizes to split", shape));
      return {};
    }
    count = shape[0];
  }
  return SplitV(graph, value, sizes, axis, *count, {.name = ExactScopeName(scope)});
}

// --- Order of axes ---
Output TransposeAxes(Graph& graph, const Input& a, const Input& perm, bool conjugate, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "transpose"));
  Output x = ValueOf(graph, a, kInvalidType, "a");
  if (!x.valid()) return x;
  Input order = perm;
  if (perm.absent()) {
    if (x.shape().known_rank()) {
      std::vector<int64_t> axes(x.shape().rank());
      std::iota(axes.rbegin(), axes.rend(), 0);
      order = axes.empty() ? Input(Tensor::Vector<int32_t>({})) : Input(axes);
    } else {
      Output rank = Rank(x);
      order = (rank - 1) - Range(graph, 0, rank, 1);
    }
  }
  if (conjugate && IsComplex(x.base_dtype()))
    return ConjugateTranspose(graph, x, order, {.name = ExactScopeName(scope)});
  return Transpose(graph, x, order, {.name = ExactScopeName(scope)});
}

Output MatrixTransposeOf(Graph& graph, const Input& a, bool conjugate, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "matrix_transpose"));
  Output x = ValueOf(graph, a, kInvalidType, "a");
  if (!x.valid()) return x;
  if (x.shape().known_rank()) {
    const int rank = x.shape().rank();
    if (rank < 2)
      return FailedOutput(
          graph, InvalidArgument("Argument 'a' should be a (batch) matrix, with rank >= 2. Found: {}", x.shape()));
    std::vector<int64_t> axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes[rank - 1], axes[rank - 2]);
    return TransposeAxes(graph, x, Input(axes), conjugate);
  }
  Output rank = Rank(x);
  Output perm = ConcatV2(graph, {Range(graph, 0, rank - 2, 1), Pack(graph, {rank - 1, rank - 2})}, 0);
  return TransposeAxes(graph, x, perm, conjugate);
}

// --- Selection ---
bool IsRowGather(const Input& axis, int64_t batch_dims) {
  if (batch_dims != 0 || axis.is_output()) return false;
  const std::optional<Tensor> value = axis.absent() ? Tensor::Scalar<int64_t>(0) : axis.literal()->Value(kInt64);
  return value.has_value() && value->num_elements() == 1 && value->data<int64_t>()[0] == 0;
}

Output ComposeGatherRows(Graph& graph, const Input& params, const Input& indices, const Input& axis, int64_t batch_dims,
                         std::string name) {
  if (params.is_output() && params.output().base_dtype() == kResource) {
    Output handle = params.output();
    Result<DType> dtype = handle.node->Attr<DType>("dtype");
    if (!dtype.ok()) return FailedOutput(graph, dtype.status());
    if (!IsRowGather(axis, batch_dims))
      return FailedOutput(
          graph,
          InvalidArgument("'{}' is a variable handle: gather supports only axis 0 without batch_dims", handle.name()));
    return ResourceGather(graph, handle, indices, *dtype, {.name = NameOrDefault(std::move(name), "Gather")});
  }
  if (batch_dims < 0) {
    Output ids = ValueOf(graph, indices, kInvalidType, "indices");
    if (!ids.valid()) return ids;
    if (!ids.shape().known_rank())
      return FailedOutput(graph, InvalidArgument("a negative batch_dims needs indices of known rank"));
    return ComposeGatherRows(graph, params, ids, axis, std::max<int64_t>(0, batch_dims + ids.shape().rank()),
                             std::move(name));
  }
  // By default gathers along the axis after the batch dimensions.
  Input where = !axis.absent() ? axis : Input(static_cast<int>(batch_dims));
  return GatherV2(graph, params, indices, where, {.batch_dims = batch_dims, .name = std::move(name)});
}

Output ComposeGatherNd(Graph& graph, const Input& params_in, const Input& indices_in, int64_t batch_dims,
                       std::string name) {
  if (batch_dims == 0 && params_in.is_output() && params_in.output().base_dtype() == kResource) {
    Result<DType> dtype = params_in.output().node->Attr<DType>("dtype");
    if (!dtype.ok()) return FailedOutput(graph, dtype.status());
    return Identity(
        ResourceGatherNd(graph, params_in, indices_in, *dtype, {.name = NameOrDefault(std::move(name), "GatherNd")}));
  }
  if (batch_dims == 0) return GatherNd(graph, params_in, indices_in, {.name = std::move(name)});
  NameScope scope(graph, NameOrDefault(std::move(name), "BatchGatherND"));
  Output params = ValueOf(graph, params_in, kInvalidType, "params");
  Output indices = ValueOf(graph, indices_in, kInvalidType, "indices");
  if (!params.valid() || !indices.valid()) return Output::Failed(graph);
  const int rank = indices.shape().rank();
  if (rank < 0) return FailedOutput(graph, InvalidArgument("batch_dims is only allowed with indices of known rank"));
  if (batch_dims < 0) batch_dims += rank;
  if (batch_dims < 0 || batch_dims >= rank)
    return FailedOutput(graph,
                        InvalidArgument("batch_dims = {} must be less than rank(indices) = {}", batch_dims, rank));
  // Prepends the batch coordinates to each index.
  const std::vector<Dim> dims = DimsOf(indices);
  std::vector<Dim> outer(dims.begin(), dims.end() - 1);
  outer.emplace_back(int64_t{1});
  InputList parts;
  for (int64_t i = 0; i < batch_dims; ++i) {
    Input size = dims[i].known() ? Input(Tensor::Scalar(static_cast<int32_t>(dims[i].size))) : Input(dims[i].value);
    std::vector<Dim> shape(rank, Dim(int64_t{1}));
    shape[i] = dims[i];
    Output coordinate = Cast(graph, Range(graph, 0, size, 1), indices.base_dtype());
    parts.push_back(BroadcastTo(graph, Reshape(coordinate, ShapeVector(graph, shape)), ShapeVector(graph, outer)));
  }
  parts.push_back(indices);
  return GatherNd(graph, params, ConcatV2(graph, parts, -1), {.name = ExactScopeName(scope)});
}

Output BooleanMask(Graph& graph, const Input& tensor_in, const Input& mask_in, int64_t axis, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "boolean_mask"));
  Output tensor = ValueOf(graph, tensor_in, kInvalidType, "tensor");
  Output mask = ValueOf(graph, mask_in, kBool, "mask");
  if (!tensor.valid() || !mask.valid()) return Output::Failed(graph);
  const PartialShape mask_shape = mask.shape();
  if (!mask_shape.known_rank())
    return FailedOutput(
        graph, InvalidArgument("Number of mask dimensions must be specified, even if some dimensions are None. "
                               "E.g. shape=[None] is ok, but shape=None is not."));
  if (mask_shape.rank() == 0) return FailedOutput(graph, InvalidArgument("mask cannot be scalar."));
  const int mask_rank = mask_shape.rank();
  const PartialShape shape = tensor.shape();
  if (axis < 0 && shape.known_rank()) axis += shape.rank();
  if (axis < 0)
    return FailedOutput(graph, InvalidArgument("boolean_mask with a negative axis needs a tensor of known rank"));
  if (shape.known_rank()) {
    Result<PartialShape> part = axis + mask_rank <= shape.rank()
                                    ? shape.Sub(static_cast<int>(axis), static_cast<int>(axis) + mask_rank)
                                    : Result<PartialShape>(InvalidArgument("Shapes {} and {} are incompatible",
                                                                           PythonText(shape), PythonText(mask_shape)));
    if (!part.ok()) return FailedOutput(graph, part.status());
    if (!part->CompatibleWith(mask_shape))
      return FailedOutput(
          graph, InvalidArgument("Shapes {} and {} are incompatible", PythonText(*part), PythonText(mask_shape)));
  }
  const int from = static_cast<int>(axis);
  Output sizes = ShapeOf(tensor);
  Output leading = Prod(StridedSlice(sizes, {from}, {from + mask_rank}, {1}), {0});
  Output shape1 = ConcatV2(graph,
                           {StridedSlice(sizes, {0}, {from}, {1}, {.begin_mask = 1}), ExpandDims(leading, 0),
                            StridedSlice(sizes, {from + mask_rank}, {0}, {1}, {.end_mask = 1})},
                           0);
  Output flat = Reshape(tensor, shape1);
  Output where = Squeeze(graph, Where(graph, Reshape(mask, {-1})), {.squeeze_dims = {1}});
  Output rows = GatherV2(graph, flat, where, from, {.name = "GatherV2"});
  if (rows.valid() && shape.known_rank()) {
    PartialShape result = PartialShape::Scalar();
    for (int i = 0; i < from; ++i) result.AddDim(shape[i]);
    result.AddDim(kUnknownDim);
    for (int i = from + mask_rank; i < shape.rank(); ++i) result.AddDim(shape[i]);
    graph.RecordError(graph.SetShape(rows, result));
  }
  return rows;
}

Output Where(Graph& graph, const Input& condition, const Input& x, const Input& y, std::string name) {
  if (x.absent() != y.absent())
    return FailedOutput(graph, InvalidArgument("x and y must both be non-None or both be None."));
  if (!x.absent()) return Select(graph, condition, x, y, {.name = std::move(name)});
  NameScope scope(graph, NameOrDefault(std::move(name), "Where"));
  Output value = ValueOf(graph, condition, kInvalidType, "condition");
  return value.valid() ? Where(graph, value, {.name = ExactScopeName(scope)}) : value;
}

Output ComposeOneHot(Graph& graph, const Input& indices, const Input& depth, const Input& on_in, const Input& off_in,
                     int64_t axis, DType dtype, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "one_hot"));
  const auto type_of = [](const Input& v) { return v.is_output() ? v.output().base_dtype() : kInvalidType; };
  if (dtype == kInvalidType) dtype = type_of(on_in);
  if (dtype == kInvalidType) dtype = type_of(off_in);
  if (dtype == kInvalidType && on_in.absent() && off_in.absent()) dtype = kFloat;
  Output on;
  Output off;
  if (!on_in.absent()) {
    on = ValueOf(graph, on_in, on_in.is_output() ? kInvalidType : dtype, "on_value");
    if (!on.valid()) return on;
    if (dtype == kInvalidType) dtype = on.base_dtype();
  }
  if (!off_in.absent()) {
    off = ValueOf(graph, off_in, off_in.is_output() ? kInvalidType : dtype, "off_value");
    if (!off.valid()) return off;
    if (dtype == kInvalidType) dtype = off.base_dtype();
  }
  for (const auto& [value, what] : {std::pair{on, "on_value"}, std::pair{off, "off_value"}})
    if (value.valid() && value.base_dtype() != dtype)
      return FailedOutput(graph, MarkTypeError(InvalidArgument("dtype {} of {} does not match dtype parameter {}",
                                                               value.base_dtype(), what, dtype)));
  const auto number = [&](bool one) {
    Result<Tensor> value = Number(dtype, one);
    return value.ok() ? Constant(graph, *value) : FailedOutput(graph, value.status());
  };
  if (!on.valid()) on = number(true);
  if (!off.valid()) off = number(false);
  if (!on.valid() || !off.valid()) return Output::Failed(graph);
  return OneHot(graph, indices, depth, on, off, {.axis = axis, .name = ExactScopeName(scope)});
}

Output PadWith(Graph& graph, const Input& tensor, const Input& paddings, const std::string& mode_in,
               const Input& constant, std::string name) {
  std::string mode = mode_in;
  std::transform(mode.begin(), mode.end(), mode.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (mode == "REFLECT" || mode == "SYMMETRIC")
    return MirrorPad(graph, tensor, paddings, mode, {.name = std::move(name)});
  if (mode != "CONSTANT") return FailedOutput(graph, InvalidArgument("Unknown padding mode: {}", mode_in));
  if (constant.absent()) return Pad(graph, tensor, paddings, {.name = std::move(name)});
  return PadV2(graph, tensor, paddings, constant, {.name = std::move(name)});
}

Output SequenceMask(Graph& graph, const Input& lengths_in, const Input& maxlen_in, DType dtype, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "SequenceMask"));
  Output lengths = ValueOf(graph, lengths_in, kInvalidType, "lengths");
  if (!lengths.valid()) return lengths;
  Output maxlen;
  if (maxlen_in.absent()) {
    Output longest = Max(lengths, AxesInput(lengths, Axes()));
    maxlen = Maximum(longest, ZerosLike(longest));
  } else {
    maxlen = ValueOf(graph, maxlen_in, maxlen_in.is_output() ? kInvalidType : lengths.base_dtype(), "maxlen");
  }
  if (!maxlen.valid()) return maxlen;
  if (maxlen.shape().known_rank() && maxlen.shape().rank() != 0)
    return FailedOutput(graph,
                        InvalidArgument("maxlen must be scalar for sequence_mask, not of shape {}", maxlen.shape()));
  const DType type = maxlen.base_dtype();
  const auto number = [&](int64_t n) {
    return type == kInt64 ? Tensor::Scalar(n) : Tensor::Scalar(static_cast<int32_t>(n));
  };
  Output row = Range(graph, number(0), maxlen, number(1));
  Output matrix = CastValue(graph, ExpandDims(lengths, -1), type);
  Output mask = Less(row, matrix);
  return mask.valid() && dtype != kBool ? Cast(mask, dtype) : mask;
}

OutputList MeshGrid(Graph& graph, const InputList& inputs, bool matrix, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "meshgrid"));
  const int n = static_cast<int>(inputs.size());
  std::vector<Output> columns;
  std::vector<Dim> sizes;
  DType dtype = kInvalidType;
  for (int i = 0; i < n; ++i) {
    Output x = ValueOf(graph, inputs[i], kInvalidType, fmt::format("args_{}", i));
    if (!x.valid()) return {};
    if (dtype == kInvalidType) dtype = x.base_dtype();
    x = Reshape(x, {-1});
    columns.push_back(x);
    if (!x.valid()) return {};
    sizes.push_back(DimsOf(x)[0]);
  }
  std::vector<int> axis_of(n);
  std::iota(axis_of.begin(), axis_of.end(), 0);
  if (!matrix && n > 1) std::swap(axis_of[0], axis_of[1]);
  std::vector<Dim> shape(n, Dim(int64_t{1}));
  for (int i = 0; i < n; ++i) shape[axis_of[i]] = sizes[i];
  Output whole = ShapeVector(graph, shape);
  OutputList grid;
  for (int i = 0; i < n; ++i) {
    std::vector<Dim> own(n, Dim(int64_t{1}));
    own[axis_of[i]] = sizes[i];
    grid.push_back(Mul(graph, Reshape(columns[i], ShapeVector(graph, own)), Ones(graph, whole, dtype)));
  }
  return grid;
}

Output StridedSlice(Graph& graph, const Input& input, const Input& begin, const Input& end, const Input& strides_in,
                    int64_t begin_mask, int64_t end_mask, int64_t ellipsis_mask, int64_t new_axis_mask,
                    int64_t shrink_axis_mask, std::string name) {
  Input strides = strides_in;
  if (strides.absent()) {
    strides = OnesOf(graph, begin);
    if (!strides.is_output()) return Output::Failed(graph);
  }
  return StridedSlice(graph, input, begin, end, strides,
                      {.begin_mask = begin_mask,
                       .end_mask = end_mask,
                       .ellipsis_mask = ellipsis_mask,
                       .new_axis_mask = new_axis_mask,
                       .shrink_axis_mask = shrink_axis_mask,
                       .name = std::move(name)});
}

Output RepeatOf(Graph& graph, const Input& input, const Input& repeats_in, std::optional<int64_t> axis,
                std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Repeat"));
  Output x = ValueOf(graph, input, kInvalidType, "data");
  Output repeats = ValueOf(graph, repeats_in, kInvalidType, "repeats");
  if (!x.valid() || !repeats.valid()) return Output::Failed(graph);
  if (!axis.has_value()) x = Reshape(x, {-1});
  const int rank = x.shape().rank();
  const Status no_rank = InvalidArgument("repeat needs a tensor of known rank, with an axis to repeat along");
  if (!x.shape().known_rank()) return FailedOutput(graph, MarkTypeError(no_rank));
  if (rank < 1) return FailedOutput(graph, no_rank);
  Result<int> at = NormalAxis(axis.value_or(0), rank, "repeat");
  if (!at.ok()) return FailedOutput(graph, at.status());
  Output size = StridedSlice(ShapeOf(x), {*at}, {*at + 1}, {1});
  repeats = CastValue(graph, repeats, kInt32);
  repeats = BroadcastTo(graph, Reshape(repeats, {-1}), size);
  // Select from positions tiled to [size, most] with a mask that keeps `repeats[i]` copies of row i.
  Output most = Max(repeats, {0});
  Output mask = SequenceMask(graph, repeats, most);
  Output positions = Range(graph, 0, Reshape(size, Tensor::Vector<int32_t>({})), 1);
  Output tiled = Tile(ExpandDims(positions, 1), Pack(graph, {1, most}));
  Output where = BooleanMask(graph, tiled, mask);
  return GatherV2(graph, x, where, *at);
}

BatchPaddings SpaceToBatchPaddings(Graph& graph, const Input& input_shape, const Input& block_shape,
                                   const Input& base_paddings, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "required_space_to_batch_paddings"));
  const Output size = ValueOf(graph, input_shape, kInt32, "input_shape"),
               block = ValueOf(graph, block_shape, kInt32, "block_shape");
  if (!size.valid() || !block.valid()) return {};
  Output begin = ZerosLike(block), end = ZerosLike(block);
  if (!base_paddings.absent()) {
    const Output base = ValueOf(graph, base_paddings, kInt32, "base_paddings");
    const OutputList columns = Unpack(graph, base, 2, {.axis = 1});
    if (columns.size() != 2) return {};
    begin = columns[0];
    end = columns[1];
  }
  const Output extra = FloorMod(block - FloorMod(size + begin + end, block), block);
  return {Pack(graph, {begin, end + extra}, {.axis = 1, .name = "paddings"}),
          Pack(graph, {ZerosLike(extra), extra}, {.axis = 1, .name = "crops"})};
}

}  // namespace weir
