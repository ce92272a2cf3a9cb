// Parts shared by metrics: variables, alignment of values, and completion of a metric.
#pragma once

#include "graph/compose/metrics.h"
#include "graph/compose/variable.h"

namespace weir::metrics {

// A local variable in the current name scope, initialized to zeros.
Result<VariablePtr> MetricVariable(Graph& graph, const PartialShape& shape, DType dtype, const char* name);

struct Aligned {
  Output labels;
  Output predictions;
  Output weights;  // invalid if there are none
};
// Removes a last dimension of size 1 from labels or predictions if one has a dimension more than the other, and from
// weights relative to the predictions. An invalid value stays invalid.
Result<Aligned> Align(Graph& graph, const Input& labels, const Input& predictions, const Input& weights);
// Weights converted to `dtype` and broadcast to the shape of the values.
Result<Output> BroadcastWeights(Graph& graph, Output weights, Output values, DType dtype = kFloat);

// total / count, or zero if the count is zero.
Output Quotient(Output total, Output count, const char* name);
// Adds the results to the collections of `options`.
Result<Metric> Finished(Graph& graph, const Metric& metric, const MetricOptions& options);

}  // namespace weir::metrics
