// The number of float operations of a node, from static shapes, as TensorFlow's profiler counts them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace weir {

// nullopt if the op is not counted or a shape that matters is not known.
std::optional<int64_t> FloatOps(const Node& node);
// The names of the ops that are counted.
std::vector<std::string_view> CountedOps();

}  // namespace weir
