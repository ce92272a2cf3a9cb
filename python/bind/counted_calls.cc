// CountCalls: wraps everything bound by pybind11 in a CountedCall, and explains wrong arguments. pybind11 calls all
// functions through one dispatcher and destroys all objects through one tp_dealloc. Both are replaced in the objects of
// the module.
#include <pybind11/pybind11.h>

#include "bind/argument_errors.h"
#include "bind/gil.h"

namespace weir::python {
namespace {

struct Dispatch : py::cpp_function {
  using py::cpp_function::dispatcher;
};

PyCFunction AsMethod(PyObject* (*function)(PyObject*, PyObject*, PyObject*)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyObject* CountedDispatch(PyObject* self, PyObject* arguments, PyObject* keywords) {
  const CountedCall call;
  PyObject* const result = Dispatch::dispatcher(self, arguments, keywords);
  if (result == nullptr) ExplainArguments(arguments, keywords);
  return result;
}

void CountedDestroy(PyObject* self) {
  const CountedCall call(CountedCall::AtExit::kProceed);  // do not park: the thread may hold locks that the exit needs
  py::detail::pybind11_object_dealloc(self);
}

void CountFunction(PyObject* object) {
  if (object == nullptr) return;
  if (PyInstanceMethod_Check(object)) object = PyInstanceMethod_GET_FUNCTION(object);
  if (!PyCFunction_Check(object)) return;
  PyMethodDef* method = reinterpret_cast<PyCFunctionObject*>(object)->m_ml;
  if (method->ml_meth == AsMethod(&Dispatch::dispatcher)) method->ml_meth = AsMethod(&CountedDispatch);
}

void CountMember(py::handle member) {
  CountFunction(member.ptr());
  if (PyObject_TypeCheck(member.ptr(), &PyProperty_Type) != 0) {
    for (const char* accessor : {"fget", "fset"}) CountFunction(py::object(member.attr(accessor)).ptr());
  } else if (Py_TYPE(member.ptr()) == &PyStaticMethod_Type) {
    CountFunction(py::object(member.attr("__func__")).ptr());
  }
}

}  // namespace

void CountCalls(py::module_& m) {
  for (const auto& item : py::reinterpret_borrow<py::dict>(PyModule_GetDict(m.ptr()))) {
    CountMember(item.second);
    if (PyType_Check(item.second.ptr()) == 0) continue;
    auto* type = reinterpret_cast<PyTypeObject*>(item.second.ptr());
    if (type->tp_dealloc == &py::detail::pybind11_object_dealloc) type->tp_dealloc = &CountedDestroy;
    for (const auto& member : py::reinterpret_borrow<py::dict>(type->tp_dict)) CountMember(member.second);
  }
}

py::cpp_function Counted(py::cpp_function function) {
  CountFunction(function.ptr());
  return function;
}

}  // namespace weir::python
