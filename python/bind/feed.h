// Converts feeds of a session: keys that name tensors, and values that numpy can convert.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "bind/objects.h"
#include "session/session.h"

namespace weir::python {

namespace py = pybind11;

// Converts a value to the type of `output`, like np.asarray(value, dtype), and checks its shape.
Tensor FeedValue(GraphObject& graph, Output output, py::handle value, py::handle key);
// Flattens feed_dict. Values may borrow the memory of arrays; `feeds` keeps these alive and must exist until the step
// ends.
void CollectFeeds(GraphObject& graph, py::handle feed_dict, std::vector<Feed>* feeds);
// Returns the tensors that a key of a feed_dict stands for.
std::vector<Output> FeedKeys(GraphObject& graph, py::handle key);

}  // namespace weir::python
