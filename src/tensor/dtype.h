// Internal version of the public header: adds the formatter.
#ifndef WEIR_TENSOR_FORMATTED_DTYPE_H_
#define WEIR_TENSOR_FORMATTED_DTYPE_H_

#include "base/status.h"
#include "weir/tensor/dtype.h"

template <>
struct fmt::formatter<weir::DType> : fmt::formatter<std::string> {
  template <class Context>
  auto format(weir::DType t, Context& ctx) const {
    return fmt::formatter<std::string>::format(weir::DTypeName(t), ctx);
  }
};

#endif  // WEIR_TENSOR_FORMATTED_DTYPE_H_
