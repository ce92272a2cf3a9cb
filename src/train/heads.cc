#include "train/heads.h"

#include "base/status.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/build/string_ops.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/losses.h"
#include "graph/compose/math.h"
#include "graph/compose/nn.h"
#include "graph/node_builder.h"
#include "graph/texts.h"

namespace weir {
namespace {

bool IsString(Output value) { return value.base_dtype() == kString; }

// A value per example becomes a column.
Output AsColumn(Graph& graph, Output value, Output logits) {
  const PartialShape& shape = value.shape();
  const bool one_less = shape.known_rank() && logits.shape().known_rank() && shape.rank() == logits.shape().rank() - 1;
  return one_less ? ExpandDims(graph, value, -1) : value;
}

Status CheckDimension(Output value, Output logits, int64_t wanted, const char* what) {
  const PartialShape& shape = value.shape();
  if (!shape.known_rank() || shape.rank() == 0) return OkStatus();
  if (logits.shape().known_rank() && shape.rank() != logits.shape().rank())
    return InvalidArgument("{} has shape {}, but the logits have shape {}", what, PythonText(shape),
                           PythonText(logits.shape()));
  const int64_t last = shape.dim(shape.rank() - 1);
  if (last != kUnknownDim && last != wanted)
    return InvalidArgument(
        "Mismatched label shape. Expected labels dimension={}. Received {}. Check the number of classes or values of "
        "the "
        "estimator, and the shape of the labels.",
        wanted, last);
  return OkStatus();
}

// The position of each string in the vocabulary; -1 if it is not there.
Output IdsOf(Graph& graph, Output labels, const std::vector<std::string>& vocabulary) {
  const Output words = Constant(graph, Tensor::Vector<std::string>(vocabulary));
  const Output matches = Equal(ExpandDims(graph, labels, -1), words);
  const Output found = ArgMax(graph, CastValue(graph, matches, kInt32), -1);
  return Where(graph, ReduceAny(matches, -1), found, ZerosOf(graph, found) - OnesOf(graph, found));
}

// The labels after a check that they are at least zero and at most `most`.
Result<Output> InRange(Graph& graph, Output labels, const Input& most, const char* message) {
  WEIR_ASSIGN(Node* const low, AssertSign(graph, Relation::kGreaterEqual, labels, {.message = "Labels must be >= 0"}));
  WEIR_ASSIGN(Node* const high, AssertRelation(graph, Relation::kLessEqual, labels, most, {.message = message}));
  const ControlDependencies checked(graph, {low, high});
  return Identity(graph, labels);
}

// The names of the classes with these ids, as strings.
Output ClassNames(Graph& graph, const HeadOptions& options, Output ids) {
  if (options.label_vocabulary.empty()) return AsString(graph, ids, {.name = "str_classes"});
  return GatherV2(graph, Constant(graph, Tensor::Vector<std::string>(options.label_vocabulary)), ids, 0,
                  {.name = "class_string_lookup"});
}

Result<Output> ClassIds(Graph& graph, const HeadOptions& options, Output labels) {
  if (!options.label_vocabulary.empty()) {
    if (!IsString(labels))
      return InvalidArgument("Labels dtype should be string if there is a vocabulary. Instead got {}",
                             DTypeName(labels.base_dtype()));
    return IdsOf(graph, labels, options.label_vocabulary);
  }
  if (IsString(labels)) return InvalidArgument("labels are strings, so a label_vocabulary is needed");
  return labels;
}

// Labels as the losses need them.
Result<Output> PreparedLabels(Graph& graph, const HeadOptions& options, Output labels, Output logits) {
  labels = AsColumn(graph, labels, logits);
  const bool has_column =
      options.kind == HeadKind::kBinary || options.kind == HeadKind::kMultiClass || options.dimension == 1;
  WEIR_TRY(CheckDimension(labels, logits, has_column ? 1 : options.dimension, "labels"));
  switch (options.kind) {
    case HeadKind::kBinary: {
      WEIR_ASSIGN(labels, ClassIds(graph, options, labels));
      return InRange(graph, CastValue(graph, labels, kFloat), 1.0f, "Labels must be <= n_classes - 1");
    }
    case HeadKind::kMultiClass: {
      WEIR_ASSIGN(labels, ClassIds(graph, options, labels));
      if (labels.base_dtype() != kInt32 && labels.base_dtype() != kInt64)
        return InvalidArgument("Labels dtype should be integer. Instead got {}.", DTypeName(labels.base_dtype()));
      labels = CastValue(graph, labels, kInt64);
      return InRange(graph, labels, options.dimension - 1, "Labels must be <= n_classes - 1");
    }
    case HeadKind::kMultiLabel:
      return InRange(graph, CastValue(graph, labels, kInt64), int64_t{1}, "labels must be multi-hot: 0 or 1");
    case HeadKind::kLogistic:
      return InRange(graph, CastValue(graph, labels, kFloat), 1.0f, "Labels must be in range [0, 1]");
    default:
      return CastValue(graph, labels, kFloat);
  }
}

Result<Output> LossPerExample(Graph& graph, const HeadOptions& options, Output logits, Output labels) {
  if (options.loss_fn) return options.loss_fn(labels, logits);
  switch (options.kind) {
    case HeadKind::kBinary:
    case HeadKind::kLogistic:
      return SigmoidCrossEntropy(logits, labels);
    case HeadKind::kMultiClass:
      return ExpandDims(graph, SparseSoftmaxCrossEntropy(logits, Squeeze(graph, labels, {.squeeze_dims = {-1}})), -1);
    case HeadKind::kMultiLabel:
      return ReduceMean(SigmoidCrossEntropy(logits, CastValue(graph, labels, kFloat)), -1, kKeepDims);
    case HeadKind::kPoisson:
      return LogPoissonLoss(labels, logits, options.compute_full_loss);
    case HeadKind::kRegression:
      return SquaredDifference(logits, labels);
  }
  return Output();
}

LossReduction ReductionOf(HeadReduction reduction) {
  switch (reduction) {
    case HeadReduction::kNone:
      return LossReduction::kNone;
    case HeadReduction::kSum:
      return LossReduction::kSum;
    case HeadReduction::kMean:
      return LossReduction::kMean;
    case HeadReduction::kSumOverBatchSize:
      return LossReduction::kSumOverBatchSize;
    case HeadReduction::kSumByNonzeroWeights:
      return LossReduction::kSumByNonzeroWeights;
  }
  return LossReduction::kSum;
}

Status CheckLogits(const HeadOptions& options, Output logits) {
  const PartialShape& shape = logits.shape();
  if (!shape.known_rank()) return OkStatus();
  const int64_t last = shape.rank() == 0 ? kUnknownDim : shape.dim(shape.rank() - 1);
  if (shape.rank() >= 2 && (last == kUnknownDim || last == options.logits_dimension())) return OkStatus();
  return InvalidArgument("logits shape must be [D0, D1, ... DN, logits_dimension={}], got {}.",
                         options.logits_dimension(), PythonText(shape));
}

// One row of all classes for each example.
Output RowForEach(Graph& graph, Output row, Output logits) {
  const Output batch = ComposeGatherRows(graph, ShapeValue(graph, logits), std::vector<int64_t>{0});
  return Tile(graph, ExpandDims(graph, row, 0),
              Concat(graph, {batch, Constant(graph, Tensor::Vector<int32_t>({1}))}, 0));
}

void AddClasses(Graph& graph, const HeadOptions& options, Output scores, Output logits, int64_t classes,
                NamedOutputs* made) {
  const Output ids = ExpandDims(graph, ArgMax(graph, scores, -1), -1, {.name = "class_ids"});
  const Output all = Range(graph, Constant(graph, Tensor::Scalar<int32_t>(0)),
                           Constant(graph, Tensor::Scalar(static_cast<int32_t>(classes))),
                           Constant(graph, Tensor::Scalar<int32_t>(1)));
  made->emplace_back("class_ids", ids);
  made->emplace_back("classes", ClassNames(graph, options, ids));
  made->emplace_back("all_class_ids", RowForEach(graph, all, logits));
  made->emplace_back("all_classes", RowForEach(graph, ClassNames(graph, options, all), logits));
}

}  // namespace

Result<HeadLoss> BuildHeadLoss(Graph& graph, const HeadOptions& options, Output logits, Output labels, Output weights) {
  WEIR_TRY(CheckLogits(options, logits));
  HeadLoss loss;
  WEIR_ASSIGN(loss.labels, PreparedLabels(graph, options, labels, logits));
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(loss.per_example, LossPerExample(graph, options, logits, loss.labels));
  WEIR_TRY(graph.TakeError());
  if (weights.valid()) {
    loss.weights = AsColumn(graph, CastValue(graph, weights, kFloat), logits);
  } else {
    loss.weights = Constant(graph, Tensor::Scalar(1.0f));
  }
  WEIR_ASSIGN(loss.total, WeightedLoss(graph, loss.per_example,
                                       {.weights = loss.weights, .reduction = ReductionOf(options.reduction)}));
  WEIR_TRY(graph.TakeError());
  return loss;
}

Result<NamedOutputs> BuildHeadPredictions(Graph& graph, const HeadOptions& options, Output logits) {
  NameScope scope(graph, "predictions");
  WEIR_TRY(CheckLogits(options, logits));
  NamedOutputs made;
  switch (options.kind) {
    case HeadKind::kBinary: {
      const Output both = Concat(graph, {ZerosOf(graph, logits), logits}, -1, "two_class_logits");
      made.emplace_back("logits", logits);
      made.emplace_back("logistic", Sigmoid(graph, logits, {.name = "logistic"}));
      made.emplace_back("probabilities", Softmax(graph, both, {.name = "probabilities"}));
      AddClasses(graph, options, both, logits, 2, &made);
      break;
    }
    case HeadKind::kMultiClass:
      made.emplace_back("logits", logits);
      made.emplace_back("probabilities", Softmax(graph, logits, {.name = "probabilities"}));
      AddClasses(graph, options, logits, logits, options.dimension, &made);
      break;
    case HeadKind::kMultiLabel: {
      const Output all = Range(graph, Constant(graph, Tensor::Scalar<int32_t>(0)),
                               Constant(graph, Tensor::Scalar(static_cast<int32_t>(options.dimension))),
                               Constant(graph, Tensor::Scalar<int32_t>(1)));
      made.emplace_back("logits", logits);
      made.emplace_back("probabilities", Sigmoid(graph, logits, {.name = "probabilities"}));
      made.emplace_back("classes", RowForEach(graph, ClassNames(graph, options, all), logits));
      break;
    }
    default: {
      Output values = logits;
      if (options.kind == HeadKind::kPoisson) values = Exp(graph, logits);
      if (options.kind == HeadKind::kLogistic) values = Sigmoid(graph, logits);
      if (options.inverse_link) {
        WEIR_ASSIGN(values, options.inverse_link(logits));
      }
      made.emplace_back("predictions", values);
      if (values != logits) made.emplace_back("logits", logits);
    }
  }
  WEIR_TRY(graph.TakeError());
  return made;
}

}  // namespace weir
