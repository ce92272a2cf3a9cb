// Graph-building functions for the ops of ops/queue, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_QUEUE_OPS_H_
#define WEIR_GRAPH_BUILD_QUEUE_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

struct AccumulatorApplyGradientAttrs {
  std::string name = "";
};
Node* AccumulatorApplyGradient(Graph& graph, const Input& handle, const Input& local_step, const Input& gradient, const AccumulatorApplyGradientAttrs& attrs = {});
Node* AccumulatorApplyGradient(const Input& handle, const Input& local_step, const Input& gradient, const AccumulatorApplyGradientAttrs& attrs = {});

struct AccumulatorNumAccumulatedAttrs {
  std::string name = "";
};
Output AccumulatorNumAccumulated(Graph& graph, const Input& handle, const AccumulatorNumAccumulatedAttrs& attrs = {});
Output AccumulatorNumAccumulated(const Input& handle, const AccumulatorNumAccumulatedAttrs& attrs = {});

struct AccumulatorSetGlobalStepAttrs {
  std::string name = "";
};
Node* AccumulatorSetGlobalStep(Graph& graph, const Input& handle, const Input& new_global_step, const AccumulatorSetGlobalStepAttrs& attrs = {});
Node* AccumulatorSetGlobalStep(const Input& handle, const Input& new_global_step, const AccumulatorSetGlobalStepAttrs& attrs = {});

struct AccumulatorTakeGradientAttrs {
  std::string name = "";
};
Output AccumulatorTakeGradient(Graph& graph, const Input& handle, const Input& num_required, DType dtype, const AccumulatorTakeGradientAttrs& attrs = {});
Output AccumulatorTakeGradient(const Input& handle, const Input& num_required, DType dtype, const AccumulatorTakeGradientAttrs& attrs = {});

struct ConditionalAccumulatorAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string reduction_type = "MEAN";
  std::string name = "";
};
Output ConditionalAccumulator(Graph& graph, DType dtype, const PartialShape& shape, const ConditionalAccumulatorAttrs& attrs = {});

struct FIFOQueueAttrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output FIFOQueue(Graph& graph, const std::vector<DType>& component_types, const FIFOQueueAttrs& attrs = {});

struct FIFOQueueV2Attrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output FIFOQueueV2(Graph& graph, const std::vector<DType>& component_types, const FIFOQueueV2Attrs& attrs = {});

struct PaddingFIFOQueueAttrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output PaddingFIFOQueue(Graph& graph, const std::vector<DType>& component_types, const PaddingFIFOQueueAttrs& attrs = {});

struct PaddingFIFOQueueV2Attrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output PaddingFIFOQueueV2(Graph& graph, const std::vector<DType>& component_types, const PaddingFIFOQueueV2Attrs& attrs = {});

struct PriorityQueueAttrs {
  std::vector<DType> component_types = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output PriorityQueue(Graph& graph, const std::vector<PartialShape>& shapes, const PriorityQueueAttrs& attrs = {});

struct PriorityQueueV2Attrs {
  std::vector<DType> component_types = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output PriorityQueueV2(Graph& graph, const std::vector<PartialShape>& shapes, const PriorityQueueV2Attrs& attrs = {});

struct QueueCloseAttrs {
  bool cancel_pending_enqueues = false;
  std::string name = "";
};
Node* QueueClose(Graph& graph, const Input& handle, const QueueCloseAttrs& attrs = {});
Node* QueueClose(const Input& handle, const QueueCloseAttrs& attrs = {});

struct QueueCloseV2Attrs {
  bool cancel_pending_enqueues = false;
  std::string name = "";
};
Node* QueueCloseV2(Graph& graph, const Input& handle, const QueueCloseV2Attrs& attrs = {});
Node* QueueCloseV2(const Input& handle, const QueueCloseV2Attrs& attrs = {});

struct QueueDequeueAttrs {
  int64_t timeout_ms = -1;
  std::string name = "";
};
OutputList QueueDequeue(Graph& graph, const Input& handle, const std::vector<DType>& component_types, const QueueDequeueAttrs& attrs = {});
OutputList QueueDequeue(const Input& handle, const std::vector<DType>& component_types, const QueueDequeueAttrs& attrs = {});

struct QueueDequeueManyAttrs {
  int64_t timeout_ms = -1;
  std::string name = "";
};
OutputList QueueDequeueMany(Graph& graph, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueManyAttrs& attrs = {});
OutputList QueueDequeueMany(const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueManyAttrs& attrs = {});

struct QueueDequeueManyV2Attrs {
  int64_t timeout_ms = -1;
  std::string name = "";
};
OutputList QueueDequeueManyV2(Graph& graph, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueManyV2Attrs& attrs = {});
OutputList QueueDequeueManyV2(const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueManyV2Attrs& attrs = {});

struct QueueDequeueUpToAttrs {
  int64_t timeout_ms = -1;
  std::string name = "";
};
OutputList QueueDequeueUpTo(Graph& graph, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueUpToAttrs& attrs = {});
OutputList QueueDequeueUpTo(const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueUpToAttrs& attrs = {});

struct QueueDequeueUpToV2Attrs {
  int64_t timeout_ms = -1;
  std::string name = "";
};
OutputList QueueDequeueUpToV2(Graph& graph, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueUpToV2Attrs& attrs = {});
OutputList QueueDequeueUpToV2(const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueUpToV2Attrs& attrs = {});

struct QueueDequeueV2Attrs {
  int64_t timeout_ms = -1;
  std::string name = "";
};
OutputList QueueDequeueV2(Graph& graph, const Input& handle, const std::vector<DType>& component_types, const QueueDequeueV2Attrs& attrs = {});
OutputList QueueDequeueV2(const Input& handle, const std::vector<DType>& component_types, const QueueDequeueV2Attrs& attrs = {});

struct QueueEnqueueAttrs {
  int64_t timeout_ms = -1;
  std::string name = "";
};
Node* QueueEnqueue(Graph& graph, const Input& handle, const InputList& components, const QueueEnqueueAttrs& attrs = {});
Node* QueueEnqueue(const Input& handle, const InputList& components, const QueueEnqueueAttrs& attrs = {});

struct QueueEnqueueManyAttrs {
  int64_t timeout_ms = -1;
  std::string name = "";
};
Node* QueueEnqueueMany(Graph& graph, const Input& handle, const InputList& components, const QueueEnqueueManyAttrs& attrs = {});
Node* QueueEnqueueMany(const Input& handle, const InputList& components, const QueueEnqueueManyAttrs& attrs = {});

struct QueueEnqueueManyV2Attrs {
  int64_t timeout_ms = -1;
  std::string name = "";
};
Node* QueueEnqueueManyV2(Graph& graph, const Input& handle, const InputList& components, const QueueEnqueueManyV2Attrs& attrs = {});
Node* QueueEnqueueManyV2(const Input& handle, const InputList& components, const QueueEnqueueManyV2Attrs& attrs = {});

struct QueueEnqueueV2Attrs {
  int64_t timeout_ms = -1;
  std::string name = "";
};
Node* QueueEnqueueV2(Graph& graph, const Input& handle, const InputList& components, const QueueEnqueueV2Attrs& attrs = {});
Node* QueueEnqueueV2(const Input& handle, const InputList& components, const QueueEnqueueV2Attrs& attrs = {});

struct QueueIsClosedAttrs {
  std::string name = "";
};
Output QueueIsClosed(Graph& graph, const Input& handle, const QueueIsClosedAttrs& attrs = {});
Output QueueIsClosed(const Input& handle, const QueueIsClosedAttrs& attrs = {});

struct QueueIsClosedV2Attrs {
  std::string name = "";
};
Output QueueIsClosedV2(Graph& graph, const Input& handle, const QueueIsClosedV2Attrs& attrs = {});
Output QueueIsClosedV2(const Input& handle, const QueueIsClosedV2Attrs& attrs = {});

struct QueueSizeAttrs {
  std::string name = "";
};
Output QueueSize(Graph& graph, const Input& handle, const QueueSizeAttrs& attrs = {});
Output QueueSize(const Input& handle, const QueueSizeAttrs& attrs = {});

struct QueueSizeV2Attrs {
  std::string name = "";
};
Output QueueSizeV2(Graph& graph, const Input& handle, const QueueSizeV2Attrs& attrs = {});
Output QueueSizeV2(const Input& handle, const QueueSizeV2Attrs& attrs = {});

struct RandomShuffleQueueAttrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output RandomShuffleQueue(Graph& graph, const std::vector<DType>& component_types, const RandomShuffleQueueAttrs& attrs = {});

struct RandomShuffleQueueV2Attrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output RandomShuffleQueueV2(Graph& graph, const std::vector<DType>& component_types, const RandomShuffleQueueV2Attrs& attrs = {});

struct ResourceAccumulatorApplyGradientAttrs {
  std::string name = "";
};
Node* ResourceAccumulatorApplyGradient(Graph& graph, const Input& handle, const Input& local_step, const Input& gradient, const ResourceAccumulatorApplyGradientAttrs& attrs = {});
Node* ResourceAccumulatorApplyGradient(const Input& handle, const Input& local_step, const Input& gradient, const ResourceAccumulatorApplyGradientAttrs& attrs = {});

struct ResourceAccumulatorNumAccumulatedAttrs {
  std::string name = "";
};
Output ResourceAccumulatorNumAccumulated(Graph& graph, const Input& handle, const ResourceAccumulatorNumAccumulatedAttrs& attrs = {});
Output ResourceAccumulatorNumAccumulated(const Input& handle, const ResourceAccumulatorNumAccumulatedAttrs& attrs = {});

struct ResourceAccumulatorSetGlobalStepAttrs {
  std::string name = "";
};
Node* ResourceAccumulatorSetGlobalStep(Graph& graph, const Input& handle, const Input& new_global_step, const ResourceAccumulatorSetGlobalStepAttrs& attrs = {});
Node* ResourceAccumulatorSetGlobalStep(const Input& handle, const Input& new_global_step, const ResourceAccumulatorSetGlobalStepAttrs& attrs = {});

struct ResourceAccumulatorTakeGradientAttrs {
  std::string name = "";
};
Output ResourceAccumulatorTakeGradient(Graph& graph, const Input& handle, const Input& num_required, DType dtype, const ResourceAccumulatorTakeGradientAttrs& attrs = {});
Output ResourceAccumulatorTakeGradient(const Input& handle, const Input& num_required, DType dtype, const ResourceAccumulatorTakeGradientAttrs& attrs = {});

struct ResourceConditionalAccumulatorAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string reduction_type = "MEAN";
  std::string name = "";
};
Output ResourceConditionalAccumulator(Graph& graph, DType dtype, const PartialShape& shape, const ResourceConditionalAccumulatorAttrs& attrs = {});

struct SparseAccumulatorApplyGradientAttrs {
  std::string name = "";
};
Node* SparseAccumulatorApplyGradient(Graph& graph, const Input& handle, const Input& local_step, const Input& gradient_indices, const Input& gradient_values, const Input& gradient_shape, bool has_known_shape, const SparseAccumulatorApplyGradientAttrs& attrs = {});
Node* SparseAccumulatorApplyGradient(const Input& handle, const Input& local_step, const Input& gradient_indices, const Input& gradient_values, const Input& gradient_shape, bool has_known_shape, const SparseAccumulatorApplyGradientAttrs& attrs = {});

struct SparseAccumulatorTakeGradientAttrs {
  std::string name = "";
};
struct SparseAccumulatorTakeGradientResult {
  Output indices;
  Output values;
  Output shape;
};
SparseAccumulatorTakeGradientResult SparseAccumulatorTakeGradient(Graph& graph, const Input& handle, const Input& num_required, DType dtype, const SparseAccumulatorTakeGradientAttrs& attrs = {});
SparseAccumulatorTakeGradientResult SparseAccumulatorTakeGradient(const Input& handle, const Input& num_required, DType dtype, const SparseAccumulatorTakeGradientAttrs& attrs = {});

struct SparseConditionalAccumulatorAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string reduction_type = "MEAN";
  std::string name = "";
};
Output SparseConditionalAccumulator(Graph& graph, DType dtype, const PartialShape& shape, const SparseConditionalAccumulatorAttrs& attrs = {});

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_QUEUE_OPS_H_
