// Initializers and regularizers as values, for VariableScopeStack, scope settings and layers. Each can be used for any
// number of variables.
#pragma once

#include "weir/graph/compose/variable_scope.h"

namespace weir {

// --- Initializers ---
ScopedInitializer ZerosInitializer();
ScopedInitializer OnesInitializer();
ScopedInitializer ConstantInitializer(double value);
ScopedInitializer RandomNormalInitializer(double mean = 0, double stddev = 1, OpSeed seed = {});
// Values further than two standard deviations from the mean are redrawn.
ScopedInitializer TruncatedNormalInitializer(double mean = 0, double stddev = 1, OpSeed seed = {});
ScopedInitializer RandomUniformInitializer(double minval = 0, double maxval = 1, OpSeed seed = {});
// The variance depends on the number of inputs, of outputs, or their mean. {.scale = 2} is He initialization, for Relu.
ScopedInitializer VarianceScalingInitializer(const VarianceScaling& how = {});

// --- Regularizers: a negative or NaN scale is InvalidArgument; scale 0 means no penalty ---
// scale * sum of absolute values.
Regularizer L1Regularizer(double scale, std::string name = "l1_regularizer");
// scale * half the sum of squares.
Regularizer L2Regularizer(double scale, std::string name = "l2_regularizer");

enum class PenaltyKind { kL1, kL2 };
// The penalty of a regularizer with `scale`, a number or a scalar tensor, for a value of type `dtype`. Calls `value` in
// the name scope of the penalty, so that a variable is read there.
Result<Output> WeightPenalty(Graph& graph, PenaltyKind kind, const Input& scale, DType dtype,
                             const std::function<Result<Output>()>& value, const std::string& name);

// The penalties of all variables that have one, in creation order; and their sum, for the loss.
OutputList RegularizationLosses(const Graph& graph);
Output RegularizationLoss(Graph& graph, std::string name = "total_regularization_loss");

}  // namespace weir
