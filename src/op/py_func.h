// PyFuncRunner: lets a kernel call a Python function that is registered under a token (tf.py_func). Kernels get it from
// StepContext. Implemented by the Python binding. Thread-safe.
#ifndef WEIR_OP_PY_FUNC_H_
#define WEIR_OP_PY_FUNC_H_

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace weir {

class PyFuncRunner {
 public:
  virtual ~PyFuncRunner() = default;
  // Blocks until the function returns. The result has one tensor per entry of `output_types`, of that type. With
  // `eager` (EagerPyFunc) the function gets tensors instead of arrays.
  virtual Result<std::vector<Tensor>> Call(const std::string& token, const std::vector<Tensor>& inputs,
                                           const std::vector<DType>& output_types, bool eager) = 0;
};

}  // namespace weir

#endif  // WEIR_OP_PY_FUNC_H_
