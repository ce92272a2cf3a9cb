#include "graph/compose/work_queue.h"

#include "graph/build/queue_ops.h"
#include "graph/build/string_ops.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"
#include "graph/compose/random.h"
#include "graph/compose/summary.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

Status CheckWorks(const WorkQueueOptions& options, const PartialShape& works) {
  if (!works.CompatibleWith(PartialShape{kUnknownDim}))
    return InvalidArgument("the works of a WorkQueue must be a vector, but have the shape {}", works);
  const int64_t count = works.known_rank() ? works[0] : kUnknownDim;
  if (count == 0) return InvalidArgument("WorkQueue requires works, but got none");
  if (options.num_epochs <= 0) return InvalidArgument("num_epochs must be > 0 not {}.", options.num_epochs);
  if (!options.num_slices) return OkStatus();
  if (*options.num_slices <= 0) return InvalidArgument("num_slices must be > 0 not {}.", *options.num_slices);
  if (*options.num_slices < count)
    return InvalidArgument("num_slices is {}, but must be at least the number of works, {}", *options.num_slices,
                           count);
  return OkStatus();
}

}  // namespace

Result<WorkQueue> WorkQueue::Make(Graph& graph, const Input& works, const WorkQueueOptions& options) {
  const NameScope scope(graph, NameOrDefault(options.name, "work_queue"));
  const ControlDependencies outside = ControlDependencies::Cleared(graph);
  WorkQueue queue;
  queue.options_ = options;
  std::tie(queue.seed_, queue.seed2_) = SeedsFor(graph, options.seed);
  std::string shared_name = scope.name();
  if (shared_name.ends_with('/')) shared_name.pop_back();
  queue.handle_ = WorkQueueHandleOp(graph, {.shared_name = shared_name, .name = ExactScopeName(scope)});
  WEIR_TRY(graph.TakeError());
  const ColocationScope with(graph, queue.handle_.node);
  WEIR_ASSIGN(queue.works_, ToOutput(graph, works, kString, "works"));
  WEIR_TRY(CheckWorks(options, queue.works_.shape()));
  VariableOptions number;
  number.name = "slices";
  number.trainable = false;
  number.collections = {graph_keys::kGlobalVariables};
  const auto fill = [&]() -> Result<Output> {
    const Output slices = WorkQueueCreate(graph, queue.handle_, queue.works_,
                                          {.num_epochs = options.num_epochs,
                                           .shuffle = options.shuffle,
                                           .seed = queue.seed_,
                                           .seed2 = queue.seed2_,
                                           .num_slices = options.num_slices.value_or(0)});
    WEIR_TRY(graph.TakeError());
    return slices;
  };
  WEIR_ASSIGN(queue.slices_, Variable::MakeWith(graph, fill, number));
  const OutputList saved = NodeBuilder(graph, "WorkQueueSave", "save").In(queue.handle_).BuildOutputs(2);
  WEIR_TRY(graph.TakeError());
  graph.collections().Add(graph_keys::kSaveableObjects, SavedWorkQueue{queue, saved[0], saved[1]});
  return queue;
}

Output WorkQueue::Take(const std::string& name) const {
  const NameScope scope(graph(), NameOrDefault(name, this->name() + "_take"));
  Output work;
  {
    const ColocationScope with(graph(), handle_.node);
    work = WorkQueueTake(graph(), handle_);
  }
  if (options_.prefix.empty()) return work;
  return StringJoin({Constant(graph(), Tensor::Scalar(options_.prefix)), work});
}

Output WorkQueue::Size(const std::string& name) const {
  const ColocationScope with(graph(), handle_.node);
  return WorkQueueSize(graph(), handle_, {.name = NameOrDefault(name, this->name() + "_size")});
}

Output WorkQueue::AddSummary() const {
  const NameScope scope(graph(), name() + "/");
  return SummarizeScalar(graph(), "size", Size());
}

Node* WorkQueue::Restore(Output left, Output state) const {
  const ColocationScope with(graph(), handle_.node);
  return WorkQueueRestore(graph(), handle_, works_, left, state,
                          {.num_epochs = options_.num_epochs,
                           .shuffle = options_.shuffle,
                           .seed = seed_,
                           .seed2 = seed2_,
                           .num_slices = options_.num_slices.value_or(0)});
}

WorkSlice SplitWorkSlice(Output slice) {
  Graph& graph = slice.graph();
  const NameScope scope(graph, "split_work_slice");
  // Of two suffixes, the first one counts.
  const Output text = StringJoin({slice, Constant(graph, Tensor::Scalar("?slice_id=0&slice_count=1"))});
  const auto part = [&](const char* which) {
    return StaticRegexReplace(
        text, R"(^(?s)(.*?)\?slice_id=(\d+)&slice_count=(\d+)(?:\?slice_id=\d+&slice_count=\d+)?$)", which);
  };
  const auto number = [&](const char* which) { return StringToNumber(part(which), {.out_type = kInt64}); };
  return {part(R"(\1)"), number(R"(\2)"), number(R"(\3)")};
}

}  // namespace weir
