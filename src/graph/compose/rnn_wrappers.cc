#include "graph/compose/rnn_wrappers.h"

#include "base/md5.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/nn.h"
#include "graph/compose/rnn_cells.h"
#include "graph/node_builder.h"
#include "graph/texts.h"

namespace weir {
namespace {

const char* NameOf(CellPart part) {
  switch (part) {
    case CellPart::kInput:
      return "input";
    case CellPart::kState:
      return "state";
    case CellPart::kOutput:
      break;
  }
  return "output";
}

// The seed of one tensor: the start of a hash of the wrapper's seed and the tensor's place, as TensorFlow computes it.
OpSeed SeedOf(const CellDropout& how, int64_t index) {
  if (!how.seed.has_value()) return {};
  const std::array<uint8_t, 16> hash = Md5(fmt::format("{}{}_{}", *how.seed, NameOf(how.part), index));
  int64_t seed = 0;
  for (size_t i = 0; i < 4; ++i) seed = seed * 256 + hash[i];
  return seed & 0x7FFFFFFF;
}

// The probability if it is a number.
std::optional<double> NumberIn(const Input& keep_prob) {
  if (keep_prob.literal() == nullptr) return std::nullopt;
  const std::optional<Tensor> value = keep_prob.literal()->Value(kDouble);
  if (!value.has_value() || value->num_elements() != 1) return std::nullopt;
  return *value->data<double>();
}

}  // namespace

bool DropsElements(const Input& keep_prob) { return NumberIn(keep_prob).value_or(0) < 1; }

Result<Output> DropoutOfCell(const CellDropout& how, int64_t index, Output value, Output noise) {
  Graph& graph = value.graph();
  Output dropped;
  if (noise.valid()) {
    WEIR_ASSIGN(const Output keep, ToOutput(graph, how.keep_prob, value.base_dtype(), "keep_prob"));
    dropped = DropoutWithNoise(value, noise, keep);
  } else if (const std::optional<double> keep = NumberIn(how.keep_prob)) {
    if (!(*keep > 0 && *keep <= 1))
      return InvalidArgument("rate must be a scalar tensor or a float in the range [0, 1), got {}", 1 - *keep);
    dropped = Dropout(value, 1 - *keep, {}, SeedOf(how, index));
  } else {
    WEIR_ASSIGN(const Output keep_prob, ToOutput(graph, how.keep_prob, kInvalidType, "keep_prob"));
    dropped = Dropout(value, 1.0f - keep_prob, {}, SeedOf(how, index));
  }
  WEIR_TRY(graph.TakeError());
  return dropped;
}

Result<Output> CellDropoutNoise(Graph& graph, const CellDropout& how, int64_t index, const PartialShape& size,
                                DType dtype) {
  if (!size.fully_defined()) return InvalidArgument("the size {} of a cell must be known", size);
  std::vector<int64_t> shape{1};
  for (const int64_t dim : size.dims()) shape.push_back(dim);
  const Output noise = RandomUniform(graph, shape, 0, {}, dtype, SeedOf(how, index));
  WEIR_TRY(graph.TakeError());
  return noise;
}

Result<OutputList> ResidualOutputs(const OutputList& inputs, const OutputList& outputs) {
  if (inputs.size() != outputs.size())
    return InvalidArgument("a residual connection needs as many outputs ({}) as inputs ({})", outputs.size(),
                           inputs.size());
  OutputList sums;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].shape().CompatibleWith(outputs[i].shape()))
      return InvalidArgument("Shapes {} and {} are incompatible", PythonText(inputs[i].shape()),
                             PythonText(outputs[i].shape()));
    sums.push_back(inputs[i] + outputs[i]);
  }
  if (!inputs.empty()) WEIR_TRY(inputs[0].graph().TakeError());
  return sums;
}

Result<OutputList> WrapperRnnCell::ZeroState(Graph& graph, const Input& batch_size, DType dtype) {
  const NameScope scope(graph, name() + "ZeroState");
  return cell_->ZeroState(graph, batch_size, dtype);
}

Result<std::shared_ptr<DropoutRnnCell>> DropoutRnnCell::Create(Graph& graph, std::shared_ptr<RnnCell> cell,
                                                               const DropoutCellOptions& options) {
  Part input{{CellPart::kInput, options.input_keep_prob, options.seed}};
  Part state{{CellPart::kState, options.state_keep_prob, options.seed}};
  Part output{{CellPart::kOutput, options.output_keep_prob, options.seed}};
  if (options.variational_recurrent) {
    if (options.dtype == kInvalidType)
      return InvalidArgument("When variational_recurrent=True, dtype must be provided");
    WEIR_ASSIGN(const std::vector<PartialShape> states, cell->StateSizes());
    WEIR_ASSIGN(const std::vector<PartialShape> outputs, cell->OutputSizes());
    const auto draw = [&](Part& part, const std::vector<PartialShape>& sizes) -> Status {
      if (!DropsElements(part.how.keep_prob)) return OkStatus();
      if (sizes.empty())
        return InvalidArgument("variational dropout needs the sizes of each {}", NameOf(part.how.part));
      for (const PartialShape& size : sizes) {
        const auto index = static_cast<int64_t>(part.noise.size());
        WEIR_ASSIGN(const Output noise, CellDropoutNoise(graph, part.how, index, size, options.dtype));
        part.noise.push_back(noise);
      }
      return OkStatus();
    };
    WEIR_TRY(draw(input, options.input_sizes));
    WEIR_TRY(draw(state, states));
    WEIR_TRY(draw(output, outputs));
  }
  return std::shared_ptr<DropoutRnnCell>(
      new DropoutRnnCell(std::move(cell), std::move(input), std::move(state), std::move(output)));
}

Result<OutputList> DropoutRnnCell::Dropped(const Part& part, OutputList values, const std::vector<bool>& wanted) {
  if (!DropsElements(part.how.keep_prob)) return values;
  if (!part.noise.empty() && part.noise.size() != values.size())
    return InvalidArgument("dropout has noise for {} tensors of a cell's {}, but there are {}", part.noise.size(),
                           NameOf(part.how.part), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (i < wanted.size() && !wanted[i]) continue;
    const Output noise = part.noise.empty() ? Output() : part.noise[i];
    WEIR_ASSIGN(values[i], DropoutOfCell(part.how, static_cast<int64_t>(i), values[i], noise));
  }
  return values;
}

Result<RnnStep> DropoutRnnCell::Step(Graph& graph, const OutputList& inputs, const OutputList& state) {
  WEIR_ASSIGN(const OutputList kept, Dropped(input_, inputs, {}));
  WEIR_ASSIGN(RnnStep step, cell_->Step(graph, kept, state));
  WEIR_ASSIGN(const std::vector<bool> droppable, cell_->DroppableState());
  WEIR_ASSIGN(step.state, Dropped(state_, std::move(step.state), droppable));
  WEIR_ASSIGN(step.outputs, Dropped(output_, std::move(step.outputs), {}));
  return step;
}

Result<RnnStep> ResidualRnnCell::Step(Graph& graph, const OutputList& inputs, const OutputList& state) {
  WEIR_ASSIGN(RnnStep step, cell_->Step(graph, inputs, state));
  WEIR_ASSIGN(step.outputs, ResidualOutputs(inputs, step.outputs));
  return step;
}

Result<RnnStep> DeviceRnnCell::Step(Graph& graph, const OutputList& inputs, const OutputList& state) {
  const DeviceScope scope(graph, device_);
  return cell_->Step(graph, inputs, state);
}

Result<OutputList> DeviceRnnCell::ZeroState(Graph& graph, const Input& batch_size, DType dtype) {
  const NameScope names(graph, name() + "ZeroState");
  const DeviceScope scope(graph, device_);
  return cell_->ZeroState(graph, batch_size, dtype);
}

}  // namespace weir
