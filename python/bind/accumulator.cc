// Binds accumulators. weir/lib/queues.py defines the Python class of each kind.
#include "graph/compose/accumulator.h"

#include "bind/gc.h"
#include "bind/input_caster.h"
#include "bind/queue.h"
#include "bind/sparse.h"

namespace weir::python {
namespace {

// Keeps the graph of its accumulator alive.
template <class T>
struct AccumulatorObject {
  T accumulator;
  py::object graph;
};
using Dense = AccumulatorObject<DenseAccumulator>;
using Rows = AccumulatorObject<SparseAccumulator>;

template <class T>
std::unique_ptr<AccumulatorObject<T>> MakeAccumulator(DType dtype, const PartialShape& shape, const Name& shared_name,
                                                      const Name& name, const std::string& reduction_type) {
  Graph& graph = DefaultGraphRef();
  T made =
      T::Make(graph, dtype,
              {.shape = shape, .shared_name = shared_name.text, .name = name.text, .reduction_type = reduction_type});
  return std::make_unique<AccumulatorObject<T>>(
      AccumulatorObject<T>{FinishBuild(graph, std::move(made)), GraphOf(graph)});
}

template <class T>
py::class_<AccumulatorObject<T>> BindKind(py::module_& m, const char* name) {
  using A = AccumulatorObject<T>;
  return py::class_<A>(m, name, py::dynamic_attr(), GarbageCollected<A, VisitGraph<A>>())
      .def(py::init(&MakeAccumulator<T>), py::arg("dtype"), py::arg("shape") = py::none(),
           py::arg("shared_name") = py::none(), py::arg("name") = py::none(), py::arg("reduction_type") = "MEAN")
      .def_property_readonly("accumulator_ref", [](const A& a) { return a.accumulator.accumulator_ref(); })
      .def_property_readonly("name", [](const A& a) { return a.accumulator.name(); })
      .def_property_readonly("dtype", [](const A& a) { return a.accumulator.dtype(); })
      .def_property_readonly("shape", [](const A& a) { return a.accumulator.shape(); })
      .def(
          "num_accumulated",
          [](const A& a, const Name& n) {
            return FinishBuild(a.accumulator.graph(), a.accumulator.NumAccumulated(n.text));
          },
          py::arg("name") = py::none())
      .def(
          "set_global_step",
          [](const A& a, Input step, const Name& n) {
            return FinishBuild(a.accumulator.graph(), a.accumulator.SetGlobalStep(step, n.text));
          },
          py::arg("new_global_step"), py::arg("name") = py::none());
}

}  // namespace

void BindAccumulators(py::module_& m) {
  BindKind<DenseAccumulator>(m, "DenseAccumulator")
      .def(
          "apply_grad",
          [](const Dense& a, Input grad, Input local_step, const Name& n) {
            return FinishBuild(a.accumulator.graph(), a.accumulator.ApplyGrad(grad, local_step, n.text));
          },
          py::arg("grad"), py::arg("local_step") = 0, py::arg("name") = py::none())
      .def(
          "take_grad",
          [](const Dense& a, Input num_required, const Name& n) {
            return FinishBuild(a.accumulator.graph(), a.accumulator.TakeGrad(num_required, n.text));
          },
          py::arg("num_required"), py::arg("name") = py::none());
  BindKind<SparseAccumulator>(m, "SparseAccumulator")
      .def(
          "apply_grad",
          [](const Rows& a, Input grad_indices, Input grad_values, Input grad_shape, Input local_step, const Name& n) {
            return FinishBuild(a.accumulator.graph(),
                               a.accumulator.ApplyGrad(grad_indices, grad_values, grad_shape, local_step, n.text));
          },
          py::arg("grad_indices"), py::arg("grad_values"), py::arg("grad_shape") = py::none(),
          py::arg("local_step") = 0, py::arg("name") = py::none())
      .def(
          "apply_indexed_slices_grad",
          [](const Rows& a, py::object grad, Input local_step, const Name& n) {
            if (!IsSlices(grad)) RaiseType("apply_indexed_slices_grad takes an IndexedSlices");
            const IndexedSlices& s = SlicesOf(grad);
            const Input shape = s.dense_shape.valid() ? Input(s.dense_shape) : Input();
            return FinishBuild(a.accumulator.graph(),
                               a.accumulator.ApplyGrad(s.indices, s.values, shape, local_step, n.text));
          },
          py::arg("grad"), py::arg("local_step") = 0, py::arg("name") = py::none())
      .def(
          "take_grad",
          [](const Rows& a, Input num_required, const Name& n) {
            const IndexedSlices taken =
                FinishBuild(a.accumulator.graph(), a.accumulator.TakeGrad(num_required, n.text));
            return std::make_tuple(taken.indices, taken.values, taken.dense_shape);
          },
          py::arg("num_required"), py::arg("name") = py::none())
      .def(
          "take_indexed_slices_grad",
          [](const Rows& a, Input num_required, const Name& n) {
            return Wrap(FinishBuild(a.accumulator.graph(), a.accumulator.TakeGrad(num_required, n.text)));
          },
          py::arg("num_required"), py::arg("name") = py::none());
}

}  // namespace weir::python
