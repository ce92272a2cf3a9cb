// PyFuncRunner: how a kernel calls a function that the embedding language has put down under a token (tf.py_func).
// Found in StepContext. Implemented by the Python binding; thread-safe.
#ifndef WEIR_OP_PY_FUNC_H_
#define WEIR_OP_PY_FUNC_H_

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace weir {

class PyFuncRunner {
 public:
  virtual ~PyFuncRunner() = default;
  // Blocks until the function has returned: one tensor per entry of `output_types`, of that type. `eager` tells
  // EagerPyFunc from the others: it passes tensors, not arrays, to the function.
  virtual Result<std::vector<Tensor>> Call(const std::string& token, const std::vector<Tensor>& inputs,
                                           const std::vector<DType>& output_types, bool eager) = 0;
};

}  // namespace weir

#endif  // WEIR_OP_PY_FUNC_H_
