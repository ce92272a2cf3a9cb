// Shared by the RNN loops: the variable scope, the batch size, one step of a cell, and finished rows.
#pragma once

#include <optional>
#include <vector>

#include "graph/compose/dims.h"
#include "graph/compose/rnn.h"
#include "graph/compose/variable_scope.h"

namespace weir::rnn {

// Opens the scope that the options select.
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

// A dimension as an int32 scalar.
Output DimValue(Graph& graph, const Dim& dim);
// The batch size of the step inputs. REQUIRES: CheckStaticInputs(inputs).
Dim BatchOf(const std::vector<OutputList>& inputs);
Status CheckStaticInputs(const std::vector<OutputList>& inputs);
// [a, b, ...] to [b, a, ...]. InvalidArgument unless the rank is known to be at least 2.
Result<Output> SwapFirstAxes(Graph& graph, Output x);
// Zeros with the shapes of the cell's outputs.
Result<OutputList> ZeroOutputs(Graph& graph, RnnCell& cell, const Dim& batch, DType dtype);
// Runs one step of the cell. An error if the number of outputs or state tensors changes.
Result<RnnStep> StepOf(Graph& graph, RnnCell& cell, size_t outputs, const OutputList& inputs, const OutputList& state);
// The fresh step for running sequences; zeros and the old state for finished ones.
RnnStep MaskFinishedRows(Output finished, const OutputList& zeros, const OutputList& state, const RnnStep& fresh);

}  // namespace weir::rnn
