// The distributions by kind, for distributions.cc. Each function returns null for kinds of another group.
#pragma once

#include <map>
#include <string>

#include "graph/compose/distributions.h"

namespace weir {

struct DistributionSpec {
  Graph& graph;
  std::string kind;
  std::map<std::string, Output> parameters;
  DType dtype = kInt32;   // of samples of discrete distributions
  bool nan_stats = true;  // whether undefined statistics are NaN

  // REQUIRES: the parameter is given (see Require).
  Output operator[](const std::string& name) const { return parameters.at(name); }
  bool has(const std::string& name) const { return parameters.contains(name); }
};

Status RequireParameters(const DistributionSpec& spec, std::initializer_list<const char*> names);
// The size of the last dimension, an int32 scalar.
Output LastDimension(Output x);
// Exactly one of "logits" and "probs" must be given. Adds the other one, for events that are the last dimension of both
// (`multidimensional`) or single values.
Status CompleteLogits(DistributionSpec& spec, bool multidimensional);
// `value` where the condition holds. Elsewhere NaN or, without nan_stats, a failed assertion.
Output DefinedWhere(const DistributionSpec& spec, Output condition, Output value, const char* what);

Result<DistributionPtr> MakeContinuous(DistributionSpec& spec);
Result<DistributionPtr> MakeDiscrete(DistributionSpec& spec);
Result<DistributionPtr> MakeMultivariate(DistributionSpec& spec);

}  // namespace weir
