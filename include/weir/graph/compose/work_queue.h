// WorkQueue: a list of work (files, table ranges) that many workers share. Each worker takes one slice after the other,
// so a slow one takes less. Every slice is handed out once per epoch; the slice that a worker holds when its session
// ends goes to another worker, once. The queue is on the task of its handle, e.g. a parameter server, and savers of the
// graph save and restore it. docs/training.md has an example. A value type.
#pragma once

#include <optional>
#include <string>

#include "weir/graph/compose/variable.h"
#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

struct WorkQueueOptions {
  int64_t num_epochs = 1;
  bool shuffle = true;               // in another order in every epoch
  std::optional<int64_t> seed = {};  // of the order
  std::string prefix = "";           // of all works: take adds it
  // Cut the works into that many slices, of nearly equal number per work, named "<work>?slice_id=0&slice_count=3".
  std::optional<int64_t> num_slices = {};
  std::string name = "";  // default: "work_queue"
};

class WorkQueue final {
 public:
  // `works` is a vector of strings. The queue is filled when the global variables are initialized: it has one, its
  // number of slices. InvalidArgument if there is no work, or if there are fewer slices than works.
  static Result<WorkQueue> Make(Graph& graph, const Input& works, const WorkQueueOptions& options = {});

  Graph& graph() const { return handle_.graph(); }
  Output handle() const { return handle_; }
  const std::string& name() const { return handle_.node->name(); }
  const VariablePtr& slices() const { return slices_; }  // the number of slices of an epoch
  // The same queue with another output as its handle, e.g. inside of a function that has captured the handle.
  WorkQueue WithHandle(Output handle) const {
    WorkQueue seen = *this;
    seen.handle_ = handle;
    return seen;
  }

  // The next slice, a scalar. Fails with OutOfRange when all slices of all epochs are done. The slice that this session
  // took before counts as done, so take one only when the last one is used up.
  Output Take(const std::string& name = "") const;
  // The number of slices that nobody has taken, in all epochs.
  Output Size(const std::string& name = "") const;
  // Adds a summary of Size to the graph: "<name>/size".
  Output AddSummary() const;
  // Used by savers. `left` and `state` are what Saved has returned.
  Node* Restore(Output left, Output state) const;

 private:
  Output handle_;
  Output works_;
  VariablePtr slices_;
  WorkQueueOptions options_;
  int64_t seed_ = 0;
  int64_t seed2_ = 0;
};

// The entry of a queue in the collection kSaveableObjects: its state, as a saver writes it.
struct SavedWorkQueue {
  WorkQueue queue;
  Output left;   // slices that are not done
  Output state;  // numbers
};

// The parts of a slice: "file?slice_id=1&slice_count=3" is part 1 of 3 of "file". A work that is not cut is part 0
// of 1.
struct WorkSlice {
  Output work;
  Output index;
  Output count;
};
WorkSlice SplitWorkSlice(Output slice);

}  // namespace weir
