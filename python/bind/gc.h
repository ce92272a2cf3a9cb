// Garbage collector support for bound types. Types whose objects hold Python objects are bound with GarbageCollected():
//
// T holds only graphs (ownership.h) and kept arguments, or has members that are Python objects as well:
//   py::class_<T>(m, "T", GarbageCollected<T>())
//   py::class_<T>(m, "T", GarbageCollected<T, VisitT, ClearT>())
//
// VisitT calls Py_VISIT for each such member and returns non-zero to stop. ClearT drops members to break a cycle.
#pragma once

#include <pybind11/pybind11.h>

#include "bind/gil.h"

namespace weir::python {

namespace py = pybind11;

// Destroys an object after hiding it from the collector. pybind11 destroys it while the collector still sees it: if the
// destructor releases the GIL (closing a session does), a collection on another thread would destroy it twice.
inline void UntrackAndDestroy(PyObject* self) {
  const CountedCall call(CountedCall::AtExit::kProceed);  // do not park: the thread may hold locks that the exit needs
  PyObject_GC_UnTrack(self);
  py::detail::pybind11_object_dealloc(self);
}

// For types that are visible to the garbage collector only because they have py::dynamic_attr(). Do not use it for
// types that are GarbageCollected.
inline py::custom_type_setup WithUntrackedDealloc() {
  return py::custom_type_setup([](PyHeapTypeObject* type) { type->ht_type.tp_dealloc = UntrackAndDestroy; });
}

template <class T>
int VisitNothing(T&, visitproc, void*) {
  return 0;
}
template <class T>
void ClearNothing(T&) {}

// Visits the objects that pybind11 keeps alive for `self`. py::keep_alive, KeepArgumentsAlive and HoldGraph add them.
inline int VisitKeptAlive(PyObject* self, visitproc visit, void* arg) {
  if (!reinterpret_cast<py::detail::instance*>(self)->has_patients) return 0;
  const auto& kept = py::detail::get_internals().patients;
  const auto found = kept.find(self);
  if (found == kept.end()) return 0;
  for (PyObject* object : found->second) Py_VISIT(object);
  return 0;
}

// Whether `traverse`, the function of a bound type, must visit the attributes of `self`. Python's own function, which a
// derived Python class has, visits them if the class added the dictionary; a second visit would make the collector take
// every cycle through them for alive.
inline bool MustVisitAttributes(PyObject* self, traverseproc traverse) {
  PyTypeObject* bound = Py_TYPE(self);
  while (bound->tp_traverse != traverse && bound->tp_base != nullptr) bound = bound->tp_base;
  return Py_TYPE(self)->tp_dictoffset == bound->tp_dictoffset;
}

template <class T, int (*VisitMembers)(T&, visitproc, void*)>
int Traverse(PyObject* self, visitproc visit, void* arg) {
  if (MustVisitAttributes(self, &Traverse<T, VisitMembers>)) {
    if (PyObject** dict = _PyObject_GetDictPtr(self)) Py_VISIT(*dict);
  }
  Py_VISIT(Py_TYPE(self));
  if (const int stop = VisitKeptAlive(self, visit, arg)) return stop;
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  void* value = instance->get_value_and_holder().value_ptr();
  return value == nullptr ? 0 : VisitMembers(*static_cast<T*>(value), visit, arg);
}

// ClearMembers need not drop graphs: a cycle through a graph is broken by clearing the graph.
template <class T, int (*VisitMembers)(T&, visitproc, void*) = VisitNothing<T>,
          void (*ClearMembers)(T&) = ClearNothing<T>>
py::custom_type_setup GarbageCollected() {
  return py::custom_type_setup([](PyHeapTypeObject* heap_type) {
    PyTypeObject* type = &heap_type->ht_type;
    type->tp_flags |= Py_TPFLAGS_HAVE_GC;
    type->tp_dealloc = UntrackAndDestroy;
    type->tp_traverse = &Traverse<T, VisitMembers>;
    type->tp_clear = [](PyObject* self) -> int {
      if (PyObject** dict = _PyObject_GetDictPtr(self)) Py_CLEAR(*dict);
      auto* instance = reinterpret_cast<py::detail::instance*>(self);
      if (void* value = instance->get_value_and_holder().value_ptr()) ClearMembers(*static_cast<T*>(value));
      return 0;
    };
  });
}

// For types whose only Python object is the member `graph`.
template <class T>
int VisitGraph(T& object, visitproc visit, void* arg) {
  Py_VISIT(object.graph.ptr());
  return 0;
}

}  // namespace weir::python
