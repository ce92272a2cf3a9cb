// tf.nn.dynamic_rnn and related functions, with cells written in Python. A cell is called once per step that is built,
// with nested inputs and state. Converts these to the flat lists of tensors that the C++ functions take.
#include "bind/rnn.h"

#include "bind/arguments.h"
#include "bind/nest.h"
#include "bind/tensor_array.h"
#include "bind/variable_scopes.h"
#include "bind/weights.h"
#include "graph/compose/rnn_cells.h"
#include "graph/compose/rnn_wrappers.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

std::vector<PartialShape> SizesFrom(py::handle structure) {
  std::vector<PartialShape> sizes;
  for (const py::object& leaf : FlattenNest(structure)) sizes.push_back(ShapeFrom(leaf));
  return sizes;
}

std::vector<py::object> Wrapped(const OutputList& outputs) {
  std::vector<py::object> objects;
  for (Output output : outputs) objects.push_back(Wrap(output));
  return objects;
}

LeafTensors TensorsOf(Graph& graph, py::handle structure) {
  LeafTensors tensors;
  for (const py::object& leaf : FlattenNest(structure)) tensors.Add(graph, leaf);
  return tensors;
}

// A Python cell: called with inputs and state, it returns outputs and the next state.
class PythonCell final : public RnnCell {
 public:
  PythonCell(py::object cell, py::object inputs) : cell_(std::move(cell)), inputs_(std::move(inputs)) {
    for (const char* needed : {"output_size", "state_size"})
      if (!py::hasattr(cell_, needed))
        RaiseType(
            fmt::format("The argument 'cell' ({}) is not an RNNCell: '{}' property is missing", Repr(cell_), needed));
    if (PyCallable_Check(cell_.ptr()) == 0)
      RaiseType(fmt::format("The argument 'cell' ({}) is not an RNNCell: it is not callable", Repr(cell_)));
  }

  // Stores the user's initial state. Returns nullopt for None.
  std::optional<InputList> InitialState(Graph& graph, py::object initial) {
    if (initial.is_none()) return std::nullopt;
    const OutputList outputs = SetState(graph, std::move(initial));
    return InputList(outputs.begin(), outputs.end());
  }

  std::string name() const override { return py::cast<std::string>(py::type::of(cell_).attr("__name__")); }
  Result<std::vector<PartialShape>> StateSizes() const override {
    return CatchExceptions([&]() -> Result<std::vector<PartialShape>> { return SizesFrom(cell_.attr("state_size")); });
  }
  Result<std::vector<PartialShape>> OutputSizes() const override {
    return CatchExceptions([&]() -> Result<std::vector<PartialShape>> { return SizesFrom(cell_.attr("output_size")); });
  }
  Result<OutputList> ZeroState(Graph& graph, const Input& batch_size, DType dtype) override {
    return CatchExceptions([&]() -> Result<OutputList> {
      const Output batch = Take(ToOutput(graph, batch_size, kInt32, "batch_size"));
      const Tensor known = graph.ConstantValue(batch);
      py::object size = known.dtype() == kInt32 ? py::object(py::int_(known.data<int32_t>()[0])) : Wrap(batch);
      py::object state = py::hasattr(cell_, "get_initial_state")
                             ? cell_.attr("get_initial_state")(py::arg("inputs") = py::none(),
                                                               py::arg("batch_size") = size, py::arg("dtype") = dtype)
                             : cell_.attr("zero_state")(size, dtype);
      return SetState(graph, std::move(state));
    });
  }
  Result<RnnStep> Step(Graph& graph, const OutputList& inputs, const OutputList& state) override {
    return CatchExceptions([&]() -> Result<RnnStep> {
      py::object result = cell_(PackNest(inputs_, Wrapped(inputs)), PackNest(state_, state_tensors_.Rebuild(state)));
      if (!PySequence_Check(result.ptr()) || py::len(result) != 2)
        RaiseType(fmt::format("{} must return a pair (output, next state)", name()));
      const py::object outputs = result[py::int_(0)], next = result[py::int_(1)];
      CheckSameNest(cell_.attr("output_size"), outputs, /*check_types=*/false);
      CheckSameNest(state_, next, /*check_types=*/false);
      return RnnStep{TensorsOf(graph, outputs).outputs(), TensorsOf(graph, next).outputs()};
    });
  }

  // Call before the first step of raw_rnn, where loop_fn provides inputs and states.
  void SetInputs(py::object inputs) { inputs_ = std::move(inputs); }
  OutputList SetFirstState(Graph& graph, py::object state) {
    CheckSameNest(cell_.attr("state_size"), state, /*check_types=*/false);
    return SetState(graph, std::move(state));
  }

  py::object OutputStructure() const { return cell_.attr("output_size"); }
  py::object Outputs(const OutputList& outputs) const { return PackNest(OutputStructure(), Wrapped(outputs)); }
  py::object State(const OutputList& state) const { return PackNest(state_, state_tensors_.Rebuild(state)); }
  py::list Outputs(const std::vector<OutputList>& steps) const {
    py::list list;
    for (const OutputList& step : steps) list.append(Outputs(step));
    return list;
  }

 private:
  const OutputList& SetState(Graph& graph, py::object state) {
    state_ = std::move(state);
    state_tensors_ = TensorsOf(graph, state_);
    return state_tensors_.outputs();
  }

  py::object cell_;
  py::object inputs_;  // nested like the inputs of one step
  py::object state_;
  LeafTensors state_tensors_;
};

InputList InputsOf(py::handle structure) {
  InputList inputs;
  for (const py::object& leaf : FlattenNest(structure)) inputs.push_back(InputFrom(leaf));
  return inputs;
}

Graph& GraphFor(const InputList& inputs) {
  Graph* graph = GraphOfArgument(inputs);
  return graph != nullptr ? *graph : DefaultGraphRef();
}

std::variant<std::string, VariableScope> ScopeFrom(py::handle scope) {
  if (scope.is_none()) return std::string();
  if (const VariableScope* opened = VariableScopeOf(scope)) return *opened;
  if (!PyUnicode_Check(scope.ptr())) RaiseType("scope must be a string or a VariableScope");
  return py::cast<std::string>(scope);
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
