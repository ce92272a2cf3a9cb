// Garbage collection for bound types that hold Python objects in C++ members: T says what it holds in
// `void Visit(visitproc, void*)`-like functions given here, and what to drop when a cycle is broken.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

namespace py = pybind11;

// pybind11 destroys an object that the collector still sees. Whatever gives the GIL away meanwhile, as the end of a
// session does, would let a collection in another thread destroy it a second time.
inline void DestroyUntracked(PyObject* self) {
  PyObject_GC_UnTrack(self);
  py::detail::pybind11_object_dealloc(self);
}

// For each type that has py::dynamic_attr(), which the collector looks at, and is not Collected.
inline py::custom_type_setup DestroyedUntracked() {
  return py::custom_type_setup([](PyHeapTypeObject* type) { type->ht_type.tp_dealloc = DestroyUntracked; });
}

// py::class_<T>(m, "T", py::dynamic_attr(), Collected<T, VisitT, ClearT>()). Visit returns non-zero to stop, as
// visitproc does.
template <class T, int (*VisitMembers)(T&, visitproc, void*), void (*ClearMembers)(T&)>
py::custom_type_setup Collected() {
  return py::custom_type_setup([](PyHeapTypeObject* heap_type) {
    PyTypeObject* type = &heap_type->ht_type;
    type->tp_flags |= Py_TPFLAGS_HAVE_GC;
    type->tp_dealloc = DestroyUntracked;
    type->tp_traverse = [](PyObject* self, visitproc visit, void* arg) -> int {
      if (PyObject** dict = _PyObject_GetDictPtr(self)) Py_VISIT(*dict);
      Py_VISIT(Py_TYPE(self));
      auto* instance = reinterpret_cast<py::detail::instance*>(self);
      void* value = instance->get_value_and_holder().value_ptr();
      return value == nullptr ? 0 : VisitMembers(*static_cast<T*>(value), visit, arg);
    };
    type->tp_clear = [](PyObject* self) -> int {
      if (PyObject** dict = _PyObject_GetDictPtr(self)) Py_CLEAR(*dict);
      auto* instance = reinterpret_cast<py::detail::instance*>(self);
      if (void* value = instance->get_value_and_holder().value_ptr()) ClearMembers(*static_cast<T*>(value));
      return 0;
    };
  });
}

// For a type whose `graph` member is its only Python object; the cycle is broken on the graph's side.
template <class T>
int VisitGraph(T& object, visitproc visit, void* arg) {
  Py_VISIT(object.graph.ptr());
  return 0;
}
template <class T>
void ClearNothing(T&) {}

}  // namespace weir::python
