#include "graph/compose/queue.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "base/md5.h"
#include "graph/build/array_ops.h"
#include "graph/build/queue_ops.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"
#include "graph/compose/random.h"
#include "graph/node_builder.h"
#include "graph/texts.h"

namespace weir {
namespace {

// Shapes as text: [[2,?], []].
std::string ShapesText(const std::vector<PartialShape>& shapes) {
  return fmt::format(
      "[{}]", absl::StrJoin(shapes, ", ", [](std::string* out, const PartialShape& s) { *out += s.ToString(); }));
}

Status CheckShapes(const QueueOptions& options, size_t components, bool partial) {
  for (const PartialShape& shape : options.shapes) {
    if (!partial && !shape.fully_defined())
      return InvalidArgument(
          "All shapes must be fully defined: {}; set_shape() tells the graph what it cannot infer, and a "
          "PaddingFIFOQueue "
          "(dynamic_pad=True of tf.train.batch) takes sizes that vary",
          ShapesText(options.shapes));
    if (!shape.known_rank())
      return InvalidArgument("All shapes must have a defined rank: {}", ShapesText(options.shapes));
  }
  if (partial && options.shapes.size() != components) {
    return InvalidArgument("Shapes must be provided for all components, but received {} dtypes and {} shapes.",
                           components, options.shapes.size());
  }
  if (!options.shapes.empty() && options.shapes.size() != components) {
    return InvalidArgument("Queue shapes must have the same length as dtypes, received len(shapes)={}, len(dtypes)={}",
                           options.shapes.size(), components);
  }
  return OkStatus();
}

// If only the graph seed is set, derives the seed from the shared name: all graphs that share the queue use the same
// seed.
std::pair<int64_t, int64_t> QueueSeeds(Graph& graph, std::optional<int64_t> seed, const std::string& shared_name) {
  std::pair<int64_t, int64_t> seeds = SeedsFor(graph, seed);
  if (!seed.has_value() && graph.seed.has_value() && !shared_name.empty()) {
    const std::array<uint8_t, 16> digest = Md5(fmt::format("{}{}", seeds.first, shared_name));
    seeds.second = ((digest[0] & 0x7f) << 24) | (digest[1] << 16) | (digest[2] << 8) | digest[3];
  }
  return seeds;
}

// Component c of an element. As in TensorFlow's conversion, a wrong dtype is a ValueError here, not a TypeError.
Result<Output> Component(Graph& graph, const Input& value, DType dtype, size_t c) {
  const std::string name = fmt::format("component_{}", c);
  if (value.is_output() && value.output().base_dtype() != dtype) {
    return InvalidArgument("{}: Tensor conversion requested dtype {} for Tensor with dtype {}: '{}'", name, dtype,
                           value.output().base_dtype(), value.output().name());
  }
  return ToOutput(graph, value, dtype, name);
}

}  // namespace

Queue Queue::Checked(Graph& graph, Output ref, std::vector<DType> dtypes, const QueueOptions& options) {
  Queue queue;
  if (!options.names.empty() && options.names.size() != dtypes.size()) {
    graph.RecordError(InvalidArgument("Queue names must have the same length as dtypes, got {} names, {} dtypes",
                                      options.names.size(), dtypes.size()));
    return queue;
  }
  queue.ref_ = ref;
  queue.shapes_ = options.shapes;
  if (queue.shapes_.empty()) queue.shapes_.resize(dtypes.size());
  queue.dtypes_ = std::move(dtypes);
  queue.names_ = options.names;
  return queue;
}

Queue Queue::Fifo(Graph& graph, int64_t capacity, std::vector<DType> dtypes, const QueueOptions& options) {
  if (Status status = CheckShapes(options, dtypes.size(), false); !status.ok()) {
    graph.RecordError(status);
    return {};
  }
  const ControlDependencies outside = ControlDependencies::Cleared(graph);
  const DeviceScope on_cpu(graph, "/device:CPU:*");
  NodeBuilder node(graph, "FIFOQueueV2", NameOrDefault(options.name, "fifo_queue"));
  node.Attr("component_types", dtypes).Attr("shapes", options.shapes).Attr("capacity", capacity);
  node.Attr("container", "").Attr("shared_name", options.shared_name);
  if (options.tokens_needed > 0)
    node.Attr("_tokens_needed", options.tokens_needed).Attr("_members_expected", options.members_expected);
  const Output ref = node.BuildOutput();
  return Checked(graph, ref, std::move(dtypes), options);
}

Queue Queue::RandomShuffle(Graph& graph, int64_t capacity, int64_t min_after_dequeue, std::vector<DType> dtypes,
                           const QueueOptions& options, std::optional<int64_t> seed) {
  if (Status status = CheckShapes(options, dtypes.size(), false); !status.ok()) {
    graph.RecordError(status);
    return {};
  }
  const auto [seed1, seed2] = QueueSeeds(graph, seed, options.shared_name);
  const Output ref = RandomShuffleQueueV2(graph, dtypes,
                                          {.shapes = options.shapes,
                                           .capacity = capacity,
                                           .min_after_dequeue = min_after_dequeue,
                                           .seed = seed1,
                                           .seed2 = seed2,
                                           .shared_name = options.shared_name,
                                           .name = NameOrDefault(options.name, "random_shuffle_queue")});
  return Checked(graph, ref, std::move(dtypes), options);
}

Queue Queue::PaddingFifo(Graph& graph, int64_t capacity, std::vector<DType> dtypes, const QueueOptions& options) {
  if (Status status = CheckShapes(options, dtypes.size(), true); !status.ok()) {
    graph.RecordError(status);
    return {};
  }
  const Output ref = PaddingFIFOQueueV2(graph, dtypes,
                                        {.shapes = options.shapes,
                                         .capacity = capacity,
                                         .shared_name = options.shared_name,
                                         .name = NameOrDefault(options.name, "padding_fifo_queue")});
  return Checked(graph, ref, std::move(dtypes), options);
}

Queue Queue::Priority(Graph& graph, int64_t capacity, std::vector<DType> dtypes, const QueueOptions& options) {
  if (Status status = CheckShapes(options, dtypes.size(), false); !status.ok()) {
    graph.RecordError(status);
    return {};
  }
  const Output ref = PriorityQueueV2(graph, options.shapes,
                                     {.component_types = dtypes,
                                      .capacity = capacity,
                                      .shared_name = options.shared_name,
                                      .name = NameOrDefault(options.name, "priority_queue")});
  QueueOptions all = options;
  if (options.shapes.size() == dtypes.size()) all.shapes.insert(all.shapes.begin(), PartialShape(Shape{}));
  dtypes.insert(dtypes.begin(), kInt64);
  return Checked(graph, ref, std::move(dtypes), all);
}

Queue Queue::Wrap(Output queue_ref, std::vector<DType> dtypes, const QueueOptions& options) {
  Graph& graph = queue_ref.graph();
  if (!options.shapes.empty() && options.shapes.size() != dtypes.size()) {
    graph.RecordError(
        InvalidArgument("Queue shapes must have the same length as dtypes, received len(shapes)={}, len(dtypes)={}",
                        options.shapes.size(), dtypes.size()));
    return {};
  }
  return Checked(graph, queue_ref, std::move(dtypes), options);
}

Queue Queue::FromList(const Input& index, const std::vector<Queue>& queues) {
  if (queues.empty()) return {};
  const Queue& first = queues[0];
  Graph& graph = first.graph();
  std::vector<PartialShape> shapes = first.shapes_;
  InputList refs;
  for (const Queue& queue : queues) {
    if (queue.dtypes_ != first.dtypes_) {
      graph.RecordError(MarkTypeError(InvalidArgument("Queues do not have matching component dtypes.")));
      return {};
    }
    if (queue.names_ != first.names_) {
      graph.RecordError(MarkTypeError(InvalidArgument("Queues do not have matching component names.")));
      return {};
    }
    for (size_t c = 0; c < shapes.size(); ++c) shapes[c] = CommonShape(shapes[c], queue.shapes_[c]);
    refs.push_back(queue.ref_);
  }
  const Output all = Pack(refs, {.name = "stack"});
  const Output chosen = GatherV2(all, index, Tensor::Scalar(int32_t{0}));
  if (!chosen.valid()) return {};
  return Wrap(chosen, first.dtypes_, {.shapes = shapes, .names = first.names_});
}

std::string Queue::NameFor(const std::string& name, const char* what) const {
  if (!name.empty()) return name;
  const std::string& full = this->name();
  const size_t slash = full.rfind('/');  // use the last part of the name
  return (slash == std::string::npos ? full : full.substr(slash + 1)) + what;
}

std::string Queue::OpName(const char* op) const {
  return BaseType(ref_.dtype()) == kResource ? std::string(op) + "V2" : std::string(op);
}

Node* Queue::Enqueue(const InputList& values, const std::string& name) const {
  if (!valid()) return nullptr;
  const NameScope scope(graph(), NameFor(name, "_enqueue"));
  InputList components;
  for (size_t c = 0; c < std::min(values.size(), dtypes_.size()); ++c) {
    Result<Output> value = Component(graph(), values[c], dtypes_[c], c);
    Status status = value.status();
    if (status.ok() && !value->shape().CompatibleWith(shapes_[c]))
      status = InvalidArgument("Shapes {} and {} are incompatible", PythonText(value->shape()), PythonText(shapes_[c]));
    if (!status.ok()) {
      graph().RecordError(status);
      return nullptr;
    }
    components.push_back(*value);
  }
  return NodeBuilder(graph(), OpName("QueueEnqueue"), ExactScopeName(scope)).In(ref_).In(components).BuildNode();
}

Node* Queue::EnqueueMany(const InputList& values, const std::string& name) const {
  return AddEnqueueMany(values, name, /*only_first=*/false);
}

Node* Queue::EnqueueFirst(const InputList& values, const std::string& name) const {
  return AddEnqueueMany(values, name, /*only_first=*/true);
}

Node* Queue::AddEnqueueMany(const InputList& values, const std::string& name, bool only_first) const {
  if (!valid()) return nullptr;
  const NameScope scope(graph(), NameFor(name, "_EnqueueMany"));
  InputList components;
  int64_t rows = kUnknownDim;
  auto check = [&](const Output& value, size_t c) -> Status {
    const PartialShape shape = value.shape();
    if (!shape.known_rank()) return OkStatus();
    if (shape.rank() == 0) return InvalidArgument("Shape {} must have rank at least 1", shape);
    if (rows != kUnknownDim && shape[0] != kUnknownDim && shape[0] != rows)
      return InvalidArgument("Dimensions {} and {} are not compatible", rows, shape[0]);
    if (rows == kUnknownDim) rows = shape[0];
    WEIR_ASSIGN(const PartialShape element, shape.Sub(1));
    if (!element.CompatibleWith(shapes_[c]))
      return InvalidArgument("Shapes {} and {} are incompatible", PythonText(element), PythonText(shapes_[c]));
    return OkStatus();
  };
  for (size_t c = 0; c < std::min(values.size(), dtypes_.size()); ++c) {
    Result<Output> value = Component(graph(), values[c], dtypes_[c], c);
    const Status status = value.ok() ? check(*value, c) : value.status();
    if (!status.ok()) {
      graph().RecordError(status);
      return nullptr;
    }
    components.push_back(*value);
  }
  NodeBuilder node(graph(), OpName("QueueEnqueueMany"), ExactScopeName(scope));
  if (only_first) node.Attr("_only_first", true);
  return node.In(ref_).In(components).BuildNode();
}

OutputList Queue::WithShapes(OutputList outputs, const PartialShape& batch) const {
  for (size_t c = 0; c < outputs.size() && c < shapes_.size(); ++c) {
    if (!outputs[c].valid() || !shapes_[c].known_rank()) continue;
    if (Status status = graph().SetShape(outputs[c], batch.Concat(shapes_[c])); !status.ok())
      graph().RecordError(status);
  }
  return outputs;
}

OutputList Queue::Dequeue(const std::string& name) const {
  if (!valid()) return {};
  NodeBuilder builder(graph(), OpName("QueueDequeue"), NameFor(name, "_Dequeue"));
  builder.In(ref_).Attr("component_types", dtypes_);
  return WithShapes(builder.BuildOutputs(dtypes_.size()), Shape{});
}

OutputList Queue::DequeueMany(const Input& n, const std::string& name) const {
  if (!valid()) return {};
  NodeBuilder builder(graph(), OpName("QueueDequeueMany"), NameFor(name, "_DequeueMany"));
  builder.In(ref_).In(n).Attr("component_types", dtypes_);
  OutputList outputs = builder.BuildOutputs(dtypes_.size());
  int64_t rows = kUnknownDim;
  if (!outputs.empty() && outputs[0].valid()) {
    const Tensor known = graph().ConstantValue(outputs[0].node->input(1));
    if (known.valid() && known.num_elements() == 1) rows = known.Int(0);
  }
  return WithShapes(std::move(outputs), {rows});
}

OutputList Queue::DequeueUpTo(const Input& n, const std::string& name) const {
  if (!valid()) return {};
  NodeBuilder builder(graph(), OpName("QueueDequeueUpTo"), NameFor(name, "_DequeueUpTo"));
  builder.In(ref_).In(n).Attr("component_types", dtypes_);
  return WithShapes(builder.BuildOutputs(dtypes_.size()), {kUnknownDim});
}

Node* Queue::Close(bool cancel_pending_enqueues, const std::string& name) const {
  if (!valid()) return nullptr;
  NodeBuilder builder(graph(), OpName("QueueClose"), NameFor(name, "_Close"));
  return builder.In(ref_).Attr("cancel_pending_enqueues", cancel_pending_enqueues).BuildNode();
}

Node* Queue::AwaitDequeue(const std::string& name) const {
  if (!valid()) return nullptr;
  return NodeBuilder(graph(), "QueueAwaitDequeue", NameFor(name, "_await_dequeue")).In(ref_).BuildNode();
}

Output Queue::IsClosed(const std::string& name) const {
  if (!valid()) return ref_;
  return NodeBuilder(graph(), OpName("QueueIsClosed"), NameFor(name, "_Is_Closed")).In(ref_).BuildOutput();
}

Output Queue::SizeUnlessAllWait(const std::string& name) const {
  if (!valid()) return ref_;
  return NodeBuilder(graph(), OpName("QueueSize"), NameFor(name, "_Size"))
      .In(ref_)
      .Attr("_everyone_waits", true)
      .BuildOutput();
}

Output Queue::Size(const std::string& name) const {
  if (!valid()) return ref_;
  return NodeBuilder(graph(), OpName("QueueSize"), NameFor(name, "_Size")).In(ref_).BuildOutput();
}

}  // namespace weir
