#include "graph/compose/rnn_parts.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"

namespace weir::rnn {

Output DimValue(Graph& graph, const Dim& dim) {
  return dim.known() ? Constant(graph, Tensor::Scalar(static_cast<int32_t>(dim.size))) : dim.value;
}

Dim BatchOf(const std::vector<OutputList>& inputs) {
  for (const OutputList& step : inputs)
    for (const Output& input : step)
      if (input.shape().known_rank() && input.shape().rank() > 0 && input.shape()[0] >= 0) return Dim(input.shape()[0]);
  return Dim(StridedSlice(ShapeOf(inputs[0][0]), {0}, {1}, {1}, {.shrink_axis_mask = 1}));
}

Result<Output> SwapFirstAxes(Graph& graph, Output x) {
  const PartialShape shape = x.shape();
  if (!shape.known_rank() || shape.rank() < 2)
    return InvalidArgument("Expected input tensor {} to have rank at least 2, but saw shape: {}", x.name(), shape);
  std::vector<int64_t> axes(static_cast<size_t>(shape.rank()));
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  std::swap(axes[0], axes[1]);
  const Output swapped = Transpose(x, axes, {.name = "transpose"});
  WEIR_TRY(graph.TakeError());
  return swapped;
}

Status CheckStaticInputs(const std::vector<OutputList>& inputs) {
  int64_t batch = kUnknownDim;
  for (const OutputList& step : inputs) {
    if (step.size() != inputs[0].size() || step.empty())
      return InvalidArgument("all time steps must have the same number of inputs: one has {}, another {}",
                             inputs[0].size(), step.size());
    for (const Output& input : step) {
      const PartialShape shape = input.shape();
      if (shape.known_rank() && shape.rank() < 1)  // one number per row is enough, such as an id to embed
        return InvalidArgument("Shape {} of '{}' must have rank at least 1", shape, input.name());
      for (int i = 1; shape.known_rank() && i < shape.rank(); ++i)
        if (shape[i] < 0)
          return InvalidArgument(
              "Input size (dimension {} of inputs) must be accessible via shape inference, but '{}' has {}", i,
              input.name(), shape);
      const int64_t size = shape.known_rank() ? shape[0] : kUnknownDim;
      if (batch >= 0 && size >= 0 && size != batch)
        return InvalidArgument("Batch_size is not the same for all the elements in the input: {} and {}", batch, size);
      if (size >= 0) batch = size;
    }
  }
  return OkStatus();
}

Result<OutputList> ZeroOutputs(Graph& graph, RnnCell& cell, const Dim& batch, DType dtype) {
  WEIR_ASSIGN(std::vector<PartialShape> sizes, cell.OutputSizes());
  OutputList zeros;
  for (const PartialShape& size : sizes) {
    WEIR_ASSIGN(Output zero, ZerosForBatch(graph, batch.known() ? Input(batch.size) : Input(batch.value), size, dtype));
    zeros.push_back(zero);
  }
  return zeros;
}

Result<RnnStep> StepOf(Graph& graph, RnnCell& cell, size_t outputs, const OutputList& inputs, const OutputList& state) {
  WEIR_ASSIGN(RnnStep step, cell.Step(graph, inputs, state));
  WEIR_TRY(graph.TakeError());
  if (step.outputs.size() != outputs)
    return InvalidArgument("cell {} returned {} outputs, but its output_size has {}", cell.name(), step.outputs.size(),
                           outputs);
  if (step.state.size() != state.size())
    return InvalidArgument("cell {} returned {} state tensors, but got {}", cell.name(), step.state.size(),
                           state.size());
  return step;
}

namespace {

// Keeps `before` for finished rows. A scalar (e.g. the flow of an array) has no rows and is always fresh.
Output Kept(Output finished, Output before, Output fresh) {
  if (fresh.shape().known_rank() && fresh.shape().rank() == 0) return fresh;
  return Select(finished, before, fresh, {.name = "Select"});
}

}  // namespace

RnnStep MaskFinishedRows(Output finished, const OutputList& zeros, const OutputList& state, const RnnStep& fresh) {
  RnnStep kept;
  for (size_t i = 0; i < zeros.size(); ++i) kept.outputs.push_back(Kept(finished, zeros[i], fresh.outputs[i]));
  for (size_t i = 0; i < state.size(); ++i) kept.state.push_back(Kept(finished, state[i], fresh.state[i]));
  return kept;
}

}  // namespace weir::rnn
