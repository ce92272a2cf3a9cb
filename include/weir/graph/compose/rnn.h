// Recurrent networks over any cell: unrolled at construction time (StaticRnn) or as a while loop (DynamicRnn). A cell
// computes outputs and the next state for one time step. Rows whose sequence has ended output zeros and keep their
// state. Graphs, names and variable scopes are TensorFlow's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weir/graph/compose/tensor_array.h"
#include "weir/graph/compose/variable_scope.h"
#include "weir/graph/input.h"

namespace weir {

struct RnnStep {
  OutputList outputs;
  OutputList state;
};

// Computes one time step. Sizes are shapes without the batch dimension, one per tensor.
class RnnCell {
 public:
  virtual ~RnnCell() = default;
  virtual std::string name() const = 0;  // "BasicLSTMCell"
  virtual Result<std::vector<PartialShape>> StateSizes() const = 0;
  virtual Result<std::vector<PartialShape>> OutputSizes() const = 0;
  virtual Result<RnnStep> Step(Graph& graph, const OutputList& inputs, const OutputList& state) = 0;
  virtual Result<OutputList> ZeroState(Graph& graph, const Input& batch_size, DType dtype);
  // Which state tensors dropout applies to. Default: all. An LSTM keeps c.
  virtual Result<std::vector<bool>> DroppableState() const;
};

// Zeros of shape [batch_size, size...]. `size` must be fully defined.
Result<Output> ZerosForBatch(Graph& graph, const Input& batch_size, const PartialShape& size, DType dtype);

struct RnnOptions {
  std::optional<InputList> initial_state = {};  // nullopt: zeros of `dtype`
  DType dtype = kInvalidType;                   // type of the outputs; default: that of the state
  Input sequence_length = {};                   // [batch]; absent: the full length
  bool time_major = false;                      // DynamicRnn: [time, batch, ...] instead of [batch, time, ...]
  int parallel_iterations = 32;
  bool swap_memory = false;
  // The variable scope: a name (empty: "rnn" or "bidirectional_rnn"), or an existing scope.
  std::variant<std::string, VariableScope> scope = {};
};

// The outputs of all steps, stacked like the inputs, and the final state.
Result<RnnStep> DynamicRnn(Graph& graph, RnnCell& cell, const InputList& inputs, const RnnOptions& options = {});

struct StaticRnnResult {
  std::vector<OutputList> outputs;  // one per step
  OutputList state;
};
// `inputs` has one entry per step, each [batch, ...].
Result<StaticRnnResult> StaticRnn(Graph& graph, RnnCell& cell, const std::vector<InputList>& inputs,
                                  const RnnOptions& options = {});

// One network forwards and one backwards in time. Each has its own initial state; the one in the options is ignored.
struct BidirectionalRnnResult {
  RnnStep forward;
  RnnStep backward;  // outputs in input order
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
  std::vector<OutputList> outputs;  // both concatenated along axis 1
};
Result<StaticBidirectionalResult> StaticBidirectionalRnn(Graph& graph, RnnCell& forward, RnnCell& backward,
                                                         const std::vector<InputList>& inputs,
                                                         const RnnOptions& options = {},
                                                         const BidirectionalStates& initial = {});

// --- A loop in which the caller determines the input of each time step ---
// The arguments of the caller's function: only `time` before the first step, all of them after each step of the cell.
struct RawRnnLoopInput {
  Output time;
  const OutputList* outputs = nullptr;     // outputs of the cell
  const OutputList* state = nullptr;       // state after the cell's step
  const OutputList* loop_state = nullptr;  // as returned by the caller
};
struct RawRnnLoopOutput {
  Output finished;    // [batch] bools: sequences that have ended
  OutputList inputs;  // inputs of the next step
  OutputList state;   // state before the next step
  OutputList loop_state = {};
  // The output of the last step. Before the first step: one row as a template, or nullopt if the outputs have the sizes
  // of the cell's outputs.
  std::optional<OutputList> emit = {};
};
using RawRnnFn = std::function<Result<RawRnnLoopOutput>(const RawRnnLoopInput&)>;
struct RawRnnResult {
  std::vector<TensorArray> outputs;  // one element per step
  OutputList state;
  OutputList loop_state;
};
// Runs until all sequences have finished. Finished ones output zeros and keep their state. Only the loop options and
// the scope are used.
Result<RawRnnResult> RawRnn(Graph& graph, RnnCell& cell, const RawRnnFn& next, const RnnOptions& options = {});

}  // namespace weir
