// Reverse-mode differentiation: adds the nodes that compute d(ys)/d(xs) to the graph of ys.
#ifndef WEIR_GRAPH_GRADIENTS_H_
#define WEIR_GRAPH_GRADIENTS_H_

#include <functional>
#include <string_view>

#include "weir/graph/graph.h"

namespace weir {

enum class AggregationMethod { kAddN, kTree, kAccumulateN };

struct GradientOptions {
  std::vector<Grad> grad_ys;           // one per y; a missing gradient means ones
  std::vector<Output> stop_gradients;  // treated as constants
  bool colocate_with_ops = false;
  bool gate_gradients = false;
  AggregationMethod aggregation = AggregationMethod::kAddN;
  std::string name = "gradients";
  // Looks up a gradient registered by name outside of the op registry (Python's RegisterGradient); null if there is
  // none.
  std::function<const GradientFn*(std::string_view op_or_gradient_type)> custom_gradient;
};

// One gradient per x, empty if no path leads from ys to x. Errors name the op on the path that has no gradient.
Result<std::vector<Grad>> AddGradients(Graph& graph, const std::vector<Output>& ys, const std::vector<Output>& xs,
                                       const GradientOptions& options = {});
// H = d2y/dx2 for a scalar y and vectors x, one per x.
Result<std::vector<Output>> AddHessians(Graph& graph, Output y, const std::vector<Output>& xs);

}  // namespace weir

#endif  // WEIR_GRAPH_GRADIENTS_H_
