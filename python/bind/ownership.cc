#include "bind/ownership.h"

#include <algorithm>

namespace weir::python {

void HoldGraph(py::handle object, const Graph& graph) {
  const py::object held = GraphOf(graph);
  const auto& kept = py::detail::get_internals().patients;
  const auto found = kept.find(object.ptr());
  if (found != kept.end() && std::find(found->second.begin(), found->second.end(), held.ptr()) != found->second.end())
    return;
  py::detail::add_patient(object.ptr(), held.ptr());
}

}  // namespace weir::python
