#include "graph/compose/initializers.h"

#include <algorithm>
#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/node_builder.h"
#include "tensor/for_type.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

Result<std::vector<int64_t>> KnownDims(const PartialShape& shape) {
  if (!shape.fully_defined())
    return MarkTypeError(InvalidArgument("an initializer needs a fully known shape, not {}", shape));
  return std::vector<int64_t>(shape.dims().begin(), shape.dims().end());
}

Result<Output> Finished(Graph& graph, Output output) {
  WEIR_TRY(graph.TakeError());
  return output;
}

// `value` as a scalar of any numeric type.
Result<Tensor> ScalarOf(DType dtype, double value) {
  if (dtype == kString) return Tensor::Scalar(std::string());
  Tensor result;
  ForType(dtype, kFloatingTypes + kComplexTypes + kIntegerTypes + TypeList<bool>(), [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_same_v<T, bool>)
      result = Tensor::Scalar(value != 0);
    else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::complex<double>>)
      result = Tensor::Scalar(static_cast<T>(value));
    else
      result = Tensor::Scalar(T(static_cast<float>(value)));
  });
  if (!result.valid()) return InvalidArgument("the initializer does not support type {}", dtype);
  return result;
}

Result<Output> Filled(Graph& graph, const PartialShape& shape, DType dtype, double value, const char* name) {
  WEIR_ASSIGN(std::vector<int64_t> dims, KnownDims(shape));
  WEIR_ASSIGN(Tensor scalar, ScalarOf(dtype, value));
  constexpr int64_t kInline = 1000;  // smaller values are a Const, as in TensorFlow
  if (shape.num_elements() < kInline) {
    WEIR_ASSIGN(Tensor whole, Tensor::Allocate(dtype, shape.ToShape()));
    if (dtype == kString) return Finished(graph, Constant(graph, whole, name));
    const size_t size = ElementSize(dtype);
    for (int64_t i = 0; i < whole.num_elements(); ++i)
      std::memcpy(static_cast<char*>(whole.raw()) + i * size, scalar.raw(), size);
    return Finished(graph, Constant(graph, whole, name));
  }
  return Finished(graph, Fill(graph, dims, scalar, {.name = name}));
}

}  // namespace

std::pair<double, double> ComputeFans(const std::vector<int64_t>& shape) {
  if (shape.empty()) return {1, 1};
  if (shape.size() == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  double field = 1;
  for (size_t i = 0; i + 2 < shape.size(); ++i) field *= static_cast<double>(shape[i]);
  return {static_cast<double>(shape[shape.size() - 2]) * field, static_cast<double>(shape.back()) * field};
}

Result<Output> ZerosInitial(Graph& graph, const PartialShape& shape, DType dtype) {
  return Filled(graph, shape, dtype, 0, "zeros");
}
Result<Output> OnesInitial(Graph& graph, const PartialShape& shape, DType dtype) {
  return Filled(graph, shape, dtype, 1, "ones");
}

Result<Output> ConstantInitial(Graph& graph, const PartialShape& shape, DType dtype, const Tensor& value,
                               bool verify_shape) {
  WEIR_ASSIGN(std::vector<int64_t> dims, KnownDims(shape));
  if (value.dtype() != dtype)
    return MarkTypeError(
        InvalidArgument("the constant initializer has type {}, but the variable has type {}", value.dtype(), dtype));
  const int64_t wanted = shape.num_elements();
  if (verify_shape && !(value.shape() == shape.ToShape()))
    return MarkTypeError(InvalidArgument("expected a constant of shape {}, got {}", shape, value.shape()));
  if (value.num_elements() > wanted && wanted > 0)
    return InvalidArgument("too many elements for a constant of shape {}: {}", shape, value.num_elements());
  if (value.num_elements() == 0 && wanted > 0) return InvalidArgument("an empty constant cannot fill shape {}", shape);
  if (value.num_elements() == 1) return Finished(graph, Fill(graph, dims, value.Reshaped(Shape{}), {.name = "Const"}));
  WEIR_ASSIGN(Tensor whole, Tensor::Allocate(dtype, shape.ToShape()));
  for (int64_t i = 0; i < wanted; ++i) {
    const int64_t from = std::min(i, value.num_elements() - 1);
    if (dtype == kString) {
      whole.data<std::string>()[i] = value.data<std::string>()[from];
    } else {
      const size_t size = ElementSize(dtype);
      std::memcpy(static_cast<char*>(whole.raw()) + i * size, static_cast<char*>(value.raw()) + from * size, size);
    }
  }
  return Finished(graph, Constant(graph, whole));
}

Result<Output> VarianceScalingInitial(Graph& graph, const PartialShape& shape, DType dtype, const VarianceScaling& how,
                                      const PartitionInfo* partition) {
  if (!IsFloating(dtype)) return InvalidArgument("a variance scaling initializer needs a floating type, not {}", dtype);
  if (!(how.scale > 0)) return InvalidArgument("the scale must be positive, not {}", how.scale);
  WEIR_ASSIGN(std::vector<int64_t> dims, KnownDims(shape));
  const auto [fan_in, fan_out] = ComputeFans(partition != nullptr ? partition->full_shape : dims);
  const double fan = how.mode == FanMode::kIn ? fan_in : how.mode == FanMode::kOut ? fan_out : (fan_in + fan_out) / 2;
  const double scale = how.scale / std::max(1.0, fan);
  constexpr double kTruncatedStddev = .87962566103423978;  // stddev of a standard normal truncated at two deviations
  Output value;
  switch (how.distribution) {
    case VarianceDistribution::kNormal:
    case VarianceDistribution::kTruncatedNormal:
      value = TruncatedNormal(graph, dims, 0.0f, std::sqrt(scale) / kTruncatedStddev, dtype, how.seed);
      break;
    case VarianceDistribution::kUntruncatedNormal:
      value = RandomNormal(graph, dims, 0.0f, std::sqrt(scale), dtype, how.seed);
      break;
    case VarianceDistribution::kContribTruncatedNormal:
      value = TruncatedNormal(graph, dims, 0.0f, std::sqrt(1.3 * scale), dtype, how.seed);
      break;
    case VarianceDistribution::kUniform: {
      const double limit = std::sqrt(3.0 * scale);
      value = RandomUniform(graph, dims, -limit, limit, dtype, how.seed);
      break;
    }
  }
  return Finished(graph, value);
}

Result<Output> GlorotUniformInitial(Graph& graph, const PartialShape& shape, DType dtype, OpSeed seed,
                                    const PartitionInfo* partition) {
  return VarianceScalingInitial(
      graph, shape, dtype,
      {.scale = 1.0f, .mode = FanMode::kAverage, .distribution = VarianceDistribution::kUniform, .seed = seed},
      partition);
}

Result<Output> UniformUnitScalingInitial(Graph& graph, const PartialShape& shape, DType dtype, float factor,
                                         OpSeed seed, const PartitionInfo* partition) {
  WEIR_ASSIGN(std::vector<int64_t> dims, KnownDims(shape));
  const std::vector<int64_t>& whole = partition != nullptr ? partition->full_shape : dims;
  double input_size = 1;
  for (size_t i = 0; i + 1 < whole.size(); ++i) input_size *= static_cast<double>(whole[i]);
  const double limit = std::sqrt(3.0 / std::max(input_size, 1.0)) * factor;
  return Finished(graph, RandomUniform(graph, dims, -limit, limit, dtype, seed));
}

Result<Output> OrthogonalInitial(Graph& graph, const PartialShape& shape, DType dtype, float gain, OpSeed seed) {
  WEIR_ASSIGN(std::vector<int64_t> dims, KnownDims(shape));
  if (dims.size() < 2) return InvalidArgument("an orthogonal initializer needs at least two dimensions, not {}", shape);
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < dims.size(); ++i) rows *= dims[i];
  const int64_t cols = dims.back();
  Output noise =
      RandomNormal(graph, std::vector<int64_t>{std::max(rows, cols), std::min(rows, cols)}, 0.0f, 1.0f, dtype, seed);
  QrResult qr = Qr(noise);
  // Multiplying by the signs of R's diagonal makes Q unique and hence uniformly distributed.
  Output signs = Sign(DiagPart(qr.r));
  Output q = qr.q * signs;
  if (rows < cols) q = Transpose(q, {1, 0});
  Output scaled = Mul(graph, gain, Reshape(q, dims));
  return Finished(graph, scaled);
}

Result<Output> IdentityInitial(Graph& graph, const PartialShape& shape, DType dtype, float gain,
                               const PartitionInfo* partition) {
  WEIR_ASSIGN(std::vector<int64_t> dims, KnownDims(shape));
  const std::vector<int64_t> whole = partition != nullptr ? partition->full_shape : dims;
  if (whole.size() != 2) return InvalidArgument("an identity matrix has two dimensions, not {}", shape);
  WEIR_ASSIGN(Tensor zero, Tensor::Zeros(dtype, Shape{}));
  WEIR_ASSIGN(Tensor one, ScalarOf(dtype, 1));
  Output empty = Fill(graph, whole, zero);
  Output diagonal = Fill(graph, std::vector<int64_t>{std::min(whole[0], whole[1])}, one);
  Output eye = MatrixSetDiag(empty, diagonal, {.name = "eye"});
  if (partition != nullptr) eye = Slice(eye, partition->offset, dims);
  return Finished(graph, Mul(graph, gain, eye));
}

}  // namespace weir
