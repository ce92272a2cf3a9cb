#include "graph/compose/clip.h"

#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"
#include "graph/texts.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

Output ValuesOf(const Grad& g) {
  if (const Output* dense = std::get_if<Output>(&g)) return *dense;
  if (const IndexedSlices* slices = std::get_if<IndexedSlices>(&g)) return slices->values;
  return Output();
}

Graph* GraphOfGrads(const std::vector<Grad>& list) {
  for (const Grad& g : list)
    if (Output v = ValuesOf(g); v.valid()) return &v.graph();
  return nullptr;
}

// All axes of t, as a constant if the rank is known.
Input AllAxes(Output t) {
  if (t.shape().known_rank()) {
    std::vector<int64_t> axes;
    for (int i = 0; i < t.shape().rank(); ++i) axes.push_back(i);
    return axes;
  }
  return Range(t.graph(), 0, Rank(t), 1);
}

Output SumAll(Output t) { return Sum(t, AllAxes(t)); }

}  // namespace

Output ClipByValueBounds(const Input& t, const Input& low, const Input& high, std::string name) {
  Graph* graph = GraphOf({t, low, high});
  if (graph == nullptr) return Output();
  NameScope scope(*graph, NameOrDefault(name, "clip_by_value"));
  Output upper = Minimum(*graph, t, high, {.name = "Minimum"});
  return Maximum(*graph, upper, low, {.name = ExactScopeName(scope)});
}

Output ClipByNorm(const Input& t, const Input& clip_norm, const Input& axes, std::string name) {
  Graph* graph = GraphOf({t, clip_norm});
  if (graph == nullptr) return Output();
  NameScope scope(*graph, NameOrDefault(name, "clip_by_norm"));
  Result<Output> value = ToOutput(*graph, t, kInvalidType, "t");
  if (!value.ok()) return FailedOutput(*graph, value.status());
  const Input over = axes.absent() ? AllAxes(*value) : axes;
  Output squares = Sum(*value * *value, over, {.keep_dims = true});
  // Avoid the square root of zero: its gradient would be NaN.
  Output positive = Greater(squares, 0);
  Output safe = Select(positive, squares, OnesLike(squares));
  Output norm = Select(positive, Sqrt(safe), squares);
  Output scaled = Mul(*graph, *value, clip_norm);
  if (scaled.valid() && !scaled.shape().CompatibleWith(value->shape()))
    graph->RecordError(
        InvalidArgument("Shapes {} and {} are incompatible", PythonText(value->shape()), PythonText(scaled.shape())));
  return Identity(scaled / Maximum(*graph, norm, clip_norm), {.name = ExactScopeName(scope)});
}

Output ClipByAverageNorm(const Input& t, const Input& clip_norm, std::string name) {
  Graph* graph = GraphOf({t, clip_norm});
  if (graph == nullptr) return Output();
  NameScope scope(*graph, NameOrDefault(name, "clip_by_average_norm"));
  Result<Output> value = ToOutput(*graph, t, kInvalidType, "t");
  if (!value.ok()) return FailedOutput(*graph, value.status());
  Output count = Cast(Size(*value), value->base_dtype());
  Output inverse_norm = Rsqrt(SumAll(*value * *value)) * count;
  Output limit = Reciprocal(*graph, clip_norm);
  Output scale = Mul(*graph, clip_norm, Minimum(*graph, inverse_norm, limit));
  return Identity(*value * scale, {.name = ExactScopeName(scope)});
}

Output GlobalNorm(const std::vector<Grad>& list, std::string name) {
  Graph* graph = GraphOfGrads(list);
  if (graph == nullptr) return Output();
  NameScope scope(*graph, NameOrDefault(name, "global_norm"));
  InputList halves;
  for (const Grad& g : list)
    if (Output values = ValuesOf(g); values.valid()) {
      ColocationScope colocated(*graph, values.node);
      halves.push_back(L2Loss(values));
    }
  Output sum = SumAll(Pack(*graph, halves));
  return Sqrt(sum * 2.0f, {.name = "global_norm"});
}

ClippedByGlobalNorm ClipByGlobalNorm(const std::vector<Grad>& list, const Input& clip_norm, Output use_norm,
                                     std::string name) {
  Graph* graph = GraphOfGrads(list);
  if (graph == nullptr) return {list, use_norm};
  Output norm = use_norm.valid() ? use_norm : GlobalNorm(list, name);
  NameScope scope(*graph, NameOrDefault(name, "clip_by_global_norm"));
  // An infinite or NaN norm makes the scale, and so every value, NaN.
  Output one = Constant(*graph, Tensor::Scalar(1.0f));
  if (norm.base_dtype() != kFloat) one = Cast(one, norm.base_dtype());
  Output scale = Mul(*graph, clip_norm, Minimum(*graph, one / norm, RealDiv(*graph, one, clip_norm)));
  Output finite = IsFinite(norm);
  Output undefined = Constant(*graph, Tensor::Scalar(std::numeric_limits<float>::quiet_NaN()));
  if (norm.base_dtype() != kFloat) undefined = Cast(undefined, norm.base_dtype());
  scale = Select(finite, scale, undefined);
  ClippedByGlobalNorm result{{}, norm};
  for (size_t i = 0; i < list.size(); ++i) {
    Output values = ValuesOf(list[i]);
    if (!values.valid()) {
      result.list.emplace_back();
      continue;
    }
    ColocationScope colocated(*graph, values.node);
    Output factor = scale.base_dtype() == values.base_dtype() ? scale : Cast(scale, values.base_dtype());
    Output clipped = Identity(values * factor, {.name = fmt::format("{0}/{0}/_{1}/", scope.name(), i)});
    if (const IndexedSlices* slices = std::get_if<IndexedSlices>(&list[i])) {
      result.list.emplace_back(IndexedSlices{clipped, slices->indices, slices->dense_shape});
    } else {
      result.list.emplace_back(clipped);
    }
  }
  return result;
}

}  // namespace weir
