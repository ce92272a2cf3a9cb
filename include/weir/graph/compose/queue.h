// Queue: a queue in a graph, with single-element and batch operations. A value type. Its nodes are named after it
// ("fifo_queue_enqueue"). Errors are recorded in the graph's build state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

struct QueueOptions {
  // One per component, or none. Without shapes, elements may have any shape and DequeueMany is not possible.
  std::vector<PartialShape> shapes = {};
  std::vector<std::string> names = {};  // names of the components; optional
  std::string shared_name = "";         // queues with the same name on one device share their state
  std::string name = "";
  // Only for token queues, whose tokens are shared between sessions (src/ops/queue/token_scheduler.h): the number of
  // tokens of a round that must be used before the next round, and the expected number of sessions.
  int64_t tokens_needed = 0;
  int64_t members_expected = 0;
};

class Queue final {
 public:
  Queue() = default;  // invalid

  // A negative `capacity` means unlimited.
  static Queue Fifo(Graph& graph, int64_t capacity, std::vector<DType> dtypes, const QueueOptions& options = {});
  // Dequeues in random order. Keeps at least min_after_dequeue elements until the queue is closed.
  static Queue RandomShuffle(Graph& graph, int64_t capacity, int64_t min_after_dequeue, std::vector<DType> dtypes,
                             const QueueOptions& options = {}, std::optional<int64_t> seed = {});
  // Dimensions that the shapes leave unknown may differ between the elements of a batch; shorter ones are padded with
  // zeros.
  static Queue PaddingFifo(Graph& graph, int64_t capacity, std::vector<DType> dtypes, const QueueOptions& options);
  // Dequeues the smallest priority first. The priority is an additional first component, an int64 scalar, which
  // `dtypes` and the shapes do not include.
  static Queue Priority(Graph& graph, int64_t capacity, std::vector<DType> dtypes, const QueueOptions& options = {});
  // Wraps an existing queue. `dtypes` and `options` cover all its components.
  static Queue Wrap(Output queue_ref, std::vector<DType> dtypes, const QueueOptions& options = {});
  // Selects queue `index` of several with the same components.
  static Queue FromList(const Input& index, const std::vector<Queue>& queues);

  // The same queue with another output as its handle, e.g. inside of a function that has captured the handle.
  Queue WithHandle(Output queue_ref) const {
    Queue seen = *this;
    seen.ref_ = queue_ref;
    return seen;
  }

  bool valid() const { return ref_.valid(); }
  Graph& graph() const { return ref_.graph(); }
  Output queue_ref() const { return ref_; }
  const std::string& name() const { return ref_.node->name(); }
  const std::vector<DType>& dtypes() const { return dtypes_; }
  const std::vector<PartialShape>& shapes() const { return shapes_; }
  const std::vector<std::string>& names() const { return names_; }

  Node* Enqueue(const InputList& values, const std::string& name = "") const;
  // Each value is a batch whose rows are the elements.
  Node* EnqueueMany(const InputList& values, const std::string& name = "") const;
  // The same, but does nothing if the queue has received elements before. TensorFlow always enqueues them.
  Node* EnqueueFirst(const InputList& values, const std::string& name = "") const;
  OutputList Dequeue(const std::string& name = "") const;
  OutputList DequeueMany(const Input& n, const std::string& name = "") const;
  // Returns fewer than n elements if the queue is closed and fewer are left.
  OutputList DequeueUpTo(const Input& n, const std::string& name = "") const;
  Node* Close(bool cancel_pending_enqueues = false, const std::string& name = "") const;
  // A node that waits until a dequeue of this queue waits. Fails if the queue is closed. TensorFlow has no such node.
  Node* AwaitDequeue(const std::string& name = "") const;
  Output IsClosed(const std::string& name = "") const;
  Output Size(const std::string& name = "") const;
  // For a token queue: negative if all members wait for a token and no other member is expected, else the size.
  Output SizeUnlessAllWait(const std::string& name = "") const;

 private:
  static Queue Checked(Graph& graph, Output ref, std::vector<DType> dtypes, const QueueOptions& options);
  Node* AddEnqueueMany(const InputList& values, const std::string& name, bool only_first) const;
  // "<queue>_<what>" unless `name` is given.
  std::string NameFor(const std::string& name, const char* what) const;
  // The op version for this kind of handle.
  std::string OpName(const char* op) const;
  OutputList WithShapes(OutputList outputs, const PartialShape& batch) const;

  Output ref_;
  std::vector<DType> dtypes_;
  std::vector<PartialShape> shapes_;  // one per component
  std::vector<std::string> names_;
};

}  // namespace weir
