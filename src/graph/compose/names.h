// Names that composed functions give to what they build.
#pragma once

#include <string>

#include "graph/graph.h"

namespace weir {

inline std::string Or(std::string name, const char* fallback) { return name.empty() ? fallback : std::move(name); }
// The name of the node that a scope is made for.
inline std::string Own(const NameScope& scope) { return scope.name() + "/"; }

}  // namespace weir
