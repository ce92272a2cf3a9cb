// A recurrent cell written in Python, and conversions between its nested structures and flat lists of tensors.
#pragma once

#include "bind/arguments.h"
#include "bind/nest.h"
#include "bind/variable_scopes.h"
#include "graph/compose/rnn.h"
#include "graph/node_builder.h"

namespace weir::python {

inline std::vector<PartialShape> SizesFrom(py::handle structure) {
  std::vector<PartialShape> sizes;
  for (const py::object& leaf : FlattenNest(structure)) sizes.push_back(ShapeFrom(leaf));
  return sizes;
}

inline std::vector<py::object> WrapAll(const OutputList& outputs) {
  std::vector<py::object> objects;
  for (Output output : outputs) objects.push_back(Wrap(output));
  return objects;
}

inline LeafTensors TensorsOf(Graph& graph, py::handle structure) {
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
      py::object result = cell_(PackNest(inputs_, WrapAll(inputs)), PackNest(state_, state_tensors_.Rebuild(state)));
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
  py::object Outputs(const OutputList& outputs) const { return PackNest(OutputStructure(), WrapAll(outputs)); }
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

inline std::variant<std::string, VariableScope> ScopeFrom(py::handle scope) {
  if (scope.is_none()) return std::string();
  if (const VariableScope* opened = VariableScopeOf(scope)) return *opened;
  if (!PyUnicode_Check(scope.ptr())) RaiseType("scope must be a string or a VariableScope");
  return py::cast<std::string>(scope);
}

}  // namespace weir::python
