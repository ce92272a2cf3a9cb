// ConstantEvaluator: computes values of nodes whose inputs are all known, while a graph is being built or optimized.
// Implemented by the runtime with the CPU kernels; thread-safe.
#ifndef WEIR_GRAPH_CONSTANT_EVALUATOR_H_
#define WEIR_GRAPH_CONSTANT_EVALUATOR_H_

#include "graph/graph.h"

namespace weir {

class ConstantEvaluator {
 public:
  virtual ~ConstantEvaluator() = default;
  // Runs one node on constant inputs. Errors mean "not known".
  virtual Result<std::vector<Tensor>> Evaluate(const NodeProps& node, const std::vector<Tensor>& inputs) = 0;
};

}  // namespace weir

#endif  // WEIR_GRAPH_CONSTANT_EVALUATOR_H_
