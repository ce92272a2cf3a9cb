// ConstantEvaluator: computes values of nodes with constant inputs while a graph is built or optimized. The runtime
// implements it with the CPU kernels. Thread-safe.
#ifndef WEIR_GRAPH_CONSTANT_EVALUATOR_H_
#define WEIR_GRAPH_CONSTANT_EVALUATOR_H_

#include "graph/graph.h"

namespace weir {

class ConstantEvaluator {
 public:
  virtual ~ConstantEvaluator() = default;
  // Runs one node on constant inputs. An error means that the value is unknown.
  virtual Result<std::vector<Tensor>> Evaluate(const NodeProps& node, const std::vector<Tensor>& inputs) = 0;
};

}  // namespace weir

#endif  // WEIR_GRAPH_CONSTANT_EVALUATOR_H_
