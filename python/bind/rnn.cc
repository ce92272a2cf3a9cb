// tf.nn.dynamic_rnn and related functions, with cells written in Python. A cell is called once per step that is built,
// with nested inputs and state. Converts these to the flat lists of tensors that the C++ functions take.
#include "bind/rnn.h"

#include "bind/arguments.h"
#include "bind/nest.h"
#include "bind/python_cell.h"
#include "bind/tensor_array.h"
#include "bind/variable_scopes.h"
#include "bind/weights.h"
#include "graph/compose/rnn_block_cells.h"
#include "graph/compose/rnn_cells.h"
#include "graph/compose/rnn_steps.h"
#include "graph/compose/rnn_wrappers.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

InputList InputsOf(py::handle structure) {
  InputList inputs;
  for (const py::object& leaf : FlattenNest(structure)) inputs.push_back(InputFrom(leaf));
  return inputs;
}

Graph& GraphFor(const InputList& inputs) {
  Graph* graph = GraphOfArgument(inputs);
  return graph != nullptr ? *graph : DefaultGraphRef();
}

RnnOptions OptionsFrom(DType dtype, const Input& sequence_length, const py::object& scope) {
  RnnOptions options;
  options.dtype = dtype;
  options.sequence_length = sequence_length;
  options.scope = ScopeFrom(scope);
  return options;
}

void SetLoop(RnnOptions& options, std::optional<int> parallel_iterations, bool swap_memory, bool time_major) {
  options.parallel_iterations = parallel_iterations.value_or(32);
  if (options.parallel_iterations < 1) RaiseType("parallel_iterations must be a positive integer.");
  options.swap_memory = swap_memory;
  options.time_major = time_major;
}

py::tuple DynamicOf(py::object cell, py::object inputs, Input sequence_length, py::object initial_state, DType dtype,
                    std::optional<int> parallel_iterations, bool swap_memory, bool time_major, py::object scope) {
  const InputList flat = InputsOf(inputs);
  Graph& graph = GraphFor(flat);
  PythonCell stepping(std::move(cell), inputs);
  RnnOptions options = OptionsFrom(dtype, sequence_length, scope);
  SetLoop(options, parallel_iterations, swap_memory, time_major);
  options.initial_state = stepping.InitialState(graph, std::move(initial_state));
  const RnnStep result = Take(DynamicRnn(graph, stepping, flat, options));
  return py::make_tuple(stepping.Outputs(result.outputs), stepping.State(result.state));
}

py::tuple BidirectionalOf(py::object cell_fw, py::object cell_bw, py::object inputs, Input sequence_length,
                          py::object initial_state_fw, py::object initial_state_bw, DType dtype,
                          std::optional<int> parallel_iterations, bool swap_memory, bool time_major, py::object scope) {
  const InputList flat = InputsOf(inputs);
  Graph& graph = GraphFor(flat);
  PythonCell forward(std::move(cell_fw), inputs), backward(std::move(cell_bw), inputs);
  RnnOptions options = OptionsFrom(dtype, sequence_length, scope);
  SetLoop(options, parallel_iterations, swap_memory, time_major);
  const BidirectionalStates initial{forward.InitialState(graph, std::move(initial_state_fw)),
                                    backward.InitialState(graph, std::move(initial_state_bw))};
  const BidirectionalRnnResult result = Take(BidirectionalDynamicRnn(graph, forward, backward, flat, options, initial));
  return py::make_tuple(
      py::make_tuple(forward.Outputs(result.forward.outputs), backward.Outputs(result.backward.outputs)),
      py::make_tuple(forward.State(result.forward.state), backward.State(result.backward.state)));
}

// A Python loop_fn, called for each time step. Its results must be nested as in the first call.
class LoopFunction {
 public:
  LoopFunction(Graph& graph, PythonCell& cell, py::object function)
      : graph_(graph), cell_(cell), function_(std::move(function)) {}

  Result<RawRnnLoopOutput> operator()(const RawRnnLoopInput& now) {
    return CatchExceptions([&]() -> Result<RawRnnLoopOutput> {
      const bool first = now.outputs == nullptr;
      const py::object result =
          first ? function_(Wrap(now.time), py::none(), py::none(), py::none())
                : function_(Wrap(now.time), cell_.Outputs(*now.outputs), cell_.State(*now.state), LoopState(now));
      if (!PySequence_Check(result.ptr()) || py::len(result) != 5)
        RaiseType("loop_fn must return (elements_finished, next_input, next_cell_state, emit_output, next_loop_state)");
      const auto item = [&](int i) { return py::object(result[py::int_(i)]); };
      RawRnnLoopOutput turn;
      turn.finished = Take(ToOutput(graph_, InputFrom(item(0)), kBool, "elements_finished"));
      if (first) {
        inputs_ = item(1);
        cell_.SetInputs(inputs_);
        turn.state = cell_.SetFirstState(graph_, item(2));
        if (!item(3).is_none()) emit_ = item(3);
        loop_state_ = item(4);
        if (!loop_state_.is_none()) loop_tensors_ = TensorsOf(graph_, loop_state_);
        turn.loop_state = loop_tensors_.outputs();
      } else {
        CheckSameNest(inputs_, item(1), /*check_types=*/false);
        CheckSameNest(cell_.State(*now.state), item(2), /*check_types=*/false);
        turn.state = TensorsOf(graph_, item(2)).outputs();
        CheckSameNest(emit_ ? emit_ : cell_.OutputStructure(), item(3), /*check_types=*/false);
        turn.loop_state = NextLoopState(now, item(4));
      }
      turn.inputs = TensorsOf(graph_, item(1)).outputs();
      if (!item(3).is_none()) turn.emit = TensorsOf(graph_, item(3)).outputs();
      return turn;
    });
  }

  py::object Arrays(const std::vector<TensorArray>& arrays) const {
    std::vector<py::object> leaves;
    for (const TensorArray& array : arrays) leaves.push_back(WrapTensorArray(array));
    return PackNest(emit_ ? emit_ : cell_.OutputStructure(), leaves);
  }
  py::object FinalLoopState(const OutputList& outputs) const {
    if (loop_state_.is_none()) return py::none();
    return PackNest(loop_state_, loop_tensors_.Rebuild(outputs));
  }

 private:
  py::object LoopState(const RawRnnLoopInput& now) const { return FinalLoopState(*now.loop_state); }
  // None keeps the state unchanged.
  OutputList NextLoopState(const RawRnnLoopInput& now, const py::object& next) const {
    if (next.is_none()) return *now.loop_state;
    if (loop_state_.is_none()) RaiseValue("loop_fn returned a loop state, but its first call returned None");
    CheckSameNest(loop_state_, next, /*check_types=*/false);
    return TensorsOf(graph_, next).outputs();
  }

  Graph& graph_;
  PythonCell& cell_;
  py::object function_;
  py::object inputs_, emit_;  // nested like one step; emit_ is null if the cell's outputs are emitted
  py::object loop_state_ = py::none();
  LeafTensors loop_tensors_;
};

py::tuple RawOf(py::object cell, py::object loop_fn, std::optional<int> parallel_iterations, bool swap_memory,
                py::object scope) {
  if (PyCallable_Check(loop_fn.ptr()) == 0) RaiseType("loop_fn must be a callable");
  Graph& graph = DefaultGraphRef();
  PythonCell stepping(std::move(cell), py::none());
  LoopFunction next(graph, stepping, std::move(loop_fn));
  RnnOptions options = OptionsFrom(kInvalidType, {}, scope);
  SetLoop(options, parallel_iterations, swap_memory, true);
  const RawRnnResult result = Take(RawRnn(graph, stepping, std::ref(next), options));
  return py::make_tuple(next.Arrays(result.outputs), stepping.State(result.state),
                        next.FinalLoopState(result.loop_state));
}

// The inputs of unrolled steps: one list per step.
struct Steps {
  std::vector<InputList> flat;
  py::object first;
  Graph* graph;
};
Steps StepsFrom(const py::object& inputs) {
  if (!PyList_Check(inputs.ptr()) && !PyTuple_Check(inputs.ptr())) RaiseType("inputs must be a sequence");
  if (py::len(inputs) == 0) RaiseValue("inputs must not be empty");
  Steps steps{{}, inputs[py::int_(0)], nullptr};
  for (py::handle step : py::iter(inputs)) {
    CheckSameNest(steps.first, step, /*check_types=*/false);
    steps.flat.push_back(InputsOf(step));
  }
  steps.graph = &GraphFor(steps.flat[0]);
  return steps;
}

py::tuple StaticOf(py::object cell, py::object inputs, py::object initial_state, DType dtype, Input sequence_length,
                   py::object scope) {
  const Steps steps = StepsFrom(inputs);
  PythonCell stepping(std::move(cell), steps.first);
  RnnOptions options = OptionsFrom(dtype, sequence_length, scope);
  options.initial_state = stepping.InitialState(*steps.graph, std::move(initial_state));
  const StaticRnnResult result = Take(StaticRnn(*steps.graph, stepping, steps.flat, options));
  return py::make_tuple(stepping.Outputs(result.outputs), stepping.State(result.state));
}

py::tuple StaticBidirectionalOf(py::object cell_fw, py::object cell_bw, py::object inputs, py::object initial_state_fw,
                                py::object initial_state_bw, DType dtype, Input sequence_length, py::object scope) {
  const Steps steps = StepsFrom(inputs);
  PythonCell forward(std::move(cell_fw), steps.first), backward(std::move(cell_bw), steps.first);
  const BidirectionalStates initial{forward.InitialState(*steps.graph, std::move(initial_state_fw)),
                                    backward.InitialState(*steps.graph, std::move(initial_state_bw))};
  const StaticBidirectionalResult result = Take(StaticBidirectionalRnn(
      *steps.graph, forward, backward, steps.flat, OptionsFrom(dtype, sequence_length, scope), initial));
  return py::make_tuple(forward.Outputs(result.outputs), forward.State(result.forward.state),
                        backward.State(result.backward.state));
}

// --- computations of cells -------------------------------------------------------------------------------------------
Activation ActivationFrom(py::object function) {
  if (function.is_none()) return {};
  return [function](Output x) -> Result<Output> {
    return CatchExceptions([&]() -> Result<Output> {
      return ToOutput(x.graph(), InputFrom(function(Wrap(x))), x.base_dtype(), "activation");
    });
  };
}

Output TensorFrom(Graph& graph, const Input& value, const char* what) {
  return Take(ToOutput(graph, value, kInvalidType, what));
}

int64_t UnitsFrom(py::handle units) {
  if (units.is_none()) RaiseType("the number of units of a cell must be a number, not None");
  return SizeFrom(units);
}

void BindCells(py::module_& m) {
  py::class_<ScopedRnnCell>(m, "CellComputation")
      .def(
          "weights",
          [](const ScopedRnnCell& cell, const PartialShape& inputs, DType dtype) {
            return Take(cell.Weights(inputs, dtype));
          },
          py::arg("inputs"), py::arg("dtype"))
      .def("compute",
           Building([](Graph& g, const ScopedRnnCell& cell, Input x, InputList state, py::dict weights,
                       py::object activation) {
             const Output inputs = TensorFrom(g, x, "inputs");
             OutputList tensors;
             for (const Input& part : state) tensors.push_back(TensorFrom(g, part, "state"));
             const RnnStep step =
                 Take(cell.Compute(inputs, tensors, WeightValuesFrom(weights), ActivationFrom(std::move(activation))));
             return std::pair(step.outputs[0], step.state);
           }),
           py::arg("inputs"), py::arg("state"), py::arg("weights"), py::arg("activation"));
  const auto made = [](auto cell) { return std::unique_ptr<ScopedRnnCell>(std::move(cell)); };
  m.def(
      "basic_rnn_cell", [=](py::handle units) { return made(std::make_unique<BasicRnnCell>(UnitsFrom(units))); },
      py::arg("units"));
  m.def(
      "gru_cell", [=](py::handle units) { return made(std::make_unique<GruCell>(UnitsFrom(units))); },
      py::arg("units"));
  m.def(
      "basic_lstm_cell",
      [=](py::handle units, double forget_bias, bool state_is_tuple) {
        return made(std::make_unique<BasicLstmCell>(UnitsFrom(units), forget_bias, Activation(), "", !state_is_tuple));
      },
      py::arg("units"), py::arg("forget_bias"), py::arg("state_is_tuple"));
  m.def(
      "lstm_cell",
      [=](py::handle units, bool use_peepholes, std::optional<int64_t> num_proj, double forget_bias,
          std::optional<double> cell_clip, std::optional<double> proj_clip, bool state_is_tuple) {
        return made(std::make_unique<LstmCell>(UnitsFrom(units),
                                               LstmCellOptions{.use_peepholes = use_peepholes,
                                                               .projected_units = num_proj,
                                                               .settings = {forget_bias, cell_clip, proj_clip},
                                                               .joined_state = !state_is_tuple}));
      },
      py::arg("units"), py::arg("use_peepholes"), py::arg("num_proj"), py::arg("forget_bias"), py::arg("cell_clip"),
      py::arg("proj_clip"), py::arg("state_is_tuple"));
}

// Cells whose step is one op, and the LSTM with layer normalization.
void BindBlockCells(py::module_& m) {
  py::class_<LstmBlockRnnCell, ScopedRnnCell>(m, "LSTMBlockComputation")
      .def("run_all",
           Building([](Graph& g, const LstmBlockRnnCell& cell, Input inputs, InputList initial, py::dict weights,
                       Input lengths) {
             std::optional<LstmState> state;
             if (initial.size() == 2) state = {TensorFrom(g, initial[0], "c"), TensorFrom(g, initial[1], "h")};
             const LstmBlockRnnCell::Run run =
                 Take(cell.RunAll(g, TensorFrom(g, inputs, "inputs"), state, WeightValuesFrom(weights), lengths));
             return std::vector<Output>{run.outputs, run.state.c, run.state.h};
           }),
           py::arg("inputs"), py::arg("initial_state"), py::arg("weights"), py::arg("sequence_length"));
  m.def(
      "lstm_block_cell",
      [](py::handle units, double forget_bias, std::optional<double> cell_clip, bool use_peephole) {
        return std::make_unique<LstmBlockRnnCell>(UnitsFrom(units),
                                                  LstmBlockOptions{forget_bias, cell_clip, use_peephole});
      },
      py::arg("units"), py::arg("forget_bias"), py::arg("cell_clip"), py::arg("use_peephole"));
  m.def(
      "gru_block_cell",
      [](py::handle units, bool named_as_gru) {
        return std::unique_ptr<ScopedRnnCell>(std::make_unique<GruBlockRnnCell>(UnitsFrom(units), named_as_gru));
      },
      py::arg("units"), py::arg("named_as_gru"));
  m.def(
      "layer_norm_lstm_cell",
      [](py::handle units, double forget_bias, bool layer_norm, double gain, double shift, Input keep_prob,
         OpSeed seed) {
        return std::unique_ptr<ScopedRnnCell>(
            std::make_unique<LayerNormLstmCell>(UnitsFrom(units), LayerNormLstmOptions{.forget_bias = forget_bias,
                                                                                       .layer_norm = layer_norm,
                                                                                       .gain = gain,
                                                                                       .shift = shift,
                                                                                       .keep_prob = keep_prob,
                                                                                       .seed = seed}));
      },
      py::arg("units"), py::arg("forget_bias"), py::arg("layer_norm"), py::arg("gain"), py::arg("shift"),
      py::arg("keep_prob"), py::arg("seed"), py::keep_alive<0, 6>());  // keep_prob may be a tensor
}

void BindCellSteps(py::module_& m) {
  Def(
      m, "ugrnn_step",
      +[](Graph& g, Input x, Input h, Input kernel, Input bias, double forget_bias, py::object activation) {
        return UgrnnStep(TensorFrom(g, x, "x"), TensorFrom(g, h, "h"), TensorFrom(g, kernel, "kernel"),
                         TensorFrom(g, bias, "bias"), forget_bias, ActivationFrom(std::move(activation)));
      },
      py::arg("x"), py::arg("h"), py::arg("kernel"), py::arg("bias"), py::arg("forget_bias"), py::arg("activation"));
  Def(
      m, "conv_lstm_step",
      +[](Graph& g, Input x, Input c, Input h, Input kernel, Input bias, double forget_bias,
          bool skip) -> Result<std::pair<Output, Output>> {
        const Output given = bias.absent() ? Output() : TensorFrom(g, bias, "bias");
        WEIR_ASSIGN(const LstmState next,
                    ConvLstmStep(TensorFrom(g, x, "x"), {TensorFrom(g, c, "c"), TensorFrom(g, h, "h")},
                                 TensorFrom(g, kernel, "kernel"), given, forget_bias, skip));
        return std::pair(next.c, next.h);
      },
      py::arg("x"), py::arg("c"), py::arg("h"), py::arg("kernel"), py::arg("bias"), py::arg("forget_bias"),
      py::arg("skip"));
  Def(
      m, "highway_mix",
      +[](Graph& g, Input x, Input y, InputList weights) -> Result<Output> {
        if (weights.size() != 2 && weights.size() != 4)
          return InvalidArgument("a highway has 2 or 4 weights, not {}", weights.size());
        OutputList given;
        for (const Input& weight : weights) given.push_back(TensorFrom(g, weight, "weight"));
        given.resize(4);
        return HighwayMix(TensorFrom(g, x, "x"), TensorFrom(g, y, "y"), {given[0], given[1], given[2], given[3]});
      },
      py::arg("x"), py::arg("y"), py::arg("weights"));
}

void BindCellParts(py::module_& m) {
  py::enum_<CellPart>(m, "CellPart")
      .value("INPUT", CellPart::kInput)
      .value("STATE", CellPart::kState)
      .value("OUTPUT", CellPart::kOutput);
  Def(
      m, "cell_dropout",
      +[](Graph& g, CellPart part, int64_t index, Input x, Input keep_prob, OpSeed seed, Output noise) {
        return DropoutOfCell({part, keep_prob, seed}, index, TensorFrom(g, x, "x"), noise);
      },
      py::arg("part"), py::arg("index"), py::arg("x"), py::arg("keep_prob"), py::arg("seed"), py::arg("noise"));
  Def(
      m, "cell_dropout_noise",
      +[](Graph& g, CellPart part, int64_t index, PartialShape size, DType dtype, OpSeed seed) {
        return CellDropoutNoise(g, {.part = part, .seed = seed}, index, size, dtype);
      },
      py::arg("part"), py::arg("index"), py::arg("size"), py::arg("dtype"), py::arg("seed"));
  Def(
      m, "residual_outputs",
      +[](Graph& g, InputList inputs, InputList outputs) {
        const auto tensors = [&](const InputList& values, const char* what) {
          OutputList list;
          for (const Input& value : values) list.push_back(TensorFrom(g, value, what));
          return list;
        };
        return ResidualOutputs(tensors(inputs, "inputs"), tensors(outputs, "outputs"));
      },
      py::arg("inputs"), py::arg("outputs"));
  Def(
      m, "zeros_for_batch",
      +[](Graph& g, Input batch_size, PartialShape size, DType dtype) {
        return ZerosForBatch(g, batch_size, size, dtype);
      },
      py::arg("batch_size"), py::arg("size"), py::arg("dtype"));
}

}  // namespace

void BindRnn(py::module_& m) {
  BindCells(m);
  BindBlockCells(m);
  BindCellSteps(m);
  BindCellParts(m);
  const py::none none;
  m.def("dynamic_rnn", &DynamicOf, py::arg("cell"), py::arg("inputs"), py::arg("sequence_length") = none,
        py::arg("initial_state") = none, py::arg("dtype") = none, py::arg("parallel_iterations") = none,
        py::arg("swap_memory") = false, py::arg("time_major") = false, py::arg("scope") = none);
  m.def("raw_rnn", &RawOf, py::arg("cell"), py::arg("loop_fn"), py::arg("parallel_iterations") = none,
        py::arg("swap_memory") = false, py::arg("scope") = none);
  m.def("bidirectional_dynamic_rnn", &BidirectionalOf, py::arg("cell_fw"), py::arg("cell_bw"), py::arg("inputs"),
        py::arg("sequence_length") = none, py::arg("initial_state_fw") = none, py::arg("initial_state_bw") = none,
        py::arg("dtype") = none, py::arg("parallel_iterations") = none, py::arg("swap_memory") = false,
        py::arg("time_major") = false, py::arg("scope") = none);
  m.def("static_rnn", &StaticOf, py::arg("cell"), py::arg("inputs"), py::arg("initial_state") = none,
        py::arg("dtype") = none, py::arg("sequence_length") = none, py::arg("scope") = none);
  m.def("static_bidirectional_rnn", &StaticBidirectionalOf, py::arg("cell_fw"), py::arg("cell_bw"), py::arg("inputs"),
        py::arg("initial_state_fw") = none, py::arg("initial_state_bw") = none, py::arg("dtype") = none,
        py::arg("sequence_length") = none, py::arg("scope") = none);
}

}  // namespace weir::python
