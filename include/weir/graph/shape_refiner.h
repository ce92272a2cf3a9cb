// ShapeRefiner: shape inference while a graph is built. It runs the shape function of an op on the known shapes and
// values of its inputs, and finds the values of constant inputs: Consts, shapes of fully defined tensors, and values
// that the evaluator computes from them. Not thread-safe: the graph's lock guards it and the nodes that it looks at.
#ifndef WEIR_GRAPH_SHAPE_REFINER_H_
#define WEIR_GRAPH_SHAPE_REFINER_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "weir/graph/node.h"

namespace weir {

class ConstantEvaluator;

class ShapeRefiner final {
 public:
  void set_evaluator(std::shared_ptr<ConstantEvaluator> evaluator) { evaluator_ = std::move(evaluator); }
  const std::shared_ptr<ConstantEvaluator>& evaluator() const { return evaluator_; }

  Result<std::vector<PartialShape>> InferShapes(const NodeProps& props, const std::vector<Output>& inputs);
  // The value of an output if it is known without a run, else an invalid tensor.
  Tensor ConstantValue(Output output);
  // The shape that a shape vector describes, as far as it is known without a run.
  PartialShape ConstantShape(Output output);
  // Drops the values of a node that is being removed.
  void Forget(Node* node);

 private:
  // `budget` is the number of nodes that a query may still visit.
  Tensor Value(Output output, int* budget);
  Tensor ComputedValue(Output output, int* budget);
  PartialShape ShapeOfVector(Output output, int* budget);
  // The shape that the shape vector of a node describes, by its ShapeValue. An error if nothing is known.
  Result<PartialShape> ComposedShape(const Node& node, int index, int* budget);
  Result<PartialShape> PackedShape(const Node& node, int* budget);
  Result<PartialShape> ConcatenatedShape(const Node& node, int* budget);
  Result<PartialShape> SlicedShape(const Node& node, int* budget);
  int64_t ScalarDim(Output output, int* budget);
  static const PartialShape& KnownShape(Output output) { return output.node->output_shapes_[output.index]; }

  std::shared_ptr<ConstantEvaluator> evaluator_;
  std::unordered_map<Output, Tensor, OutputHash> known_values_;
};

}  // namespace weir

#endif  // WEIR_GRAPH_SHAPE_REFINER_H_
