// Element types as the messages of TensorFlow's kernels name them.
#ifndef WEIR_OP_TYPE_TEXT_H_
#define WEIR_OP_TYPE_TEXT_H_

#include <string>

#include "tensor/dtype.h"

namespace weir {

// "float" and "double" where Python says "float32" and "float64".
inline std::string KernelTypeText(DType dtype) {
  if (dtype == kFloat) return "float";
  if (dtype == kDouble) return "double";
  return DTypeName(dtype);
}

}  // namespace weir

#endif  // WEIR_OP_TYPE_TEXT_H_
