// Sequence-to-sequence models: the loop that runs a decoder step by step, the loss of its outputs, and where a decoder
// gets the inputs of its next step from. Names of scopes are TensorFlow's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weir/graph/compose/random.h"
#include "weir/graph/compose/tensor_array.h"
#include "weir/graph/compose/variable_scope.h"

namespace weir {

// --- Loss ---
struct SequenceLossOptions {
  bool average_across_timesteps = true;
  bool average_across_batch = true;
  bool sum_over_timesteps = false;
  bool sum_over_batch = false;
  // The loss of each target; empty: sparse softmax cross entropy.
  std::function<Result<Output>(Output labels, Output logits)> loss = {};
  std::string name = "";
};
// The weighted cross entropy of logits [batch, steps, classes] and targets [batch, steps]. Dimensions that are neither
// averaged nor summed over remain.
Result<Output> SequenceLoss(Graph& graph, const Input& logits, const Input& targets, const Input& weights,
                            const SequenceLossOptions& options = {});

// The loss per row of the batch, from lists with one entry per time step.
Result<Output> SequenceLossByExample(Graph& graph, const InputList& logits, const InputList& targets,
                                     const InputList& weights, const SequenceLossOptions& options = {});

// --- Decoding ---
struct DecoderStart {
  Output finished;  // [batch] or [batch, beams] bools
  OutputList inputs;
  OutputList state;
};
struct DecoderStep {
  OutputList outputs;
  OutputList state;
  OutputList inputs;  // of the next step
  Output finished;
  Output lengths = {};  // the lengths of the sequences, if the decoder counts them itself
};
struct DecoderEnd {
  OutputList outputs;
  OutputList state;
};
// What DynamicDecode runs. Sizes are shapes without the batch dimension.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual Result<Input> BatchSize(Graph& graph) = 0;
  virtual Result<std::vector<PartialShape>> OutputSizes() = 0;
  virtual Result<std::vector<DType>> OutputTypes() = 0;
  // If true, a finished sequence may become unfinished (beams change places).
  virtual bool TracksOwnFinished() const { return false; }
  virtual Result<DecoderStart> Initialize(Graph& graph) = 0;
  virtual Result<DecoderStep> Step(Graph& graph, Output time, const OutputList& inputs, const OutputList& state) = 0;
  // Called once with the stacked outputs [steps, batch, ...].
  virtual Result<DecoderEnd> Finalize(Graph& graph, const DecoderEnd& end, Output lengths) { return end; }
};

struct DecodeOptions {
  bool output_time_major = false;
  bool impute_finished = false;   // outputs of finished sequences are zeros, their state stays
  Input maximum_iterations = {};  // absent: unlimited
  int parallel_iterations = 32;
  bool swap_memory = false;
  std::variant<std::string, VariableScope> scope = {};  // empty: "decoder", made unique
};
struct DecodeResult {
  OutputList outputs;
  OutputList state;
  Output lengths;  // int32
};
// Runs the decoder until all sequences are finished.
Result<DecodeResult> DynamicDecode(Graph& graph, Decoder& decoder, const DecodeOptions& options = {});

// --- Inputs of the next step ---
// What a training decoder reads: one element of each array per step, and `zeros` after all sequences have ended.
struct TrainingInputs {
  std::vector<TensorArray> arrays;
  OutputList zeros;
};
Result<TrainingInputs> UnstackTrainingInputs(Graph& graph, const InputList& inputs, bool time_major);
struct HelperStep {
  Output finished;
  OutputList inputs;
};
Result<HelperStep> FirstTrainingStep(Graph& graph, const TrainingInputs& inputs, const Input& lengths);
Result<HelperStep> NextTrainingStep(Graph& graph, const TrainingInputs& inputs, const Input& lengths,
                                    const Input& time);

using TensorsFn = std::function<Result<OutputList>()>;
// `otherwise` if all are finished, else the result of `next`.
Result<OutputList> UnlessAllFinished(Graph& graph, const Input& finished, const OutputList& otherwise,
                                     const TensorsFn& next);

// One class per row of the logits, int32, drawn with the probabilities softmax(logits / temperature).
Output SampleClasses(Graph& graph, const Input& logits, const Input& temperature = {}, OpSeed seed = {});
// Bools that are true with the given probability.
Output SampleFlags(Graph& graph, const Input& probability, const Input& count, OpSeed seed = {});
// Sampled classes for about `probability` of the rows, -1 for the others.
Output SampleSomeClasses(Graph& graph, const Input& logits, const Input& probability, const Input& count,
                         OpSeed scheduling_seed = {}, OpSeed seed = {});
// Replaces the rows of `inputs` where `sampled` is true by those that `replace` computes for their indices [n, 1].
using RowsFn = std::function<Result<Output>(Output indices)>;
Result<Output> ReplaceSampledRows(Graph& graph, Output sampled, Output inputs, const RowsFn& replace);

// Repeats each row `multiplier` times: [batch, ...] becomes [batch * multiplier, ...].
Result<OutputList> TileBatch(Graph& graph, const InputList& tensors, const Input& multiplier, std::string name = "");

}  // namespace weir
