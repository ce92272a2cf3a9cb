#include "train/input_producers.h"

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/state_ops.h"
#include "graph/build/string_ops.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/compose/random.h"
#include "graph/compose/summary.h"
#include "graph/graph_keys.h"
#include "train/queue_runner.h"

namespace weir {
namespace {

constexpr char kEmpty[] = "string_input_producer requires a non-null input tensor";
constexpr char kScope[] = "input_producer";

// Builds the producer in the current scope.
Result<Queue> Produce(Graph& graph, const Input& tensor, const ProducerOptions& options,
                      const PartialShape& element_shape, const std::string& queue_name) {
  WEIR_ASSIGN(Output rows, ToOutput(graph, tensor, kInvalidType, "input_tensor"));
  PartialShape shape = element_shape;
  if (rows.shape().known_rank()) {
    WEIR_ASSIGN(const PartialShape known, rows.shape().Sub(1));
    WEIR_ASSIGN(shape, known.Merge(element_shape));
  }
  if (!shape.fully_defined())
    return InvalidArgument(
        "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified");
  if (options.shuffle) rows = RandomShuffled(rows, options.seed);
  if (options.num_epochs.has_value()) {
    WEIR_ASSIGN(rows, LimitEpochs(graph, rows, *options.num_epochs));
  }
  WEIR_TRY(graph.TakeError());
  const Queue queue = Queue::Fifo(
      graph, options.capacity, {rows.base_dtype()},
      {.shapes = {shape}, .shared_name = options.shared_name, .name = NameOrDefault(queue_name, "FIFOQueueV2")});
  WEIR_TRY(graph.TakeError());
  QueueRunnerParts parts{.queue_name = queue.name()};
  parts.enqueue = {queue.EnqueueMany({rows})};
  parts.close = queue.Close();
  parts.cancel = options.cancel != nullptr ? options.cancel : queue.Close(/*cancel_pending_enqueues=*/true);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(QueueRunnerPtr runner, QueueRunner::Make(std::move(parts)));
  AddQueueRunner(graph, std::move(runner));
  if (!options.summary_name.empty()) {
    const float part = static_cast<float>(1.0 / static_cast<double>(options.capacity));
    SummarizeScalar(graph, options.summary_name, Mul(Cast(queue.Size(), kFloat), part, {.name = "mul"}));
  }
  WEIR_TRY(graph.TakeError());
  return queue;
}

}  // namespace

Result<Output> LimitEpochs(Graph& graph, const Input& tensor, int64_t num_epochs, const std::string& name) {
  if (num_epochs <= 0) return InvalidArgument("num_epochs must be > 0 not {}.", num_epochs);
  const NameScope scope(graph, NameOrDefault(name, "limit_epochs"));
  VariableOptions options;
  options.name = "epochs";
  options.trainable = false;
  options.collections = {graph_keys::kLocalVariables};
  WEIR_ASSIGN(const VariablePtr epochs, Variable::Make(graph, Constant(graph, Tensor::Scalar(int64_t{0})), options));
  const Output counter = CountUpTo(graph, epochs->handle(), num_epochs);
  WEIR_TRY(graph.TakeError());
  const ControlDependencies after(graph, {counter.node});
  const Output limited = Identity(graph, tensor, {.name = scope.name() + "/"});
  WEIR_TRY(graph.TakeError());
  return limited;
}

Result<VariablePtr> MatchFilenamesOnce(Graph& graph, const Input& pattern, const std::string& name) {
  const NameScope scope(graph, NameOrDefault(name, "matching_filenames"));
  const Output files = MatchingFiles(graph, pattern);
  WEIR_TRY(graph.TakeError());
  VariableOptions options;
  options.name = scope.name() + "/";
  options.trainable = false;
  options.validate_shape = false;
  options.collections = {graph_keys::kLocalVariables};
  return Variable::Make(graph, files, options);
}

Result<Queue> InputProducer(Graph& graph, const Input& tensor, const ProducerOptions& options,
                            const PartialShape& element_shape) {
  const NameScope scope(graph, NameOrDefault(options.name, kScope));
  return Produce(graph, tensor, options, element_shape, options.name);
}

Result<Queue> StringInputProducer(Graph& graph, const Input& strings, const ProducerOptions& options) {
  const NameScope scope(graph, NameOrDefault(options.name, kScope));
  WEIR_ASSIGN(const Output given, ToOutput(graph, strings, kString));
  if (!strings.is_output() && given.shape().num_elements() == 0) return InvalidArgument("{}", kEmpty);
  Node* check = nullptr;
  {
    const Output some = Greater(SizeValue(graph, given), 0);
    const NameScope asserting(graph, "Assert");
    Constant(graph, Tensor::Scalar(kEmpty));
    check = Assert(graph, some, {kEmpty}, {.name = "Assert"});
    WEIR_TRY(graph.TakeError());
  }
  Output checked;
  {
    const ControlDependencies after(graph, {check});
    checked = Identity(given);
  }
  ProducerOptions inner = options;
  if (inner.summary_name.empty()) inner.summary_name = fmt::format("fraction_of_{}_full", options.capacity);
  return Produce(graph, checked, inner, PartialShape::Scalar(), scope.name() + "/");
}

Result<Queue> RangeInputProducer(Graph& graph, const Input& limit, const ProducerOptions& options) {
  const NameScope scope(graph, NameOrDefault(options.name, kScope));
  const Output numbers = Range(graph, 0, limit, 1, kInvalidType);
  WEIR_TRY(graph.TakeError());
  ProducerOptions inner = options;
  if (inner.summary_name.empty()) inner.summary_name = fmt::format("fraction_of_{}_full", options.capacity);
  return Produce(graph, numbers, inner, PartialShape::Scalar(), scope.name() + "/");
}

Result<Queue> WorkProducer(const WorkQueue& works, const std::string& name) {
  Graph& graph = works.graph();
  const NameScope scope(graph, NameOrDefault(name, kScope));
  const Queue queue = Queue::Fifo(graph, 1, {kString}, {.shapes = {PartialShape::Scalar()}});
  Node* const wanted = queue.AwaitDequeue();
  WEIR_TRY(graph.TakeError());
  QueueRunnerParts parts{.queue_name = queue.name()};
  {
    const ControlDependencies after(graph, {wanted});
    parts.enqueue = {queue.Enqueue({works.Take("take")})};
  }
  parts.close = queue.Close();
  parts.cancel = queue.Close(/*cancel_pending_enqueues=*/true);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(QueueRunnerPtr runner, QueueRunner::Make(std::move(parts)));
  AddQueueRunner(graph, std::move(runner));
  return queue;
}

Result<OutputList> SliceInputProducer(Graph& graph, const InputList& tensors, const ProducerOptions& options) {
  const NameScope scope(graph, NameOrDefault(options.name, kScope));
  if (tensors.empty()) return InvalidArgument("Expected at least one tensor in slice_input_producer().");
  OutputList given;
  for (const Input& tensor : tensors) {
    WEIR_ASSIGN(const Output value, ToOutput(graph, tensor));
    given.push_back(value);
  }
  const Output rows =
      StridedSlice(ShapeValue(graph, given[0]), Tensor::Vector<int32_t>({0}), Tensor::Vector<int32_t>({1}),
                   Tensor::Vector<int32_t>({1}), {.shrink_axis_mask = 1, .name = "strided_slice"});
  WEIR_TRY(graph.TakeError());
  ProducerOptions inner = options;
  inner.name.clear();
  WEIR_ASSIGN(const Queue queue, RangeInputProducer(graph, rows, inner));
  const OutputList number = queue.Dequeue();
  OutputList slices;
  for (const Output& tensor : given) slices.push_back(GatherV2(tensor, number[0], Tensor::Scalar(int32_t{0})));
  WEIR_TRY(graph.TakeError());
  return slices;
}

}  // namespace weir
