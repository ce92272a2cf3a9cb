// What metrics are made of: their variables, values that fit together, and how a metric is finished.
#pragma once

#include "graph/compose/metrics.h"
#include "graph/compose/variable.h"

namespace weir::metrics {

// Zeros to begin with, local, in the current name scope.
Result<VariablePtr> MetricVariable(Graph& graph, const PartialShape& shape, DType dtype, const char* name);

struct Aligned {
  Output labels;
  Output predictions;
  Output weights;  // invalid without
};
// The values with a last dimension of 1 removed where one has a dimension more than the other; weights as the
// predictions. An invalid value stays so.
Result<Aligned> Align(Graph& graph, const Input& labels, const Input& predictions, const Input& weights);
// Weights of a type in the shape of the values.
Result<Output> BroadcastWeights(Graph& graph, Output weights, Output values, DType dtype = kFloat);

// total / count, zero where the count is.
Output Quotient(Output total, Output count, const char* name);
// Puts the results into the collections.
Result<Metric> Finished(Graph& graph, const Metric& metric, const MetricOptions& options);

}  // namespace weir::metrics
