#include "graph/compose/keras_losses.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/clip.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/nn.h"

namespace weir {
namespace {

struct LossOperands {
  Graph& graph;
  Output labels;
  Output predictions;
  const KerasLossOptions& options;
  float epsilon() const { return static_cast<float>(options.epsilon); }
};

Output LastMean(Output x) { return ReduceMean(x, -1); }

Output AboveEpsilon(const LossOperands& in, Output x) { return Maximum(x, in.epsilon()); }

// Labels of 0 and 1 become -1 and 1, if there are no others.
Output SignedLabels(const LossOperands& in) {
  const Output zeros = Equal(in.labels, 0.0f), ones = Equal(in.labels, 1.0f);
  const Output binary = Cast(ReduceAll(LogicalOr(zeros, ones)), in.labels.base_dtype());
  return binary * (2.0f * in.labels - 1.0f) + (1.0f - binary) * in.labels;
}

Output MeanSquared(const LossOperands& in) { return LastMean(SquaredDifference(in.predictions, in.labels)); }
Output MeanAbsolute(const LossOperands& in) { return LastMean(Abs(in.predictions - in.labels)); }
Output MeanAbsolutePercentage(const LossOperands& in) {
  return 100.0f * LastMean(Abs((in.labels - in.predictions) / AboveEpsilon(in, Abs(in.labels))));
}
Output MeanSquaredLogarithmic(const LossOperands& in) {
  const auto log = [&](Output x) { return Log(AboveEpsilon(in, x) + 1.0f); };
  return LastMean(SquaredDifference(log(in.predictions), log(in.labels)));
}
Output HingePart(const LossOperands& in) { return Maximum(1.0f - SignedLabels(in) * in.predictions, 0.0f); }
Output KerasHinge(const LossOperands& in) { return LastMean(HingePart(in)); }
Output SquaredHinge(const LossOperands& in) { return LastMean(Square(HingePart(in))); }
Output CategoricalHinge(const LossOperands& in) {
  const Output right = ReduceSum(in.labels * in.predictions, -1);
  const Output wrong = ReduceMax((1.0f - in.labels) * in.predictions, -1);
  return Maximum(wrong - right + 1.0f, 0.0f);
}
Output LogCosh(const LossOperands& in) {
  const Output x = in.predictions - in.labels;
  return LastMean(x + Softplus(-2.0f * x) - 0.693147180559945f);
}
Output Huber(const LossOperands& in) {
  const auto delta = static_cast<float>(in.options.delta);
  const Output error = Abs(in.predictions - in.labels);
  const Output quadratic = Minimum(error, delta);
  return LastMean(0.5f * Square(quadratic) + delta * (error - quadratic));
}
Output KullbackLeibler(const LossOperands& in) {
  const auto bounded = [&](Output x) { return ClipByValueBounds(x, in.epsilon(), 1.0f); };
  const Output labels = bounded(in.labels);
  return ReduceSum(labels * Log(labels / bounded(in.predictions)), -1);
}
Output KerasPoisson(const LossOperands& in) {
  return LastMean(in.predictions - in.labels * Log(in.predictions + in.epsilon()));
}
Output CosineSimilarity(const LossOperands& in) {
  const auto unit = [&](Output x) { return L2Normalize(x, in.options.axis); };
  return -ReduceSum(unit(in.labels) * unit(in.predictions), in.options.axis);
}

// The logits from which an op computed the predictions: the loss on logits is more exact. Empty for other ops.
Output LogitsOf(Output predictions, Probabilities kind) {
  const Node* node = predictions.node;
  return node->op().traits.probabilities == kind ? node->input(0) : Output();
}

Output SmoothedTowards(const LossOperands& in, Output labels, Output share) {
  const auto smoothing = static_cast<float>(in.options.label_smoothing);
  return smoothing == 0 ? labels : labels * (1.0f - smoothing) + smoothing * share;
}

Output ElementCrossentropy(const LossOperands& in) {
  const Output half = ValueOf(in.graph, 0.5, in.predictions.base_dtype());
  const Output labels = SmoothedTowards(in, in.labels, half);
  const Output logits = in.options.from_logits ? in.predictions : LogitsOf(in.predictions, Probabilities::kOfElements);
  if (logits.valid()) return SigmoidCrossEntropy(logits, labels);
  const float e = in.epsilon();
  const Output p = ClipByValueBounds(in.predictions, e, 1.0f - e);
  return -(labels * Log(p + e) + (1.0f - labels) * Log(1.0f - p + e));
}
Output BinaryCrossentropy(const LossOperands& in) { return LastMean(ElementCrossentropy(in)); }

Output CategoricalCrossentropy(const LossOperands& in) {
  Output labels = in.labels;
  if (in.options.label_smoothing != 0) {
    const Output classes =
        StridedSlice(ShapeValue(in.graph, labels), {-1}, {0}, {1}, {.end_mask = 1, .shrink_axis_mask = 1});
    labels = SmoothedTowards(in, labels, Reciprocal(CastValue(in.graph, classes, labels.base_dtype())));
  }
  const Output logits = in.options.from_logits ? in.predictions : LogitsOf(in.predictions, Probabilities::kOfRows);
  if (logits.valid()) return SoftmaxCrossEntropy(logits, labels, in.options.axis);
  const float e = in.epsilon();
  const Output shares = in.predictions / ReduceSum(in.predictions, in.options.axis, kKeepDims);
  return -ReduceSum(labels * Log(ClipByValueBounds(shares, e, 1.0f - e)), in.options.axis);
}

// Labels are class numbers, possibly with a last dimension of size 1.
Output SparseCategoricalCrossentropy(const LossOperands& in) {
  Output logits = in.options.from_logits ? in.predictions : LogitsOf(in.predictions, Probabilities::kOfRows);
  if (!logits.valid()) {
    const float e = in.epsilon();
    logits = Log(ClipByValueBounds(in.predictions, e, 1.0f - e));
  }
  Output labels = CastValue(in.graph, in.labels, kInt64);
  const int classes_rank = logits.shape().rank(), rank = labels.shape().rank();
  if (logits.shape().known_rank() && labels.shape().known_rank() && rank == classes_rank)
    labels = Squeeze(labels, {.squeeze_dims = {-1}});
  return SparseSoftmaxCrossEntropy(logits, labels);
}

// --- Accuracies ---
Output FloatOf(Output x) { return Cast(x, kFloat); }
Output LastArgMax(Output x) { return ArgMax(x, -1); }

Output BinaryAccuracy(const LossOperands& in) {
  const auto threshold = static_cast<float>(in.options.threshold);
  const Output hard = Cast(Greater(in.predictions, threshold), in.labels.base_dtype());
  return LastMean(FloatOf(Equal(in.labels, hard)));
}
Output CategoricalAccuracy(const LossOperands& in) {
  return FloatOf(Equal(LastArgMax(in.labels), LastArgMax(in.predictions)));
}
Output FlatClasses(const LossOperands& in, Output labels) {
  const PartialShape classes = in.predictions.shape();
  if (classes.known_rank() && labels.shape().known_rank() && labels.shape().rank() == classes.rank())
    labels = Squeeze(labels, {.squeeze_dims = {-1}});
  return labels;
}
Output SparseCategoricalAccuracy(const LossOperands& in) {
  const Output labels = CastValue(in.graph, FlatClasses(in, in.labels), kInt64);
  return FloatOf(Equal(labels, LastArgMax(in.predictions)));
}
Output TopKAccuracy(const LossOperands& in) {
  return FloatOf(InTopKOf(in.graph, in.predictions, LastArgMax(in.labels), in.options.k));
}
Output SparseTopKAccuracy(const LossOperands& in) {
  const Output labels = CastValue(in.graph, FlatClasses(in, in.labels), kInt32);
  return FloatOf(InTopKOf(in.graph, in.predictions, labels, in.options.k));
}

struct LossRow {
  const char* kind;
  Output (*compute)(const LossOperands&);
};
constexpr LossRow kLossRows[] = {
    {"mean_squared_error", MeanSquared},
    {"mean_absolute_error", MeanAbsolute},
    {"mean_absolute_percentage_error", MeanAbsolutePercentage},
    {"mean_squared_logarithmic_error", MeanSquaredLogarithmic},
    {"hinge", KerasHinge},
    {"squared_hinge", SquaredHinge},
    {"categorical_hinge", CategoricalHinge},
    {"logcosh", LogCosh},
    {"huber_loss", Huber},
    {"kullback_leibler_divergence", KullbackLeibler},
    {"poisson", KerasPoisson},
    {"cosine_similarity", CosineSimilarity},
    {"binary_crossentropy", BinaryCrossentropy},
    {"categorical_crossentropy", CategoricalCrossentropy},
    {"sparse_categorical_crossentropy", SparseCategoricalCrossentropy},
    {"binary_accuracy", BinaryAccuracy},
    {"categorical_accuracy", CategoricalAccuracy},
    {"sparse_categorical_accuracy", SparseCategoricalAccuracy},
    {"top_k_categorical_accuracy", TopKAccuracy},
    {"sparse_top_k_categorical_accuracy", SparseTopKAccuracy},
    {"element_crossentropy", ElementCrossentropy},
};

}  // namespace

Result<Output> KerasLoss(Graph& graph, const std::string& kind, const Input& labels, const Input& predictions,
                         const KerasLossOptions& options) {
  for (const LossRow& row : kLossRows) {
    if (kind != row.kind) continue;
    const Output p = ValueOf(graph, predictions, kInvalidType, "y_pred");
    WEIR_TRY(graph.TakeError());
    const Output y = CastValue(graph, labels, p.base_dtype());
    WEIR_TRY(graph.TakeError());
    const Output loss = row.compute({graph, y, p, options});
    WEIR_TRY(graph.TakeError());
    return loss;
  }
  return InvalidArgument("unknown loss '{}'", kind);
}

}  // namespace weir
