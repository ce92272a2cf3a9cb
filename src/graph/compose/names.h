// Names of nodes and scopes in composed functions; docs/architecture.md has the convention.
#pragma once

#include <string>

#include "graph/graph.h"

namespace weir {

inline std::string NameOrDefault(std::string name, std::string fallback) {
  return name.empty() ? std::move(fallback) : std::move(name);
}
// The name of the node that gives the scope its name.
inline std::string ExactScopeName(const NameScope& scope) { return scope.name() + "/"; }

}  // namespace weir
