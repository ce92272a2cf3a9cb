// Recurrent networks over any cell: unrolled while the graph is built (StaticRnn) or as a while loop (DynamicRnn). A
// cell gives outputs and the next state for one time step; rows of a batch whose sequence has ended give zeros and keep
// their state. Graphs, names and scopes of variables are TensorFlow's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graph/compose/tensor_array.h"
#include "graph/compose/variable_scope.h"
#include "graph/input.h"

namespace weir {

struct RnnStep {
  OutputList outputs;
  OutputList state;
};

// What a recurrent network does at each time step. Sizes are shapes without the batch, one for each tensor.
class RnnCell {
 public:
  virtual ~RnnCell() = default;
  virtual std::string name() const = 0;  // "BasicLSTMCell"
  virtual Result<std::vector<PartialShape>> StateSizes() const = 0;
  virtual Result<std::vector<PartialShape>> OutputSizes() const = 0;
  virtual Result<RnnStep> Step(Graph& graph, const OutputList& inputs, const OutputList& state) = 0;
  virtual Result<OutputList> ZeroState(Graph& graph, const Input& batch_size, DType dtype);
};

// Zeros of the shape [batch_size, size...]. The size must be known.
Result<Output> ZerosForBatch(Graph& graph, const Input& batch_size, const PartialShape& size, DType dtype);

struct RnnOptions {
  std::optional<InputList> initial_state = {};  // none: zeros of `dtype`
  DType dtype = kInvalidType;                   // of the outputs; that of the state when not given
  Input sequence_length = {};                   // [batch]; absent: all are as long as the inputs
  bool time_major = false;                      // DynamicRnn: [time, batch, ...] instead of [batch, time, ...]
  int parallel_iterations = 32;
  bool swap_memory = false;
  // Where variables are: the name of a scope (empty: "rnn" or "bidirectional_rnn"), or one that was opened before.
  std::variant<std::string, VariableScope> scope = {};
};

// The outputs of all steps, stacked like the inputs, and the last state.
Result<RnnStep> DynamicRnn(Graph& graph, RnnCell& cell, const InputList& inputs, const RnnOptions& options = {});

struct StaticRnnResult {
  std::vector<OutputList> outputs;  // of each step
  OutputList state;
};
// `inputs` are those of each step, [batch, ...].
Result<StaticRnnResult> StaticRnn(Graph& graph, RnnCell& cell, const std::vector<InputList>& inputs,
                                  const RnnOptions& options = {});

// One network forwards and one backwards in time. The initial states are separate; that of the options is not used.
struct BidirectionalRnnResult {
  RnnStep forward;
  RnnStep backward;  // outputs in the order of the inputs
};
struct BidirectionalStates {
  std::optional<InputList> forward = {};
  std::optional<InputList> backward = {};
};
Result<BidirectionalRnnResult> BidirectionalDynamicRnn(Graph& graph, RnnCell& forward, RnnCell& backward,
                                                       const InputList& inputs, const RnnOptions& options = {},
                                                       const BidirectionalStates& initial = {});
struct StaticBidirectionalResult {
  StaticRnnResult forward;
  StaticRnnResult backward;
  std::vector<OutputList> outputs;  // both side by side along axis 1
};
Result<StaticBidirectionalResult> StaticBidirectionalRnn(Graph& graph, RnnCell& forward, RnnCell& backward,
                                                         const std::vector<InputList>& inputs,
                                                         const RnnOptions& options = {},
                                                         const BidirectionalStates& initial = {});

// --- a loop whose caller says at each time step what comes next
// When the caller is asked: before the first step, when there is only the time, and after each step of the cell.
struct RawRnnMoment {
  Output time;
  const OutputList* outputs = nullptr;     // of the cell
  const OutputList* state = nullptr;       // of the cell, after its step
  const OutputList* loop_state = nullptr;  // as the caller gave it
};
struct RawRnnTurn {
  Output finished;    // [batch] of booleans: whose sequence has ended
  OutputList inputs;  // of the next step
  OutputList state;   // before the next step
  OutputList loop_state = {};
  // What is written for the step that was. Before the first step: one row of it, as a pattern; none: the cell's
  // outputs.
  std::optional<OutputList> emit = {};
};
using RawRnnFn = std::function<Result<RawRnnTurn>(const RawRnnMoment&)>;
struct RawRnnResult {
  std::vector<TensorArray> outputs;  // an element for each step
  OutputList state;
  OutputList loop_state;
};
// Until all have finished; of those that have, zeros are written and the state is kept. Of the options, only those of
// the loop and the scope count.
Result<RawRnnResult> RawRnn(Graph& graph, RnnCell& cell, const RawRnnFn& next, const RnnOptions& options = {});

}  // namespace weir
