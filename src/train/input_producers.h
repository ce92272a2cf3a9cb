// Input producers: queues that a queue runner keeps filled with the rows of a tensor (names of files, numbers of
// examples), for a number of epochs or for ever. Nodes, names, summaries and collections are those of tf.train.
#pragma once

#include <optional>
#include <string>

#include "graph/compose/queue.h"
#include "graph/compose/variable.h"

namespace weir {

struct ProducerOptions {
  std::optional<int64_t> num_epochs = {};  // counted by a local variable; none: for ever
  bool shuffle = true;                     // anew in every epoch
  std::optional<int64_t> seed = {};
  int64_t capacity = 32;
  std::string shared_name = "";
  std::string name = "";
  std::string summary_name = "";  // of the summary that says how full the queue is; none without one
  Node* cancel = nullptr;         // what the runner runs when its coordinator stops; by default it closes the queue
};

// The rows of `tensor`. `element_shape` adds to what is known of their shape, which must be all.
Result<Queue> InputProducer(Graph& graph, const Input& tensor, const ProducerOptions& options = {},
                            const PartialShape& element_shape = {});
// Strings; an empty vector fails when it is read. Summarizes by itself.
Result<Queue> StringInputProducer(Graph& graph, const Input& strings, const ProducerOptions& options = {});
// The numbers from 0 to limit - 1.
Result<Queue> RangeInputProducer(Graph& graph, const Input& limit, const ProducerOptions& options = {});
// One slice of each tensor at a time, all with the same number.
Result<OutputList> SliceInputProducer(Graph& graph, const InputList& tensors, const ProducerOptions& options = {});

// The tensor, as often as said; then OutOfRange.
Result<Output> LimitEpochs(Graph& graph, const Input& tensor, int64_t num_epochs, const std::string& name = "");
// The names of files that match, in a local variable: found once, when it is initialized.
Result<VariablePtr> MatchFilenamesOnce(Graph& graph, const Input& pattern, const std::string& name = "");

}  // namespace weir
