// What loops over time share: the scope of their variables, the size of a batch, one step of a cell, and rows whose
// sequence has ended.
#pragma once

#include <optional>
#include <vector>

#include "graph/compose/dims.h"
#include "graph/compose/rnn.h"
#include "graph/compose/variable_scope.h"

namespace weir::rnn {

// The scope that the options name, opened.
class RnnScope {
 public:
  RnnScope(Graph& graph, const RnnOptions& options, const char* fallback) {
    if (const auto* opened = std::get_if<VariableScope>(&options.scope)) {
      guard_.emplace(graph, *opened);
    } else {
      const std::string& name = std::get<std::string>(options.scope);
      guard_.emplace(graph, name.empty() ? fallback : name);
    }
  }
  VariableScope scope() const { return guard_->scope(); }

 private:
  std::optional<VariableScopeGuard> guard_;
};

// A size as an int32 scalar.
Output DimValue(Graph& graph, const Dim& dim);
// How many rows the inputs of steps have; they fit together as far as is known.
Dim BatchOf(const std::vector<OutputList>& inputs);
Status CheckStaticInputs(const std::vector<OutputList>& inputs);
// Zeros of the shape of a cell's outputs.
Result<OutputList> ZeroOutputs(Graph& graph, RnnCell& cell, const Dim& batch, DType dtype);
// One step of the cell, which gives `outputs` outputs and as many tensors of state as before.
Result<RnnStep> StepOf(Graph& graph, RnnCell& cell, size_t outputs, const OutputList& inputs, const OutputList& state);
// A fresh step where sequences go on; zeros and the state before it where they are finished.
RnnStep KeptStep(Output finished, const OutputList& zeros, const OutputList& state, const RnnStep& fresh);

}  // namespace weir::rnn
