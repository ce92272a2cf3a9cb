// Internal version of the public header: adds the formatters.
#ifndef WEIR_TENSOR_FORMATTED_SHAPE_H_
#define WEIR_TENSOR_FORMATTED_SHAPE_H_

#include "base/check.h"
#include "base/status.h"
#include "weir/tensor/shape.h"

template <>
struct fmt::formatter<weir::Shape> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const weir::Shape& s, Context& ctx) const {
    return fmt::formatter<std::string>::format(s.ToString(), ctx);
  }
};
template <>
struct fmt::formatter<weir::PartialShape> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const weir::PartialShape& s, Context& ctx) const {
    return fmt::formatter<std::string>::format(s.ToString(), ctx);
  }
};

#endif  // WEIR_TENSOR_FORMATTED_SHAPE_H_
