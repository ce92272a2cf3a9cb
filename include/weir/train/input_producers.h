// Input producers: queues that a queue runner fills with the rows of a tensor (file names, example numbers), for a
// number of epochs or forever. Nodes, names, summaries and collections are those of tf.train.
#pragma once

#include <optional>
#include <string>

#include "weir/graph/compose/queue.h"
#include "weir/graph/compose/variable.h"
#include "weir/graph/compose/work_queue.h"

namespace weir {

struct ProducerOptions {
  std::optional<int64_t> num_epochs = {};  // counted by a local variable; nullopt: forever
  bool shuffle = true;                     // reshuffles in every epoch
  std::optional<int64_t> seed = {};
  int64_t capacity = 32;
  std::string shared_name = "";
  std::string name = "";
  std::string summary_name = "";  // name of the queue fraction summary; empty: no summary
  Node* cancel = nullptr;         // node that the runner runs when its coordinator stops; default: closes the queue
};

// Produces the rows of `tensor`. `element_shape` is merged into their static shape, which must be fully defined then.
Result<Queue> InputProducer(Graph& graph, const Input& tensor, const ProducerOptions& options = {},
                            const PartialShape& element_shape = {});
// Produces strings and adds its own summary. An empty vector fails at run time.
Result<Queue> StringInputProducer(Graph& graph, const Input& strings, const ProducerOptions& options = {});
// Produces the numbers 0 to limit - 1.
Result<Queue> RangeInputProducer(Graph& graph, const Input& limit, const ProducerOptions& options = {});
// Produces one slice of each tensor at a time, all at the same index.
Result<OutputList> SliceInputProducer(Graph& graph, const InputList& tensors, const ProducerOptions& options = {});

// Produces the slices of a work queue. Takes a slice only when a dequeue waits, so that this session holds no slices
// that it does not use yet.
Result<Queue> WorkProducer(const WorkQueue& works, const std::string& name = "");

// Forwards the tensor num_epochs times, then fails with OutOfRange.
Result<Output> LimitEpochs(Graph& graph, const Input& tensor, int64_t num_epochs, const std::string& name = "");
// The matching file names in a local variable: matched once, when it is initialized.
Result<VariablePtr> MatchFilenamesOnce(Graph& graph, const Input& pattern, const std::string& name = "");

}  // namespace weir
