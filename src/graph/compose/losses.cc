#include "graph/compose/losses.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/compose/nn.h"
#include "graph/texts.h"

namespace weir {
namespace {

Result<Output> WeightsOf(Graph& graph, const LossOptions& options, Output values) {
  const Output weights = CastValue(graph, options.weights.absent() ? Input(1.0f) : options.weights, kFloat);
  WEIR_TRY(graph.TakeError());
  return BroadcastableWeights(graph, weights, values);
}

// 1 for each element of `values` with nonzero weight, else 0.
Output NonzeroWeights(Graph& graph, Output values, Output weights) {
  const Output ones = Select(Equal(weights, 0.0f), ZerosOf(graph, weights), OnesOf(graph, weights));
  return ones * OnesOf(graph, values, kFloat);
}

struct Pair {
  Output labels;
  Output predictions;
};
Status CheckCompatible(const Pair& pair) {
  if (pair.labels.shape().CompatibleWith(pair.predictions.shape())) return OkStatus();
  return InvalidArgument("Shapes {} and {} are incompatible", PythonText(pair.predictions.shape()),
                         PythonText(pair.labels.shape()));
}

// Two float32 values of compatible shapes.
Result<Pair> FloatPair(Graph& graph, const Input& labels, const Input& predictions) {
  if (labels.absent()) return InvalidArgument("labels must not be None.");
  if (predictions.absent()) return InvalidArgument("predictions must not be None.");
  Pair pair{CastValue(graph, labels, kFloat), CastValue(graph, predictions, kFloat)};
  WEIR_TRY(graph.TakeError());
  WEIR_TRY(CheckCompatible(pair));
  return pair;
}

// Logits, and labels of their type, in compatible shapes.
Result<Pair> LabelsAndLogits(Graph& graph, const Input& labels_in, const Input& logits_in) {
  const Output logits = ValueOf(graph, logits_in, kInvalidType, "logits");
  WEIR_TRY(graph.TakeError());
  const Output labels = CastValue(graph, labels_in, logits.base_dtype());
  WEIR_TRY(graph.TakeError());
  WEIR_TRY(CheckCompatible({labels, logits}));
  return Pair{labels, logits};
}

// Builds the losses in the scope of the loss, then weights them there.
template <class F>
Result<Output> InScope(Graph& graph, const char* name, const LossOptions& options, F&& losses) {
  NameScope scope(graph, NameOrDefault(options.scope, name));
  WEIR_ASSIGN(Output per_element, losses());
  WEIR_TRY(graph.TakeError());
  LossOptions inner = options;
  inner.scope = ExactScopeName(scope);
  return WeightedLoss(graph, per_element, inner);
}

Output Smoothed(Graph& graph, Output labels, const Input& label_smoothing, const Input& share) {
  const Output smoothing = CastValue(graph, label_smoothing, labels.base_dtype());
  return labels * (1.0f - smoothing) + smoothing * CastValue(graph, share, labels.base_dtype());
}

bool IsZero(Graph& graph, const Input& x) {
  if (x.absent()) return true;
  const Output value = CastValue(graph, x, kDouble);
  if (!value.valid()) return false;
  const Tensor known = graph.ConstantValue(value);
  return known.dtype() == kDouble && known.num_elements() == 1 && known.data<double>()[0] == 0;
}

}  // namespace

Output SafeMean(Output total, Output count) { return DivNoNan(total, count, {.name = "value"}); }

Result<Output> WeightedLoss(Graph& graph, const Input& losses_in, const LossOptions& options) {
  NameScope scope(graph, NameOrDefault(options.scope, "weighted_loss"));
  const Output given = ValueOf(graph, losses_in, kInvalidType, "losses");
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Output weights, WeightsOf(graph, options, given));
  const Output losses = Mul(graph, CastValue(graph, given, kFloat), weights);
  Output loss = losses;
  if (options.reduction != LossReduction::kNone) {
    loss = Reduction(graph, "Sum", losses, {}, false);
    switch (options.reduction) {
      case LossReduction::kMean:
        loss = SafeMean(loss, ReduceSum(OnesOf(graph, losses) * weights));
        break;
      case LossReduction::kSumOverBatchSize:
        loss = SafeMean(loss, CastValue(graph, SizeValue(graph, losses), kFloat));
        break;
      case LossReduction::kSumByNonzeroWeights:
        loss = SafeMean(loss, ReduceSum(NonzeroWeights(graph, losses, weights)));
        break;
      default:
        break;
    }
  }
  loss = CastValue(graph, loss, given.base_dtype());
  WEIR_TRY(graph.TakeError());
  if (!options.collection.empty()) graph.collections().Add(options.collection, loss);
  return loss;
}

Result<Output> AbsoluteDifference(Graph& graph, const Input& labels, const Input& predictions,
                                  const LossOptions& options) {
  return InScope(graph, "absolute_difference", options, [&]() -> Result<Output> {
    WEIR_ASSIGN(Pair p, FloatPair(graph, labels, predictions));
    return Abs(p.predictions - p.labels);
  });
}

Result<Output> CosineDistance(Graph& graph, const Input& labels, const Input& predictions, int64_t axis,
                              const LossOptions& options) {
  return InScope(graph, "cosine_distance_loss", options, [&]() -> Result<Output> {
    WEIR_ASSIGN(Pair p, FloatPair(graph, labels, predictions));
    return 1.0f - ReduceSum(p.predictions * p.labels, Axes(axis), kKeepDims);
  });
}

Result<Output> HingeLoss(Graph& graph, const Input& labels, const Input& logits, const LossOptions& options) {
  return InScope(graph, "hinge_loss", options, [&]() -> Result<Output> {
    WEIR_ASSIGN(Pair p, FloatPair(graph, labels, logits));
    return Relu(1.0f - (2.0f * p.labels - 1.0f) * p.predictions);
  });
}

Result<Output> HuberLoss(Graph& graph, const Input& labels, const Input& predictions, double delta,
                         const LossOptions& options) {
  return InScope(graph, "huber_loss", options, [&]() -> Result<Output> {
    WEIR_ASSIGN(Pair p, FloatPair(graph, labels, predictions));
    const Output error = Abs(p.predictions - p.labels);
    const auto bound = static_cast<float>(delta);
    const Output quadratic = Minimum(error, bound);
    return 0.5f * quadratic * quadratic + bound * (error - quadratic);
  });
}

Result<Output> LogLoss(Graph& graph, const Input& labels, const Input& predictions, double epsilon,
                       const LossOptions& options) {
  return InScope(graph, "log_loss", options, [&]() -> Result<Output> {
    WEIR_ASSIGN(Pair p, FloatPair(graph, labels, predictions));
    const auto e = static_cast<float>(epsilon);
    return -(p.labels * Log(p.predictions + e)) - (1.0f - p.labels) * Log(1.0f - p.predictions + e);
  });
}

Result<Output> MeanPairwiseSquaredError(Graph& graph, const Input& labels, const Input& predictions,
                                        const LossOptions& options) {
  NameScope scope(graph, NameOrDefault(options.scope, "mean_pairwise_squared_error"));
  WEIR_ASSIGN(Pair p, FloatPair(graph, labels, predictions));
  WEIR_ASSIGN(Output weights, WeightsOf(graph, options, p.labels));
  const Output differences = p.predictions - p.labels;
  WEIR_TRY(graph.TakeError());
  // Over all axes except the batch.
  const Output axes = Range(graph, 1, RankValue(graph, differences), 1);
  const auto per_batch = [&](Output x) { return Sum(x, axes, {.keep_dims = true}); };
  const Output count = per_batch(NonzeroWeights(graph, differences, weights));
  const Output squares = per_batch(Square(differences)), sums = per_batch(differences);
  const Output first = 2.0f * DivNoNan(squares, Maximum(count - 1.0f, 0.0f));
  const Output second = 2.0f * DivNoNan(Square(sums), Maximum(count * (count - 1.0f), 0.0f));
  const Output loss = ReduceSum((first - second) * weights);
  const Output mean = Select(Greater(ReduceSum(count), 0.0f), loss, ZerosOf(graph, loss), {.name = "value"});
  WEIR_TRY(graph.TakeError());
  if (!options.collection.empty()) graph.collections().Add(options.collection, mean);
  return mean;
}

Result<Output> MeanSquaredError(Graph& graph, const Input& labels, const Input& predictions,
                                const LossOptions& options) {
  return InScope(graph, "mean_squared_error", options, [&]() -> Result<Output> {
    WEIR_ASSIGN(Pair p, FloatPair(graph, labels, predictions));
    return SquaredDifference(p.predictions, p.labels);
  });
}

Result<Output> SigmoidLoss(Graph& graph, const Input& labels_in, const Input& logits_in, const Input& label_smoothing,
                           const LossOptions& options) {
  return InScope(graph, "sigmoid_cross_entropy_loss", options, [&]() -> Result<Output> {
    WEIR_ASSIGN(const Pair pair, LabelsAndLogits(graph, labels_in, logits_in));
    auto [labels, logits] = pair;
    if (!IsZero(graph, label_smoothing)) labels = Smoothed(graph, labels, label_smoothing, 0.5f);
    return SigmoidCrossEntropy(logits, labels, "xentropy");
  });
}

Result<Output> SoftmaxLoss(Graph& graph, const Input& labels_in, const Input& logits_in, const Input& label_smoothing,
                           const LossOptions& options) {
  return InScope(graph, "softmax_cross_entropy_loss", options, [&]() -> Result<Output> {
    WEIR_ASSIGN(const Pair pair, LabelsAndLogits(graph, labels_in, logits_in));
    auto [labels, logits] = pair;
    if (!IsZero(graph, label_smoothing)) {
      const Output classes = StridedSlice(ShapeValue(graph, labels), {1}, {2}, {1}, {.shrink_axis_mask = 1});
      labels = Smoothed(graph, labels, label_smoothing, Reciprocal(CastValue(graph, classes, labels.base_dtype())));
    }
    labels = StopGradient(labels, {.name = "labels_stop_gradient"});
    WEIR_TRY(graph.TakeError());
    return SoftmaxCrossEntropy(logits, labels, -1, /*stop_labels=*/false, "xentropy");
  });
}

namespace {

// Drops the last dimension, of size 1, if x has one dimension more than `rank`. Ranks may be unknown at construction
// time.
Output DropLastDimension(Output x, Output rank) {
  const Output own = Rank(x);
  const Output kept = own - Cast(Equal(own, rank + 1), kInt32);
  return Reshape(x, Slice(ShapeOf(x), {0}, ExpandDims(kept, 0)));
}

bool MayEndInOne(const PartialShape& shape) {
  if (!shape.known_rank()) return true;
  return shape.rank() > 0 && (shape[shape.rank() - 1] == 1 || shape[shape.rank() - 1] < 0);
}

// Labels have one dimension fewer than the logits, and weights at most as many as the labels. Labels, logits and
// weights may have an extra last dimension of size 1, which is dropped.
struct SparseLossInputs {
  Output labels;
  Output logits;
  Output weights;
};
SparseLossInputs WithoutExtraDimensions(SparseLossInputs in) {
  const PartialShape labels = in.labels.shape(), logits = in.logits.shape();
  if (labels.known_rank() && logits.known_rank()) {
    const int difference = logits.rank() - labels.rank();
    if (difference == 2 && MayEndInOne(logits)) in.logits = Squeeze(in.logits, {.squeeze_dims = {-1}});
    if (difference == 0 && MayEndInOne(labels)) in.labels = Squeeze(in.labels, {.squeeze_dims = {-1}});
  } else if (MayEndInOne(labels)) {
    in.labels = DropLastDimension(in.labels, Rank(in.logits) - 1);
  }
  if (!in.labels.valid()) return in;
  const PartialShape weights = in.weights.shape();
  if (weights.known_rank() && in.labels.shape().known_rank()) {
    if (weights.rank() - in.labels.shape().rank() == 1) in.weights = Squeeze(in.weights, {.squeeze_dims = {-1}});
  } else if (MayEndInOne(weights)) {
    in.weights = DropLastDimension(in.weights, Rank(in.labels));
  }
  return in;
}

}  // namespace

Result<Output> SparseSoftmaxLoss(Graph& graph, const Input& labels, const Input& logits, const LossOptions& options) {
  NameScope scope(graph, NameOrDefault(options.scope, "sparse_softmax_cross_entropy_loss"));
  if (labels.absent()) return InvalidArgument("labels must not be None.");
  if (logits.absent()) return InvalidArgument("logits must not be None.");
  SparseLossInputs in;
  in.logits = ValueOf(graph, logits, kInvalidType, "logits");
  in.labels = ValueOf(graph, labels, kInvalidType, "labels");
  in.weights = ValueOf(graph, options.weights.absent() ? Input(1.0f) : options.weights, kInvalidType, "weights");
  WEIR_TRY(graph.TakeError());
  if (&in.labels.graph() != &in.logits.graph())
    return InvalidArgument("{} must be from the same graph as {}", PythonText(in.labels), PythonText(in.logits));
  in = WithoutExtraDimensions(in);
  WEIR_TRY(graph.TakeError());
  const Output per_example = SparseSoftmaxCrossEntropy(in.logits, in.labels, "xentropy");
  WEIR_TRY(graph.TakeError());
  LossOptions inner = options;
  inner.weights = in.weights;
  inner.scope = ExactScopeName(scope);
  return WeightedLoss(graph, per_example, inner);
}

}  // namespace weir
