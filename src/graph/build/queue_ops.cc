// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/queue_ops.h"

namespace weir {

Node* AccumulatorApplyGradient(Graph& graph, const Input& handle, const Input& local_step, const Input& gradient, const AccumulatorApplyGradientAttrs& attrs) {
  NodeBuilder node(graph, "AccumulatorApplyGradient", attrs.name);
  node.In(handle);
  node.In(local_step);
  node.In(gradient);
  return node.BuildNode();
}
Node* AccumulatorApplyGradient(const Input& handle, const Input& local_step, const Input& gradient, const AccumulatorApplyGradientAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{local_step}, InputList{gradient}});
  if (graph == nullptr) return {};
  return AccumulatorApplyGradient(*graph, handle, local_step, gradient, attrs);
}

Output AccumulatorNumAccumulated(Graph& graph, const Input& handle, const AccumulatorNumAccumulatedAttrs& attrs) {
  NodeBuilder node(graph, "AccumulatorNumAccumulated", attrs.name);
  node.In(handle);
  return node.BuildOutput();
}
Output AccumulatorNumAccumulated(const Input& handle, const AccumulatorNumAccumulatedAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return AccumulatorNumAccumulated(*graph, handle, attrs);
}

Node* AccumulatorSetGlobalStep(Graph& graph, const Input& handle, const Input& new_global_step, const AccumulatorSetGlobalStepAttrs& attrs) {
  NodeBuilder node(graph, "AccumulatorSetGlobalStep", attrs.name);
  node.In(handle);
  node.In(new_global_step);
  return node.BuildNode();
}
Node* AccumulatorSetGlobalStep(const Input& handle, const Input& new_global_step, const AccumulatorSetGlobalStepAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{new_global_step}});
  if (graph == nullptr) return {};
  return AccumulatorSetGlobalStep(*graph, handle, new_global_step, attrs);
}

Output AccumulatorTakeGradient(Graph& graph, const Input& handle, const Input& num_required, DType dtype, const AccumulatorTakeGradientAttrs& attrs) {
  NodeBuilder node(graph, "AccumulatorTakeGradient", attrs.name);
  node.In(handle);
  node.In(num_required);
  node.Attr("dtype", dtype);
  return node.BuildOutput();
}
Output AccumulatorTakeGradient(const Input& handle, const Input& num_required, DType dtype, const AccumulatorTakeGradientAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{num_required}});
  if (graph == nullptr) return {};
  return AccumulatorTakeGradient(*graph, handle, num_required, dtype, attrs);
}

Output ConditionalAccumulator(Graph& graph, DType dtype, const PartialShape& shape, const ConditionalAccumulatorAttrs& attrs) {
  NodeBuilder node(graph, "ConditionalAccumulator", attrs.name);
  node.Attr("dtype", dtype);
  node.Attr("shape", shape);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("reduction_type", attrs.reduction_type);
  return node.BuildOutput();
}

Output FIFOQueue(Graph& graph, const std::vector<DType>& component_types, const FIFOQueueAttrs& attrs) {
  NodeBuilder node(graph, "FIFOQueue", attrs.name);
  node.Attr("component_types", component_types);
  node.Attr("shapes", attrs.shapes);
  node.Attr("capacity", attrs.capacity);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output FIFOQueueV2(Graph& graph, const std::vector<DType>& component_types, const FIFOQueueV2Attrs& attrs) {
  NodeBuilder node(graph, "FIFOQueueV2", attrs.name);
  node.Attr("component_types", component_types);
  node.Attr("shapes", attrs.shapes);
  node.Attr("capacity", attrs.capacity);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output PaddingFIFOQueue(Graph& graph, const std::vector<DType>& component_types, const PaddingFIFOQueueAttrs& attrs) {
  NodeBuilder node(graph, "PaddingFIFOQueue", attrs.name);
  node.Attr("component_types", component_types);
  node.Attr("shapes", attrs.shapes);
  node.Attr("capacity", attrs.capacity);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output PaddingFIFOQueueV2(Graph& graph, const std::vector<DType>& component_types, const PaddingFIFOQueueV2Attrs& attrs) {
  NodeBuilder node(graph, "PaddingFIFOQueueV2", attrs.name);
  node.Attr("component_types", component_types);
  node.Attr("shapes", attrs.shapes);
  node.Attr("capacity", attrs.capacity);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output PriorityQueue(Graph& graph, const std::vector<PartialShape>& shapes, const PriorityQueueAttrs& attrs) {
  NodeBuilder node(graph, "PriorityQueue", attrs.name);
  node.Attr("shapes", shapes);
  node.Attr("component_types", attrs.component_types);
  node.Attr("capacity", attrs.capacity);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output PriorityQueueV2(Graph& graph, const std::vector<PartialShape>& shapes, const PriorityQueueV2Attrs& attrs) {
  NodeBuilder node(graph, "PriorityQueueV2", attrs.name);
  node.Attr("shapes", shapes);
  node.Attr("component_types", attrs.component_types);
  node.Attr("capacity", attrs.capacity);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Node* QueueClose(Graph& graph, const Input& handle, const QueueCloseAttrs& attrs) {
  NodeBuilder node(graph, "QueueClose", attrs.name);
  node.In(handle);
  node.Attr("cancel_pending_enqueues", attrs.cancel_pending_enqueues);
  return node.BuildNode();
}
Node* QueueClose(const Input& handle, const QueueCloseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return QueueClose(*graph, handle, attrs);
}

Node* QueueCloseV2(Graph& graph, const Input& handle, const QueueCloseV2Attrs& attrs) {
  NodeBuilder node(graph, "QueueCloseV2", attrs.name);
  node.In(handle);
  node.Attr("cancel_pending_enqueues", attrs.cancel_pending_enqueues);
  return node.BuildNode();
}
Node* QueueCloseV2(const Input& handle, const QueueCloseV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return QueueCloseV2(*graph, handle, attrs);
}

OutputList QueueDequeue(Graph& graph, const Input& handle, const std::vector<DType>& component_types, const QueueDequeueAttrs& attrs) {
  NodeBuilder node(graph, "QueueDequeue", attrs.name);
  node.In(handle);
  node.Attr("component_types", component_types);
  node.Attr("timeout_ms", attrs.timeout_ms);
  return node.BuildOutputs();
}
OutputList QueueDequeue(const Input& handle, const std::vector<DType>& component_types, const QueueDequeueAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return QueueDequeue(*graph, handle, component_types, attrs);
}

OutputList QueueDequeueMany(Graph& graph, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueManyAttrs& attrs) {
  NodeBuilder node(graph, "QueueDequeueMany", attrs.name);
  node.In(handle);
  node.In(n);
  node.Attr("component_types", component_types);
  node.Attr("timeout_ms", attrs.timeout_ms);
  return node.BuildOutputs();
}
OutputList QueueDequeueMany(const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueManyAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{n}});
  if (graph == nullptr) return {};
  return QueueDequeueMany(*graph, handle, n, component_types, attrs);
}

OutputList QueueDequeueManyV2(Graph& graph, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueManyV2Attrs& attrs) {
  NodeBuilder node(graph, "QueueDequeueManyV2", attrs.name);
  node.In(handle);
  node.In(n);
  node.Attr("component_types", component_types);
  node.Attr("timeout_ms", attrs.timeout_ms);
  return node.BuildOutputs();
}
OutputList QueueDequeueManyV2(const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueManyV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{n}});
  if (graph == nullptr) return {};
  return QueueDequeueManyV2(*graph, handle, n, component_types, attrs);
}

OutputList QueueDequeueUpTo(Graph& graph, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueUpToAttrs& attrs) {
  NodeBuilder node(graph, "QueueDequeueUpTo", attrs.name);
  node.In(handle);
  node.In(n);
  node.Attr("component_types", component_types);
  node.Attr("timeout_ms", attrs.timeout_ms);
  return node.BuildOutputs();
}
OutputList QueueDequeueUpTo(const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueUpToAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{n}});
  if (graph == nullptr) return {};
  return QueueDequeueUpTo(*graph, handle, n, component_types, attrs);
}

OutputList QueueDequeueUpToV2(Graph& graph, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueUpToV2Attrs& attrs) {
  NodeBuilder node(graph, "QueueDequeueUpToV2", attrs.name);
  node.In(handle);
  node.In(n);
  node.Attr("component_types", component_types);
  node.Attr("timeout_ms", attrs.timeout_ms);
  return node.BuildOutputs();
}
OutputList QueueDequeueUpToV2(const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueUpToV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{n}});
  if (graph == nullptr) return {};
  return QueueDequeueUpToV2(*graph, handle, n, component_types, attrs);
}

OutputList QueueDequeueV2(Graph& graph, const Input& handle, const std::vector<DType>& component_types, const QueueDequeueV2Attrs& attrs) {
  NodeBuilder node(graph, "QueueDequeueV2", attrs.name);
  node.In(handle);
  node.Attr("component_types", component_types);
  node.Attr("timeout_ms", attrs.timeout_ms);
  return node.BuildOutputs();
}
OutputList QueueDequeueV2(const Input& handle, const std::vector<DType>& component_types, const QueueDequeueV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return QueueDequeueV2(*graph, handle, component_types, attrs);
}

Node* QueueEnqueue(Graph& graph, const Input& handle, const InputList& components, const QueueEnqueueAttrs& attrs) {
  NodeBuilder node(graph, "QueueEnqueue", attrs.name);
  node.In(handle);
  node.In(components);
  node.Attr("timeout_ms", attrs.timeout_ms);
  return node.BuildNode();
}
Node* QueueEnqueue(const Input& handle, const InputList& components, const QueueEnqueueAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, components});
  if (graph == nullptr) return {};
  return QueueEnqueue(*graph, handle, components, attrs);
}

Node* QueueEnqueueMany(Graph& graph, const Input& handle, const InputList& components, const QueueEnqueueManyAttrs& attrs) {
  NodeBuilder node(graph, "QueueEnqueueMany", attrs.name);
  node.In(handle);
  node.In(components);
  node.Attr("timeout_ms", attrs.timeout_ms);
  return node.BuildNode();
}
Node* QueueEnqueueMany(const Input& handle, const InputList& components, const QueueEnqueueManyAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, components});
  if (graph == nullptr) return {};
  return QueueEnqueueMany(*graph, handle, components, attrs);
}

Node* QueueEnqueueManyV2(Graph& graph, const Input& handle, const InputList& components, const QueueEnqueueManyV2Attrs& attrs) {
  NodeBuilder node(graph, "QueueEnqueueManyV2", attrs.name);
  node.In(handle);
  node.In(components);
  node.Attr("timeout_ms", attrs.timeout_ms);
  return node.BuildNode();
}
Node* QueueEnqueueManyV2(const Input& handle, const InputList& components, const QueueEnqueueManyV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, components});
  if (graph == nullptr) return {};
  return QueueEnqueueManyV2(*graph, handle, components, attrs);
}

Node* QueueEnqueueV2(Graph& graph, const Input& handle, const InputList& components, const QueueEnqueueV2Attrs& attrs) {
  NodeBuilder node(graph, "QueueEnqueueV2", attrs.name);
  node.In(handle);
  node.In(components);
  node.Attr("timeout_ms", attrs.timeout_ms);
  return node.BuildNode();
}
Node* QueueEnqueueV2(const Input& handle, const InputList& components, const QueueEnqueueV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, components});
  if (graph == nullptr) return {};
  return QueueEnqueueV2(*graph, handle, components, attrs);
}

Output QueueIsClosed(Graph& graph, const Input& handle, const QueueIsClosedAttrs& attrs) {
  NodeBuilder node(graph, "QueueIsClosed", attrs.name);
  node.In(handle);
  return node.BuildOutput();
}
Output QueueIsClosed(const Input& handle, const QueueIsClosedAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return QueueIsClosed(*graph, handle, attrs);
}

Output QueueIsClosedV2(Graph& graph, const Input& handle, const QueueIsClosedV2Attrs& attrs) {
  NodeBuilder node(graph, "QueueIsClosedV2", attrs.name);
  node.In(handle);
  return node.BuildOutput();
}
Output QueueIsClosedV2(const Input& handle, const QueueIsClosedV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return QueueIsClosedV2(*graph, handle, attrs);
}

Output QueueSize(Graph& graph, const Input& handle, const QueueSizeAttrs& attrs) {
  NodeBuilder node(graph, "QueueSize", attrs.name);
  node.In(handle);
  return node.BuildOutput();
}
Output QueueSize(const Input& handle, const QueueSizeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return QueueSize(*graph, handle, attrs);
}

Output QueueSizeV2(Graph& graph, const Input& handle, const QueueSizeV2Attrs& attrs) {
  NodeBuilder node(graph, "QueueSizeV2", attrs.name);
  node.In(handle);
  return node.BuildOutput();
}
Output QueueSizeV2(const Input& handle, const QueueSizeV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return QueueSizeV2(*graph, handle, attrs);
}

Output RandomShuffleQueue(Graph& graph, const std::vector<DType>& component_types, const RandomShuffleQueueAttrs& attrs) {
  NodeBuilder node(graph, "RandomShuffleQueue", attrs.name);
  node.Attr("component_types", component_types);
  node.Attr("shapes", attrs.shapes);
  node.Attr("capacity", attrs.capacity);
  node.Attr("min_after_dequeue", attrs.min_after_dequeue);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output RandomShuffleQueueV2(Graph& graph, const std::vector<DType>& component_types, const RandomShuffleQueueV2Attrs& attrs) {
  NodeBuilder node(graph, "RandomShuffleQueueV2", attrs.name);
  node.Attr("component_types", component_types);
  node.Attr("shapes", attrs.shapes);
  node.Attr("capacity", attrs.capacity);
  node.Attr("min_after_dequeue", attrs.min_after_dequeue);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Node* ResourceAccumulatorApplyGradient(Graph& graph, const Input& handle, const Input& local_step, const Input& gradient, const ResourceAccumulatorApplyGradientAttrs& attrs) {
  NodeBuilder node(graph, "ResourceAccumulatorApplyGradient", attrs.name);
  node.In(handle);
  node.In(local_step);
  node.In(gradient);
  return node.BuildNode();
}
Node* ResourceAccumulatorApplyGradient(const Input& handle, const Input& local_step, const Input& gradient, const ResourceAccumulatorApplyGradientAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{local_step}, InputList{gradient}});
  if (graph == nullptr) return {};
  return ResourceAccumulatorApplyGradient(*graph, handle, local_step, gradient, attrs);
}

Output ResourceAccumulatorNumAccumulated(Graph& graph, const Input& handle, const ResourceAccumulatorNumAccumulatedAttrs& attrs) {
  NodeBuilder node(graph, "ResourceAccumulatorNumAccumulated", attrs.name);
  node.In(handle);
  return node.BuildOutput();
}
Output ResourceAccumulatorNumAccumulated(const Input& handle, const ResourceAccumulatorNumAccumulatedAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return ResourceAccumulatorNumAccumulated(*graph, handle, attrs);
}

Node* ResourceAccumulatorSetGlobalStep(Graph& graph, const Input& handle, const Input& new_global_step, const ResourceAccumulatorSetGlobalStepAttrs& attrs) {
  NodeBuilder node(graph, "ResourceAccumulatorSetGlobalStep", attrs.name);
  node.In(handle);
  node.In(new_global_step);
  return node.BuildNode();
}
Node* ResourceAccumulatorSetGlobalStep(const Input& handle, const Input& new_global_step, const ResourceAccumulatorSetGlobalStepAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{new_global_step}});
  if (graph == nullptr) return {};
  return ResourceAccumulatorSetGlobalStep(*graph, handle, new_global_step, attrs);
}

Output ResourceAccumulatorTakeGradient(Graph& graph, const Input& handle, const Input& num_required, DType dtype, const ResourceAccumulatorTakeGradientAttrs& attrs) {
  NodeBuilder node(graph, "ResourceAccumulatorTakeGradient", attrs.name);
  node.In(handle);
  node.In(num_required);
  node.Attr("dtype", dtype);
  return node.BuildOutput();
}
Output ResourceAccumulatorTakeGradient(const Input& handle, const Input& num_required, DType dtype, const ResourceAccumulatorTakeGradientAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{num_required}});
  if (graph == nullptr) return {};
  return ResourceAccumulatorTakeGradient(*graph, handle, num_required, dtype, attrs);
}

Output ResourceConditionalAccumulator(Graph& graph, DType dtype, const PartialShape& shape, const ResourceConditionalAccumulatorAttrs& attrs) {
  NodeBuilder node(graph, "ResourceConditionalAccumulator", attrs.name);
  node.Attr("dtype", dtype);
  node.Attr("shape", shape);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("reduction_type", attrs.reduction_type);
  return node.BuildOutput();
}

Node* SparseAccumulatorApplyGradient(Graph& graph, const Input& handle, const Input& local_step, const Input& gradient_indices, const Input& gradient_values, const Input& gradient_shape, bool has_known_shape, const SparseAccumulatorApplyGradientAttrs& attrs) {
  NodeBuilder node(graph, "SparseAccumulatorApplyGradient", attrs.name);
  node.In(handle);
  node.In(local_step);
  node.In(gradient_indices);
  node.In(gradient_values);
  node.In(gradient_shape);
  node.Attr("has_known_shape", has_known_shape);
  return node.BuildNode();
}
Node* SparseAccumulatorApplyGradient(const Input& handle, const Input& local_step, const Input& gradient_indices, const Input& gradient_values, const Input& gradient_shape, bool has_known_shape, const SparseAccumulatorApplyGradientAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{local_step}, InputList{gradient_indices}, InputList{gradient_values}, InputList{gradient_shape}});
  if (graph == nullptr) return {};
  return SparseAccumulatorApplyGradient(*graph, handle, local_step, gradient_indices, gradient_values, gradient_shape, has_known_shape, attrs);
}

SparseAccumulatorTakeGradientResult SparseAccumulatorTakeGradient(Graph& graph, const Input& handle, const Input& num_required, DType dtype, const SparseAccumulatorTakeGradientAttrs& attrs) {
  NodeBuilder node(graph, "SparseAccumulatorTakeGradient", attrs.name);
  node.In(handle);
  node.In(num_required);
  node.Attr("dtype", dtype);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
SparseAccumulatorTakeGradientResult SparseAccumulatorTakeGradient(const Input& handle, const Input& num_required, DType dtype, const SparseAccumulatorTakeGradientAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{num_required}});
  if (graph == nullptr) return {};
  return SparseAccumulatorTakeGradient(*graph, handle, num_required, dtype, attrs);
}

Output SparseConditionalAccumulator(Graph& graph, DType dtype, const PartialShape& shape, const SparseConditionalAccumulatorAttrs& attrs) {
  NodeBuilder node(graph, "SparseConditionalAccumulator", attrs.name);
  node.Attr("dtype", dtype);
  node.Attr("shape", shape);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("reduction_type", attrs.reduction_type);
  return node.BuildOutput();
}

}  // namespace weir
