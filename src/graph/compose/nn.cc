#include "graph/compose/nn.h"

#include <numeric>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"
#include "graph/texts.h"

namespace weir {
namespace {

Output Taken(Graph& graph, Result<Output> value) { return value.ok() ? *value : FailedOutput(graph, value.status()); }

// 16-bit floats are too imprecise for sums and logarithms: compute in float and convert back.
bool IsCoarse(Output x) { return x.valid() && (x.base_dtype() == kHalf || x.base_dtype() == kBFloat16); }
Output Widened(Output x) { return IsCoarse(x) ? Cast(x, kFloat) : x; }
Output Narrowed(Output x, DType dtype) { return x.valid() && x.base_dtype() != dtype ? Cast(x, dtype) : x; }

// [..., classes] to [rows, classes].
Output Flattened(Output x) {
  const PartialShape shape = x.shape();
  if (shape.rank() == 2) return x;
  Output classes = StridedSlice(ShapeOf(x), {-1}, {0}, {1}, {.end_mask = 1});
  Output flat = Reshape(x, ConcatV2(x.graph(), {Tensor::Vector<int32_t>({-1}), classes}, 0));
  if (shape.known_rank() && shape.rank() > 0 && flat.valid())
    x.graph().RecordError(x.graph().SetShape(flat, PartialShape{kUnknownDim, shape[shape.rank() - 1]}));
  return flat;
}

// x with `axis` swapped with the last one. The permutation is its own inverse.
struct Exchanged {
  Output value;
  std::vector<int64_t> order;  // empty: axis is already the last one
};
Exchanged WithAxisLast(Output x, int axis) {
  const PartialShape shape = x.shape();
  if (axis == -1) return {x, {}};
  if (!shape.known_rank()) {
    x.graph().RecordError(MarkTypeError(InvalidArgument("'{}' needs a known rank for axis {}", x.name(), axis)));
    return {x, {}};
  }
  const int rank = shape.rank();
  if (axis < -rank || axis >= rank) {
    x.graph().RecordError(InvalidArgument("axis {} is not in [{}, {}) of '{}'", axis, -rank, rank, x.name()));
    return {x, {}};
  }
  if (axis < 0) axis += rank;
  if (axis == rank - 1) return {x, {}};
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[axis], order[rank - 1]);
  return {Transpose(x, order, {.name = "transpose"}), order};
}

// Applies a function along `axis`. `name` is the name of the last node.
Output AlongAxis(const Input& input, int axis, std::string name, Output (*apply)(Output, std::string)) {
  if (GraphOf({input}) == nullptr) return Output();
  const Exchanged last = WithAxisLast(input.output(), axis);
  if (last.order.empty()) return apply(last.value, std::move(name));
  return Transpose(apply(last.value, ""), last.order, {.name = NameOrDefault(std::move(name), "transpose")});
}

// Moves `axis` to the end; the others keep their order. The rank may be unknown. As in TensorFlow, -1 is the only
// negative axis allowed.
Output WithAxisMovedLast(Output x, int axis) {
  if (axis == -1 || !x.valid()) return x;
  Graph& graph = x.graph();
  const Output order = ConcatV2(
      graph, {Range(graph, 0, axis, 1), Range(graph, axis + 1, Rank(x), 1), Tensor::Vector<int32_t>({axis})}, 0);
  return order.valid() ? Transpose(x, order) : order;
}

Status CheckSameShape(Output x, const char* x_name, Output y, const char* y_name) {
  if (x.shape().CompatibleWith(y.shape())) return OkStatus();
  return InvalidArgument("`{}` and `{}` must have the same shape, received ({} vs {}).", x_name, y_name,
                         PythonText(x.shape()), PythonText(y.shape()));
}

}  // namespace

Output SoftmaxAlong(const Input& logits, int axis, std::string name) {
  return AlongAxis(logits, axis, std::move(name),
                   [](Output x, std::string as) { return Softmax(x, {.name = std::move(as)}); });
}
Output LogSoftmaxAlong(const Input& logits, int axis, std::string name) {
  return AlongAxis(logits, axis, std::move(name),
                   [](Output x, std::string as) { return LogSoftmax(x, {.name = std::move(as)}); });
}

Output SoftmaxCrossEntropy(const Input& logits_in, const Input& labels_in, int axis, bool stop_labels,
                           std::string name) {
  Graph* found = GraphOf({logits_in, labels_in});
  if (found == nullptr) return Output();
  Graph& graph = *found;
  if (name.empty()) name = stop_labels ? "softmax_cross_entropy_with_logits_sg" : "softmax_cross_entropy_with_logits";
  NameScope scope(graph, name);
  Output logits = Taken(graph, ToOutput(graph, logits_in, kInvalidType, "logits"));
  if (!logits.valid()) return Output::Failed(graph);
  const DType dtype = logits.base_dtype();
  Output labels = Taken(graph, ToOutput(graph, labels_in, kInvalidType, "labels"));
  if (!labels.valid()) return Output::Failed(graph);
  if (stop_labels) labels = StopGradient(labels, {.name = "labels_stop_gradient"});
  const Output wide = Widened(logits);
  if (wide.valid() && labels.valid() && labels.base_dtype() != wide.base_dtype())
    labels = Cast(labels, wide.base_dtype());
  const Output x = WithAxisMovedLast(wide, axis);
  const Output z = WithAxisMovedLast(labels, axis);
  if (!x.valid() || !z.valid()) return Output::Failed(graph);
  Output shape = ShapeOf(x);
  auto result = SoftmaxCrossEntropyWithLogits(Flattened(x), Flattened(z), {.name = ExactScopeName(scope)});
  Output loss = result.loss;
  const PartialShape known = x.shape();
  // The name that programs fetch: TensorFlow always reshapes the two inputs first.
  constexpr char kLast[] = "Reshape_2";
  if (known.rank() == 2 && loss.valid()) {
    loss = Reshape(loss, {-1}, {.name = kLast});
  } else if (loss.valid()) {
    Output outer = StridedSlice(shape, {0}, {-1}, {1}, {.begin_mask = 1});
    loss = Reshape(loss, outer, {.name = kLast});
    if (known.known_rank() && known.rank() > 0 && loss.valid()) {
      Result<PartialShape> front = known.Sub(0, known.rank() - 1);
      if (front.ok()) graph.RecordError(graph.SetShape(loss, *front));
    }
  }
  return Narrowed(loss, dtype);
}

Output SparseSoftmaxCrossEntropy(const Input& logits_in, const Input& labels_in, std::string name) {
  Graph* found = GraphOf({logits_in, labels_in});
  if (found == nullptr) return Output();
  Graph& graph = *found;
  if (name.empty()) name = "SparseSoftmaxCrossEntropyWithLogits";
  NameScope scope(graph, name);
  Output logits = Taken(graph, ToOutput(graph, logits_in, kInvalidType, "logits"));
  Output labels = Taken(graph, ToOutput(graph, labels_in, kInvalidType, "labels"));
  if (!logits.valid() || !labels.valid()) return Output::Failed(graph);
  const PartialShape shape = logits.shape();
  if (shape.known_rank() && shape.rank() == 0)
    return FailedOutput(graph, InvalidArgument("logits cannot be scalars: '{}' has shape {}", logits.name(), shape));
  if (shape.known_rank() && labels.shape().known_rank() && labels.shape().rank() != shape.rank() - 1)
    return FailedOutput(
        graph, InvalidArgument("rank mismatch: the rank of labels ({}) should be the rank of logits minus 1 ({})",
                               labels.shape().rank(), shape.rank() - 1));
  const DType dtype = logits.base_dtype();
  Output wide = Widened(logits);
  if (shape.rank() == 2) return Narrowed(SparseSoftmaxCrossEntropyWithLogits(wide, labels, {.name = name}).loss, dtype);
  Output labels_shape = ShapeOf(labels);
  const Output flat = Flattened(wide);
  Output flat_labels = Reshape(labels, {-1});
  Output loss = SparseSoftmaxCrossEntropyWithLogits(flat, flat_labels, {.name = name}).loss;
  loss = Reshape(loss, labels_shape);
  if (loss.valid()) graph.RecordError(graph.SetShape(loss, labels.shape()));
  return Narrowed(loss, dtype);
}

Output InTopKOf(Graph& graph, const Input& predictions, const Input& targets, const Input& k, std::string name) {
  // As in TensorFlow, a given name is that of the scope and of the node in it: "name/name".
  NameScope scope(graph, NameOrDefault(name, "in_top_k"));
  return InTopKV2(graph, predictions, targets, k, {.name = std::move(name)});
}

Output SigmoidCrossEntropy(const Input& logits_in, const Input& labels_in, std::string name) {
  Graph* found = GraphOf({logits_in, labels_in});
  if (found == nullptr) return Output();
  Graph& graph = *found;
  NameScope scope(graph, NameOrDefault(name, "logistic_loss"));
  Output x = Taken(graph, ToOutput(graph, logits_in, kInvalidType, "logits"));
  if (!x.valid()) return Output::Failed(graph);
  Output z = ValueOf(graph, labels_in, kInvalidType, "labels");
  if (!z.valid()) return Output::Failed(graph);
  if (Status same = CheckSameShape(x, "logits", z, "labels"); !same.ok()) return FailedOutput(graph, same);
  // Numerically stable form: exp is only applied to non-positive numbers.
  Output zeros = ZerosLike(x);
  Output positive = GreaterEqual(x, zeros);
  Output relu = Select(positive, x, zeros);
  Output minus_abs = Select(positive, -x, x);
  return Add(relu - x * z, Log1p(Exp(minus_abs)), {.name = ExactScopeName(scope)});
}

Output WeightedCrossEntropy(const Input& targets, const Input& logits, const Input& pos_weight, std::string name) {
  Graph* found = GraphOf({targets, logits});
  if (found == nullptr) return Output();
  Graph& graph = *found;
  NameScope scope(graph, NameOrDefault(name, "logistic_loss"));
  Output x = Taken(graph, ToOutput(graph, logits, kInvalidType, "logits"));
  if (!x.valid()) return Output::Failed(graph);
  Output z = ValueOf(graph, targets, kInvalidType, "labels");
  if (!z.valid()) return Output::Failed(graph);
  if (Status same = CheckSameShape(x, "logits", z, "labels"); !same.ok()) return FailedOutput(graph, same);
  Output positive = ValueOrLiteralOf(graph, pos_weight, z.base_dtype(), "pos_weight");
  if (!positive.valid()) return Output::Failed(graph);
  Output weight = 1.0f + (positive - 1.0f) * z;
  Output softplus = Log1p(Exp(-Abs(x))) + Relu(-x);
  return Add((1.0f - z) * x, weight * softplus, {.name = ExactScopeName(scope)});
}

Output Dropout(const Input& x_in, const Input& rate, const Input& noise_shape, OpSeed seed, std::string name) {
  Graph* found = GraphOf({x_in});
  if (found == nullptr) return Output();
  Graph& graph = *found;
  NameScope scope(graph, NameOrDefault(name, "dropout"));
  Output x = Taken(graph, ToOutput(graph, x_in, kInvalidType, "x"));
  if (!x.valid()) return Output::Failed(graph);
  if (!IsFloating(x.base_dtype()))
    return FailedOutput(
        graph, InvalidArgument("dropout scales its input, so it needs a floating type, not {}", x.base_dtype()));
  Output r = Taken(graph, ToOutput(graph, rate, x.base_dtype(), "rate"));
  if (!r.valid()) return Output::Failed(graph);
  Output shape =
      noise_shape.absent() ? ShapeOf(x) : Taken(graph, ToOutput(graph, noise_shape, kInvalidType, "noise_shape"));
  Output noise = RandomUniform(graph, shape, 0, {}, x.base_dtype(), seed);
  Output scaled = x * (1.0f / (1.0f - r));
  Output kept = Cast(GreaterEqual(noise, r), x.base_dtype());
  Output result = scaled * kept;
  if (result.valid()) graph.RecordError(graph.SetShape(result, x.shape()));
  return result;
}

MomentsResult Moments(const Input& x_in, const Axes& axes, bool keep_dims, std::string name) {
  Graph* found = GraphOf({x_in});
  if (found == nullptr) return {};
  Graph& graph = *found;
  NameScope scope(graph, NameOrDefault(name, "moments"));
  Output x = Taken(graph, ToOutput(graph, x_in, kInvalidType, "x"));
  if (!x.valid()) return {};
  const DType dtype = x.base_dtype();
  Output y = Widened(x);
  Input over = AxesInput(y, axes);
  Output mean = Mean(y, over, {.keep_dims = true, .name = "mean"});
  // Treat the mean as a constant: its contribution to the derivative is zero.
  Output variance = Mean(SquaredDifference(y, StopGradient(mean)), over, {.keep_dims = true, .name = "variance"});
  if (!keep_dims) {
    SqueezeAttrs squeeze;
    if (axes.all()) {
      mean = Reshape(mean, Tensor::Vector<int32_t>({}));
      variance = Reshape(variance, Tensor::Vector<int32_t>({}));
    } else {
      squeeze.squeeze_dims = axes.axes();
      mean = Squeeze(mean, squeeze);
      variance = Squeeze(variance, squeeze);
    }
  }
  return {Narrowed(mean, dtype), Narrowed(variance, dtype)};
}

Output BatchNormalization(const Input& x, const Input& mean, const Input& variance, const Input& offset,
                          const Input& scale, const Input& variance_epsilon, std::string name) {
  Graph* found = GraphOf({x, mean, variance});
  if (found == nullptr) return Output();
  Graph& graph = *found;
  NameScope scope(graph, NameOrDefault(name, "batchnorm"));
  Output factor = Rsqrt(AddInput(variance, variance_epsilon));
  if (!scale.absent()) factor = MulInput(factor, scale);
  Output shift = offset.absent() ? -MulInput(mean, factor) : SubInput(offset, MulInput(mean, factor));
  const auto like_x = [&x](Output v) {
    const DType type = x.is_output() ? x.output().base_dtype() : kInvalidType;
    return type == kInvalidType || !v.valid() || v.base_dtype() == type ? v : Cast(v, type);
  };
  return AddInput(MulInput(x, like_x(factor)), like_x(shift));
}

Output L2Normalize(const Input& x_in, const Axes& axes, float epsilon, std::string name) {
  Graph* found = GraphOf({x_in});
  if (found == nullptr) return Output();
  Graph& graph = *found;
  NameScope scope(graph, NameOrDefault(name, "l2_normalize"));
  Output x = Taken(graph, ToOutput(graph, x_in, kInvalidType, "x"));
  if (!x.valid()) return Output::Failed(graph);
  Output squares = Sum(Square(x), AxesInput(x, axes), {.keep_dims = true});
  return Mul(x, Rsqrt(Maximum(squares, epsilon)), {.name = ExactScopeName(scope)});
}

Output ZeroFraction(const Input& x_in, std::string name) {
  Graph* found = GraphOf({x_in});
  if (found == nullptr) return Output();
  Graph& graph = *found;
  NameScope scope(graph, NameOrDefault(name, "zero_fraction"));
  Output x = Taken(graph, ToOutput(graph, x_in, kInvalidType, "value"));
  if (!x.valid()) return Output::Failed(graph);
  Output zeros = ReduceSum(Cast(Equal(x, ZerosLike(x)), kInt64));
  return Cast(RealDiv(Cast(zeros, kDouble), Cast(Size(x, {.out_type = kInt64}), kDouble)), kFloat,
              {.name = "fraction"});
}

Output XwPlusB(const Input& x, const Input& weights, const Input& biases, std::string name) {
  Graph* found = GraphOf({x, weights, biases});
  if (found == nullptr) return Output();
  NameScope scope(*found, NameOrDefault(name, "xw_plus_b"));
  return AddBias(*found, MatMul(*found, x, weights), biases, "", ExactScopeName(scope));
}

Output AddBias(Graph& graph, const Input& value_in, const Input& bias_in, const std::string& format, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "BiasAdd"));
  const bool channels_first = format.starts_with("NC");
  if (!channels_first && !format.empty() && !(format.starts_with('N') && format.ends_with('C')))
    return FailedOutput(
        graph,
        InvalidArgument("`data_format` must be of the form `N...C` or `NC...`. Received: data_format={}", format));
  const Output value = ValueOf(graph, value_in, kInvalidType, "input");
  if (!value.valid()) return value;
  const Output bias = ValueOf(graph, bias_in, value.base_dtype(), "bias");
  if (!bias.valid()) return bias;
  return BiasAdd(graph, value, bias, {.data_format = channels_first ? "NCHW" : "NHWC", .name = ExactScopeName(scope)});
}

Output ReluLayer(const Input& x, const Input& weights, const Input& biases, std::string name) {
  Graph* found = GraphOf({x, weights, biases});
  if (found == nullptr) return Output();
  NameScope scope(*found, NameOrDefault(name, "relu_layer"));
  return Relu(*found, AddBias(*found, MatMul(*found, x, weights), biases), {.name = ExactScopeName(scope)});
}

Output LogPoissonLoss(const Input& targets_in, const Input& log_input, bool compute_full_loss, std::string name) {
  Graph* found = GraphOf({targets_in, log_input});
  if (found == nullptr) return Output();
  Graph& graph = *found;
  NameScope scope(graph, NameOrDefault(name, "log_poisson_loss"));
  Output c = Taken(graph, ToOutput(graph, log_input, kInvalidType, "log_input"));
  if (!c.valid()) return Output::Failed(graph);
  Output z = ValueOf(graph, targets_in, kInvalidType, "targets");
  if (!z.valid()) return Output::Failed(graph);
  if (Status same = CheckSameShape(c, "log_input", z, "targets"); !same.ok()) return FailedOutput(graph, same);
  Output loss = Exp(c) - c * z;
  if (!compute_full_loss) return loss;
  // Stirling's approximation of log(z!), used for z > 1.
  constexpr float kTwoPi = 6.28318530717958647692f;
  Output stirling = z * Log(z) - z + 0.5f * Log(kTwoPi * z);
  Output small = LogicalAnd(GreaterEqual(z, ZerosLike(z)), LessEqual(z, OnesLike(z)));
  return loss + Select(small, ZerosLike(z), stirling);
}

MomentsResult WeightedMoments(Graph& graph, const Input& x_in, const Axes& axes, const Input& weights_in,
                              bool keep_dims, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "weighted_moments"));
  auto [x, weights] = ValuesOfOneType(graph, x_in, weights_in, "x", "weights");
  if (!x.valid() || !weights.valid()) return {Output::Failed(graph), Output::Failed(graph)};
  if (weights.base_dtype() != x.base_dtype()) weights = Cast(weights, x.base_dtype());
  const Input over = AxesInput(x, axes);
  Output total = Reduction(graph, "Sum", weights + ZerosLike(x), over, true);
  Output mean = Reduction(graph, "Sum", weights * x, over, true) / total;
  Output variance = Reduction(graph, "Sum", weights * SquaredDifference(x, mean), over, true) / total;
  if (keep_dims) return {mean, variance};
  return {Reduction(graph, "Mean", mean, over), Reduction(graph, "Mean", variance, over)};
}

Statistics SufficientStatistics(Graph& graph, const Input& x_in, const Axes& axes, const Input& shift_in,
                                bool keep_dims, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "sufficient_statistics"));
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  if (!x.valid()) return {x, x, x, Output()};
  const Input over = AxesInput(x, axes);
  Output count = Cast(Prod(GatherV2(graph, ShapeOf(x), over, 0), {0}), x.base_dtype());
  Output shift;
  Output sum = x;
  Output squares = Square(x);
  if (!shift_in.absent()) {
    shift = ValueOf(graph, shift_in, x.base_dtype(), "shift");
    sum = x - shift;
    squares = SquaredDifference(x, shift);
  }
  return {count, Reduction(graph, "Sum", sum, over, keep_dims), Reduction(graph, "Sum", squares, over, keep_dims),
          shift};
}

MomentsResult NormalizeMoments(Graph& graph, const Input& count, const Input& sum, const Input& squares,
                               const Input& shift, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "normalize"));
  const Output divisor = Reciprocal(graph, count, {.name = "divisor"});
  const Output shifted = Mul(graph, sum, divisor, {.name = shift.absent() ? "mean" : "shifted_mean"});
  const Output mean = shift.absent() ? shifted : Add(graph, shifted, shift, {.name = "mean"});
  const Output variance = Sub(graph, Mul(graph, squares, divisor), Square(graph, shifted), {.name = "variance"});
  return {mean, variance};
}

Output ConcatRelu(Graph& graph, const Input& x_in, int axis, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "CRelu"));
  Output x = ValueOf(graph, x_in, kInvalidType, "features");
  return x.valid() ? Relu(ConcatV2(graph, {x, -x}, axis)) : x;
}

Output LogSigmoid(Graph& graph, const Input& x_in, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "LogSigmoid"));
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  return x.valid() ? Neg(graph, Softplus(Neg(x)), {.name = ExactScopeName(scope)}) : x;
}

Output Swish(Graph& graph, const Input& x_in, const Input& beta) {
  NameScope scope(graph, "swish");
  Output x = ValueOf(graph, x_in, kInvalidType, "features");
  return x.valid() ? x * Sigmoid(MulInput(x, beta)) : x;
}

}  // namespace weir
