// tf.train.get_global_step, implemented with the C++ lookup.
#include "train/global_step.h"

#include "bind/errors.h"
#include "bind/objects.h"
#include "bind/train.h"
#include "graph/graph_keys.h"

namespace weir::python {

void BindGlobalStep(py::module_& m) {
  m.def(
      "find_global_step",
      [](py::object graph) -> py::object {
        const GlobalStep step = Take(FindGlobalStep(*GraphObjectOf(graph).graph));
        if (!step.value.valid()) return py::none();
        if (!step.in_collection) return Wrap(step.value);
        return py::list(graph.attr("get_collection")(graph_keys::kGlobalStep))[0];
      },
      py::arg("graph"));
  m.def(
      "find_global_step_read",
      [](py::object graph) -> py::object {
        const GlobalStep step = Take(FindGlobalStepRead(*GraphObjectOf(graph).graph));
        return step.value.valid() ? Wrap(step.value) : py::none();
      },
      py::arg("graph"));
}

}  // namespace weir::python
