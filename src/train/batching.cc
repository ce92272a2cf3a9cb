#include "train/batching.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/compose/array.h"
#include "graph/compose/flow.h"
#include "graph/compose/names.h"
#include "graph/compose/summary.h"
#include "graph/node_builder.h"
#include "train/queue_runner.h"

namespace weir {
namespace {

// Describes how to extract a component from the batch.
struct StoredSparse {
  Node* map = nullptr;  // null: the component is dense
  DType dtype = kInvalidType;
  int rank = -1;  // rank of the batch
};

struct BatchCall {
  const char* function;  // name in errors and scopes
  bool join = false;
  std::optional<ShuffleOptions> shuffle = {};
};

class Batcher final {
 public:
  Batcher(Graph& graph, BatchCall call, const BatchOptions& options) : graph_(graph), call_(call), options_(options) {}

  Result<BatchValues> Run(const std::vector<BatchValues>& lists, const Input& batch_size) {
    const NameScope scope(graph_, NameOrDefault(options_.name, std::string(call_.function)));
    WEIR_TRY(Convert(lists));
    WEIR_TRY(ReadKeepInput());
    std::vector<OutputList> components;
    for (size_t i = 0; i < lists_.size(); ++i) {
      WEIR_ASSIGN(OutputList stored, Store(lists_[i], i == 0));
      components.push_back(std::move(stored));
    }
    WEIR_TRY(MakeQueue(components));
    WEIR_TRY(AddRunner(components));
    Summarize();
    const std::string name = scope.name() + "/";
    const OutputList batch = options_.allow_smaller_final_batch ? queue_.DequeueUpTo(batch_size, name)
                                                                : queue_.DequeueMany(batch_size, name);
    WEIR_TRY(graph_.TakeError());
    return Restore(batch);
  }

 private:
  Status Convert(const std::vector<BatchValues>& lists) {
    if (lists.empty() || lists[0].empty())
      return InvalidArgument("Expected at least one {} in {}().",
                             call_.join && lists.empty() ? "set of tensors" : "tensor", call_.function);
    for (const BatchValues& list : lists) {
      if (list.size() != lists[0].size())
        return InvalidArgument("{}(): all lists must have the same number of values, but there are {} and {}",
                               call_.function, lists[0].size(), list.size());
      BatchValues converted;
      for (const BatchValue& value : list) {
        if (value.sparse.has_value()) {
          converted.push_back(*value.sparse);
          continue;
        }
        WEIR_ASSIGN(const Output dense, ToOutput(graph_, value.dense));
        converted.push_back(dense);
      }
      lists_.push_back(std::move(converted));
    }
    return OkStatus();
  }

  Status ReadKeepInput() {
    WEIR_ASSIGN(keep_, ToOutput(graph_, options_.keep_input, kBool));
    const PartialShape shape = keep_.shape();
    if (!shape.known_rank()) return InvalidArgument("`keep_input` dimensions must be known at graph construction.");
    if (!options_.enqueue_many && shape.rank() == 1)
      return InvalidArgument("`keep_input` cannot be a vector when `enqueue_many=False`.");
    if (shape.rank() > 1) return InvalidArgument("`keep_input` must be 0 or 1 dimensions.");
    if (const Tensor known = graph_.ConstantValue(keep_); shape.rank() == 0 && known.valid())
      keeps_ = known.scalar<bool>();
    return OkStatus();
  }
  bool by_row() const { return keep_.shape().rank() == 1; }

  // Builds `kept` if the value is kept, else `left`. If keep_input is not known at construction time, builds both as a
  // Cond.
  Result<OutputList> WhenKept(const BranchFn& kept, const BranchFn& left) {
    if (keeps_.has_value()) return *keeps_ ? kept() : left();
    return Cond(graph_, keep_, kept, left);
  }

  // --- Sparse values ---

  Output AddToMap(const Sparse& value, Node* shared) {
    const bool many = options_.enqueue_many;
    NodeBuilder node(graph_, many ? "AddManySparseToTensorsMap" : "AddSparseToTensorsMap");
    node.In(value.indices).In(value.values).In(value.dense_shape);
    if (shared != nullptr) node.Attr("shared_name", shared->name());
    return node.BuildOutput();
  }

  // Removes the rows that are not kept. Needed because the map creates a handle for every row, including empty ones.
  Sparse KeptRows(const Sparse& value) {
    const auto columns = [](Output indices, bool first) {  // the first column, or all others
      return StridedSlice(indices, Tensor::Vector<int32_t>({0, first ? 0 : 1}), Tensor::Vector<int32_t>({0, 1}),
                          Tensor::Vector<int32_t>({1, 1}), {.begin_mask = 1, .end_mask = first ? 1 : 3});
    };
    const Tensor first_axis = Tensor::Scalar(int32_t{0}), second_axis = Tensor::Scalar(int32_t{1});
    const Output rows = Reshape(columns(value.indices, true), Tensor::Vector<int32_t>({-1}));
    const Sparse kept = SparseRetain(value, GatherV2(keep_, rows, first_axis));
    const Output chosen = Cast(keep_, kInt64);
    const Output before = Cumsum(chosen, first_axis, {.exclusive = true});  // number of kept rows before each row
    const Output sizes = StridedSlice(value.dense_shape, Tensor::Vector<int32_t>({1}), Tensor::Vector<int32_t>({0}),
                                      Tensor::Vector<int32_t>({1}), {.end_mask = 1});
    const Output count = Sum(chosen, Tensor::Vector<int32_t>({0}), {.keep_dims = true});
    const Output numbers = GatherV2(before, columns(kept.indices, true), first_axis);
    return {ConcatV2(graph_, {numbers, columns(kept.indices, false)}, second_axis), kept.values,
            ConcatV2(graph_, {count, sizes}, first_axis)};
  }

  Result<Output> StoreSparse(const Sparse& value, Node* shared) {
    if (by_row()) return AddToMap(KeptRows(value), shared);
    const auto kept = [&]() -> Result<OutputList> { return OutputList{AddToMap(value, shared)}; };
    const auto left = [&]() -> Result<OutputList> {
      const Output none = Constant(graph_, Tensor::Scalar(int64_t{-1}));
      if (!options_.enqueue_many) return OutputList{none};
      const Output rows = StridedSlice(value.dense_shape, Tensor::Vector<int32_t>({0}), Tensor::Vector<int32_t>({1}),
                                       Tensor::Vector<int32_t>({1}));
      return OutputList{Fill(graph_, rows, none)};
    };
    WEIR_ASSIGN(const OutputList handles, WhenKept(kept, left));
    WEIR_TRY(graph_.TakeError());
    if (options_.enqueue_many) WEIR_TRY(graph_.SetShape(handles[0], PartialShape{kUnknownDim}));
    return handles[0];
  }

  // The op whose map holds the handle. It may be inside of a Cond.
  static Node* MapOf(Output handle) {
    for (Node* node = handle.node; node != nullptr;) {
      if (node->op().name.find("ToTensorsMap") != std::string::npos) return node;
      node = node->num_inputs() == 0 ? nullptr : node->input(node->num_inputs() - 1).node;
    }
    return nullptr;
  }

  Result<OutputList> Store(const BatchValues& values, bool first) {
    OutputList components;
    for (size_t c = 0; c < values.size(); ++c) {
      const BatchValue& value = values[c];
      if (first) stored_.push_back({});
      if (value.sparse.has_value() != lists_[0][c].sparse.has_value())
        return MarkTypeError(
            InvalidArgument("{}(): value {} is sparse in one list and dense in another", call_.function, c));
      if (!value.sparse.has_value()) {
        components.push_back(value.dense.output());
        continue;
      }
      WEIR_ASSIGN(const Output handle, StoreSparse(*value.sparse, stored_[c].map));
      if (first) {
        const PartialShape indices = value.sparse->indices.shape();
        const bool known = indices.known_rank() && indices.rank() == 2 && indices[1] != kUnknownDim;
        stored_[c] = {MapOf(handle), value.sparse->values.base_dtype(),
                      known ? static_cast<int>(indices[1]) + (options_.enqueue_many ? 0 : 1) : -1};
      }
      components.push_back(ExpandDims(handle, Tensor::Vector<int32_t>({-1})));
      WEIR_TRY(graph_.TakeError());
    }
    return components;
  }

  Result<BatchValues> Restore(const OutputList& batch) {
    BatchValues values;
    std::vector<Node*> taken;
    for (size_t c = 0; c < batch.size(); ++c) {
      if (stored_[c].map == nullptr) {
        values.push_back(batch[c]);
        taken.push_back(batch[c].node);
        continue;
      }
      const Output handles = Squeeze(batch[c], {.squeeze_dims = {1}});
      OutputList parts;
      {
        const ColocationScope with_map(graph_, stored_[c].map);
        NodeBuilder take(graph_, "TakeManySparseFromTensorsMap");
        take.In(handles).Attr("dtype", stored_[c].dtype).Attr("shared_name", stored_[c].map->name());
        parts = take.BuildOutputs(3);
      }
      WEIR_TRY(graph_.TakeError());
      if (const int64_t rank = stored_[c].rank; rank >= 0) {
        WEIR_TRY(graph_.SetShape(parts[0], PartialShape{kUnknownDim, rank}));
        WEIR_TRY(graph_.SetShape(parts[2], PartialShape{rank}));
      }
      values.push_back(Sparse{parts[0], parts[1], parts[2]});
      taken.push_back(parts[0].node);
    }
    const bool any_sparse =
        std::any_of(values.begin(), values.end(), [](const BatchValue& v) { return v.sparse.has_value(); });
    if (!any_sparse || values.size() < 2) return values;
    // Every part of a batch depends on all of them being taken: a sparse value left in the map would stay there.
    const auto all = [&](Output part) { return WithDependencies(taken, part); };
    for (BatchValue& value : values) {
      if (value.sparse.has_value())
        value = Sparse{all(value.sparse->indices), all(value.sparse->values), all(value.sparse->dense_shape)};
      else
        value = all(value.dense.output());
    }
    WEIR_TRY(graph_.TakeError());
    return values;
  }

  // --- The queue ---

  Result<std::vector<PartialShape>> Shapes(const std::vector<OutputList>& components) const {
    if (options_.shapes.has_value()) return *options_.shapes;
    std::vector<PartialShape> shapes;
    for (size_t c = 0; c < components[0].size(); ++c) {
      PartialShape shape;
      for (const OutputList& list : components) {
        PartialShape one = list[c].shape();
        if (!one.known_rank())
          return InvalidArgument("Cannot infer Tensor's rank: {}; call set_shape() on it", list[c].name());
        if (options_.enqueue_many) {
          if (one.rank() == 0) return InvalidArgument("Shape {} must have rank at least 1", one);
          one.RemoveDim(0);
        }
        WEIR_TRY(shape.Merge(one).status());
        if (!shape.known_rank()) shape = one;  // the first list determines the shape; the others must be compatible
      }
      shapes.push_back(std::move(shape));
    }
    return shapes;
  }

  Status MakeQueue(const std::vector<OutputList>& components) {
    std::vector<DType> types;
    for (const Output& value : components[0]) types.push_back(value.base_dtype());
    for (const OutputList& list : components) {
      for (size_t c = 0; c < types.size(); ++c) {
        if (list[c].base_dtype() != types[c])
          return MarkTypeError(InvalidArgument("Expected types to be consistent: value {} of {}() is {} and {}", c,
                                               call_.function, types[c], list[c].base_dtype()));
      }
    }
    QueueOptions queue{.shared_name = options_.shared_name};
    WEIR_ASSIGN(queue.shapes, Shapes(components));
    if (call_.shuffle.has_value()) {
      const int64_t least = call_.shuffle->min_after_dequeue;
      if (options_.capacity <= least)
        return InvalidArgument("capacity {} must be bigger than min_after_dequeue {}.", options_.capacity, least);
      queue_ = Queue::RandomShuffle(graph_, options_.capacity, least, types, queue, call_.shuffle->seed);
    } else if (options_.dynamic_pad) {
      queue_ = Queue::PaddingFifo(graph_, options_.capacity, types, queue);
    } else {
      queue_ = Queue::Fifo(graph_, options_.capacity, types, queue);
    }
    return graph_.TakeError();
  }

  Result<Node*> EnqueueNode(const OutputList& components) {
    const auto enqueue = [&](const OutputList& values) {
      const InputList inputs(values.begin(), values.end());
      return options_.enqueue_many ? queue_.EnqueueMany(inputs) : queue_.Enqueue(inputs);
    };
    if (by_row()) {
      const Output chosen = Cast(keep_, kInt32);
      OutputList kept;
      // Rows of sparse values that are not kept were already removed.
      for (size_t c = 0; c < components.size(); ++c)
        kept.push_back(stored_[c].map != nullptr ? components[c]
                                                 : DynamicPartition(graph_, components[c], chosen, 2)[1]);
      return enqueue(kept);
    }
    const auto yes = [&]() -> Result<OutputList> {
      Node* node = enqueue(components);
      WEIR_TRY(graph_.TakeError());
      return OutputList{NodeAsOutput(node)};
    };
    const auto no = [&]() -> Result<OutputList> {
      Node* node = NoOp(graph_);
      WEIR_TRY(graph_.TakeError());
      return OutputList{NodeAsOutput(node)};
    };
    WEIR_ASSIGN(const OutputList result, WhenKept(yes, no));
    return result[0].node;
  }

  Status AddRunner(const std::vector<OutputList>& components) {
    QueueRunnerParts parts{.queue_name = queue_.name()};
    for (const OutputList& list : components) {
      WEIR_ASSIGN(Node * node, EnqueueNode(list));
      WEIR_TRY(graph_.TakeError());
      for (int i = 0; i < (call_.join ? 1 : options_.num_threads); ++i) parts.enqueue.push_back(node);
    }
    parts.close = queue_.Close();
    parts.cancel = queue_.Close(/*cancel_pending_enqueues=*/true);
    WEIR_TRY(graph_.TakeError());
    WEIR_ASSIGN(QueueRunnerPtr runner, QueueRunner::Make(std::move(parts)));
    AddQueueRunner(graph_, std::move(runner));
    return OkStatus();
  }

  void Summarize() {
    Output count = queue_.Size();
    int64_t room = options_.capacity;
    std::string name = fmt::format("fraction_of_{}_full", room);
    if (call_.shuffle.has_value()) {
      const int64_t least = call_.shuffle->min_after_dequeue;
      room -= least;
      name = fmt::format("fraction_over_{}_of_{}_full", least, room);
      count = Maximum(0, Sub(count, static_cast<int32_t>(least), {.name = "sub"}));
    }
    const float part = static_cast<float>(1.0 / static_cast<double>(room));
    SummarizeScalar(graph_, name, Mul(Cast(count, kFloat), part, {.name = "mul"}));
  }

  Graph& graph_;
  const BatchCall call_;
  const BatchOptions& options_;
  std::vector<BatchValues> lists_;
  Output keep_;
  std::optional<bool> keeps_;  // if known at construction time
  std::vector<StoredSparse> stored_;
  Queue queue_;
};

}  // namespace

Result<BatchValues> Batch(Graph& graph, const BatchValues& values, const Input& batch_size,
                          const BatchOptions& options) {
  return Batcher(graph, {.function = "batch"}, options).Run({values}, batch_size);
}
Result<BatchValues> ShuffleBatch(Graph& graph, const BatchValues& values, const Input& batch_size,
                                 const ShuffleOptions& shuffle, const BatchOptions& options) {
  return Batcher(graph, {.function = "shuffle_batch", .shuffle = shuffle}, options).Run({values}, batch_size);
}
Result<BatchValues> BatchJoin(Graph& graph, const std::vector<BatchValues>& lists, const Input& batch_size,
                              const BatchOptions& options) {
  return Batcher(graph, {.function = "batch_join", .join = true}, options).Run(lists, batch_size);
}
Result<BatchValues> ShuffleBatchJoin(Graph& graph, const std::vector<BatchValues>& lists, const Input& batch_size,
                                     const ShuffleOptions& shuffle, const BatchOptions& options) {
  return Batcher(graph, {.function = "shuffle_batch_join", .join = true, .shuffle = shuffle}, options)
      .Run(lists, batch_size);
}

}  // namespace weir
