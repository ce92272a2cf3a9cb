// How the variables of a model begin and what their size costs: initializers and regularizers as values, for
// VariableScopes, scope settings and layers. Each may be used for any number of variables.
#pragma once

#include "graph/compose/variable_scope.h"

namespace weir {

// --- initializers
ScopedInitializer ZerosInitializer();
ScopedInitializer OnesInitializer();
ScopedInitializer ConstantInitializer(double value);
ScopedInitializer RandomNormalInitializer(double mean = 0, double stddev = 1, OpSeed seed = {});
// Without values further than two deviations from the mean.
ScopedInitializer TruncatedNormalInitializer(double mean = 0, double stddev = 1, OpSeed seed = {});
ScopedInitializer RandomUniformInitializer(double minval = 0, double maxval = 1, OpSeed seed = {});
// As wide as the number of inputs, of outputs, or their mean asks for. {.scale = 2} is He's, for layers with Relu.
ScopedInitializer VarianceScalingInitializer(const VarianceScaling& how = {});

// --- regularizers: InvalidArgument where a scale is negative or not a number; no penalty where it is 0
// The sum of absolute values, times scale.
Regularizer L1Regularizer(double scale, std::string name = "l1_regularizer");
// Half the sum of squares, times scale.
Regularizer L2Regularizer(double scale, std::string name = "l2_regularizer");

// The penalties of all variables that have one, in the order in which these were made; and their sum, for the loss.
OutputList RegularizationLosses(const Graph& graph);
Output RegularizationLoss(Graph& graph, std::string name = "total_regularization_loss");

}  // namespace weir
