// Queue: a queue of a graph, to put elements in and take them out, one by one or in batches. A value. All its nodes are
// named after it ("fifo_queue_enqueue"). The errors of building stay with the graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

struct QueueOptions {
  // One per component, or none: then elements may have any shapes, and no batches can be taken out.
  std::vector<PartialShape> shapes = {};
  std::vector<std::string> names = {};  // of the components; none is fine
  std::string shared_name = "";         // queues of one name on one device are the same
  std::string name = "";
  // Of a queue of tokens, which sessions take in turns: how many of a batch must be used for the next one to come, and
  // how many sessions there will be.
  int64_t tokens_needed = 0;
  int64_t members_expected = 0;
};

class Queue final {
 public:
  Queue() = default;  // invalid

  // `capacity` elements fit in; negative: any number.
  static Queue Fifo(Graph& graph, int64_t capacity, std::vector<DType> dtypes, const QueueOptions& options = {});
  // Elements come out in random order, of at least `min_after_dequeue` + 1 until it is closed.
  static Queue RandomShuffle(Graph& graph, int64_t capacity, int64_t min_after_dequeue, std::vector<DType> dtypes,
                             const QueueOptions& options = {}, std::optional<int64_t> seed = {});
  // Sizes that the shapes leave open may differ between the elements of a batch: it is filled up with zeros.
  static Queue PaddingFifo(Graph& graph, int64_t capacity, std::vector<DType> dtypes, const QueueOptions& options);
  // A first component, an int64 scalar that neither `dtypes` nor the shapes mention, decides: the smallest comes first.
  static Queue Priority(Graph& graph, int64_t capacity, std::vector<DType> dtypes, const QueueOptions& options = {});
  // A queue that there is already. `dtypes` and `options` are those of all its components.
  static Queue Wrap(Output queue_ref, std::vector<DType> dtypes, const QueueOptions& options = {});
  // Queue number `index` of several with the same components.
  static Queue FromList(const Input& index, const std::vector<Queue>& queues);

  // The same queue with another output as its handle: what a function sees of it that has captured the handle.
  Queue Behind(Output queue_ref) const {
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
  // Every value is a batch: its rows are the elements.
  Node* EnqueueMany(const InputList& values, const std::string& name = "") const;
  OutputList Dequeue(const std::string& name = "") const;
  OutputList DequeueMany(const Input& n, const std::string& name = "") const;
  // As many as are left when the queue is closed.
  OutputList DequeueUpTo(const Input& n, const std::string& name = "") const;
  Node* Close(bool cancel_pending_enqueues = false, const std::string& name = "") const;
  Output IsClosed(const std::string& name = "") const;
  Output Size(const std::string& name = "") const;
  // Of a queue of tokens: below 0 while every member waits for one, and nobody else is expected. Elsewhere the size.
  Output EveryoneWaits(const std::string& name = "") const;

 private:
  static Queue Checked(Graph& graph, Output ref, std::vector<DType> dtypes, const QueueOptions& options);
  // "<queue>_<what>", unless a name is given.
  std::string NameFor(const std::string& name, const char* what) const;
  // The op in the version that takes this kind of handle.
  std::string OpName(const char* op) const;
  OutputList WithShapes(OutputList outputs, const PartialShape& batch) const;

  Output ref_;
  std::vector<DType> dtypes_;
  std::vector<PartialShape> shapes_;  // one per component
  std::vector<std::string> names_;
};

}  // namespace weir
