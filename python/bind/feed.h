// What a user feeds to a session: any keys that name tensors, any values that numpy understands.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "bind/objects.h"
#include "session/session.h"

namespace weir::python {

namespace py = pybind11;

// A value for `output`, converted to its type as np.asarray(value, dtype) would, its shape checked.
Tensor FeedValue(GraphObject& graph, Output output, py::handle value, py::handle key);
// feed_dict, flattened. The arrays behind borrowed values must live until the step has ended: `feeds` keeps them.
void CollectFeeds(GraphObject& graph, py::handle feed_dict, std::vector<Feed>* feeds);
// The tensors that a key of a feed_dict stands for.
std::vector<Output> FeedKeys(GraphObject& graph, py::handle key);

}  // namespace weir::python
