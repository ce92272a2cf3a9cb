// Node names in composed functions.
#pragma once

#include <string>

#include "graph/graph.h"

namespace weir {

inline std::string NameOrDefault(std::string name, const char* fallback) {
  return name.empty() ? fallback : std::move(name);
}
// The name of the node that gives the scope its name.
inline std::string ExactScopeName(const NameScope& scope) { return scope.name() + "/"; }

}  // namespace weir
