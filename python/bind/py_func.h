// tf.py_func: Python functions called by steps. The graphs that use a function keep it alive.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "bind/process.h"
#include "op/py_func.h"

namespace weir::python {

// The collection in which a graph keeps the functions of its nodes.
constexpr const char* kPyFuncsCollection = "py_funcs\x01";

class PyFunctions final : public PyFuncRunner {
 public:
  // Stores `function` in `graph`. Returns the token by which steps call it.
  std::string Add(Graph& graph, py::object function);
  Result<std::vector<Tensor>> Call(const std::string& token, const std::vector<Tensor>& inputs,
                                   const std::vector<DType>& output_types, bool eager) override;

 private:
  std::mutex mu_;
  int64_t next_ = 0;
  std::map<std::string, std::weak_ptr<PyObject>> functions_;  // owned by the graphs
};

void BindPyFunc(py::module_& m);

}  // namespace weir::python
