// Values between tasks that need no separate call. A part that only reads variables ends as soon as it has read them.
// The values that it sends to the master's own task are returned in the response to RunGraph, like values that a client
// fetches, instead of being requested. The format on the wire is unchanged.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "runtime/partition.h"

namespace weir {

// The limit for values that are sent along with a call or response. Larger values are sent in separate calls, so that
// other values need not wait for them.
inline constexpr size_t kMaxInlineValueBytes = size_t{128} << 10;
inline constexpr size_t kUnknownBytes = std::numeric_limits<size_t>::max();
// The size of a value; kUnknownBytes if it is unknown, or too large to be sent along anyway.
size_t InlineValueBytes(DType type, const PartialShape& shape);

// Makes the response of `part` contain the small values that it sends to `task`: their sends become client_terminated.
// Returns the keys that RunGraph has to request then; none if the part may block or take long. The sizes are those in
// the session's `graph`.
std::vector<std::string> SendWithResponse(const std::string& task, const Graph& graph, Partition* part);

}  // namespace weir
