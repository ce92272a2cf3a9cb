#include "bind/py_func.h"

#include "absl/strings/ascii.h"
#include "base/rng.h"
#include "bind/errors.h"
#include "bind/gil.h"
#include "bind/input_caster.h"
#include "bind/numpy.h"
#include "bind/op_errors.h"
#include "bind/ops.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

// The status code for a Python exception in a step.
StatusCode CodeOf(py::error_already_set& error) {
  if (error.matches(PyExc_ValueError) || error.matches(PyExc_TypeError)) return StatusCode::kInvalidArgument;
  if (error.matches(PyExc_StopIteration)) return StatusCode::kOutOfRange;
  if (error.matches(PyExc_MemoryError)) return StatusCode::kResourceExhausted;
  if (error.matches(PyExc_NotImplementedError)) return StatusCode::kUnimplemented;
  if (IsOpError(error.value())) return static_cast<StatusCode>(error.value().attr("error_code").cast<int>());
  return StatusCode::kUnknown;
}

// The exception and its traceback.
std::string TextOf(py::error_already_set& error) {
  const py::module_ traceback = py::module_::import("traceback");
  const py::str none("");
  const py::object lines = traceback.attr("format_exception_only")(error.type(), error.value());
  std::string text = py::cast<std::string>(none.attr("join")(lines));
  if (!error.trace() || error.trace().is_none()) return std::string(absl::StripTrailingAsciiWhitespace(text));
  text += "Traceback (most recent call last):\n";
  text += py::cast<std::string>(none.attr("join")(traceback.attr("format_tb")(error.trace())));
  return std::string(absl::StripTrailingAsciiWhitespace(text));
}

std::vector<Tensor> ConvertResults(py::object results, const std::vector<DType>& types) {
  std::vector<py::object> values;
  if (PyList_Check(results.ptr()) || PyTuple_Check(results.ptr())) {
    for (py::handle value : results) values.push_back(py::reinterpret_borrow<py::object>(value));
    // A single output may itself be a list.
    if (types.size() == 1 && values.size() != 1) values = {results};
  } else if (!results.is_none() || !types.empty()) {
    values.push_back(std::move(results));
  }
  if (values.size() != types.size())
    RaiseValue(fmt::format("the function returned {} values, but {} are expected", values.size(), types.size()));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < types.size(); ++i) {
    if (IsArray(values[i]) || IsNumpyScalar(values[i])) {
      const DType given = DTypeOfNumpy(values[i].attr("dtype"));
      if (given != types[i])
        RaiseValue(fmt::format("py_func: value {} returned by the function has dtype {}, expected {}", i,
                               DTypeName(given), DTypeName(types[i])));
    }
    tensors.push_back(TensorFromNumpy(values[i], types[i], Memory::kCopy));
  }
  return tensors;
}

py::object PyFunc(py::object function, const py::object& inputs, const py::object& out_types, bool stateful,
                  const Name& name) {
  InputList args;
  for (py::handle input : py::iter(inputs)) args.push_back(InputFrom(input));
  const bool many = PyList_Check(out_types.ptr()) || PyTuple_Check(out_types.ptr());
  std::vector<DType> types;
  if (many)
    types = py::cast<std::vector<DType>>(out_types);
  else
    types.push_back(AsDType(out_types));
  Graph* found = GraphOfArgument(args);
  Graph& graph = found == nullptr ? DefaultGraphRef() : *found;
  const std::string token = Process::Get().py_functions().Add(graph, std::move(function));
  Node* node = Take(NodeBuilder(graph, stateful ? "PyFunc" : "PyFuncStateless", name.text)
                        .In(std::move(args))
                        .Attr("token", token)
                        .Attr("Tout", types)
                        .Build());
  if (!many) return Wrap(Output(node, 0));
  return ResultOf(node);
}

}  // namespace

std::string PyFunctions::Add(Graph& graph, py::object function) {
  SharedPyObject item(std::move(function));
  std::string token;
  {
    std::lock_guard<std::mutex> lock(mu_);
    std::erase_if(functions_, [](const auto& entry) { return entry.second.expired(); });
    // Random, so that a graph from elsewhere cannot name the functions of this process.
    token = fmt::format("pyfunc_{}_{:016x}", next_++, RealRng().Next64());
    functions_[token] = item.shared();
  }
  graph.collections().Add(kPyFuncsCollection, item);
  return token;
}

Result<std::vector<Tensor>> PyFunctions::Call(const std::string& token, const std::vector<Tensor>& inputs,
                                              const std::vector<DType>& output_types, bool /*eager*/) {
  if (!TryEnterPython()) return Cancelled("the interpreter is shutting down");
  py::gil_scoped_acquire gil;
  LeavePython();  // not counted: the exit does not wait for user functions
  std::shared_ptr<PyObject> function;
  {
    std::lock_guard<std::mutex> lock(mu_);
    auto it = functions_.find(token);
    if (it != functions_.end()) function = it->second.lock();
  }
  if (function == nullptr) return NotFound("py_func: Python function '{}' is not registered in this process", token);
  try {
    py::tuple args(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) args[i] = NumpyFromTensor(inputs[i]);
    return ConvertResults(CallOrPark(function.get(), args), output_types);
  } catch (py::error_already_set& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) {
      // Raise it on the thread that waits for the step.
      PyErr_SetInterrupt();
      return Cancelled("the step was interrupted");
    }
    return MakeStatus(CodeOf(error), TextOf(error));
  }
}

void BindPyFunc(py::module_& m) {
  m.def("py_func", &PyFunc, py::arg("func"), py::arg("inp"), py::arg("Tout"), py::arg("stateful") = true,
        py::arg("name") = py::none());
}

}  // namespace weir::python
