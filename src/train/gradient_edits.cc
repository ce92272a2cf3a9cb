#include "train/gradient_edits.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/clip.h"
#include "graph/compose/default_scope.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/weights.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"
#include "train/moving_averages.h"

namespace weir {
namespace {

// The gradient's dense value, or the rows of slices. Invalid without a gradient.
Output ElementsOf(const Grad& grad) {
  if (const Output* dense = std::get_if<Output>(&grad)) return *dense;
  const IndexedSlices* slices = std::get_if<IndexedSlices>(&grad);
  return slices == nullptr ? Output() : slices->values;
}

Grad WithElements(const Grad& grad, Output elements) {
  if (const IndexedSlices* slices = std::get_if<IndexedSlices>(&grad))
    return IndexedSlices{elements, slices->indices, slices->dense_shape};
  return elements;
}

// Replaces the elements of each gradient by `change(elements)`.
template <class F>
Result<GradientList> Changed(const GradientList& list, F&& change) {
  GradientList changed = list;
  for (GradAndVar& item : changed) {
    const Output elements = ElementsOf(item.grad);
    if (!elements.valid()) continue;
    item.grad = WithElements(item.grad, change(elements));
    WEIR_TRY(elements.graph().TakeError());
  }
  return changed;
}

std::vector<Grad> GradsOf(const GradientList& list) {
  std::vector<Grad> grads;
  for (const GradAndVar& item : list) grads.push_back(item.grad);
  return grads;
}

Output As(Output value, DType dtype) { return value.base_dtype() == dtype ? value : Cast(value, dtype); }

// The running average of `value`, in a variable of the current scope, after this step.
Result<Output> RunningAverage(Graph& graph, const std::string& name, Output value, Output decay) {
  VariableRequest request;
  request.name = name;
  request.shape = value.shape();
  request.dtype = value.base_dtype();
  request.initializer = std::make_shared<ScopedInitializer>(ZerosInitializer());
  request.trainable = false;
  WEIR_ASSIGN(VariablePtr average, VariableScopeStack(graph).Get(request));
  return AssignMovingAverage(*average, value, decay, /*zero_debias=*/false);
}

}  // namespace

Result<GradientList> MultiplyGradients(const GradientList& list, const std::map<std::string, Input>& factors) {
  GradientList changed = list;
  for (GradAndVar& item : changed) {
    const auto factor = factors.find(item.var->op_name());
    if (factor == factors.end()) continue;
    const Output elements = ElementsOf(item.grad);
    if (!elements.valid()) return InvalidArgument("Requested multiple of `None` gradient.");
    Graph& graph = elements.graph();
    const Output by = ValueOf(graph, factor->second, elements.base_dtype());
    item.grad = WithElements(item.grad, elements * by);
    WEIR_TRY(graph.TakeError());
  }
  return changed;
}

Result<GradientList> ClipGradientNorms(const GradientList& list, const Input& max_norm) {
  return Changed(list, [&](Output elements) { return ClipByNorm(elements, max_norm); });
}

Result<GradientList> ClipGradientsTogether(const GradientList& list, const Input& max_norm) {
  const ClippedByGlobalNorm clipped = ClipByGlobalNorm(GradsOf(list), max_norm);
  GradientList changed = list;
  for (size_t i = 0; i < changed.size(); ++i) changed[i].grad = clipped.list[i];
  for (const GradAndVar& item : changed) WEIR_TRY(item.var->graph().TakeError());
  return changed;
}

Result<GradientList> AddGradientNoise(const GradientList& list, const Input& scale, OpSeed seed) {
  return Changed(list, [&](Output elements) {
    Graph& graph = elements.graph();
    return elements + TruncatedNormal(graph, ShapeOf(elements), 0.0, 1.0, elements.base_dtype(), seed) *
                          ValueOf(graph, scale, elements.base_dtype());
  });
}

Result<AdaptivelyClipped> ClipGradientsAdaptively(const GradientList& list, const AdaptiveClipping& how) {
  const Output norm = GlobalNorm(GradsOf(list));
  if (!norm.valid()) return InvalidArgument("there are no gradients to clip");
  Graph& graph = norm.graph();
  const DType dtype = norm.base_dtype();
  Output mean, max_norm;
  {
    DefaultScope scope(graph, how.name, "AdaptiveMaxNorm");
    const Output log_norm = Log(norm + how.epsilon);
    Output decay = ValueOf(graph, how.decay, dtype, "decay");
    if (!how.global_step.absent()) {
      const Output n = As(ValueOf(graph, how.global_step), dtype);
      decay = Minimum(decay, n / (n + 1.0f));
    }
    WEIR_TRY(graph.TakeError());
    WEIR_ASSIGN(mean, RunningAverage(graph, "mean", log_norm, decay));
    WEIR_ASSIGN(const Output squares, RunningAverage(graph, "sq_mean", Square(log_norm), decay));
    const Output deviation = Sqrt(Maximum(squares - Square(mean), how.epsilon));
    max_norm = Exp(mean + ValueOf(graph, how.std_factor, dtype) * deviation);
    WEIR_TRY(graph.TakeError());
  }
  Output factor = Select(Less(norm, max_norm), OnesLike(norm), Exp(mean) / norm);
  if (!how.static_max_norm.absent()) factor = Minimum(ValueOf(graph, how.static_max_norm, dtype) / norm, factor);
  WEIR_TRY(graph.TakeError());
  AdaptivelyClipped clipped{{}, max_norm};
  WEIR_ASSIGN(clipped.list,
              Changed(list, [&](Output elements) { return elements * As(factor, elements.base_dtype()); }));
  return clipped;
}

Result<Output> LossAfterUpdates(Output loss, const std::vector<Node*>& updates) {
  if (updates.empty() || !loss.valid()) return loss;
  Graph& graph = loss.graph();
  Node* barrier = nullptr;
  {
    ControlDependencies after(graph, updates);
    barrier = NodeBuilder(graph, "NoOp", "update_barrier").BuildNode();
  }
  WEIR_TRY(graph.TakeError());
  const Output value = WithDependencies({barrier}, loss);
  WEIR_TRY(graph.TakeError());
  return value;
}

Result<Output> TrainOpOf(Output loss, Node* apply, bool check_numerics) {
  if (!loss.valid() || apply == nullptr)
    return InvalidArgument("the train op needs a loss and the node that applies updates");
  Graph& graph = loss.graph();
  Output train_op;
  {
    NameScope scope(graph, "train_op");
    const Output checked =
        check_numerics ? CheckNumerics(loss, "LossTensor is inf or nan", {.name = "CheckNumerics"}) : loss;
    train_op = WithDependencies({apply}, checked);
  }
  WEIR_TRY(graph.TakeError());
  graph.collections().Add(graph_keys::kTrainOp, train_op);
  return train_op;
}

}  // namespace weir
