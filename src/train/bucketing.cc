#include "train/bucketing.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/names.h"
#include "graph/compose/summary.h"
#include "graph/compose/variable.h"
#include "graph/node_builder.h"
#include "train/queue_runner.h"

namespace weir {
namespace {

class Bucketer final {
 public:
  Bucketer(Graph& graph, const BucketOptions& options) : graph_(graph), options_(options) {}

  Result<Buckets> Run(const InputList& inputs, const Input& which, const std::vector<int64_t>& sizes, int count) {
    if (inputs.empty()) return InvalidArgument("Expected at least one tensor in bucket().");
    if (count < 1) return InvalidArgument("num_buckets must be at least 1: {}", count);
    if (sizes.size() != 1 && sizes.size() != static_cast<size_t>(count))
      return InvalidArgument("If batch_size is a list it must have num_buckets elements");
    if (options_.capacities && options_.capacities->size() != static_cast<size_t>(count))
      return InvalidArgument("The list bucket_capacities ({} elements) must have exactly num_buckets ({}) elements.",
                             options_.capacities->size(), count);
    const NameScope scope(graph_, NameOrDefault(options_.name, "bucket"));
    for (const Input& input : inputs) values_.push_back(ValueOf(graph_, input));
    which_ = ValueOf(graph_, which, kInt32, "which_bucket");
    WEIR_TRY(graph_.TakeError());
    for (size_t i = 0; i < values_.size(); ++i) {
      dtypes_.push_back(values_[i].base_dtype());
      shapes_.push_back(options_.shapes ? options_.shapes->at(i) : values_[i].shape());
    }
    for (int i = 0; i < count; ++i) {
      const int64_t room = options_.capacities ? (*options_.capacities)[static_cast<size_t>(i)] : options_.capacity;
      buckets_.push_back(Make(room, dtypes_, shapes_, options_.dynamic_pad, ""));
    }
    MakeTop(sizes);
    WEIR_TRY(graph_.TakeError());
    WEIR_TRY(FillBuckets());
    WEIR_TRY(FillTop(sizes));
    const Output fill = Cast(top_.Size(), kFloat) * static_cast<float>(1.0 / static_cast<double>(options_.capacity));
    SummarizeScalar(graph_, fmt::format("bucket/fraction_of_{}_full", options_.capacity), fill);
    OutputList batch = top_.Dequeue(scope.name() + "/");
    WEIR_TRY(graph_.TakeError());
    return Buckets{batch[0], OutputList(batch.begin() + 1, batch.end())};
  }

 private:
  Queue Make(int64_t capacity, const std::vector<DType>& dtypes, const std::vector<PartialShape>& shapes, bool pad,
             const std::string& shared_name) {
    const QueueOptions options{.shapes = shapes, .shared_name = shared_name};
    return pad ? Queue::PaddingFifo(graph_, capacity, dtypes, options) : Queue::Fifo(graph_, capacity, dtypes, options);
  }

  // The queue of batches: the bucket's number, then the values.
  void MakeTop(const std::vector<int64_t>& sizes) {
    const bool one_size = sizes.size() == 1 && !options_.allow_smaller_final_batch;
    std::vector<DType> dtypes = {kInt32};
    std::vector<PartialShape> shapes = {PartialShape::Scalar()};
    bool known = true;
    for (size_t i = 0; i < dtypes_.size(); ++i) {
      dtypes.push_back(dtypes_[i]);
      PartialShape shape = shapes_[i];
      if (shape.known_rank()) shape.InsertDim(0, one_size ? sizes[0] : kUnknownDim);
      known = known && shape.fully_defined();
      shapes.push_back(shape);
    }
    top_ = known ? Make(options_.capacity, dtypes, shapes, false, options_.shared_name)
                 : Make(options_.capacity, dtypes, shapes, true, options_.shared_name);
  }

  Status AddRunner(const Queue& queue, std::vector<Node*> enqueue, const std::vector<Queue>& closed,
                   std::set<StatusCode> ends) {
    std::vector<Node*> close, cancel;
    for (const Queue& q : closed) {
      close.push_back(q.Close());
      cancel.push_back(q.Close(/*cancel_pending_enqueues=*/true));
    }
    WEIR_TRY(graph_.TakeError());
    QueueRunnerParts parts{.queue_name = queue.name(), .enqueue = std::move(enqueue), .closed = std::move(ends)};
    parts.close = Group(graph_, close);
    parts.cancel = Group(graph_, cancel);
    WEIR_TRY(graph_.TakeError());
    WEIR_ASSIGN(QueueRunnerPtr runner, QueueRunner::Make(std::move(parts)));
    AddQueueRunner(graph_, std::move(runner));
    return OkStatus();
  }

  // One node that enqueues the values in their bucket, if they are kept.
  Status FillBuckets() {
    const Output keep = ValueOf(graph_, options_.keep_input, kBool, "keep_input");
    WEIR_TRY(graph_.TakeError());
    std::vector<Node*> all;
    for (size_t i = 0; i < buckets_.size(); ++i) {
      const Output mine = LogicalAnd(keep, Equal(which_, static_cast<int>(i)));
      WEIR_TRY(graph_.TakeError());
      const auto enqueue = [&]() -> Result<OutputList> {
        Node* node = buckets_[i].Enqueue(InputList(values_.begin(), values_.end()));
        WEIR_TRY(graph_.TakeError());
        return OutputList{NodeAsOutput(node)};
      };
      const auto nothing = [&]() -> Result<OutputList> {
        return OutputList{NodeAsOutput(NodeBuilder(graph_, "NoOp").BuildNode())};
      };
      WEIR_ASSIGN(const OutputList done, Cond(graph_, mine, enqueue, nothing));
      all.push_back(done[0].node);
    }
    Node* enqueue = Group(graph_, all);
    WEIR_TRY(graph_.TakeError());
    return AddRunner(buckets_[0], std::vector<Node*>(static_cast<size_t>(std::max(options_.num_threads, 1)), enqueue),
                     buckets_, {StatusCode::kOutOfRange, StatusCode::kCancelled});
  }

  Status FillTop(const std::vector<int64_t>& sizes) {
    std::vector<Node*> all;
    for (size_t i = 0; i < buckets_.size(); ++i) {
      const auto size = static_cast<int32_t>(sizes.size() == 1 ? sizes[0] : sizes[i]);
      const Queue& bucket = buckets_[i];
      OutputList batch = options_.allow_smaller_final_batch ? bucket.DequeueUpTo(size) : bucket.DequeueMany(size);
      WEIR_TRY(graph_.TakeError());
      InputList values = {Tensor::Scalar(static_cast<int32_t>(i))};
      for (Output value : batch) values.push_back(value);
      all.push_back(top_.Enqueue(values));
      WEIR_TRY(graph_.TakeError());
    }
    return AddRunner(top_, all, {top_}, {StatusCode::kOutOfRange, StatusCode::kCancelled});
  }

  Graph& graph_;
  const BucketOptions& options_;
  OutputList values_;
  Output which_;
  std::vector<DType> dtypes_;
  std::vector<PartialShape> shapes_;
  std::vector<Queue> buckets_;
  Queue top_;
};

}  // namespace

Result<Buckets> BatchByBucket(Graph& graph, const InputList& values, const Input& which_bucket,
                              const std::vector<int64_t>& batch_sizes, int num_buckets, const BucketOptions& options) {
  return Bucketer(graph, options).Run(values, which_bucket, batch_sizes, num_buckets);
}

Output IntervalOf(Graph& graph, const Input& length, const std::vector<int64_t>& boundaries) {
  const Output value = ValueOf(graph, length);
  if (!value.valid()) return value;
  const Output bounds = ValueOf(graph, boundaries, value.base_dtype(), "boundaries");
  return ReduceSum(Cast(LessEqual(bounds, value), kInt32));
}

}  // namespace weir
