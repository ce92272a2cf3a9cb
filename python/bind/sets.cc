// tf.sets.
#include "bind/sets.h"

#include "bind/arguments.h"
#include "graph/compose/dims.h"

namespace weir::python {

void BindSets(py::module_& m) {
  using Operation = Sparse (*)(Graph&, SetsArgument, SetsArgument, bool);
  const std::pair<const char*, Operation> operations[] = {
      {"set_intersection",
       [](Graph& g, SetsArgument a, SetsArgument b, bool validate) {
         return SetOperationOf(g, SetOperationKind::kIntersection, a.sets, b.sets, {validate});
       }},
      {"set_union",
       [](Graph& g, SetsArgument a, SetsArgument b, bool validate) {
         return SetOperationOf(g, SetOperationKind::kUnion, a.sets, b.sets, {validate});
       }},
  };
  for (const auto& [name, function] : operations)
    Def(m, name, function, py::arg("a"), py::arg("b"), py::arg("validate_indices") = true);
  Def(
      m, "set_difference",
      +[](Graph& g, SetsArgument a, SetsArgument b, bool aminusb, bool validate) {
        const SetOperationKind kind = aminusb ? SetOperationKind::kAMinusB : SetOperationKind::kBMinusA;
        return SetOperationOf(g, kind, a.sets, b.sets, {validate});
      },
      py::arg("a"), py::arg("b"), py::arg("aminusb") = true, py::arg("validate_indices") = true);
  Def(
      m, "set_size", +[](Graph&, SparseArgument a, bool validate) { return SetSize(a.sparse, {validate}); },
      py::arg("a"), py::arg("validate_indices") = true);
}

}  // namespace weir::python
