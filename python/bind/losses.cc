// tf.losses.
#include "graph/compose/losses.h"

#include "bind/arguments.h"

namespace weir::python {
namespace {

[[noreturn]] void RaiseInvalidReduction(const std::string& given) {
  RaiseValue(
      fmt::format("Invalid Reduction Key {}. Key should be one of ('none', 'weighted_sum', 'weighted_mean', "
                  "'weighted_sum_over_batch_size', 'weighted_sum_by_nonzero_weights').",
                  given));
}

LossReduction ReductionFrom(const std::string& text) {
  struct Row {
    const char* text;
    LossReduction reduction;
  };
  for (const Row& row : {Row{"none", LossReduction::kNone}, Row{"weighted_sum", LossReduction::kSum},
                         Row{"weighted_mean", LossReduction::kMean},
                         Row{"weighted_sum_over_batch_size", LossReduction::kSumOverBatchSize},
                         Row{"weighted_sum_by_nonzero_weights", LossReduction::kSumByNonzeroWeights}})
    if (text == row.text) return row.reduction;
  RaiseInvalidReduction(text);
}

struct ReductionArgument {
  LossReduction value = LossReduction::kSumByNonzeroWeights;
};

}  // namespace
}  // namespace weir::python

namespace pybind11::detail {

template <>
struct type_caster<weir::python::ReductionArgument> {
  PYBIND11_TYPE_CASTER(weir::python::ReductionArgument, const_name("str"));
  bool load(handle source, bool) {
    if (!PyUnicode_Check(source.ptr())) weir::python::RaiseInvalidReduction(weir::python::Str(source));
    value.value = weir::python::ReductionFrom(source.cast<std::string>());
    return true;
  }
};

}  // namespace pybind11::detail

namespace weir::python {
namespace {

LossOptions Options(const Input& weights, const Name& scope, const Name& collection, ReductionArgument reduction = {}) {
  if (weights.absent()) RaiseValue("None values not supported. (the weights of a loss)");
  return {.weights = weights, .scope = scope.text, .collection = collection.text, .reduction = reduction.value};
}

const char kDefaultReduction[] = "weighted_sum_by_nonzero_weights";

using Pairwise = Result<Output> (*)(Graph&, const Input&, const Input&, const LossOptions&);

void DefPair(py::module_& m, const char* name, const char* first, const char* second, Pairwise function) {
  m.def(name,
        Building([function](Graph& g, Input a, Input b, Input weights, Name scope, Name collection,
                            ReductionArgument reduction) {
          return function(g, a, b, Options(weights, scope, collection, reduction));
        }),
        py::arg(first), py::arg(second), py::arg("weights") = 1.0, py::arg("scope") = py::none(),
        py::arg("loss_collection") = "losses", py::arg("reduction") = kDefaultReduction);
}

// Losses with one more parameter (a number or a tensor) after the weights.
template <class T>
using PairwiseWith = Result<Output> (*)(Graph&, const Input&, const Input&, T, const LossOptions&);
template <class T, class Given>
void DefPairWith(py::module_& m, const char* name, const char* first, const char* second, const char* third,
                 Given fallback, PairwiseWith<T> function) {
  m.def(name,
        Building([function](Graph& g, Input a, Input b, Input weights, std::decay_t<T> extra, Name scope,
                            Name collection, ReductionArgument reduction) {
          return function(g, a, b, extra, Options(weights, scope, collection, reduction));
        }),
        py::arg(first), py::arg(second), py::arg("weights") = 1.0, py::arg(third) = fallback,
        py::arg("scope") = py::none(), py::arg("loss_collection") = "losses", py::arg("reduction") = kDefaultReduction);
}

}  // namespace

void BindLosses(py::module_& m) {
  DefPair(m, "loss_absolute_difference", "labels", "predictions", AbsoluteDifference);
  DefPair(m, "loss_hinge_loss", "labels", "logits", HingeLoss);
  DefPair(m, "loss_mean_squared_error", "labels", "predictions", MeanSquaredError);
  DefPair(m, "loss_sparse_softmax_cross_entropy", "labels", "logits", SparseSoftmaxLoss);
  DefPairWith<double>(m, "loss_huber_loss", "labels", "predictions", "delta", 1.0, HuberLoss);
  DefPairWith<double>(m, "loss_log_loss", "labels", "predictions", "epsilon", 1e-7, LogLoss);
  DefPairWith<const Input&>(m, "loss_sigmoid_cross_entropy", "multi_class_labels", "logits", "label_smoothing", 0,
                            SigmoidLoss);
  DefPairWith<const Input&>(m, "loss_softmax_cross_entropy", "onehot_labels", "logits", "label_smoothing", 0,
                            SoftmaxLoss);
  Def(
      m, "loss_cosine_distance",
      +[](Graph& g, Input labels, Input predictions, std::optional<int64_t> axis, Input weights, Name scope,
          Name collection, ReductionArgument reduction) {
        if (!axis.has_value()) RaiseValue("You must specify argument 'axis'.");
        return CosineDistance(g, labels, predictions, *axis, Options(weights, scope, collection, reduction));
      },
      py::arg("labels"), py::arg("predictions"), py::arg("axis") = py::none(), py::arg("weights") = 1.0,
      py::arg("scope") = py::none(), py::arg("loss_collection") = "losses", py::arg("reduction") = kDefaultReduction);
  Def(
      m, "loss_mean_pairwise_squared_error",
      +[](Graph& g, Input labels, Input predictions, Input weights, Name scope, Name collection) {
        return MeanPairwiseSquaredError(g, labels, predictions, Options(weights, scope, collection));
      },
      py::arg("labels"), py::arg("predictions"), py::arg("weights") = 1.0, py::arg("scope") = py::none(),
      py::arg("loss_collection") = "losses");
  Def(
      m, "loss_compute_weighted_loss",
      +[](Graph& g, Input losses, Input weights, Name scope, Name collection, ReductionArgument reduction) {
        return WeightedLoss(g, losses, Options(weights, scope, collection, reduction));
      },
      py::arg("losses"), py::arg("weights") = 1.0, py::arg("scope") = py::none(), py::arg("loss_collection") = "losses",
      py::arg("reduction") = kDefaultReduction);
}

}  // namespace weir::python
