// Neural network functions whose public signature differs from that of a single op.
#include "graph/compose/nn.h"

#include "bind/arguments.h"
#include "bind/sparse.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/dims.h"
#include "graph/compose/embedding.h"
#include "graph/compose/math.h"

namespace weir::python {
namespace {

void BindSoftmax(py::module_& m) {
  using Along = Output (*)(Graph&, Input, int, Name);
  const std::pair<const char*, Along> functions[] = {
      {"softmax", [](Graph& g, Input x, int axis,
                     Name n) { return SoftmaxAlong(ValueOf(g, x, kInvalidType, "logits"), axis, n.text); }},
      {"log_softmax", [](Graph& g, Input x, int axis,
                         Name n) { return LogSoftmaxAlong(ValueOf(g, x, kInvalidType, "logits"), axis, n.text); }},
  };
  for (const auto& [name, function] : functions)
    Def(m, name, function, py::arg("logits"), py::arg("axis") = -1, py::arg("name") = py::none());
}

void BindInTopK(py::module_& m) {
  Def(
      m, "in_top_k",
      +[](Graph& g, Input predictions, Input targets, Input k, Name n) {
        return InTopKOf(g, predictions, targets, k, n.text);
      },
      py::arg("predictions"), py::arg("targets"), py::arg("k"), py::arg("name") = py::none());
}

void CheckBoth(const Input& labels, const Input& logits) {
  if (labels.absent() || logits.absent()) RaiseValue("Both labels and logits must be provided.");
}

void BindCrossEntropies(py::module_& m) {
  // Deprecated positional order: logits, then labels.
  Def(
      m, "softmax_cross_entropy_with_logits",
      +[](Graph& g, Input logits, Input labels, int axis, Name n, bool stop_labels) {
        CheckBoth(labels, logits);
        return SoftmaxCrossEntropy(ValueOf(g, logits, kInvalidType, "logits"), labels, axis, stop_labels, n.text);
      },
      py::arg("logits") = py::none(), py::arg("labels") = py::none(), py::arg("dim") = -1, py::arg("name") = py::none(),
      py::arg("stop_labels") = true);
  Def(
      m, "sparse_softmax_cross_entropy_with_logits",
      +[](Graph& g, Input logits, Input labels, Name n) {
        CheckBoth(labels, logits);
        return SparseSoftmaxCrossEntropy(ValueOf(g, logits, kInvalidType, "logits"), labels, n.text);
      },
      py::arg("logits") = py::none(), py::arg("labels") = py::none(), py::arg("name") = py::none());
  Def(
      m, "sigmoid_cross_entropy_with_logits",
      +[](Graph& g, Input logits, Input labels, Name n) {
        CheckBoth(labels, logits);
        return SigmoidCrossEntropy(ValueOf(g, logits, kInvalidType, "logits"), labels, n.text);
      },
      py::arg("logits") = py::none(), py::arg("labels") = py::none(), py::arg("name") = py::none());
  Def(
      m, "weighted_cross_entropy_with_logits",
      +[](Graph& g, Input labels, Input logits, Input pos_weight, Name n) {
        CheckBoth(labels, logits);
        return WeightedCrossEntropy(labels, ValueOf(g, logits, kInvalidType, "logits"), pos_weight, n.text);
      },
      py::arg("labels"), py::arg("logits"), py::arg("pos_weight"), py::arg("name") = py::none());
  Def(
      m, "log_poisson_loss",
      +[](Graph& g, Input targets, Input log_input, bool full, Name n) {
        return LogPoissonLoss(targets, ValueOf(g, log_input, kInvalidType, "log_input"), full, n.text);
      },
      py::arg("targets"), py::arg("log_input"), py::arg("compute_full_loss") = false, py::arg("name") = py::none());
}

py::object DropOut(py::object x, py::object keep_prob, const Input& noise_shape, OpSeed seed, const Name& name,
                   py::object rate) {
  if (keep_prob.is_none() == rate.is_none()) RaiseValue("You must provide a rate to dropout.");
  const auto is_number = [](py::handle v) { return PyFloat_Check(v.ptr()) || PyLong_Check(v.ptr()); };
  if (rate.is_none()) rate = py::float_(1.0) - keep_prob;
  if (is_number(rate)) {
    const double number = rate.cast<double>();
    if (!(number >= 0 && number < 1))
      RaiseValue(fmt::format("rate must be a scalar tensor or a float in the range [0, 1), got {}", number));
    if (number == 0) return IsTensor(x) ? x : Wrap(Take(ToOutput(DefaultGraphRef(), InputFrom(x), kInvalidType, "x")));
  }
  const Input input = InputFrom(x);
  Graph& graph = input.is_output() ? input.output().graph() : DefaultGraphRef();
  Output y = Dropout(ValueOf(graph, input, kInvalidType, "x"), InputFrom(rate), noise_shape, seed, name.text);
  Check(graph.TakeError());
  return Wrap(y);
}

void BindNormalization(py::module_& m) {
  m.def("dropout", &DropOut, py::arg("x"), py::arg("keep_prob") = py::none(), py::arg("noise_shape") = py::none(),
        py::arg("seed") = py::none(), py::arg("name") = py::none(), py::arg("rate") = py::none());
  Def(
      m, "moments",
      +[](Graph& g, Input x, AxesArgument axes, bool keep, Name n) {
        MomentsResult r = Moments(ValueOf(g, x, kInvalidType, "x"), axes.axes, keep, n.text);
        return std::pair(r.mean, r.variance);
      },
      py::arg("x"), py::arg("axes"), py::arg("keepdims") = false, py::arg("name") = py::none());
  Def(
      m, "weighted_moments",
      +[](Graph& g, Input x, AxesArgument axes, Input weights, bool keep, Name n) {
        MomentsResult r = WeightedMoments(g, x, axes.axes, weights, keep, n.text);
        return std::pair(r.mean, r.variance);
      },
      py::arg("x"), py::arg("axes"), py::arg("frequency_weights"), py::arg("keepdims") = false,
      py::arg("name") = py::none());
  Def(
      m, "sufficient_statistics",
      +[](Graph& g, Input x, AxesArgument axes, Input shift, bool keep, Name n) {
        Statistics s = SufficientStatistics(g, x, axes.axes, shift, keep, n.text);
        return std::tuple(s.count, s.sum, s.squares, s.shift);
      },
      py::arg("x"), py::arg("axes"), py::arg("shift") = py::none(), py::arg("keepdims") = false,
      py::arg("name") = py::none());
  Def(
      m, "normalize_moments",
      +[](Graph& g, Input counts, Input mean_ss, Input variance_ss, Input shift, Name n) {
        MomentsResult r = NormalizeMoments(g, counts, mean_ss, variance_ss, shift, n.text);
        return std::pair(r.mean, r.variance);
      },
      py::arg("counts"), py::arg("mean_ss"), py::arg("variance_ss"), py::arg("shift"), py::arg("name") = py::none());
  Def(
      m, "batch_normalization",
      +[](Graph& g, Input x, Input mean, Input variance, Input offset, Input scale, Input epsilon, Name n) {
        return BatchNormalization(ValueOf(g, x, kInvalidType, "x"), mean,
                                  ValueOf(g, variance, kInvalidType, "variance"), offset, scale, epsilon, n.text);
      },
      py::arg("x"), py::arg("mean"), py::arg("variance"), py::arg("offset"), py::arg("scale"),
      py::arg("variance_epsilon"), py::arg("name") = py::none());
  Def(
      m, "l2_normalize",
      +[](Graph& g, Input x, AxesArgument axis, float epsilon, Name n) {
        return L2Normalize(ValueOf(g, x, kInvalidType, "x"), axis.axes, epsilon, n.text);
      },
      py::arg("x"), py::arg("axis") = py::none(), py::arg("epsilon") = 1e-12, py::arg("name") = py::none());
  Def(
      m, "zero_fraction",
      +[](Graph& g, Input x, Name n) { return ZeroFraction(ValueOf(g, x, kInvalidType, "value"), n.text); },
      py::arg("value"), py::arg("name") = py::none());
  Def(
      m, "bias_add",
      +[](Graph& g, Input value, Input bias, std::optional<std::string> format, Name n) {
        return AddBias(g, value, bias, format.value_or(""), n.text);
      },
      py::arg("value"), py::arg("bias"), py::arg("data_format") = py::none(), py::arg("name") = py::none());
  using Layer = Output (*)(Graph&, Input, Input, Input, Name);
  const std::pair<const char*, Layer> layers[] = {
      {"xw_plus_b", [](Graph& g, Input x, Input w, Input b,
                       Name n) { return XwPlusB(ValueOf(g, x, kInvalidType, "x"), w, b, n.text); }},
      {"relu_layer", [](Graph& g, Input x, Input w, Input b,
                        Name n) { return ReluLayer(ValueOf(g, x, kInvalidType, "x"), w, b, n.text); }},
  };
  for (const auto& [name, function] : layers)
    Def(m, name, function, py::arg("x"), py::arg("weights"), py::arg("biases"), py::arg("name") = py::none());
  Def(
      m, "crelu", +[](Graph& g, Input features, Name n, int axis) { return ConcatRelu(g, features, axis, n.text); },
      py::arg("features"), py::arg("name") = py::none(), py::arg("axis") = -1);
  Def(
      m, "log_sigmoid", +[](Graph& g, Input x, Name n) { return LogSigmoid(g, x, n.text); }, py::arg("x"),
      py::arg("name") = py::none());
  Def(
      m, "swish", +[](Graph& g, Input features, Input beta) { return Swish(g, features, beta); }, py::arg("features"),
      py::arg("beta") = 1.0);
}

PartitionStrategy StrategyFrom(const std::string& text) {
  if (text == "mod") return PartitionStrategy::kMod;
  if (text == "div") return PartitionStrategy::kDiv;
  RaiseValue(fmt::format("Unrecognized partition strategy: {}", text));
}

Combiner CombinerFrom(const std::optional<std::string>& text) {
  if (!text.has_value() || *text == "mean") return Combiner::kMean;
  if (*text == "sqrtn") return Combiner::kSqrtN;
  if (*text == "sum") return Combiner::kSum;
  RaiseValue("combiner must be one of 'mean', 'sqrtn' or 'sum'");
}

// Uses the handle of a resource variable, to look up rows without reading the whole variable. Not while a function is
// traced: a captured handle does not carry the variable's type.
Input TableFrom(py::handle object) {
  if (functions_being_traced == 0 && !IsTensor(object) && py::hasattr(object, "handle")) {
    py::object handle = object.attr("handle");
    if (IsTensor(handle)) return OutputOf(handle);
  }
  return InputFrom(object);
}
InputList TablesFrom(py::handle object) {
  py::object pieces = py::hasattr(object, "_get_variable_list") ? object.attr("_get_variable_list")()
                                                                : py::reinterpret_borrow<py::object>(object);
  if (!PyList_Check(pieces.ptr()) && !PyTuple_Check(pieces.ptr())) return {TableFrom(pieces)};
  InputList list;
  for (py::handle item : py::reinterpret_borrow<py::sequence>(pieces)) list.push_back(TableFrom(item));
  return list;
}
Graph& GraphOfTables(const InputList& tables) {
  Graph* graph = GraphOfArgument(tables);
  return graph != nullptr ? *graph : DefaultGraphRef();
}
SparseIds IdsFrom(py::handle object, const char* what) {
  if (!IsSparse(object)) RaiseType(fmt::format("{} must be SparseTensor", what));
  const SparseObject& s = SparseOf(object);
  return {s.indices, s.values, s.dense_shape};
}

void BindEmbedding(py::module_& m) {
  m.def(
      "embedding_lookup",
      [](py::handle params, Input ids, const std::string& strategy, const Name& name, Input max_norm) {
        const InputList tables = TablesFrom(params);
        if (tables.empty()) RaiseValue("Need at least one param");
        Graph& graph = GraphOfTables(tables);
        return Take(EmbeddingLookup(graph, tables, ids, StrategyFrom(strategy), max_norm, name.text));
      },
      py::arg("params"), py::arg("ids"), py::arg("partition_strategy") = "mod", py::arg("name") = py::none(),
      py::arg("max_norm") = py::none());
  m.def(
      "embedding_lookup_sparse",
      [](py::handle params, py::handle sp_ids, py::handle sp_weights, const std::string& strategy, const Name& name,
         const std::optional<std::string>& combiner, Input max_norm) {
        const InputList tables = TablesFrom(params);
        if (tables.empty()) RaiseValue("Need at least one param");
        std::optional<SparseIds> weights;
        if (!sp_weights.is_none()) weights = IdsFrom(sp_weights, "sp_weights");
        return Take(EmbeddingLookupSparse(GraphOfTables(tables), tables, IdsFrom(sp_ids, "sp_ids"), weights,
                                          StrategyFrom(strategy), CombinerFrom(combiner), max_norm, name.text));
      },
      py::arg("params"), py::arg("sp_ids"), py::arg("sp_weights"), py::arg("partition_strategy") = "mod",
      py::arg("name") = py::none(), py::arg("combiner") = py::none(), py::arg("max_norm") = py::none());
}

void BindSafeEmbedding(py::module_& m) {
  m.def(
      "safe_embedding_lookup_sparse",
      [](py::handle weights, py::handle ids, py::handle sparse_weights, const std::optional<std::string>& combiner,
         std::optional<int64_t> default_id, const Name& name, const std::string& strategy, Input max_norm) {
        if (weights.is_none()) RaiseValue("embedding_weights are missing");
        const InputList tables = TablesFrom(weights);
        if (tables.empty()) RaiseValue("embedding_weights are missing");
        std::optional<SparseIds> id_weights;
        if (!sparse_weights.is_none()) id_weights = IdsFrom(sparse_weights, "sparse_weights");
        if (!IsSparse(ids)) RaiseMissingAttribute(ids, "dense_shape");
        return Take(SafeEmbeddingLookupSparse(GraphOfTables(tables), tables, IdsFrom(ids, "sparse_ids"), id_weights,
                                              {.combiner = CombinerFrom(combiner),
                                               .default_id = default_id,
                                               .strategy = StrategyFrom(strategy),
                                               .max_norm = max_norm,
                                               .name = name.text}));
      },
      py::arg("embedding_weights"), py::arg("sparse_ids"), py::arg("sparse_weights") = py::none(),
      py::arg("combiner") = "mean", py::arg("default_id") = py::none(), py::arg("name") = py::none(),
      py::arg("partition_strategy") = "div", py::arg("max_norm") = py::none());
}

SampledLossOptions LossOptions(int64_t num_true, py::handle sampled, bool remove_hits, const std::string& strategy,
                               OpSeed seed, const Name& name) {
  SampledLossOptions options;
  options.num_true = num_true;
  if (!sampled.is_none()) {
    py::sequence parts = py::reinterpret_borrow<py::sequence>(sampled);
    if (py::len(parts) != 3) RaiseValue("sampled_values must be a tuple of three tensors");
    options.sampled_values =
        SampledCandidates{parts[0].cast<Output>(), parts[1].cast<Output>(), parts[2].cast<Output>()};
  }
  options.remove_accidental_hits = remove_hits;
  options.strategy = StrategyFrom(strategy);
  options.seed = seed;
  options.name = name.text;
  return options;
}

void BindSampling(py::module_& m) {
  m.def(
      "sampled_softmax_loss",
      [](py::handle weights, py::handle biases, Input labels, Input inputs, int64_t num_sampled, int64_t num_classes,
         int64_t num_true, py::handle sampled, bool remove_hits, const std::string& strategy, const Name& name,
         OpSeed seed) {
        const InputList tables = TablesFrom(weights);
        return Take(SampledSoftmaxLoss(GraphOfTables(tables), tables, TableFrom(biases), labels, inputs, num_sampled,
                                       num_classes, LossOptions(num_true, sampled, remove_hits, strategy, seed, name)));
      },
      py::arg("weights"), py::arg("biases"), py::arg("labels"), py::arg("inputs"), py::arg("num_sampled"),
      py::arg("num_classes"), py::arg("num_true") = 1, py::arg("sampled_values") = py::none(),
      py::arg("remove_accidental_hits") = true, py::arg("partition_strategy") = "mod",
      py::arg("name") = "sampled_softmax_loss", py::arg("seed") = py::none());
  m.def(
      "nce_loss",
      [](py::handle weights, py::handle biases, Input labels, Input inputs, int64_t num_sampled, int64_t num_classes,
         int64_t num_true, py::handle sampled, bool remove_hits, const std::string& strategy, const Name& name) {
        const InputList tables = TablesFrom(weights);
        return Take(NceLoss(GraphOfTables(tables), tables, TableFrom(biases), labels, inputs, num_sampled, num_classes,
                            LossOptions(num_true, sampled, remove_hits, strategy, {}, name)));
      },
      py::arg("weights"), py::arg("biases"), py::arg("labels"), py::arg("inputs"), py::arg("num_sampled"),
      py::arg("num_classes"), py::arg("num_true") = 1, py::arg("sampled_values") = py::none(),
      py::arg("remove_accidental_hits") = false, py::arg("partition_strategy") = "mod", py::arg("name") = "nce_loss");
}

}  // namespace

void BindNn(py::module_& m) {
  BindSoftmax(m);
  BindInTopK(m);
  BindCrossEntropies(m);
  BindNormalization(m);
  BindEmbedding(m);
  BindSafeEmbedding(m);
  BindSampling(m);
}

}  // namespace weir::python
